// The state hash: one 32-bit lane per subsystem, over what is alive now.

#include <contrail/sim/world_state.hpp>

namespace contrail::sim {
namespace {

/// A chain of draws: every word enters with the whole state.
class Lane {
 public:
  void add(std::int64_t value) { state_ = draw(state_, static_cast<std::uint32_t>(value)); }
  void add(const Vec3& v) {
    add(v.x);
    add(v.y);
    add(v.z);
  }
  void add_time(Subtick t) {
    add(t);
    add(t >> 32);
  }
  void add(const PackedDirection& d) {
    for (const std::int16_t c : d) {
      add(c);
    }
  }
  void add(const PackedBasis& b) {
    add(b.forward);
    add(b.up);
  }
  void add(const Pose& p) {
    add(p.position);
    add(p.basis.forward);
    add(p.basis.up);
  }
  void add(const Quaternion& q) {
    add(q.x);
    add(q.y);
    add(q.z);
    add(q.w);
  }
  [[nodiscard]] std::uint32_t value() const { return state_; }

 private:
  std::uint32_t state_ = 0;
};

/// Words on their way into a lane. Each lane is a chain in which every step waits for the one
/// before, so two are fed side by side, and one salvo at a time: while its words go through the
/// chains the processor gathers those of the next.
class Words {
 public:
  void clear(std::size_t at_most) {
    if (words_.size() < at_most) {
      words_.resize(at_most);
    }
    count_ = 0;
  }
  void add(std::int64_t value) { words_[count_++] = static_cast<std::uint32_t>(value); }
  void add(const Vec3& v) {
    add(v.x);
    add(v.y);
    add(v.z);
  }
  void add_time(Subtick t) {
    add(t);
    add(t >> 32);
  }
  void add(const PackedDirection& d) {
    for (const std::int16_t c : d) {
      add(c);
    }
  }
  void add(const PackedBasis& b) {
    add(b.forward);
    add(b.up);
  }
  void add(const Pose& p) {
    add(p.position);
    add(p.basis.forward);
    add(p.basis.up);
  }
  static void feed(Lane& a, const Words& of_a, Lane& b, const Words& of_b) {
    const std::size_t both = std::min(of_a.count_, of_b.count_);
    Lane lane_a = a;
    Lane lane_b = b;
    for (std::size_t i = 0; i < both; ++i) {
      lane_a.add(of_a.words_[i]);
      lane_b.add(of_b.words_[i]);
    }
    for (std::size_t i = both; i < of_a.count_; ++i) {
      lane_a.add(of_a.words_[i]);
    }
    for (std::size_t i = both; i < of_b.count_; ++i) {
      lane_b.add(of_b.words_[i]);
    }
    a = lane_a;
    b = lane_b;
  }

 private:
  std::vector<std::uint32_t> words_;
  std::size_t count_ = 0;
};

/// Missiles lie wherever there was room: without a hint every salvo waits for them.
void fetch_ahead(const SalvoList& salvos, std::size_t n) {
  constexpr std::size_t k_ahead = 6;
  if (n + 2 * k_ahead < salvos.size()) {
    const char* later = reinterpret_cast<const char*>(&salvos[n + 2 * k_ahead]);
    for (std::size_t line = 0; line < sizeof(Salvo); line += 64) {
      __builtin_prefetch(later + line);
    }
    const std::vector<Missile>& missiles = salvos[n + k_ahead].missiles;
    const char* soon = reinterpret_cast<const char*>(missiles.data());
    for (std::size_t line = 0; line < missiles.size() * sizeof(Missile); line += 64) {
      __builtin_prefetch(soon + line);
    }
  }
}

/// Words that a salvo adds to either lane, at most.
std::size_t most_words(const Salvo& s) {
  return 32 + 2 * s.missiles.size() + 32 * s.events.size();
}

void add_salvo(Words& lane, const Salvo& s) {
  lane.add(s.id);
  lane.add(s.tick);
  lane.add(s.launch.seed);
  lane.add(s.launch.launcher);
  lane.add(s.launch.target);
  lane.add_time(s.launch.t0);
  lane.add(s.launch.pieces);
  lane.add(s.launch.mount);
  lane.add(s.launch.weapon);
  lane.add(s.launch.count);
  lane.add(s.launch.log2_piece);
  for (const Missile& m : s.missiles) {
    if (m.end == EndKind::alive) {
      lane.add(m.events);
      lane.add(m.locked ? m.target : k_no_entity);
    } else {
      lane.add(-1);
    }
  }
}

void add_anchor(Words& lane, const Salvo& s) {
  lane.add(s.anchor.muzzle);
  lane.add(s.anchor.launcher_velocity);
  lane.add(s.anchor.target_position);
  lane.add(s.anchor.target_velocity);
  lane.add(s.anchor.muzzle_basis);
  lane.add(s.anchor.target_basis);
  lane.add(s.anchor.target_type);
  for (const SnapshotEvent& e : s.events) {
    lane.add(e.new_target);
    lane.add(e.old_type);
    lane.add(e.group);
    lane.add(e.ordinal);
    lane.add(e.was_locked ? 1 : 0);
    lane.add(e.mask);
    lane.add(e.tick);
    lane.add(e.at_event);
    lane.add(e.back_step);
  }
}

void add_track(Lane& lane, const Entity& entity) {
  const TrackPiece& piece = entity.track.pieces().back();
  lane.add(entity.id);
  lane.add_time(piece.start);
  lane.add(piece.log2_duration);
  lane.add(piece.jump ? 1 : 0);
  lane.add(piece.p0);
  lane.add(piece.v0);
  lane.add(piece.p1);
  lane.add(piece.v1);
  lane.add(piece.facing);
  if (!entity.track.attitudes().empty()) {
    const AttitudePiece& attitude = entity.track.attitudes().back();
    lane.add_time(attitude.start);
    lane.add(attitude.log2_duration);
    lane.add(attitude.from);
    lane.add(attitude.to);
  }
}

void add_health(Lane& lane, const Entity& entity) {
  lane.add(entity.id);
  lane.add(entity.type);
  lane.add(entity.team);
  lane.add(entity.user_tag);
  lane.add_time(entity.spawn_time);
  lane.add(entity.health);
}

void add_turrets(Lane& lane, const Entity& entity) {
  for (std::size_t i = 0; i < entity.turrets.size(); ++i) {
    if (((entity.turret_mask >> i) & 1U) != 0) {
      const TurretMode& mode = entity.turrets[i];
      lane.add(entity.id);
      lane.add(static_cast<std::int64_t>(i));
      lane.add(mode.mode);
      lane.add(mode.target);
      lane.add(mode.error_seed);
    }
  }
}

}  // namespace

StateHash World::State::hash() const {
  std::array<Lane, k_subsystems> lanes;
  auto& [launches, anchors, tracks, health, turrets, flights] = lanes;
  StateHash result;
  result.roll = static_cast<std::uint8_t>(hash_count);
  launches.add(next_launch);
  Words launch_words;
  Words anchor_words;
  for (std::size_t n = 0; n < salvos.size(); ++n) {
    const Salvo& salvo = salvos[n];
    fetch_ahead(salvos, n);
    if (salvo.alive == 0) {
      continue;
    }
    launch_words.clear(most_words(salvo));
    anchor_words.clear(most_words(salvo));
    add_salvo(launch_words, salvo);
    add_anchor(anchor_words, salvo);
    Words::feed(launches, launch_words, anchors, anchor_words);
    // Missiles with (launch + index) mod 256 == roll: at most one of a salvo's 255.
    const auto index = static_cast<std::uint8_t>(result.roll - salvo.id);
    if (index < salvo.missiles.size() && salvo.missiles[index].end == EndKind::alive &&
        launch_time(salvo.launch, weapon(salvo.launch), index) <= time()) {
      flights.add(salvo.id);
      flights.add(passing_position(salvo, index, time()));
    }
  }
  for (const Entity& entity : entities) {
    if (!entity.gone) {
      add_track(tracks, entity);
      add_health(health, entity);
      add_turrets(turrets, entity);
    }
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    result.lanes[i] = lanes[i].value();
  }
  return result;
}

}  // namespace contrail::sim
