#include <contrail/wire/byte_account.hpp>

#include <numeric>

#include <contrail/wire/message.hpp>

namespace contrail::wire {
namespace {

struct Kind {
  const char* name;
  std::size_t bytes;
};
constexpr std::array<Kind, k_record_kinds> k_kinds{{
    {"launch", sizeof(fb::Launch)},
    {"outcome", sizeof(fb::Outcome)},
    {"guidance", sizeof(fb::Guidance)},
    {"health", sizeof(fb::Health)},
    {"despawn", sizeof(fb::Despawn)},
    {"spawn", sizeof(fb::Spawn)},
    {"turret_mode", sizeof(fb::TurretMode)},
    {"shot", sizeof(fb::Shot)},
    {"track_key", sizeof(fb::TrackKey)},
    {"relative_key", sizeof(fb::RelativeKey)},
    {"attitude_key", sizeof(fb::AttitudeKey)},
    {"custom", sizeof(fb::Custom)},
    {"timeline", sizeof(fb::Timeline)},
    {"state_hash", sizeof(fb::StateHash)},
}};

}  // namespace

const char* name_of(RecordKind kind) {
  return k_kinds[static_cast<std::size_t>(kind)].name;
}

std::size_t element_bytes(RecordKind kind) {
  return k_kinds[static_cast<std::size_t>(kind)].bytes;
}

void ByteAccount::add(const sim::TickRecord& r) {
  const std::array<std::size_t, k_record_kinds> counts{
      r.launches.size(),   r.outcomes.size(),      r.guidance.size(),      r.health.size(),
      r.despawns.size(),   r.spawns.size(),        r.turret_modes.size(),  r.shots.size(),
      r.track_keys.size(), r.relative_keys.size(), r.attitude_keys.size(), r.customs.size(),
      r.timelines.size(),  r.state_hashes.size()};
  for (std::size_t i = 0; i < counts.size(); ++i) bytes_[i] += counts[i] * k_kinds[i].bytes;
  for (const sim::Custom& custom : r.customs) {
    bytes_[static_cast<std::size_t>(RecordKind::custom)] += custom.bytes.size();
  }
}

ByteAccount& ByteAccount::operator+=(const ByteAccount& more) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] += more.bytes_[i];
  return *this;
}

std::uint64_t ByteAccount::total() const {
  return std::accumulate(bytes_.begin(), bytes_.end(), std::uint64_t{0});
}

}  // namespace contrail::wire
