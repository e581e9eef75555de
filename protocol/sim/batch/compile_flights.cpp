#include <contrail/sim/batch/compile_flights.hpp>

#include <algorithm>
#include <array>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/batch/kernels.hpp>

namespace contrail::sim {

std::vector<Flight> compile_flights(BatchTarget target, const FlightSource& first,
                                    std::size_t count) {
  require(first.index + count <= 255, "a salvo has at most 255 missiles");
  const batch::Kernels& kernels = batch::kernels(target);
  batch::FlightBlock flights;
  batch::PieceBlock pieces;
  std::vector<Flight> result;
  result.reserve(count);
  for (std::size_t done = 0; done < count; done += batch::k_lanes) {
    const std::size_t present = std::min(batch::k_lanes, count - done);
    const FlightSource block{first.launch, first.anchor, first.weapon, first.target_type,
                             static_cast<std::uint8_t>(first.index + done)};
    std::array<std::vector<Vec3>, batch::k_lanes> points;
    std::array<Vec3*, batch::k_lanes> to{};
    for (std::size_t lane = 0; lane < present; ++lane) {
      points[lane].resize(3 * std::size_t{first.launch.pieces} + 1);
      to[lane] = points[lane].data();
    }
    kernels.start(block, flights, pieces);
    kernels.compile(block, flights, present, to.data());
    for (std::size_t lane = 0; lane < present; ++lane) {
      result.emplace_back(std::move(points[lane]), first.launch.log2_piece);
    }
  }
  return result;
}

}  // namespace contrail::sim
