#include "battery.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "arithmetic_stages.hpp"
#include "batch_stages.hpp"
#include "float_witness.hpp"
#include "fpu_state.hpp"
#include "path_stages.hpp"
#include "wire_stages.hpp"
#include "world_stages.hpp"

namespace contrail::battery {
namespace {

void fingerprint_stages(Stages& stages) {
  const sim::Fingerprint fingerprint = sim::compute_fingerprint();
  for (std::size_t i = 0; i < fingerprint.stages.size(); ++i) {
    stages.push_back({sim::stage_name(static_cast<sim::Stage>(i)), fingerprint.stages[i]});
  }
}

Stages all_stages() {
  Stages stages;
  arithmetic_stages(stages);
  fingerprint_stages(stages);
  path_stages(stages);
  batch_stages(stages);
  world_stages(stages);
  wire_stages(stages);
  return stages;
}

struct Options {
  FpuState state = FpuState::unchanged;
  bool expect_ftz = false;
};

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--ftz") == 0) {
      options.state = FpuState::ftz;
    } else if (std::strcmp(argv[i], "--expect-ftz") == 0) {
      options.expect_ftz = true;
    } else if (std::strcmp(argv[i], "--rounding") == 0 && i + 1 < argc) {
      const auto state = rounding_state(argv[++i]);
      if (!state) {
        return std::nullopt;
      }
      options.state = *state;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

int run(const Options& options) {
  if (options.expect_ftz && !flushes_to_zero()) {
    std::fprintf(stderr, "battery: nothing has set flush-to-zero\n");
    return 3;
  }
  if (!enter(options.state)) {
    std::fprintf(stderr, "battery: this machine has no such floating-point state\n");
    return 3;
  }
  const Stages stages = all_stages();
  const sim::Hash64 floats = float_witness();
  require_same(in_force(options.state), "the floating-point state outlives the battery");

  std::printf("# fpu %s\n", describe_state().c_str());
  std::printf("# simd %s\n", batch_target_list().c_str());
  std::printf("# float %s\n", floats.hex().c_str());
  sim::Hash64 all;
  for (const StageHash& stage : stages) {
    std::printf("%s %s\n", stage.name.c_str(), stage.hash.hex().c_str());
    all.add(stage.hash.a);
    all.add(stage.hash.b);
  }
  std::printf("all %s\n", all.hex().c_str());
  return 0;
}

}  // namespace

void require_same(bool same, const char* what) {
  if (!same) {
    std::fprintf(stderr, "battery: does not hold: %s\n", what);
    std::exit(1);
  }
}

}  // namespace contrail::battery

int main(int argc, char** argv) {
  const auto options = contrail::battery::read_options(argc, argv);
  if (!options) {
    std::fprintf(stderr, "battery [--ftz | --expect-ftz] [--rounding up|down|zero|nearest]\n");
    return 2;
  }
  return contrail::battery::run(*options);
}
