#pragma once

// Builds the one stated form of a record or packet body. Private to the codec.

#include <vector>

#include <contrail/sim/records.hpp>
#include <contrail/wire/record_elements.hpp>

namespace contrail::wire {

/// Collects the elements of one record or of several, oldest first, then lays them out.
class RecordBuilder {
 public:
  /// Every element is asserted to be one that a reader accepts.
  void add(const sim::TickRecord& record, std::uint8_t at, int log2_tick);
  [[nodiscard]] bool empty() const { return empty_; }
  /// The canonical bytes of one record.
  [[nodiscard]] Bytes finish_record(std::uint32_t tick) const;
  /// The same table without tick and identifier.
  [[nodiscard]] Bytes finish_packet_body() const;

 private:
  [[nodiscard]] Bytes finish(std::uint32_t tick, const char* identifier) const;

  bool empty_ = true;
  std::vector<fb::Launch> launches_;
  std::vector<fb::Outcome> outcomes_;
  std::vector<fb::Health> health_;
  std::vector<fb::RelativeKey> relative_keys_;
  std::vector<fb::Guidance> guidance_;
  std::vector<fb::TurretMode> turret_modes_;
  std::vector<fb::Shot> shots_;
  std::vector<fb::Despawn> despawns_;
  std::vector<fb::Spawn> spawns_;
  std::vector<fb::TrackKey> track_keys_;
  std::vector<fb::AttitudeKey> attitude_keys_;
  std::vector<fb::StateHash> state_hashes_;
  std::vector<fb::Custom> customs_;
  std::vector<std::uint8_t> custom_bytes_;
  std::vector<fb::Timeline> timelines_;
};

}  // namespace contrail::wire
