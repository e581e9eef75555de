#include <contrail/sim/batch/batch_self_check.hpp>

#include <algorithm>
#include <array>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/batch/compile_flights.hpp>
#include <contrail/sim/batch/kernels.hpp>
#include <contrail/sim/fingerprint_inputs.hpp>

namespace contrail::sim {
namespace {

using batch::AdvancePlan;
using batch::EvaluateJob;
using batch::FlightBlock;
using batch::k_lanes;
using batch::Kernels;
using batch::LockLanes;
using batch::PieceBlock;

constexpr std::uint32_t k_salvos = 12;
constexpr std::uint32_t k_most_missiles = 19;  // two blocks and a tail
constexpr std::uint32_t k_most_blocks = 3;

/// One salvo of the battery.
struct Sample {
  Launch launch;
  Anchor anchor;
  Weapon weapon;
  EntityType type;
  [[nodiscard]] FlightSource from(std::size_t index) const {
    return {launch, anchor, weapon, type, static_cast<std::uint8_t>(index)};
  }
};

Sample sample(Inputs& in, std::uint32_t number) {
  Sample s;
  s.launch.seed = in.next();
  s.launch.t0 = in.next() >> 4;
  s.launch.pieces =
      static_cast<std::uint16_t>(number % 4 == 0 ? 1 + in.below(4) : 5 + in.below(40));
  s.launch.log2_piece = static_cast<std::uint8_t>(8 + in.below(6));
  s.launch.count = static_cast<std::uint8_t>(1 + in.below(k_most_missiles));
  s.weapon.noise = static_cast<NoiseKind>(number % 2);
  s.weapon.muzzle_cone = {16'384, static_cast<std::int32_t>(in.below(16'384))};
  s.weapon.approach_cone = {in.below(2) == 0 ? 0 : 16'384, 16'384};
  // Degenerate curves too: ends without a tangent, everything in one point.
  s.weapon.muzzle_handle = number % 5 == 1 ? 0 : static_cast<std::int32_t>(in.below(65'537));
  s.weapon.approach_handle = number % 5 == 2 ? 0 : static_cast<std::int32_t>(in.below(65'537));
  s.weapon.amplitude = static_cast<std::int32_t>(in.below(1U << 20));
  s.weapon.frequency = static_cast<std::int32_t>(in.below(1U << 17));
  s.weapon.ripple_interval = static_cast<std::int32_t>(in.below(2) * in.below(1'000));
  s.type.hull.resize(1 + in.below(4));
  for (HullPart& part : s.type.hull) {
    part.a = in.vector(18);
    part.d = in.vector(18);
    part.radius = static_cast<std::int32_t>(in.below(1U << 18));
  }
  const int bits = 20 + static_cast<int>(number % 11);
  s.anchor.muzzle = in.vector(bits);
  s.anchor.launcher_velocity = in.vector(22);
  s.anchor.target_position = number == 7 ? s.anchor.muzzle : in.vector(bits);
  s.anchor.target_velocity = in.vector(22);
  s.anchor.muzzle_basis = freeze(in.basis());
  s.anchor.target_basis = freeze(in.basis());
  return s;
}

/// A salvo in blocks, as an evaluator would hold it.
struct Blocks {
  std::array<FlightBlock, k_most_blocks> flights{};
  std::array<PieceBlock, k_most_blocks> pieces{};
  std::array<LockLanes, k_most_blocks> locks{};
};

void fill(Inputs& in, int bits, batch::VectorLanes& lanes) {
  for (std::size_t lane = 0; lane < k_lanes; ++lane) {
    const Vec3 v = in.vector(bits);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lanes[axis][lane] = v[static_cast<int>(axis)];
    }
  }
}
void fill(Inputs& in, int bits, batch::WideVectorLanes& lanes) {
  batch::VectorLanes narrow{};
  fill(in, bits, narrow);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::copy(narrow[axis].begin(), narrow[axis].end(), lanes[axis].begin());
  }
}

void fill_locks(Inputs& in, Subtick duration, LockLanes& locks) {
  for (LockLanes::Term* term : {&locks.now, &locks.before}) {
    fill(in, 29, term->lead);
    for (batch::VectorLanes& axis : term->axes) {
      fill(in, 25, axis);
    }
  }
  fill(in, 22, locks.offset);
  fill(in, 31, locks.kept);
  fill(in, 27, locks.velocity);
  for (std::int32_t& begin : locks.begin) {
    begin = static_cast<std::int32_t>(in.next() % static_cast<std::uint64_t>(duration));
  }
}

batch::TargetTerm term(Inputs& in) {
  const Vec3 lead = in.vector(28);
  const Basis basis = in.basis();
  return {lead, right(basis), basis.up, basis.forward};
}

/// Every lane's piece at its own time since the salvo's launch.
AdvancePlan plan_for(const Sample& s, std::size_t block, Subtick since) {
  AdvancePlan plan;
  plan.noise = s.weapon.noise;
  plan.pieces.fill(s.launch.pieces);
  plan.piece_length.fill(std::int32_t{1} << s.launch.log2_piece);
  plan.frequency.fill(s.weapon.frequency);
  plan.pushes.fill(batch::k_window);
  for (std::size_t lane = 0; lane < k_lanes; ++lane) {
    const auto index = static_cast<Subtick>(block * k_lanes + lane);
    const Subtick local = std::max<Subtick>(since - index * s.weapon.ripple_interval, 0);
    plan.target[lane] = static_cast<std::int32_t>(
        std::min<Subtick>(local >> s.launch.log2_piece, s.launch.pieces - 1));
  }
  return plan;
}

class Battery {
 public:
  Battery(BatchTarget target, bool faulty)
      : target_(target), kernels_(batch::kernels(target)), faulty_(faulty) {}

  Hash64 run() {
    for (std::uint32_t i = 0; i < k_salvos; ++i) {
      const Sample s = sample(in_, i);
      add_flights(s);
      add_missiles(s);
    }
    return hash_;
  }

 private:
  void add_flights(const Sample& s) {
    for (const Flight& flight : compile_flights(target_, s.from(0), s.launch.count)) {
      for (const Vec3& p : flight.points()) {
        hash_.add_vector(WideVec3(p));
      }
    }
  }

  void add_missiles(const Sample& s) {
    const std::size_t blocks = (s.launch.count + k_lanes - 1) / k_lanes;
    const Subtick duration = Subtick{s.launch.pieces} << s.launch.log2_piece;
    bool narrow = true;
    for (std::size_t i = 0; i < blocks; ++i) {
      kernels_.start(s.from(i * k_lanes), blocks_.flights[i], blocks_.pieces[i]);
      blocks_.pieces[i].end.fill(static_cast<std::int32_t>(duration));
      narrow = narrow && batch::is_narrow(blocks_.flights[i]);
      fill_locks(in_, duration, blocks_.locks[i]);
    }
    for (int round = 0; round < 4; ++round) {
      const Subtick since = in_.next() % static_cast<std::uint64_t>(duration);
      for (std::size_t i = 0; i < blocks; ++i) {
        kernels_.advance(plan_for(s, i, since), blocks_.flights[i], blocks_.pieces[i]);
      }
      if (faulty_ && round == 1) {
        blocks_.pieces[0].points[1][2][0] += 1;
        blocks_.pieces[0].points[2][2][0] += 1;
      }
      EvaluateJob job;
      job.blocks = blocks_.pieces.data();
      job.count = s.launch.count;
      job.since_first = since;
      job.ripple_interval = s.weapon.ripple_interval;
      job.log2_piece = s.launch.log2_piece;
      job.duration = duration;
      job.homing = round != 0;
      job.narrow = narrow;
      job.now = term(in_);
      job.before = term(in_);
      job.locks = round == 3 ? blocks_.locks.data() : nullptr;
      add_evaluation(job);
    }
  }

  void add_evaluation(const EvaluateJob& job) {
    const EvaluateJob* one = &job;
    std::array<std::uint8_t, k_most_blocks> masks{};
    hash_.add(kernels_.due(job, masks.data()));
    // Of the same pieces a little later, when some of them are over.
    EvaluateJob later = job;
    later.since_first += Subtick{1} << (job.log2_piece - 1);
    hash_.add(kernels_.due(later, masks.data()));
    for (const std::uint8_t mask : masks) {
      hash_.add(mask);
    }
    std::array<MissileRef, k_most_missiles> missiles;
    std::array<Vec3, k_most_missiles> positions;
    std::array<Vec3, k_most_missiles> velocities;
    std::array<Basis, k_most_missiles> orientations;
    const std::size_t count = kernels_.evaluate(
        &one, 1, {missiles.data(), positions.data(), velocities.data(), orientations.data()});
    // Once more the way most callers do it: positions alone.
    std::array<Vec3, k_most_missiles> again;
    hash_.add(static_cast<std::uint32_t>(
        kernels_.evaluate(&one, 1, {nullptr, again.data(), nullptr, nullptr})));
    for (std::size_t i = 0; i < count; ++i) {
      hash_.add(missiles[i].index);
      hash_.add_vector(WideVec3(positions[i]));
      hash_.add_vector(WideVec3(velocities[i]));
      hash_.add_vector(WideVec3(orientations[i].forward));
      hash_.add_vector(WideVec3(orientations[i].up));
      hash_.add_vector(WideVec3(again[i]));
    }
  }

  BatchTarget target_;
  const Kernels& kernels_;
  bool faulty_;
  Inputs in_{0xBA7C4000U};
  Blocks blocks_;
  Hash64 hash_;
};

}  // namespace

Hash64 batch_fingerprint(BatchTarget target) {
  return Battery(target, false).run();
}

BatchChoice choose_batch_target(std::optional<BatchTarget> planted) {
  BatchChoice choice;
  const Hash64 expected = batch_fingerprint(BatchTarget::scalar);
  std::vector<BatchTarget> targets = batch_targets();
  std::reverse(targets.begin(), targets.end());
  for (const BatchTarget target : targets) {
    if (target == BatchTarget::scalar || target == BatchTarget::emulated) {
      continue;  // slower than scalar code
    }
    if (Battery(target, target == planted).run() == expected) {
      choice.target = target;
      return choice;
    }
    choice.refused.push_back(target);
  }
  return choice;
}

std::string describe(const BatchChoice& choice) {
  std::string line = std::string("batch evaluation: ") + batch_target_name(choice.target);
  for (const BatchTarget target : choice.refused) {
    line += choice.refused.front() == target ? "; not " : ", ";
    line += batch_target_name(target);
  }
  return choice.refused.empty()
             ? line
             : line + ": computes something else than scalar code on this machine";
}

}  // namespace contrail::sim
