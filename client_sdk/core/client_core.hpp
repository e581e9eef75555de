#pragma once

// A client without sockets, threads or clocks: bring your own transport. Datagrams in, datagrams
// out, time given; what comes back is the session as it can be drawn.
//
//   ClientCore core(config);
//   core.connect(now);
//   each frame:
//     while (socket has a datagram) core.receive(bytes, now);
//     core.update(now);
//     while (core.next_datagram(now, datagram)) socket.send(datagram.view());
//     while (core.next_event(event)) ...                                 // what happened
//     core.missiles(core.render_time(), camera_origin, missile_array);   // what there is
//
// `now` is any monotonic clock in nanoseconds; smaller values than before count as the last one.
// Run a frame at least 64 times a second to keep acknowledgements prompt; slower works, and costs
// the server repeated data. One thread at a time per object; objects are independent.
//
// Nothing here throws, prints or ends the process. An internal error turns the object into
// State::failed. contrail::client::Client is the same with a UDP socket inside.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <contrail/core/connection_state.hpp>
#include <contrail/core/event.hpp>
#include <contrail/core/log_lines.hpp>
#include <contrail/core/render_edge.hpp>
#include <contrail/core/sample.hpp>
#include <contrail/core/session_info.hpp>
#include <contrail/core/statistics.hpp>
#include <contrail/core/status.hpp>
#include <contrail/core/views.hpp>
#include <contrail/sim/batch/batch_target.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/commands.hpp>
#include <contrail/wire/handshake.hpp>
#include <contrail/wire/time.hpp>

namespace contrail::client {

using wire::CommandResult;
using wire::CommandStatus;
using wire::Nanoseconds;
using wire::Role;

/// Who joins, and how.
struct ClientConfig {
  Role role = Role::spectator;
  std::uint16_t entity = sim::k_no_entity;  // a pilot's wish; the server may grant another
  wire::Bytes token;                        // as a backend issued it; empty for a server without
  std::uint64_t seed = 0;                   // random, another one for every client of a server
  /// Where keys come from. Empty: the operating system. For tests that must repeat themselves; who
  /// knows these bytes can read the connection.
  std::optional<wire::Entropy> entropy;
  /// When the connection is lost, come back by itself (State::waiting), within 120 s without a
  /// token.
  bool reconnect = false;
};

/// A wish to launch one salvo.
struct FireRequest {
  std::uint16_t entity = sim::k_no_entity;  // that fires; a pilot's own entity
  std::uint16_t target = sim::k_no_entity;
  std::uint8_t launcher = 0;  // index into EntityTypeInfo::launchers
  /// Wanted launch time, subticks. Empty: as soon as the request gets there.
  std::optional<sim::Subtick> at;
};

/// How the own ship is to fly until the next request.
struct SteerRequest {
  sim::SteerKind kind = sim::SteerKind::coast;
  /// accelerate: length units per second^2; velocity: length units per second; waypoint: a
  /// position. Each axis within +-2^30; what the ship's type cannot do is held to its limits.
  sim::Vec3 value{0};
  /// Of a director: any entity. Default: the own one.
  std::uint16_t entity = sim::k_no_entity;
};

/// Where an entity is that a director moves. Send one a tick.
struct DriveRequest {
  std::uint16_t entity = sim::k_no_entity;
  sim::Vec3 position{0};  // length units
  sim::Vec3 velocity{0};  // length units per second
};

/// Faults that tests and demonstrations plant to see that they are found.
enum class TestFault : std::uint8_t {
  none,
  flight_knot,       // flights are compiled with their knots off by 1/64 m
  fingerprint,       // another arithmetic is announced to the server
  protocol_version,  // another protocol version is announced to the server
  token_secret,      // keys are derived without the token's secret
  broken_contract,   // update() meets an internal error
  batch_lanes,       // the fastest way to evaluate missiles side by side computes something else
};

class ClientCore {
 public:
  explicit ClientCore(ClientConfig config = {});
  ClientCore(ClientCore&&) noexcept;
  ClientCore& operator=(ClientCore&&) noexcept;
  ~ClientCore();

  // ---- transport -------------------------------------------------------------------------------

  /// Starts to join. Allowed while idle, disconnected or refused, else wrong_state. Shows the
  /// ticket of a connection lost less than 120 s ago, or the token. A new
  /// connection forgets the world, events and results of the last one; log counts go on.
  Status connect(Nanoseconds now);
  /// One datagram that arrived from the server, whatever it holds: bad ones are counted and
  /// dropped. Ignored before connect().
  void receive(std::span<const std::uint8_t> datagram, Nanoseconds now);
  /// Decodes and folds what arrived and moves server time and render time on. Once a frame.
  void update(Nanoseconds now);
  /// The next datagram to send to the server; call until false.
  bool next_datagram(Nanoseconds now, wire::Datagram& out);
  /// Leaves the session. Call next_datagram once more until false to tell the server.
  void disconnect(Nanoseconds now);

  /// True once for every attempt after the first: send from a new local port from now on. Something
  /// in between may have lost its mind about the old one.
  bool take_new_port();
  /// The next attempt, by itself or by connect(), can only succeed with a fresh token: the present
  /// one has been used or was refused. Ask the backend for one and give_token() it.
  [[nodiscard]] bool needs_token() const;
  /// Replaces the token, for the next attempt; while waiting for it, that attempt starts with the
  /// next update(). out_of_range when it is too long to be one.
  Status give_token(wire::Bytes token);

  // ---- where things stand ----------------------------------------------------------------------

  [[nodiscard]] State state() const;
  [[nodiscard]] EndReason end_reason() const;
  /// One sentence on the present state, with both ends' values where they differ.
  [[nodiscard]] std::string describe_state() const;
  /// The internal error behind State::failed, with file and line; else empty.
  [[nodiscard]] const std::string& failure() const;
  /// Null before the session header arrived. Valid until the next connect().
  [[nodiscard]] const SessionInfo* session() const;
  /// The role and entity the server granted; the configured ones before.
  [[nodiscard]] Role role() const;
  [[nodiscard]] std::uint16_t own_entity() const;
  [[nodiscard]] Statistics statistics() const;
  /// What evaluates missiles side by side on this machine: the fastest instruction set that was
  /// seen to compute what scalar code does. Known from the first connect() on, scalar before; a log
  /// line warns when a faster one was refused.
  [[nodiscard]] sim::BatchTarget batch_target() const;
  /// Takes the oldest line for the developer's console; false when there is none. At most 256 wait.
  bool next_log_line(LogLine& out);

  // ---- time, as of the last update() -----------------------------------------------------------

  /// What time it is at the server now, subticks since session start.
  [[nodiscard]] sim::Subtick server_time() const;
  /// The instant to draw: server_time() minus a delay that lets the log arrive first, chosen from
  /// the connection's jitter. Never goes back within a connection.
  [[nodiscard]] sim::Subtick render_time() const;
  /// render_time() in seconds.
  [[nodiscard]] double render_seconds() const;
  /// How far render_time() is meant to be behind server_time(), nanoseconds.
  [[nodiscard]] Nanoseconds render_delay() const;

  // ---- what happened ---------------------------------------------------------------------------

  /// Takes the oldest event whose time render_time() has reached: each once, in the order of time.
  /// Poll until false every frame; more than 262,144 waiting ones push out the oldest.
  bool next_event(Event& out);

  // ---- what there is, at any time of the last 8 s ----------------------------------------------
  // `origin` in length units (see position_from_metres): floats count from there, so take one near
  // the camera. Times after the newest folded tick are extrapolated and marked provisional.

  Filled missiles(sim::Subtick time, const sim::Vec3& origin, std::span<MissileView> out);
  Filled entities(sim::Subtick time, const sim::Vec3& origin, std::span<EntityView> out);
  /// See sample_trail_ids: missiles with smoke to draw, ended ones too.
  Filled trail_ids(sim::Subtick from, sim::Subtick to, std::span<MissileId> out);
  /// See sample_trail. Nothing is stored for it: points are evaluated.
  Filled trail(MissileId missile, const TrailRange& range, const sim::Vec3& origin,
               std::span<TrailPoint> out);
  /// See sample_turret: a turret at a time within the newest folded tick, or ahead of it.
  Status turret_pose(std::uint16_t entity, std::uint8_t index, sim::Subtick time,
                     const sim::Vec3& origin, TurretView& out);
  /// See sample_rounds: rounds of turrets in flight.
  Filled rounds(sim::Subtick time, const sim::Vec3& origin, std::span<RoundView> out);
  /// See sample_lead: where the own entity's turret has to aim to meet a target. Provisional.
  Status lead(std::uint8_t turret, std::uint16_t target, const sim::Vec3& origin, LeadView& out);
  /// Exact integer positions, the same on every client and on the server.
  Status missile_position(MissileId missile, sim::Subtick time, sim::Vec3& out);
  Status entity_pose(std::uint16_t entity, sim::Subtick time, sim::Pose& out);
  /// The folded log itself, for exact work; null while there is none. Valid until the next call of
  /// update(), connect() or disconnect(). Its functions may throw sim::AssertionFailure when used
  /// against their comments.
  [[nodiscard]] const sim::World* world() const;

  // ---- commands --------------------------------------------------------------------------------

  /// Asks the server to launch. `id` names the request in its result. not_live, not_allowed for
  /// spectators, too_many beyond 16 unanswered requests. Repeated until answered, done once.
  Status fire(const FireRequest& request, std::uint32_t& id);
  /// Like fire(); answered with `taken` or a refusal. out_of_range for a value beyond its range.
  Status steer(const SteerRequest& request, std::uint32_t& id);
  /// Throws decoys out of an entity's dispenser; a pilot's own.
  Status release(std::uint16_t entity, std::uint32_t& id);
  /// Blows up what still flies of a salvo, MissileId::launch; one that the pilot's entity fired.
  Status self_destruct(std::uint32_t launch, std::uint32_t& id);
  /// Directors only, else not_allowed.
  Status drive(const DriveRequest& request, std::uint32_t& id);

  /// The own ship at server_time(), as it will be once the commands under way have arrived:
  /// provisional, for the pilot's own screen. Corrections are blended in over 150 ms. Health is 0
  /// while unknown. unknown_entity where there is none.
  Status own_ship(const sim::Vec3& origin, EntityView& out);
  /// The same exactly and without blending, at any time up to a quarter of a second after
  /// server_time().
  Status predicted_pose(sim::Subtick time, sim::Pose& out);

  /// Takes the oldest answer; false when there is none. Requests still unanswered when a connection
  /// ends get none.
  bool next_command_result(CommandResult& out);

  /// Test seam; call before connect(). Plants a fault that the other end or a state hash must find.
  void plant_fault(TestFault fault);

 protected:
  struct Impl;

  /// For a transport that has no way to the server: disconnected, with its reason.
  void set_unreachable(std::string why);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace contrail::client
