#include <contrail/sim/noise.hpp>

namespace contrail::sim {
namespace {

std::int64_t low_half(std::uint32_t word) {
  return static_cast<std::int16_t>(word & 0xFFFFU);
}
std::int64_t high_half(std::uint32_t word) {
  return static_cast<std::int16_t>(word >> 16);
}

}  // namespace

Noise::Noise(NoiseKind kind, std::uint32_t seed, std::uint32_t index) {
  keys_.kind = kind;
  if (kind == NoiseKind::perlin) {
    keys_.x = key(seed, Stream::perlin_x, index);
    keys_.y = key(seed, Stream::perlin_y, index);
  } else {
    keys_.x = key(seed, Stream::wobble, index);
  }
}

Noise2 Noise::at(std::int64_t cells) const {
  return NoiseWalk(*this).at(cells);
}

Noise2 NoiseWalk::at(std::int64_t cells) {
  const NoiseKeys& keys = noise_.keys();
  if (keys.kind == NoiseKind::perlin) {
    return {perlin_noise(keys.x, cells), perlin_noise(keys.y, cells)};
  }
  const std::int64_t cell = cells >> 16;
  const auto knot = [&](std::int64_t number) {
    return noise_knot(keys.x, static_cast<std::uint32_t>(number));
  };
  if (cell == cell_ + 1) {
    knots_ = {knots_[1], knots_[2], knots_[3], knot(cell + 3)};
  } else if (cell != cell_) {
    knots_ = {knot(cell), knot(cell + 1), knot(cell + 2), knot(cell + 3)};
  }
  cell_ = cell;
  return bspline_noise(knots_[0], knots_[1], knots_[2], knots_[3], cells & 65535);
}

Noise2 noise_knot(std::uint32_t key, std::uint32_t number) {
  const std::uint32_t word = draw(key, number);
  const std::int64_t x = low_half(word);
  const std::int64_t y = high_half(word);
  if (x * x + y * y > std::int64_t{1} << 30) {
    return {x >> 1, y >> 1};
  }
  return {x, y};
}

Noise2 bspline_noise(const Noise2& k0, const Noise2& k1, const Noise2& k2, const Noise2& k3,
                     std::int64_t t) {
  // Six times the weights, Q16: none negative, their sum exactly 6, so the sum of knots never
  // leaves the disc. (1-t)^3, 4 - 6 t^2 + 3 t^3, 1 + 3 t (1 + t (1 - t)), t^3.
  const std::int64_t s = 65536 - t;
  const std::int64_t w0 = (((s * s) >> 16) * s) >> 16;
  const std::int64_t w3 = (((t * t) >> 16) * t) >> 16;
  const std::int64_t w2 = 65536 + ((3 * t * (65536 + ((t * s) >> 16))) >> 16);
  const std::int64_t w1 = 6 * 65536 - w0 - w2 - w3;
  return {(w0 * k0.x + w1 * k1.x + w2 * k2.x + w3 * k3.x) >> 16,
          (w0 * k0.y + w1 * k1.y + w2 * k2.y + w3 * k3.y) >> 16};
}

std::int64_t perlin_noise(std::uint32_t key, std::int64_t cells) {
  const std::int64_t shifted = cells + (draw(key, 0) >> 16);
  const auto cell = static_cast<std::uint32_t>(shifted >> 16);
  const std::int64_t t = shifted & 65535;
  const std::int64_t from_left = low_half(draw(key, cell + 1)) * t;             // Q31
  const std::int64_t from_right = low_half(draw(key, cell + 2)) * (t - 65536);  // Q31
  const std::int64_t t2 = (t * t) >> 16;
  const std::int64_t t3 = (t2 * t) >> 16;
  const std::int64_t fade = (t3 * (6 * t2 - 15 * t + 10 * 65536)) >> 16;  // Q16
  const std::int64_t value = from_left + (((from_right - from_left) * fade) >> 16);
  // Gradient noise stays within one half. floor(k_noise_one / sqrt(2)) times twice the value keeps
  // two independent channels together in the disc.
  return (value * 139'022) >> 30;
}

}  // namespace contrail::sim
