// The core benchmark: what compiling and evaluating flights costs, on every target of this machine,
// beside the textbook ways of doing it.
//
//   bench_core [--json] [--quick]
//   bench_core --lanes                                    the targets of this machine, one a line
//   bench_core --count compile|evaluate TARGET ROUNDS     (for count_instructions.sh)

#include <contrail/sim/batch/batch_self_check.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core_cases.hpp"

namespace {

using namespace contrail;

int usage() {
  std::fputs(
      "usage: bench_core [--json] [--quick]\n"
      "       bench_core --lanes\n"
      "       bench_core --count compile|evaluate TARGET ROUNDS\n",
      stderr);
  return 2;
}

int count(const char* what, const char* target_name, const char* rounds) {
  for (const sim::BatchTarget target : sim::batch_targets()) {
    if (std::strcmp(sim::batch_target_name(target), target_name) == 0) {
      const long units = bench::counted_work(what, target, std::atoi(rounds));
      std::printf("%ld\n", units);
      return units > 0 ? 0 : usage();
    }
  }
  std::fprintf(stderr, "bench_core: this machine has no batch target '%s'\n", target_name);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  bool quick = false;
  if (argc == 5 && std::strcmp(argv[1], "--count") == 0) {
    return count(argv[2], argv[3], argv[4]);
  }
  if (argc == 2 && std::strcmp(argv[1], "--lanes") == 0) {
    for (const sim::BatchTarget target : sim::batch_targets()) {
      std::puts(sim::batch_target_name(target));
    }
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else {
      return usage();
    }
  }
  const sim::BatchChoice choice = sim::choose_batch_target();
  for (const sim::BatchTarget refused : choice.refused) {
    std::fprintf(stderr, "bench_core: %s computes something else than scalar code here\n",
                 sim::batch_target_name(refused));
  }
  std::vector<bench::Figure> figures;
  const bench::Machine machine = bench::measure_machine();
  bench::compile_cases(figures);
  for (const int missiles : {1'000, 10'000, 100'000, 1'000'000}) {
    if (!quick || missiles <= 10'000) {
      bench::evaluation_cases(missiles, figures);
    }
  }
  bench::motion_cases(10'000, figures);
  bench::trail_cases(10'000, figures);
  const bench::CoreRun run{machine, sim::compute_fingerprint().all.hex(),
                           sim::batch_target_name(choice.target)};
  (json ? bench::print_core_json : bench::print_core_table)(figures, run);
  return choice.refused.empty() ? 0 : 1;
}
