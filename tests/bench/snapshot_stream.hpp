#pragma once

// What one would write without contrail: the positions of all missiles, 60 times a second,
// quantised to 1/64 m, as differences to the newest snapshot that the client has acknowledged, in
// variable-length integers, over ENet. Both ends, with losses by a seed.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <contrail/sim/world.hpp>

namespace contrail::bench {

/// Positions of the missiles in flight at one instant, ascending by id.
struct Snapshot {
  struct Missile {
    std::uint64_t id = 0;   // launch << 8 | index
    sim::Vec3 position{0};  // 1/64 m
  };
  std::uint16_t number = 0;  // 0: none
  sim::Subtick time = 0;
  std::vector<Missile> missiles;
};

/// Length units of a quantum.
inline constexpr std::int32_t k_quantum = sim::k_units_per_metre / 64;

std::vector<std::uint8_t> encode(const Snapshot& snapshot, const Snapshot* baseline);
/// Finds the baseline it names among `known`; nothing when it is not there.
std::optional<Snapshot> decode(const std::vector<std::uint8_t>& bytes,
                               const std::deque<Snapshot>& known);

/// Datagrams and bytes with the headers of UDP and IP.
struct Traffic {
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;
};

class SnapshotServer {
 public:
  /// Loses `loss` of 1,000 datagrams that arrive.
  explicit SnapshotServer(int loss);
  ~SnapshotServer();
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] bool has_client() const;
  /// Sends the world at `time` to the client.
  void send(const sim::World& world, sim::Subtick time);
  /// Handles what arrived.
  void serve();
  [[nodiscard]] Traffic sent() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class SnapshotClient {
 public:
  SnapshotClient(std::uint16_t port, int loss);
  ~SnapshotClient();
  void serve();
  /// Those of the last second, oldest first.
  [[nodiscard]] const std::deque<Snapshot>& snapshots() const;
  /// A missile's position between the two snapshots around `time`, length units; nothing where one
  /// of the two does not have it.
  [[nodiscard]] std::optional<sim::Vec3> position(std::uint64_t id, sim::Subtick time) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contrail::bench
