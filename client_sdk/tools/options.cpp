#include "options.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <map>

#include <CLI/CLI.hpp>

#include <contrail/wire/connect_token.hpp>

namespace contrail::client_tool {
namespace {

constexpr int k_usage_error = 2;
constexpr int k_max_count = 4096;

const std::map<std::string, wire::Role> k_roles{{"spectator", wire::Role::spectator},
                                                {"pilot", wire::Role::pilot},
                                                {"director", wire::Role::director}};
const std::map<std::string, client::TestFault> k_faults{
    {"flight-knot", client::TestFault::flight_knot},
    {"fingerprint", client::TestFault::fingerprint},
    {"protocol-version", client::TestFault::protocol_version},
    {"token-secret", client::TestFault::token_secret}};

/// Options as text; what has a form of its own is read after CLI11 is through.
struct Texts {
  std::string server;
  std::string duration = "0";
  std::string fire_every = "0";
  std::string steer = "0";
  std::string wait_first = "0";
  std::string token_file;
};

void read_duration(const std::string& text, const char* flag, double& out) {
  const std::optional<double> seconds = parse_duration(text);
  if (!seconds) {
    throw CLI::ValidationError(
        flag, "\"" + text + "\" is not a duration; right would be 10s, 500ms or 2m");
  }
  out = *seconds;
}

void read_token(const std::string& path, wire::Bytes& out) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CLI::ValidationError("--token", "cannot read " + path);
  out.assign(std::istreambuf_iterator<char>(file), {});
  constexpr std::size_t k_longest = wire::k_max_token_bytes + wire::k_key_bytes;
  if (out.size() > k_longest) {
    throw CLI::ValidationError("--token", path + " holds " + std::to_string(out.size()) +
                                              " bytes; a token has at most " +
                                              std::to_string(k_longest));
  }
}

/// The first server a token names; nothing for a token that names none, or no token.
std::optional<client::ServerAddress> server_of(const wire::Bytes& token) {
  wire::TokenFace face;
  if (wire::read_face(token, true, face) != wire::TokenForm::good || face.addresses.empty()) {
    return std::nullopt;
  }
  return client::server_address_of(face.addresses.front());
}

void read_texts(const Texts& texts, Options& options) {
  if (!texts.token_file.empty()) read_token(texts.token_file, options.join.token);
  auto server = client::parse_server_address(texts.server);
  if (texts.server.empty()) {
    server = server_of(options.join.token).value_or(client::ServerAddress{"127.0.0.1", 7777});
  }
  if (!server) {
    throw CLI::ValidationError("--server", "\"" + texts.server +
                                               "\" is not host:port; right would be "
                                               "127.0.0.1:7777, [::1]:7777 or example.org:7777");
  }
  options.server = *server;
  read_duration(texts.duration, "--duration", options.duration);
  read_duration(texts.fire_every, "--fire-every", options.fire_every);
  read_duration(texts.steer, "--steer", options.steer_every);
  read_duration(texts.wait_first, "--wait-first", options.wait_first);
  if (options.fire_every > 0 && options.join.role == wire::Role::spectator) {
    throw CLI::ValidationError("--fire-every", "a spectator cannot fire; add --role pilot");
  }
  if (options.steer_every > 0 && options.join.role == wire::Role::spectator) {
    throw CLI::ValidationError("--steer", "a spectator cannot steer; add --role pilot");
  }
}

void add_options(CLI::App& app, Options& options, Texts& texts) {
  app.add_option("--server", texts.server,
                 "Server as host:port; default: the first one the token names, or 127.0.0.1:7777")
      ->envname("CONTRAIL_SERVER");
  app.add_option("--duration", texts.duration, "How long to follow the session; 0: until stopped")
      ->envname("CONTRAIL_DURATION")
      ->capture_default_str();
  app.add_option("--role", options.join.role, "spectator, pilot or director")
      ->transform(CLI::CheckedTransformer(k_roles).description("{spectator,pilot,director}"))
      ->envname("CONTRAIL_ROLE")
      ->default_str("spectator");
  app.add_option("--entity", options.join.entity, "A pilot's wish: the entity to command");
  app.add_option("--token", texts.token_file,
                 "File with the connect token, as contrail-token issue writes it")
      ->envname("CONTRAIL_TOKEN");
  app.add_flag("--reconnect", options.join.reconnect,
               "Come back by itself when the connection is lost");
  app.add_option("--fire-every", texts.fire_every, "Ask for a salvo this often; 0: never")
      ->capture_default_str();
  app.add_option("--steer", texts.steer,
                 "Steer the own entity somewhere else this often (500ms when no time is given)")
      ->expected(0, 1)
      ->default_str("500ms");
  app.set_version_flag("--version", std::string("contrail-client ") + CONTRAIL_VERSION);
  app.add_option("--wait-first", texts.wait_first,
                 "How long to wait for the session to be live; 0: one attempt of 10 s")
      ->capture_default_str();
  app.add_option("--count", options.count, "Connections of this process, as a load")
      ->check(CLI::Range(1, k_max_count))
      ->capture_default_str();
  app.add_flag("--json", options.json, "The last line of output is one JSON object");
  app.add_flag("--quiet", options.quiet, "No status lines");
  app.add_option("--test-fault", options.fault,
                 "Plant a fault that must be found: flight-knot, fingerprint, protocol-version, "
                 "token-secret")
      ->transform(CLI::CheckedTransformer(k_faults).description(""));
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  double value = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  constexpr double k_longest = 1e9;  // 31 years
  if (error != std::errc{} || !(value >= 0.0 && value <= k_longest)) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  if (unit.empty() || unit == "s") return value;
  if (unit == "ms") return value / 1000.0;
  if (unit == "m") return value * 60.0;
  if (unit == "h") return value * 3600.0;
  return std::nullopt;
}

std::variant<Options, int> parse_options(int argc, const char* const* argv) {
  Options options;
  Texts texts;
  CLI::App app(
      "Follows a contrail session and checks that it computes the same as the server.\n"
      "Exit code: 0 done and equal, 1 run-time failure, 2 usage, 4 a state hash differed, "
      "5 refused by the server.",
      "contrail-client");
  add_options(app, options, texts);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("contrail-client: ") + error.what() +
           "\nRun contrail-client --help for every flag.\n";
  });
  try {
    app.parse(argc, argv);
    read_texts(texts, options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : k_usage_error;
  }
  return options;
}

}  // namespace contrail::client_tool
