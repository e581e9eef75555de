#include "fpu_state.hpp"

#include <array>
#include <cfenv>
#include <cstdio>
#include <cstring>

namespace contrail::battery {
namespace {

// The control register with the flush bits. Inline assembly, since a 32-bit build for the x87 may
// not use the intrinsics; the processor has the register all the same.
#if defined(__x86_64__) || defined(__i386__)
constexpr std::uint32_t k_flush_bits = 0x8040;  // FTZ, DAZ
std::uint32_t control() {
  std::uint32_t value = 0;
  __asm__ __volatile__("stmxcsr %0" : "=m"(value));
  return value;
}
void set_control(std::uint32_t value) {
  __asm__ __volatile__("ldmxcsr %0" : : "m"(value));
}
#elif defined(__aarch64__)
constexpr std::uint32_t k_flush_bits = 1U << 24;  // FPCR.FZ
std::uint32_t control() {
  std::uint64_t value = 0;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(value));
  return static_cast<std::uint32_t>(value);
}
void set_control(std::uint32_t value) {
  __asm__ __volatile__("msr fpcr, %0" : : "r"(static_cast<std::uint64_t>(value)));
}
#elif defined(__arm__)
constexpr std::uint32_t k_flush_bits = 1U << 24;  // FPSCR.FZ
std::uint32_t control() {
  std::uint32_t value = 0;
  __asm__ __volatile__("vmrs %0, fpscr" : "=r"(value));
  return value;
}
void set_control(std::uint32_t value) {
  __asm__ __volatile__("vmsr fpscr, %0" : : "r"(value));
}
#else
constexpr std::uint32_t k_flush_bits = 0;  // no such thing on RISC-V and z/Architecture
std::uint32_t control() {
  return 0;
}
void set_control(std::uint32_t) {}
#endif

int mode_of(FpuState state) {
  switch (state) {
    case FpuState::up:
      return FE_UPWARD;
    case FpuState::down:
      return FE_DOWNWARD;
    case FpuState::zero:
      return FE_TOWARDZERO;
    default:
      return FE_TONEAREST;
  }
}

/// The last bits of 1/10, 1/3 and -1/3: another triple in every rounding mode.
std::array<int, 3> shown_rounding() {
  std::array<int, 3> last{};
  const std::array<std::array<double, 2>, 3> quotients{{{1, 10}, {1, 3}, {-1, 3}}};
  for (std::size_t i = 0; i < last.size(); ++i) {
    volatile double numerator = quotients[i][0];
    volatile double denominator = quotients[i][1];
    volatile double quotient = numerator / denominator;
    const double value = quotient;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    last[i] = static_cast<int>(bits & 15U);
  }
  return last;
}

std::array<int, 3> expected_rounding(FpuState state) {
  switch (state) {
    case FpuState::up:
      return {0xA, 6, 5};
    case FpuState::down:
      return {9, 5, 6};
    case FpuState::zero:
      return {9, 5, 5};
    default:
      return {0xA, 5, 5};
  }
}

}  // namespace

std::optional<FpuState> rounding_state(const char* name) {
  if (std::strcmp(name, "up") == 0) return FpuState::up;
  if (std::strcmp(name, "down") == 0) return FpuState::down;
  if (std::strcmp(name, "zero") == 0) return FpuState::zero;
  if (std::strcmp(name, "nearest") == 0) return FpuState::nearest;
  return std::nullopt;
}

bool enter(FpuState state) {
  if (state == FpuState::ftz) {
    set_control(control() | k_flush_bits);
  } else if (state != FpuState::unchanged && std::fesetround(mode_of(state)) != 0) {
    return false;
  }
  return in_force(state);
}

bool in_force(FpuState state) {
  if (state == FpuState::unchanged) {
    return true;
  }
  if (state == FpuState::ftz) {
    return flushes_to_zero();
  }
  return std::fegetround() == mode_of(state) && shown_rounding() == expected_rounding(state);
}

bool flushes_to_zero() {
  return k_flush_bits != 0 && (control() & k_flush_bits) == k_flush_bits;
}

std::string describe_state() {
  const char* mode = "nearest";
  if (in_force(FpuState::up)) mode = "up";
  if (in_force(FpuState::down)) mode = "down";
  if (in_force(FpuState::zero)) mode = "zero";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "rounding %s%s, control %08x", mode,
                flushes_to_zero() ? ", flush to zero" : "", static_cast<unsigned>(control()));
  return text.data();
}

}  // namespace contrail::battery
