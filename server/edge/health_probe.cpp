#include <array>
#include <optional>
#include <random>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

#include <contrail/edge/health_probe.hpp>
#include <contrail/wire/handshake.hpp>

namespace contrail::server {

namespace {

using asio::ip::udp;

/// Where a server of every interface is found from its own machine.
asio::ip::address reachable(const ListenAddress& address, asio::error_code& error) {
  const asio::ip::address host = asio::ip::make_address(address.host, error);
  return host.is_unspecified() ? asio::ip::address(asio::ip::address_v4::loopback()) : host;
}

/// What the server said to this hello, or nothing for anything else.
std::optional<std::string> understand(std::span<const std::uint8_t> datagram, std::uint64_t nonce) {
  wire::Challenge challenge;
  if (wire::decode_challenge(datagram, challenge) == wire::PacketError::none &&
      challenge.nonce == nonce) {
    return "answered";
  }
  wire::Refuse refuse;
  if (wire::decode_refuse(datagram, refuse) == wire::PacketError::none && refuse.nonce == nonce) {
    // A hello without a token is refused like that by a server that is well.
    return refuse.reason == wire::RefuseReason::token_required ? "answered"
                                                               : "answered, refusing new clients";
  }
  return std::nullopt;
}

/// One question and its answer, run to the end by its own io_context.
class Probe {
 public:
  explicit Probe(asio::io_context& context) : context_(context), socket_(context) {}

  HealthAnswer ask(const udp::endpoint& server, const sim::Hash64& fingerprint,
                   std::chrono::milliseconds timeout) {
    wire::Hello hello;
    hello.version.fingerprint = fingerprint;
    std::random_device random;
    hello.nonce = (std::uint64_t{random()} << 32U) | random();
    wire::Datagram datagram;
    wire::encode_hello(hello, datagram);
    nonce_ = hello.nonce;

    asio::error_code error;
    socket_.open(server.protocol(), error);
    // Connected, so that a port nobody listens on answers with an error at once.
    if (!error) socket_.connect(server, error);
    const auto view = datagram.view();
    if (!error) socket_.send(asio::buffer(view.data(), view.size()), 0, error);
    if (error) return {false, error.message()};
    receive();
    context_.run_for(timeout);
    if (answer_.text.empty())
      answer_.text = "no answer within " + std::to_string(timeout.count()) + " ms";
    return answer_;
  }

 private:
  void receive() {
    socket_.async_receive(
        asio::buffer(buffer_), [this](const asio::error_code& error, std::size_t size) {
          if (error) {
            answer_.text = error.message();
          } else if (const auto text = understand({buffer_.data(), size}, nonce_)) {
            answer_ = {true, *text};
          } else {
            receive();
          }
        });
  }

  asio::io_context& context_;
  udp::socket socket_;
  std::array<std::uint8_t, 2048> buffer_{};
  std::uint64_t nonce_ = 0;
  HealthAnswer answer_;
};

}  // namespace

HealthAnswer probe_health(const ListenAddress& address, const sim::Hash64& fingerprint,
                          std::chrono::milliseconds timeout) {
  asio::error_code error;
  const asio::ip::address host = reachable(address, error);
  if (error) return {false, error.message()};
  asio::io_context context;
  HealthAnswer answer = Probe(context).ask({host, address.port}, fingerprint, timeout);
  answer.text =
      "UDP " + to_string(ListenAddress{host.to_string(), address.port}) + ": " + answer.text;
  return answer;
}

}  // namespace contrail::server
