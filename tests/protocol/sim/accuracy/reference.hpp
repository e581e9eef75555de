#pragma once

// The textbook forms of what the simulation computes in integers, in long double. Nothing here is
// shared with the simulation: inputs are control points and hashed noise knots.

#include <array>
#include <cmath>
#include <vector>

namespace contrail::reference {

struct Vector {
  long double x = 0;
  long double y = 0;
  long double z = 0;
};

inline Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector operator*(const Vector& a, long double n) {
  return {a.x * n, a.y * n, a.z * n};
}
inline long double dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline long double norm(const Vector& a) {
  return std::sqrt(dot(a, a));
}
inline Vector unit(const Vector& a) {
  return a * (1 / norm(a));
}
/// Radians; exact for small angles too.
inline long double angle(const Vector& a, const Vector& b) {
  return std::atan2(norm(cross(a, b)), dot(a, b));
}
/// Of any vector of numbers.
template <typename V>
Vector from(const V& v) {
  return {static_cast<long double>(v.x), static_cast<long double>(v.y),
          static_cast<long double>(v.z)};
}

/// A cubic Bezier curve, by de Casteljau.
struct Bezier {
  std::array<Vector, 4> p;

  [[nodiscard]] Vector at(long double u) const {
    const auto mix = [u](const Vector& a, const Vector& b) { return a * (1 - u) + b * u; };
    const Vector a = mix(p[0], p[1]), b = mix(p[1], p[2]), c = mix(p[2], p[3]);
    return mix(mix(a, b), mix(b, c));
  }
  [[nodiscard]] Vector slope(long double u) const {
    const Vector a = p[1] - p[0], b = p[2] - p[1], c = p[3] - p[2];
    return (a * ((1 - u) * (1 - u)) + b * (2 * u * (1 - u)) + c * (u * u)) * 3;
  }
};

struct Axes {
  Vector t;
  Vector r;
  Vector s;
};

/// Axes across a tangent from the world axis least along it; ties x, then y.
inline Axes first_axes(const Vector& tangent) {
  const long double x = std::fabs(tangent.x), y = std::fabs(tangent.y), z = std::fabs(tangent.z);
  const Vector e = x <= y && x <= z ? Vector{1, 0, 0} : y <= z ? Vector{0, 1, 0} : Vector{0, 0, 1};
  const Vector s = unit(cross(tangent, e));
  return {tangent, unit(cross(s, tangent)), s};
}

/// One step of double reflection from x0 to x1 (Wang, Juttler, Zheng, Liu 2008, table 1): r only,
/// s from the cross product, as the paper has it.
inline Axes double_reflection(const Axes& from, const Vector& chord, const Vector& tangent) {
  const long double c1 = dot(chord, chord);
  if (c1 == 0) return from;
  const Vector r_left = from.r - chord * (2 / c1 * dot(chord, from.r));
  const Vector t_left = from.t - chord * (2 / c1 * dot(chord, from.t));
  const Vector v2 = tangent - t_left;
  const long double c2 = dot(v2, v2);
  const Vector r = c2 == 0 ? r_left : r_left - v2 * (2 / c2 * dot(v2, r_left));
  return {tangent, r, cross(tangent, r)};
}

/// Axes at u after `steps` equal steps over the curve from 0 to u.
inline Axes carried(const Bezier& curve, const Axes& first, long double u, int steps) {
  Axes axes = first;
  for (int i = 1; i <= steps; ++i) {
    const long double a = u * (i - 1) / steps;
    const long double b = u * i / steps;
    axes = double_reflection(axes, curve.at(b) - curve.at(a), unit(curve.slope(b)));
  }
  return axes;
}

/// The protocol's recursion without rounding: knots at k/16 and one step from the one below.
inline Axes recursion(const Bezier& curve, const Axes& first, long double u) {
  const int knots = std::min(15, static_cast<int>(std::floor(u * 16)));
  const Axes knot = carried(curve, first, static_cast<long double>(knots) / 16, knots);
  const Vector chord = curve.at(u) - curve.at(static_cast<long double>(knots) / 16);
  return double_reflection(knot, chord, unit(curve.slope(u)));
}

/// The uniform cubic B-spline over four values, 0 <= t <= 1.
inline long double b_spline(long double a, long double b, long double c, long double d,
                            long double t) {
  const long double s = 1 - t;
  return (s * s * s * a + (3 * t * t * t - 6 * t * t + 4) * b +
          (-3 * t * t * t + 3 * t * t + 3 * t + 1) * c + t * t * t * d) /
         6;
}

/// Bezier pieces of the uniform cubic B-spline over S_0..S_N whose first and last pieces have the
/// given ends and end slopes (per piece); inner[k] = S_k for 0 < k < N.
inline std::vector<Bezier> clamped_spline(const std::vector<Vector>& inner, const Vector& p0,
                                          const Vector& m0, const Vector& pn, const Vector& mn) {
  const std::size_t n = inner.size() - 1;
  if (n == 1) return {Bezier{{p0, p0 + m0 * (1.0L / 3), pn - mn * (1.0L / 3), pn}}};
  std::vector<Vector> s = inner;
  // The spline's value at a knot is (S- + 4 S + S+) / 6, its slope (S+ - S-) / 2: with S_-1 taken
  // out of both, 3 p0 = 2 S_0 + S_1 - m0.
  s[0] = (p0 * 3 - s[1] + m0) * 0.5L;
  s[n] = (pn * 3 - s[n - 1] - mn) * 0.5L;
  std::vector<Bezier> pieces(n);
  for (std::size_t k = 0; k < n; ++k) {
    pieces[k].p[1] = (s[k] * 2 + s[k + 1]) * (1.0L / 3);
    pieces[k].p[2] = (s[k] + s[k + 1] * 2) * (1.0L / 3);
  }
  pieces[0].p[0] = p0;
  pieces[0].p[1] = p0 + m0 * (1.0L / 3);
  pieces[n - 1].p[3] = pn;
  pieces[n - 1].p[2] = pn - mn * (1.0L / 3);
  for (std::size_t k = 1; k < n; ++k) {
    pieces[k].p[0] = pieces[k - 1].p[3] = (pieces[k - 1].p[2] + pieces[k].p[1]) * 0.5L;
  }
  return pieces;
}

}  // namespace contrail::reference
