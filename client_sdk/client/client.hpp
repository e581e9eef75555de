#pragma once

// The contrail client: joins a server over UDP and follows its session.
//
//   contrail::client::Client client;
//   client.connect("127.0.0.1", 7777);
//   each frame:
//     client.update();
//     while (client.next_event(event)) ...                                     // what happened
//     client.missiles(client.render_time(), camera_origin, missile_array);     // what there is
//
// No thread and no callback: everything happens inside the calls, on the thread that makes them.
// One thread at a time per object. Nothing throws, prints or ends the process. examples/minimal.cpp
// is a whole program.

#include <cstdint>
#include <memory>
#include <string>

#include <contrail/client/udp_link.hpp>
#include <contrail/core/client_core.hpp>

namespace contrail::client {

/// A ClientCore with a UDP socket and the system's monotonic clock. What is named by `using` is
/// described in client_core.hpp.
class Client : private ClientCore {
 public:
  /// `config.seed` 0: one is drawn from the system.
  explicit Client(ClientConfig config = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  /// Starts to join the server at a name, an IPv4 or an IPv6 address. Names are resolved here,
  /// which may block for the system's resolver; addresses do not block. When a name has several
  /// addresses and one of them refuses or does not answer for a second, the next is tried.
  /// wrong_state while connected or failed; unreachable when there is no such host or no route,
  /// which describe_state() tells more about.
  Status connect(const std::string& host, std::uint16_t port);
  /// Receives, follows the log, moves the clocks on and sends. Once a frame, at least 64 times a
  /// second where possible. Handles at most 2,048 datagrams, so a flood cannot hold a frame up.
  void update();
  /// Leaves the session and tells the server; the socket is closed.
  void disconnect();

  /// The server's address in use, as "127.0.0.1:7777"; empty while there is none.
  [[nodiscard]] std::string remote_text() const;
  /// Socket errors survived so far.
  [[nodiscard]] LinkCounts link_counts() const;

  using ClientCore::describe_state;
  using ClientCore::end_reason;
  using ClientCore::failure;
  using ClientCore::give_token;
  using ClientCore::needs_token;
  using ClientCore::next_log_line;
  using ClientCore::own_entity;
  using ClientCore::role;
  using ClientCore::session;
  using ClientCore::state;
  using ClientCore::statistics;

  using ClientCore::render_delay;
  using ClientCore::render_seconds;
  using ClientCore::render_time;
  using ClientCore::server_time;

  using ClientCore::entities;
  using ClientCore::entity_pose;
  using ClientCore::missile_position;
  using ClientCore::missiles;
  using ClientCore::next_event;
  using ClientCore::trail;
  using ClientCore::trail_ids;
  using ClientCore::world;

  using ClientCore::drive;
  using ClientCore::fire;
  using ClientCore::next_command_result;
  using ClientCore::own_ship;
  using ClientCore::plant_fault;
  using ClientCore::predicted_pose;
  using ClientCore::release;
  using ClientCore::self_destruct;
  using ClientCore::steer;

 private:
  void send_all(Nanoseconds now);
  void look_elsewhere(Nanoseconds now);

  std::unique_ptr<UdpLink> link_;
  Nanoseconds next_address_at_ = 0;  // when to try the name's next address
  std::uint64_t errors_seen_ = 0;    // socket errors that have been reacted to
  bool heard_ = false;               // anything arrived since connect()
};

}  // namespace contrail::client
