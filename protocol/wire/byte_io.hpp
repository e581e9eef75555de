#pragma once

// Little-endian fields by explicit byte writes: no structs are laid over bytes.

#include <cstddef>
#include <cstdint>
#include <span>

namespace contrail::wire {

/// Writes from the front of a buffer. A write that does not fit sets failed() and writes nothing.
class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::uint8_t> out) : out_(out) {}
  void u8(std::uint8_t value) { put(value, 1); }
  void u16(std::uint16_t value) { put(value, 2); }
  void u32(std::uint32_t value) { put(value, 4); }
  void u64(std::uint64_t value) { put(value, 8); }
  void i64(std::int64_t value) { put(static_cast<std::uint64_t>(value), 8); }
  void bytes(std::span<const std::uint8_t> value) {
    if (!room(value.size())) return;
    for (const std::uint8_t byte : value) out_[at_++] = byte;
  }
  void zeros(std::size_t count) {
    if (!room(count)) return;
    for (std::size_t i = 0; i < count; ++i) out_[at_++] = 0;
  }
  [[nodiscard]] std::size_t size() const { return at_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool room(std::size_t count) {
    if (out_.size() - at_ < count) failed_ = true;
    return !failed_;
  }
  void put(std::uint64_t value, std::size_t count) {
    if (!room(count)) return;
    for (std::size_t i = 0; i < count; ++i) {
      out_[at_++] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

  std::span<std::uint8_t> out_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// Reads from the front of a buffer. A read beyond its end sets failed() and gives 0.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> in) : in_(in) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(get(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(get(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(get(4)); }
  std::uint64_t u64() { return get(8); }
  std::int64_t i64() { return static_cast<std::int64_t>(get(8)); }
  std::span<const std::uint8_t> bytes(std::size_t count) {
    if (!room(count)) return {};
    at_ += count;
    return in_.subspan(at_ - count, count);
  }
  [[nodiscard]] std::size_t left() const { return in_.size() - at_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool room(std::size_t count) {
    if (in_.size() - at_ < count) failed_ = true;
    return !failed_;
  }
  std::uint64_t get(std::size_t count) {
    if (!room(count)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{in_[at_++]} << (8 * i);
    return value;
  }

  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace contrail::wire
