#include <contrail/sim/batch/batch_evaluator.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/batch/lock_history.hpp>
#include <contrail/sim/batch/piece_store.hpp>

namespace contrail::sim {
namespace {

using batch::BlockRun;
using batch::EvaluateJob;
using batch::k_lanes;
using batch::KnownPose;
using batch::LockHistory;
using batch::LockLanes;
using batch::PieceBlock;
using batch::PieceStore;
using batch::PoseCache;
using batch::TargetTerm;

constexpr Subtick k_never = std::numeric_limits<Subtick>::max();

/// One salvo that is followed. What every evaluation reads stands first.
struct Row {
  Subtick t0 = 0;                  // of the first missile
  Subtick last_end = 0;            // no missile flies from here on
  Subtick first_change = k_never;  // earliest guidance event of any missile
  std::uint16_t target = k_no_entity;
  bool started = false;
  Vec3 target_position{0};  // of the anchor
  Vec3 target_velocity{0};
  EvaluateJob job;  // all blocks under the announced lock
  batch::PieceTimes times;
  BlockRun run;

  std::uint32_t id = 0;
  std::uint16_t alive = 0;  // as last seen: they tell when something changed
  std::size_t events = 0;
  std::vector<Subtick> block_changes;    // by block: earliest guidance event
  std::vector<std::uint8_t> history_of;  // by missile: 1 + index into histories, 0: none
  std::vector<LockHistory> histories;
};

Vec3 lane_vector(const batch::VectorLanes& lanes, std::size_t lane) {
  return {lanes[0][lane], lanes[1][lane], lanes[2][lane]};
}

/// One block of a salvo whose missiles have different locks.
struct SplitJob {
  EvaluateJob job;
  LockLanes locks;
};

WideVec3 expected_target(const Row& row, Subtick t) {
  return WideVec3(
      clamp(WideVec3(row.target_position) + drift(row.target_velocity, t - row.t0), k_world_limit));
}

void set_term(const KnownPose& pose, const WideVec3& expected, TargetTerm& term) {
  term.lead = clamp(WideVec3(pose.position) - expected, k_world_limit);
  term.right = pose.right;
  term.up = pose.up;
  term.forward = pose.forward;
}

}  // namespace

struct BatchEvaluator::State {
  State(BatchTarget wanted, BatchMemory wanted_memory)
      : target(wanted),
        memory(wanted_memory),
        kernels(&batch::kernels(wanted)),
        store(*kernels, memory == BatchMemory::flights) {}

  void follow(const World& world);
  [[nodiscard]] Row new_row(const World& world, const Salvo& salvo);
  void refresh(const World& world, const Salvo& salvo, Row& row);
  void read_events(const World& world, const Salvo& salvo, Row& row);
  void start(const World& world, const Salvo& salvo, Row& row);
  void request_pieces(Row& row);
  void set_homing(Row& row, Subtick t, bool motion);
  void add_jobs(const Salvo& salvo, const Row& row, Subtick t, bool motion);
  void fill_locks(const Salvo& salvo, const Row& row, std::uint32_t block, Subtick t, bool motion,
                  LockLanes& lanes);
  [[nodiscard]] batch::Aim aim_of(const World& world, const Salvo& salvo, const Row& row,
                                  std::uint32_t index);

  BatchTarget target;
  BatchMemory memory;
  const batch::Kernels* kernels;
  PieceStore store;
  std::vector<Row> rows;  // one for each salvo of the world, in its order
  std::size_t missiles = 0;
  std::uint32_t tick = 0;  // of the world when it was followed last
  bool followed = false;
  PoseCache now;
  PoseCache before;
  // Of one evaluation.
  std::vector<const EvaluateJob*> jobs;
  std::vector<std::unique_ptr<SplitJob>> split_jobs;  // kept from one evaluation to the next
  std::size_t split_used = 0;
};

void BatchEvaluator::State::follow(const World& world) {
  const std::span<const Salvo> salvos = world.salvos();
  if (followed && tick == world.tick() && rows.size() == salvos.size()) {
    return;
  }
  followed = true;
  tick = world.tick();
  std::size_t kept = 0;
  std::size_t next = 0;
  // Both ascend by id; what the world has pruned goes, what it has launched comes at the end.
  for (Row& row : rows) {
    if (next < salvos.size() && salvos[next].id == row.id) {
      if (&rows[kept] != &row) {
        rows[kept] = std::move(row);
      }
      ++kept;
      ++next;
    } else {
      missiles -= row.history_of.size();
      store.give_back(row.run);
    }
  }
  rows.resize(kept);
  for (; next < salvos.size(); ++next) {
    const Salvo& salvo = salvos[next];
    rows.push_back(new_row(world, salvo));
    missiles += salvo.launch.count;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    refresh(world, salvos[i], rows[i]);
  }
}

Row BatchEvaluator::State::new_row(const World& world, const Salvo& salvo) {
  const Launch& launch = salvo.launch;
  const Weapon& weapon = world.scenario().weapons[launch.weapon];
  Row row;
  row.t0 = launch.t0;
  row.target = launch.target;
  row.target_position = salvo.anchor.target_position;
  row.target_velocity = salvo.anchor.target_velocity;
  row.times = {weapon.noise, launch.pieces, launch.log2_piece, weapon.frequency,
               weapon.ripple_interval};
  row.run = store.take(launch.count);
  row.job.blocks = &store.pieces(row.run.first);
  row.job.count = launch.count;
  row.job.salvo = salvo.id;
  row.job.ripple_interval = weapon.ripple_interval;
  row.job.log2_piece = launch.log2_piece;
  row.job.duration = Subtick{launch.pieces} << launch.log2_piece;
  row.id = salvo.id;
  row.alive = static_cast<std::uint16_t>(salvo.alive + 1);  // whatever differs: to be refreshed
  row.block_changes.assign(row.run.count, k_never);
  row.history_of.resize(launch.count);
  return row;
}

void BatchEvaluator::State::refresh(const World& world, const Salvo& salvo, Row& row) {
  if (row.alive != salvo.alive) {
    row.alive = salvo.alive;
    row.last_end = 0;
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      const Missile& missile = salvo.missiles[i];
      const bool flew = missile.end != EndKind::aborted;
      const Subtick end =
          flew ? missile.end_time - world.missile_launch_time(salvo, index) : Subtick{0};
      store.pieces(row.run.first + static_cast<std::uint32_t>(i / k_lanes)).end[i % k_lanes] =
          static_cast<std::int32_t>(end);
      row.last_end = flew ? std::max(row.last_end, missile.end_time) : row.last_end;
    }
  }
  if (row.started && row.events != salvo.events.size()) {
    read_events(world, salvo, row);
  }
}

batch::Aim BatchEvaluator::State::aim_of(const World& world, const Salvo& salvo, const Row& row,
                                         std::uint32_t index) {
  const PieceBlock& block =
      store.pieces(row.run.first + index / static_cast<std::uint32_t>(k_lanes));
  const std::size_t lane = index % k_lanes;
  batch::Aim aim;
  aim.offset = lane_vector(block.offset, lane);
  aim.reference = lane_vector(block.reference, lane);
  const Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  const Subtick end = end_time(salvo.launch, weapon, static_cast<std::uint8_t>(index));
  aim.end = clamp(batch::expected_target(salvo.anchor, salvo.launch, end) + WideVec3(aim.reference),
                  k_point_limit);
  return aim;
}

void BatchEvaluator::State::read_events(const World& world, const Salvo& salvo, Row& row) {
  row.events = salvo.events.size();
  row.histories.clear();
  row.first_change = k_never;
  std::fill(row.block_changes.begin(), row.block_changes.end(), k_never);
  for (std::uint32_t i = 0; i < salvo.launch.count; ++i) {
    const auto index = static_cast<std::uint8_t>(i);
    const bool concerned =
        std::any_of(salvo.events.begin(), salvo.events.end(), [&](const SnapshotEvent& event) {
          return event.group == index / 32 && ((event.mask >> (index % 32)) & 1U) != 0;
        });
    row.history_of[i] = 0;
    if (concerned) {
      row.histories.push_back(
          batch::lock_history(world, salvo, index, aim_of(world, salvo, row, i)));
      row.history_of[i] = static_cast<std::uint8_t>(row.histories.size());
      const Subtick change = row.histories.back().changes[0].time;
      Subtick& of_block = row.block_changes[i / k_lanes];
      of_block = std::min(of_block, change);
      row.first_change = std::min(row.first_change, change);
    }
  }
}

void BatchEvaluator::State::start(const World& world, const Salvo& salvo, Row& row) {
  const Scenario& scenario = world.scenario();
  store.start({salvo.launch, salvo.anchor, scenario.weapons[salvo.launch.weapon],
               scenario.types[salvo.anchor.target_type], 0},
              row.run);
  row.job.narrow = row.run.narrow;
  row.started = true;
  read_events(world, salvo, row);
}

void BatchEvaluator::State::request_pieces(Row& row) {
  std::array<std::uint8_t, batch::k_longest_run> masks;
  if (kernels->due(row.job, masks.data()) == 0) {
    return;
  }
  Subtick since = row.job.since_first;
  for (std::uint32_t i = 0; i < row.run.count; ++i) {
    if (masks[i] != 0) {
      store.request(row.times, row.run, i, masks[i], since);
    }
    since -= Subtick{k_lanes} * row.job.ripple_interval;
  }
}

void BatchEvaluator::State::set_homing(Row& row, Subtick t, bool motion) {
  const KnownPose& pose = now.pose(row.target);
  row.job.homing = pose.known;
  if (pose.known) {
    set_term(pose, expected_target(row, t), row.job.now);
    if (motion) {
      set_term(before.pose(row.target), expected_target(row, t - k_back_step), row.job.before);
    }
  }
}

void BatchEvaluator::State::add_jobs(const Salvo& salvo, const Row& row, Subtick t, bool motion) {
  if (row.first_change >= t) {
    jobs.push_back(&row.job);
    return;
  }
  for (std::uint32_t block = 0; block < row.run.count; ++block) {
    if (split_used == split_jobs.size()) {
      split_jobs.push_back(std::make_unique<SplitJob>());
    }
    SplitJob& split = *split_jobs[split_used++];
    split.job = row.job;
    split.job.first_index = block * static_cast<std::uint32_t>(k_lanes);
    split.job.blocks = &store.pieces(row.run.first + block);
    split.job.count =
        std::min(static_cast<std::uint32_t>(k_lanes), row.job.count - split.job.first_index);
    split.job.since_first -= Subtick{split.job.first_index} * row.job.ripple_interval;
    if (row.block_changes[block] < t) {
      fill_locks(salvo, row, block, t, motion, split.locks);
      split.job.locks = &split.locks;
    }
    jobs.push_back(&split.job);
  }
}

void BatchEvaluator::State::fill_locks(const Salvo& salvo, const Row& row, std::uint32_t block,
                                       Subtick t, bool motion, LockLanes& lanes) {
  const LockHistory none;
  const PieceBlock& pieces = store.pieces(row.run.first + block);
  for (std::size_t lane = 0; lane < k_lanes; ++lane) {
    const std::size_t index = block * k_lanes + lane;
    if (index >= row.history_of.size()) {
      lanes.begin[lane] = 0;  // padding: whatever else, but a window that is not empty
      continue;
    }
    batch::Aim aim;  // where the flight ends is in the history already
    aim.offset = lane_vector(pieces.offset, lane);
    aim.reference = lane_vector(pieces.reference, lane);
    const std::uint8_t slot = row.history_of[index];
    const Subtick launched = row.t0 + static_cast<Subtick>(index) * row.job.ripple_interval;
    batch::fill_lock(salvo, slot == 0 ? none : row.histories[slot - 1U], aim, launched, t, now,
                     motion ? &before : nullptr, lanes, lane);
  }
}

BatchEvaluator::BatchEvaluator(BatchTarget target, BatchMemory memory)
    : state_(std::make_unique<State>(target, memory)) {}
BatchEvaluator::BatchEvaluator(BatchEvaluator&&) noexcept = default;
BatchEvaluator& BatchEvaluator::operator=(BatchEvaluator&&) noexcept = default;
BatchEvaluator::~BatchEvaluator() = default;

std::size_t BatchEvaluator::follow(const World& world) {
  state_->follow(world);
  return state_->missiles;
}

std::size_t BatchEvaluator::evaluate(const World& world, Subtick t, const BatchOutput& out) {
  State& s = *state_;
  const std::size_t room = follow(world);
  const auto fits = [&](const auto& array) { return array.empty() || array.size() >= room; };
  require(
      fits(out.missiles) && fits(out.positions) && fits(out.velocities) && fits(out.orientations),
      "a wanted array has room for every missile the evaluator follows");
  const batch::EvaluateOutput to{out.missiles.empty() ? nullptr : out.missiles.data(),
                                 out.positions.empty() ? nullptr : out.positions.data(),
                                 out.velocities.empty() ? nullptr : out.velocities.data(),
                                 out.orientations.empty() ? nullptr : out.orientations.data()};
  s.now.reset(world, t);
  s.before.reset(world, t - k_back_step);
  s.jobs.clear();
  s.split_used = 0;
  const std::span<const Salvo> salvos = world.salvos();
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    Row& row = s.rows[i];
    if (t >= row.t0 && t < row.last_end) {
      if (!row.started) {
        s.start(world, salvos[i], row);
      }
      row.job.since_first = t - row.t0;
      s.request_pieces(row);
      s.set_homing(row, t, to.motion());
      s.add_jobs(salvos[i], row, t, to.motion());
    }
  }
  s.store.flush();
  return s.kernels->evaluate(s.jobs.data(), s.jobs.size(), to);
}

void BatchEvaluator::reset() {
  *state_ = State(state_->target, state_->memory);
}

BatchTarget BatchEvaluator::target() const {
  return state_->target;
}

std::size_t BatchEvaluator::memory_bytes() const {
  std::size_t bytes = state_->store.memory_bytes() + state_->rows.capacity() * sizeof(Row);
  for (const Row& row : state_->rows) {
    bytes += row.run.points.capacity() * sizeof(Vec3) +
             row.block_changes.capacity() * sizeof(Subtick) + row.history_of.capacity() +
             row.histories.capacity() * sizeof(LockHistory);
  }
  return bytes;
}

void BatchEvaluator::displace_piece(const MissileRef& missile, const Vec3& by) {
  const auto row = std::find_if(state_->rows.begin(), state_->rows.end(),
                                [&](const Row& r) { return r.id == missile.salvo; });
  require(row != state_->rows.end() && missile.index < row->history_of.size(),
          "a displaced missile is followed");
  PieceBlock& block =
      state_->store.pieces(row->run.first + missile.index / static_cast<std::uint32_t>(k_lanes));
  for (batch::VectorLanes& point : block.points) {
    const std::size_t lane = missile.index % k_lanes;
    point[0][lane] += by.x;
    point[1][lane] += by.y;
    point[2][lane] += by.z;
  }
}

}  // namespace contrail::sim
