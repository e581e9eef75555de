#pragma once

// Which bodies may be near a box: a sparse hash of cells over the whole world, each body in the
// cell of its middle, so that a question looks at each once. It only ever names too many.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <contrail/sim/units.hpp>

namespace contrail::server {

/// Axis box, both ends included; length units.
struct Box {
  sim::WideVec3 low{0};
  sim::WideVec3 high{0};
};
/// Around two points, `radius` to every side.
Box box_around(const sim::WideVec3& a, const sim::WideVec3& b, std::int64_t radius);
bool overlap(const Box& a, const Box& b);
/// The least box around both.
Box joined(const Box& a, const Box& b);

class BodyGrid {
 public:
  /// Forgets everything; `expected` bodies are to come, about all of them inside `extent`: cells
  /// are as large as leaves about one body to each.
  void clear(std::size_t expected, const Box& extent);
  /// Adds a body; numbers ascend from 0.
  void add(const Box& box);
  /// After the last body.
  void build();
  /// Appends the numbers of all bodies whose box overlaps this one, in an order that depends on
  /// nothing but the bodies. Where two rows of cells share a bucket, one may come twice.
  void find(const Box& box, std::vector<std::uint32_t>& out) const;
  [[nodiscard]] std::size_t size() const { return boxes_.size(); }

 private:
  /// A box in steps of 16 length units, rounded outwards, within the world: half the memory.
  struct Packed {
    sim::Vec3 low;
    sim::Vec3 high;
  };
  static Packed pack(const Box& box);
  static bool overlap(const Packed& a, const Packed& b);
  [[nodiscard]] sim::Vec3 cell_of(const sim::Vec3& at) const;
  /// Buckets of a row of cells along x follow one another.
  [[nodiscard]] static std::uint32_t row(std::int32_t y, std::int32_t z);
  [[nodiscard]] std::uint32_t bucket_of(const sim::Vec3& cell) const;
  void file_bodies();

  std::vector<Packed> boxes_;
  std::vector<std::uint32_t> large_;    // much larger than a cell: always looked at
  std::vector<std::uint32_t> filed_;    // the others
  std::vector<std::uint32_t> first_;    // of each bucket in members_, and its end
  std::vector<Packed> members_;         // boxes by bucket
  std::vector<std::uint32_t> numbers_;  // and whose they are
  sim::Vec3 reach_{0};                  // of a filed body's box from its middle, steps
  std::uint32_t mask_ = 0;
  int log2_cell_ = 17;  // steps
};

}  // namespace contrail::server
