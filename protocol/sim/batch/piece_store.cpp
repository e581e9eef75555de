#include <contrail/sim/batch/piece_store.hpp>

#include <algorithm>
#include <array>
#include <bit>

#include <contrail/sim/assert.hpp>

namespace contrail::sim::batch {
namespace {

constexpr int k_busy_block = 5;  // lanes due from which a block is advanced where it lies

std::uint32_t blocks_for(std::uint32_t missiles) {
  return (missiles + static_cast<std::uint32_t>(k_lanes) - 1) / static_cast<std::uint32_t>(k_lanes);
}

template <typename Number>
void copy_lane(const Lanes<Number>& from, std::size_t from_lane, Lanes<Number>& to,
               std::size_t to_lane) {
  to[to_lane] = from[from_lane];
}
template <typename Number, std::size_t k_size>
void copy_lane(const std::array<Lanes<Number>, k_size>& from, std::size_t from_lane,
               std::array<Lanes<Number>, k_size>& to, std::size_t to_lane) {
  for (std::size_t i = 0; i < k_size; ++i) {
    to[i][to_lane] = from[i][from_lane];
  }
}

/// What advance() changes of a flight.
void copy_place(const FlightBlock& from, std::size_t from_lane, FlightBlock& to,
                std::size_t to_lane) {
  copy_lane(from.tangent, from_lane, to.tangent, to_lane);
  copy_lane(from.r, from_lane, to.r, to_lane);
  copy_lane(from.s, from_lane, to.s, to_lane);
  copy_lane(from.frame_knot, from_lane, to.frame_knot, to_lane);
  for (std::size_t i = 0; i < k_window; ++i) {
    copy_lane(from.window[i], from_lane, to.window[i], to_lane);
  }
  copy_lane(from.piece, from_lane, to.piece, to_lane);
}

/// What it only reads.
void copy_shape(const FlightBlock& from, std::size_t from_lane, FlightBlock& to,
                std::size_t to_lane) {
  for (std::size_t i = 0; i < from.base.size(); ++i) {
    copy_lane(from.base[i], from_lane, to.base[i], to_lane);
  }
  copy_lane(from.amplitude, from_lane, to.amplitude, to_lane);
  copy_lane(from.key_x, from_lane, to.key_x, to_lane);
  copy_lane(from.key_y, from_lane, to.key_y, to_lane);
}

void copy_piece(const PieceBlock& from, std::size_t from_lane, PieceBlock& to,
                std::size_t to_lane) {
  for (std::size_t i = 0; i < from.points.size(); ++i) {
    copy_lane(from.points[i], from_lane, to.points[i], to_lane);
  }
  copy_lane(from.start, from_lane, to.start, to_lane);
}

/// Knots to compute from a window at piece `from` (-1: none) to one at `to`.
std::int32_t pushes_between(std::int32_t from, std::int32_t to) {
  const std::int32_t ahead = to - from;
  return from >= 0 && ahead >= 0 && ahead < static_cast<std::int32_t>(k_window)
             ? ahead
             : static_cast<std::int32_t>(k_window);
}

}  // namespace

BlockRun PieceStore::take(std::uint32_t missiles) {
  BlockRun run;
  run.count = blocks_for(missiles);
  // The shortest free run that is long enough; what is left of it stays free.
  std::size_t length = run.count;
  while (length <= k_longest_run && free_[length].empty()) {
    ++length;
  }
  if (length > k_longest_run) {
    static_assert(Chunks<PieceBlock>::k_size % k_longest_run == 0);
    for (std::uint32_t i = 0; i < Chunks<PieceBlock>::k_size; i += k_longest_run) {
      free_[k_longest_run].push_back(pieces_.size() + i);
    }
    pieces_.add();
    if (!whole_flights_) {
      flights_.add();
    }
    length = k_longest_run;
  }
  run.first = free_[length].back();
  free_[length].pop_back();
  if (length > run.count) {
    free_[length - run.count].push_back(run.first + run.count);
  }
  for (std::uint32_t i = 0; i < run.count; ++i) {
    pieces_.at(run.first + i) = {};
    pieces_.at(run.first + i).start.fill(-1);
  }
  return run;
}

void PieceStore::give_back(BlockRun& run) {
  free_[run.count].push_back(run.first);
  run = {};
}

void PieceStore::start(const FlightSource& salvo, BlockRun& run) {
  const std::uint32_t missiles = salvo.launch.count;
  const std::size_t stride = 3 * std::size_t{salvo.launch.pieces} + 1;
  if (whole_flights_) {
    run.points.resize(missiles * stride);
  }
  run.narrow = true;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const std::uint32_t index = i * static_cast<std::uint32_t>(k_lanes);
    const FlightSource first{salvo.launch, salvo.anchor, salvo.weapon, salvo.target_type,
                             static_cast<std::uint8_t>(index)};
    PieceBlock& pieces = pieces_.at(run.first + i);
    if (!whole_flights_) {
      kernels_->start(first, flights_.at(run.first + i), pieces);
      run.narrow = run.narrow && is_narrow(flights_.at(run.first + i));
      continue;
    }
    kernels_->start(first, work_flights_, pieces);
    run.narrow = run.narrow && is_narrow(work_flights_);
    const std::size_t present = std::min<std::size_t>(k_lanes, missiles - index);
    std::array<Vec3*, k_lanes> to{};
    for (std::size_t lane = 0; lane < present; ++lane) {
      to[lane] = &run.points[(index + lane) * stride];
    }
    kernels_->compile(first, work_flights_, present, to.data());
  }
}

void PieceStore::request(const PieceTimes& times, const BlockRun& run, std::uint32_t block,
                         std::uint32_t mask, Subtick since_launch) {
  Int32Lanes wanted{};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const Subtick local = since_launch - static_cast<Subtick>(lane) * times.ripple_interval;
    wanted[lane] =
        static_cast<std::int32_t>(std::min<Subtick>(local >> times.log2_piece, times.pieces - 1));
  }
  if (!whole_flights_ && std::popcount(mask) >= k_busy_block) {
    advance_block(times, run.first + block, wanted, mask);
    return;
  }
  const std::size_t stride = 3 * static_cast<std::size_t>(times.pieces) + 1;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::int32_t piece = wanted[lane];
    if (whole_flights_) {
      fetches_.push_back(
          {&run.points[(block * k_lanes + lane) * stride + 3 * static_cast<std::size_t>(piece)],
           &pieces_.at(run.first + block), lane, piece << times.log2_piece});
    } else {
      requests_[static_cast<std::size_t>(times.noise)].push_back(
          {run.first + block, lane, piece,
           pushes_between(flights_.at(run.first + block).piece[lane], piece), times.pieces,
           std::int32_t{1} << times.log2_piece, times.frequency});
    }
  }
}

void PieceStore::flush_fetches() {
  constexpr std::size_t k_ahead = 12;  // the points lie anywhere in memory
  for (std::size_t i = 0; i < fetches_.size(); ++i) {
    if (i + k_ahead < fetches_.size()) {
      __builtin_prefetch(fetches_[i + k_ahead].from);
      __builtin_prefetch(fetches_[i + k_ahead].from + 3);
    }
    const Fetch& fetch = fetches_[i];
    for (std::size_t p = 0; p < fetch.to->points.size(); ++p) {
      VectorLanes& point = fetch.to->points[p];
      point[0][fetch.lane] = fetch.from[p].x;
      point[1][fetch.lane] = fetch.from[p].y;
      point[2][fetch.lane] = fetch.from[p].z;
    }
    fetch.to->start[fetch.lane] = fetch.start;
  }
  fetches_.clear();
}

void PieceStore::advance_block(const PieceTimes& times, std::uint32_t block,
                               const Int32Lanes& wanted, std::uint32_t mask) {
  FlightBlock& flights = flights_.at(block);
  AdvancePlan plan;
  plan.noise = times.noise;
  plan.pieces.fill(times.pieces);
  plan.piece_length.fill(std::int32_t{1} << times.log2_piece);
  plan.frequency.fill(times.frequency);
  for (std::size_t lane = 0; lane < k_lanes; ++lane) {
    // Lanes that need nothing keep their piece; those that have none get their first.
    const std::int32_t stay = std::max(flights.piece[lane], 0);
    plan.target[lane] = ((mask >> lane) & 1U) != 0 ? wanted[lane] : stay;
    plan.pushes[lane] = pushes_between(flights.piece[lane], plan.target[lane]);
  }
  kernels_->advance(plan, flights, pieces_.at(block));
}

void PieceStore::flush(std::vector<Request>& requests, NoiseKind noise) {
  for (std::size_t first = 0; first < requests.size(); first += k_lanes) {
    const std::size_t present = std::min(k_lanes, requests.size() - first);
    AdvancePlan plan;
    plan.noise = noise;
    for (std::size_t lane = 0; lane < k_lanes; ++lane) {
      // Padded with the last request: the same kernel, its results dropped.
      const Request& request = requests[first + std::min(lane, present - 1)];
      const FlightBlock& from = flights_.at(request.block);
      copy_shape(from, request.lane, work_flights_, lane);
      copy_place(from, request.lane, work_flights_, lane);
      plan.pieces[lane] = request.pieces;
      plan.piece_length[lane] = request.piece_length;
      plan.frequency[lane] = request.frequency;
      plan.target[lane] = request.piece;
      plan.pushes[lane] = request.pushes;
    }
    kernels_->advance(plan, work_flights_, work_pieces_);
    for (std::size_t lane = 0; lane < present; ++lane) {
      const Request& request = requests[first + lane];
      copy_place(work_flights_, lane, flights_.at(request.block), request.lane);
      copy_piece(work_pieces_, lane, pieces_.at(request.block), request.lane);
    }
  }
  requests.clear();
}

void PieceStore::flush() {
  flush_fetches();
  flush(requests_[0], NoiseKind::bspline);
  flush(requests_[1], NoiseKind::perlin);
}

std::size_t PieceStore::memory_bytes() const {
  return pieces_.size() * sizeof(PieceBlock) + flights_.size() * sizeof(FlightBlock);
}

}  // namespace contrail::sim::batch
