// The kernels in lanes, compiled for every instruction set Highway knows here. This file and the
// -inl headers are the only place of the simulation with floating-point numbers; what they carry is
// integers below 2^53.

#include <contrail/sim/batch/kernels.hpp>

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)

// All of them, also in a build for this very machine: each is tested against the scalar code.
#define HWY_COMPILE_ALL_ATTAINABLE
// Extensions that are not needed shall not be asked for.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_F16C
// On 64-bit Arm what every processor has, without attributes.
#define TOOLCHAIN_MISS_SYS_AUXV_H
// Not used: vectors of unknown length, and an AVX-512 of later machines that adds nothing here.
// Windows doesn't keep 32-byte alignment of the stack under GCC.
#if defined(__MINGW32__)
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_AVX3_DL | HWY_AVX3 | HWY_AVX2)
#else
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_AVX3_DL)
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "contrail/sim/batch/lanes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "lane_advance-inl.hpp"
#include "lane_compile-inl.hpp"
#include "lane_evaluate-inl.hpp"
#include "lane_start-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

inline const Kernels& table() {
  static constexpr Kernels kernels{start, advance, compile, due, evaluate};
  return kernels;
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if !defined(HWY_ONCE) || HWY_ONCE
namespace contrail::sim::batch {

const Kernels* lane_kernels(BatchTarget target) {
  switch (target) {
#if defined(HWY_TARGETS)
#if HWY_TARGETS & HWY_SCALAR
    case BatchTarget::emulated:
      return &N_SCALAR::table();
#elif HWY_TARGETS & HWY_EMU128
    case BatchTarget::emulated:
      return &N_EMU128::table();
#endif
#if HWY_TARGETS & HWY_SSSE3
    case BatchTarget::ssse3:
      return __builtin_cpu_supports("ssse3") ? &N_SSSE3::table() : nullptr;
#endif
#if HWY_TARGETS & HWY_SSE4
    case BatchTarget::sse4:
      return __builtin_cpu_supports("sse4.2") ? &N_SSE4::table() : nullptr;
#endif
#if HWY_TARGETS & HWY_AVX2
    case BatchTarget::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                     __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
                 ? &N_AVX2::table()
                 : nullptr;
#endif
#if HWY_TARGETS & HWY_AVX3
    case BatchTarget::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
                 ? &N_AVX3::table()
                 : nullptr;
#endif
#if HWY_TARGETS & HWY_NEON
    case BatchTarget::neon:
      return &N_NEON::table();
#endif
#endif
    default:
      return nullptr;
  }
}

}  // namespace contrail::sim::batch
#endif
