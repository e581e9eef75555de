// contrail-relay: a bad network between clients and a server.

#include <csignal>
#include <iostream>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>
#include <asio/ip/address.hpp>
#include <asio/signal_set.hpp>
#include <nlohmann/json.hpp>

#include <contrail/relay/relay.hpp>

namespace {

using contrail::support::Relay;
using contrail::support::RelayCounts;
using contrail::support::RelayOptions;

struct Texts {
  std::string listen = "127.0.0.1:0";
  std::string to;
  std::int64_t delay = 0;
  std::int64_t jitter = 0;
  std::int64_t change_port_after = 0;
};

/// "127.0.0.1:7777" or "[::1]:7777".
asio::ip::udp::endpoint endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw CLI::ValidationError(text, "is not ADDRESS:PORT");
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  asio::error_code error;
  const auto address = asio::ip::make_address(host, error);
  int port = -1;
  try {
    port = std::stoi(text.substr(colon + 1));
  } catch (const std::exception&) {
    port = -1;
  }
  if (error || port < 0 || port > 65535) throw CLI::ValidationError(text, "is not ADDRESS:PORT");
  return {address, static_cast<std::uint16_t>(port)};
}

void add_options(CLI::App& app, RelayOptions& options, Texts& texts) {
  const CLI::Range percent(0, 100);
  const CLI::Range milliseconds(0, 3'600'000);
  app.add_option("--listen", texts.listen, "Where clients send to; port 0: any free one");
  app.add_option("--to", texts.to, "The server's address and port")->required();
  app.add_option("--loss", options.loss, "Percent lost, each way")->check(percent);
  app.add_option("--duplicate", options.duplicates, "Percent sent twice")->check(percent);
  app.add_option("--reorder", options.reorders, "Percent held back")->check(percent);
  app.add_option("--delay", texts.delay, "Milliseconds, each way")->check(milliseconds);
  app.add_option("--jitter", texts.jitter, "Milliseconds more, at random")->check(milliseconds);
  app.add_option("--change-port-after", texts.change_port_after,
                 "Milliseconds until a client's source port changes; 0: never")
      ->check(milliseconds);
  app.add_option("--seed", options.seed, "Of everything at random");
}

nlohmann::ordered_json to_json(const RelayCounts& counts) {
  nlohmann::ordered_json out;
  out["datagrams"] = counts.datagrams;
  out["bytes"] = counts.bytes;
  out["lost"] = counts.lost;
  out["duplicated"] = counts.duplicated;
  out["reordered"] = counts.reordered;
  out["unroutable"] = counts.unroutable;
  out["forwarded"] = counts.forwarded;
  out["send_errors"] = counts.send_errors;
  return out;
}

int run(const RelayOptions& options) {
  asio::io_context context;
  asio::signal_set signals(context, SIGINT, SIGTERM);
  Relay relay(context, options);
  signals.async_wait([&](const asio::error_code&, int) {
    relay.stop();
    context.stop();
  });
  std::cout << nlohmann::json{{"event", "listening"}, {"port", relay.port()}}.dump() << std::endl;
  context.run();
  nlohmann::ordered_json out;
  out["event"] = "summary";
  out["clients"] = relay.clients();
  out["port_changes"] = relay.port_changes();
  out["to_server"] = to_json(relay.to_server());
  out["to_clients"] = to_json(relay.to_clients());
  std::cout << out.dump() << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A bad network between clients and a server. Ends by SIGINT or SIGTERM.");
  RelayOptions options;
  Texts texts;
  add_options(app, options, texts);
  try {
    app.parse(argc, argv);
    options.listen = endpoint_of(texts.listen);
    options.server = endpoint_of(texts.to);
    options.delay = std::chrono::milliseconds(texts.delay);
    options.jitter = std::chrono::milliseconds(texts.jitter);
    options.change_port_after = std::chrono::milliseconds(texts.change_port_after);
    return run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::system_error& error) {
    std::cerr << "contrail-relay: " << error.what() << "\n";
    return 1;
  }
}
