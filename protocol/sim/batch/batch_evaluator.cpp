#include <contrail/sim/batch/batch_evaluator.hpp>

#include <algorithm>
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

/// What the evaluator keeps of one block beside its lanes.
struct BlockState {
  PieceStore::Span holds{1, 0};  // its pieces, subticks after the launch of its first missile
  Subtick first_change = std::numeric_limits<Subtick>::max();  // earliest guidance event
};

/// One salvo that is followed.
struct Row {
  std::uint32_t id = 0;
  std::uint16_t alive = 0;  // as last seen: they tell when something changed
  std::size_t events = 0;
  bool started = false;
  Subtick last_end = 0;  // no missile flies from here on
  BlockRun run;
  std::vector<BlockState> blocks;
  std::vector<std::uint8_t> history_of;  // by missile: 1 + index into histories, 0: none
  std::vector<LockHistory> histories;
};

batch::PieceTimes piece_times(const Salvo& salvo, const Weapon& weapon) {
  return {weapon.noise,     salvo.launch.pieces,    salvo.launch.log2_piece,
          weapon.frequency, weapon.ripple_interval, salvo.launch.count};
}

Vec3 lane_vector(const batch::VectorLanes& lanes, std::size_t lane) {
  return {lanes[0][lane], lanes[1][lane], lanes[2][lane]};
}

TargetTerm term_of(const KnownPose& pose, const WideVec3& expected) {
  return {WideVec3(pose.position) - expected, pose.right, pose.up, pose.forward};
}

}  // namespace

struct BatchEvaluator::State {
  State(BatchTarget wanted, BatchMemory wanted_memory)
      : target(wanted),
        memory(wanted_memory),
        kernels(&batch::kernels(wanted)),
        store(*kernels, memory == BatchMemory::flights) {}

  void follow(const World& world);
  void refresh(const World& world, const Salvo& salvo, Row& row);
  void read_events(const World& world, const Salvo& salvo, Row& row);
  void start(const World& world, const Salvo& salvo, Row& row);
  void bring_pieces(const World& world, const Salvo& salvo, Row& row, Subtick t);
  void add_jobs(const World& world, const Salvo& salvo, const Row& row, Subtick t, bool motion);
  void add_locks(const Salvo& salvo, const Row& row, const Weapon& weapon, std::uint32_t block,
                 Subtick t, bool motion);
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
  std::vector<EvaluateJob> jobs;
  std::vector<LockLanes> locks;
  std::vector<std::pair<std::size_t, std::size_t>> lock_jobs;  // job, first of its locks
};

void BatchEvaluator::State::follow(const World& world) {
  const std::vector<Salvo>& salvos = world.salvos();
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
    Row row;
    row.id = salvo.id;
    row.run = store.take(salvo.launch.count);
    row.blocks.resize(row.run.count);
    row.history_of.resize(salvo.launch.count);
    row.alive = static_cast<std::uint16_t>(salvo.alive + 1);
    missiles += salvo.launch.count;
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    refresh(world, salvos[i], rows[i]);
  }
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
  for (BlockState& block : row.blocks) {
    block.first_change = std::numeric_limits<Subtick>::max();
  }
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
      BlockState& block = row.blocks[i / k_lanes];
      block.first_change = std::min(block.first_change, row.histories.back().changes[0].time);
    }
  }
}

void BatchEvaluator::State::start(const World& world, const Salvo& salvo, Row& row) {
  const Scenario& scenario = world.scenario();
  store.start({salvo.launch, salvo.anchor, scenario.weapons[salvo.launch.weapon],
               scenario.types[salvo.anchor.target_type], 0},
              row.run);
  row.started = true;
  read_events(world, salvo, row);
}

void BatchEvaluator::State::bring_pieces(const World& world, const Salvo& salvo, Row& row,
                                         Subtick t) {
  if (!row.started) {
    start(world, salvo, row);
  }
  const Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  Subtick since = t - salvo.launch.t0;
  for (std::uint32_t i = 0; i < row.run.count; ++i) {
    PieceStore::Span& holds = row.blocks[i].holds;
    if (since < holds.from || since >= holds.to) {
      holds = store.bring(piece_times(salvo, weapon), row.run, i, since);
    }
    since -= Subtick{k_lanes} * weapon.ripple_interval;
  }
}

void BatchEvaluator::State::add_locks(const Salvo& salvo, const Row& row, const Weapon& weapon,
                                      std::uint32_t block, Subtick t, bool motion) {
  LockLanes& lanes = locks.emplace_back();
  const LockHistory none;
  for (std::size_t lane = 0; lane < k_lanes; ++lane) {
    const std::size_t index = block * k_lanes + lane;
    if (index >= row.history_of.size()) {
      lanes.begin[lane] = 0;
      continue;
    }
    const PieceBlock& pieces = store.pieces(row.run.first + block);
    batch::Aim aim;  // its end is in the history already
    aim.offset = lane_vector(pieces.offset, lane);
    aim.reference = lane_vector(pieces.reference, lane);
    const std::uint8_t slot = row.history_of[index];
    batch::fill_lock(salvo, slot == 0 ? none : row.histories[slot - 1U], aim,
                     launch_time(salvo.launch, weapon, static_cast<std::uint8_t>(index)), t, now,
                     motion ? &before : nullptr, lanes, lane);
  }
}

void BatchEvaluator::State::add_jobs(const World& world, const Salvo& salvo, const Row& row,
                                     Subtick t, bool motion) {
  const Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  EvaluateJob job;
  job.salvo = salvo.id;
  job.ripple_interval = weapon.ripple_interval;
  job.log2_piece = salvo.launch.log2_piece;
  job.duration = Subtick{salvo.launch.pieces} << salvo.launch.log2_piece;
  const KnownPose& pose = now.pose(salvo.launch.target);
  job.homing = pose.known;
  if (pose.known) {
    job.now = term_of(pose, batch::expected_target(salvo.anchor, salvo.launch, t));
    if (motion) {
      job.before = term_of(before.pose(salvo.launch.target),
                           batch::expected_target(salvo.anchor, salvo.launch, t - k_back_step));
    }
  }
  const auto changed = [&](std::uint32_t block) { return row.blocks[block].first_change < t; };
  for (std::uint32_t block = 0; block < row.run.count;) {
    // Neighbours of one kind make one job.
    const bool locked_apart = changed(block);
    std::uint32_t end = block;
    if (locked_apart) {
      lock_jobs.emplace_back(jobs.size(), locks.size());
    }
    for (; end < row.run.count && changed(end) == locked_apart; ++end) {
      if (locked_apart) {
        add_locks(salvo, row, weapon, end, t, motion);
      }
    }
    job.blocks = &store.pieces(row.run.first + block);
    job.first_index = block * static_cast<std::uint32_t>(k_lanes);
    const std::uint32_t last =
        std::min<std::uint32_t>(end * static_cast<std::uint32_t>(k_lanes), salvo.launch.count);
    job.count = last - job.first_index;
    job.since_first = t - salvo.launch.t0 - Subtick{job.first_index} * weapon.ripple_interval;
    jobs.push_back(job);
    block = end;
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
  s.locks.clear();
  s.lock_jobs.clear();
  const std::vector<Salvo>& salvos = world.salvos();
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    if (t >= salvos[i].launch.t0 && t < s.rows[i].last_end) {
      s.bring_pieces(world, salvos[i], s.rows[i], t);
      s.add_jobs(world, salvos[i], s.rows[i], t, to.motion());
    }
  }
  s.store.flush();
  for (const auto& [job, first] : s.lock_jobs) {
    s.jobs[job].locks = &s.locks[first];
  }
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
    bytes += row.run.points.capacity() * sizeof(Vec3) + row.blocks.capacity() * sizeof(BlockState) +
             row.history_of.capacity() + row.histories.capacity() * sizeof(LockHistory);
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
