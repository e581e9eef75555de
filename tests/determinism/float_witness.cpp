#include "float_witness.hpp"

#include <cmath>
#include <cstring>

#include <contrail/sim/arith.hpp>

namespace contrail::battery {
namespace {

template <typename Number, typename Bits>
void add_run(sim::Hash64& hash) {
  const auto value = [](std::uint32_t n) {
    return static_cast<Number>(static_cast<std::int32_t>(sim::draw(0xF10A7U, n)) >> 8) /
           static_cast<Number>(4096);
  };
  auto fading = static_cast<Number>(1);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const Number t = static_cast<Number>(i) / static_cast<Number>(2000);
    const Number s = static_cast<Number>(1) - t;
    const Number p[4] = {value(4 * i), value(4 * i + 1), value(4 * i + 2), value(4 * i + 3)};
    const Number point = s * s * s * p[0] + static_cast<Number>(3) * s * s * t * p[1] +
                         static_cast<Number>(3) * s * t * t * p[2] + t * t * t * p[3];
    const Number length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    fading = fading * static_cast<Number>(0.7) + point / length * fading;
    for (const Number n : {point, p[0] / length, fading}) {
      Bits bits = 0;
      std::memcpy(&bits, &n, sizeof bits);
      hash.add_signed(static_cast<std::int64_t>(bits));
    }
  }
}

}  // namespace

sim::Hash64 float_witness() {
  sim::Hash64 hash;
  add_run<float, std::uint32_t>(hash);
  add_run<double, std::uint64_t>(hash);
  return hash;
}

}  // namespace contrail::battery
