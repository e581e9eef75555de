#pragma once

// A server and two clients in virtual time, with a network between the server and one of them that
// an input of the fuzzer decides about. The other client's datagrams all arrive as they are.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/live_session.hpp>
#include <contrail/fuzz/target.hpp>

namespace contrail::fuzz {

/// What the network does with the next datagram between server and mutant, low 3 bits of a byte.
enum class Fate : std::uint8_t { deliver, deliver_too, hold_back, drop, twice, alter, cut, splice };
/// What else happens in a frame, low 4 bits of a byte.
enum class Act : std::uint8_t {
  nothing,
  raw_to_server,  // {length u8, bytes}: as they are
  raw_to_mutant,
  forged_to_server,  // {type u8, counter u8, length u8, bytes}: a packet of the connection
  forged_to_mutant,
  fire,
  steer,
  drive,
  sleep,  // {n u8}: the mutant's clock runs on by n * 100 ms
  leave,
  long_to_server,  // {type u8, byte u8}: 1200 bytes
  long_to_mutant,
};

class Network final : public server::DatagramSink {
 public:
  explicit Network(ByteView script);

  /// Everybody's next 1/64 s.
  void frame();
  /// Script is left.
  [[nodiscard]] bool scripted() const { return script_.left() > 0 && !script_.failed(); }
  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override;

  [[nodiscard]] client::ClientCore& mutant() { return mutant_; }
  [[nodiscard]] client::ClientCore& observer() { return observer_; }
  [[nodiscard]] const server::LiveSession& session() const { return *session_; }
  /// Not one datagram was changed or made up, so everything has to work.
  [[nodiscard]] bool honest() const { return honest_; }
  /// Datagrams of the server in the last frame, to one client.
  [[nodiscard]] std::size_t sent_in_frame() const { return sent_in_frame_; }

 private:
  enum class Way : std::uint8_t { to_server, to_mutant };
  void pass(Way way, Bytes datagram);
  void arrive(Way way, ByteView datagram);
  void act();
  void forge(Way way);
  Bytes scripted_bytes();
  void frame_of(client::ClientCore& core, bool mutant);

  wire::ByteReader script_;
  server::Log log_{server::LogFormat::text, server::LogLevel::off};
  std::unique_ptr<server::LiveSession> session_;
  client::ClientCore mutant_;
  client::ClientCore observer_;
  std::deque<Bytes> to_observer_;
  std::deque<Bytes> to_mutant_;
  std::array<std::optional<Bytes>, 2> held_;  // by way
  std::array<std::uint16_t, 2> counters_{};   // newest seen, by way
  std::uint32_t connection_ = 0;              // of the mutant
  wire::Nanoseconds now_ = 1000 * wire::k_second;
  wire::Nanoseconds mutant_clock_ = 5 * wire::k_second;  // minus now_
  wire::Nanoseconds next_tick_;
  bool honest_ = true;
  std::size_t sent_in_frame_ = 0;
};

}  // namespace contrail::fuzz
