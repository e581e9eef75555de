#include <contrail/sim/batch/batch_target.hpp>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/batch/kernels.hpp>

namespace contrail::sim {

const char* batch_target_name(BatchTarget target) {
  switch (target) {
    case BatchTarget::scalar:
      return "scalar";
    case BatchTarget::emulated:
      return "emulated";
    case BatchTarget::ssse3:
      return "ssse3";
    case BatchTarget::sse4:
      return "sse4";
    case BatchTarget::avx2:
      return "avx2";
    case BatchTarget::avx512:
      return "avx512";
    case BatchTarget::neon:
      return "neon";
  }
  return "unknown";
}

std::vector<BatchTarget> batch_targets() {
  std::vector<BatchTarget> targets{BatchTarget::scalar};
  for (const BatchTarget target : {BatchTarget::emulated, BatchTarget::ssse3, BatchTarget::sse4,
                                   BatchTarget::avx2, BatchTarget::avx512, BatchTarget::neon}) {
    if (batch::lane_kernels(target) != nullptr) {
      targets.push_back(target);
    }
  }
  return targets;
}

namespace batch {

const Kernels& kernels(BatchTarget target) {
  if (target == BatchTarget::scalar) {
    return scalar_kernels();
  }
  const Kernels* lanes = lane_kernels(target);
  require(lanes != nullptr, "a batch target is one of batch_targets()");
  return *lanes;
}

}  // namespace batch
}  // namespace contrail::sim
