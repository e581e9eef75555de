#include "report.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace contrail::bench {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Timing time_of(int repeats, double units, const std::function<void()>& work) {
  work();
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const double begin = thread_seconds();
    work();
    times.push_back((thread_seconds() - begin) * 1e9 / units);
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

Machine measure_machine() {
  constexpr int k_rounds = 2'000'000;
  // Nothing here may be computed beforehand: the loops hide their operands from the compiler.
  std::uint64_t a = 3;
  const double chain = time_of(5, 1, [&] {
                         for (int i = 0; i < k_rounds; ++i) {
                           a = a * a + 1;
                           asm volatile("" : "+r"(a));
                         }
                       }).best;
  const double adds = time_of(5, 1, [] {
                        std::uint64_t p = 0;
                        std::uint64_t q = 0;
                        std::uint64_t r = 0;
                        std::uint64_t s = 0;
                        std::uint64_t t = 0;
                        for (int i = 0; i < k_rounds; ++i) {
                          asm volatile(
                              ".rept 8\n\tadd $1, %0\n\tadd $1, %1\n\tadd $1, %2\n\tadd $1, %3\n\t"
                              "add $1, %4\n\t.endr"
                              : "+r"(p), "+r"(q), "+r"(r), "+r"(s), "+r"(t));
                        }
                      }).best;
  Machine machine;
  machine.gigahertz = 4.0 * k_rounds / chain;  // multiply 3 cycles, add 1
  machine.adds_per_cycle = 40.0 * k_rounds / adds / machine.gigahertz;
  return machine;
}

void print_table(const std::vector<Line>& lines, const Machine& machine,
                 const std::string& fingerprint) {
  std::printf("machine now: %.2f GHz, %.1f additions a cycle; fingerprint %s\n", machine.gigahertz,
              machine.adds_per_cycle, fingerprint.c_str());
  std::printf("%-58s %10s %10s %8s\n", "CPU time of one thread, ns", "best", "median", "bar");
  for (const Line& line : lines) {
    std::printf("%-58s %10.2f %10.2f ", (line.name + ", per " + line.unit).c_str(),
                line.timing.best, line.timing.median);
    if (line.bar > 0) {
      std::printf("%8.0f%s\n", line.bar, line.timing.best <= line.bar ? "" : "  above");
    } else {
      std::printf("%8s\n", "-");
    }
  }
}

void print_json(const std::vector<Line>& lines, const Machine& machine,
                const std::string& fingerprint) {
  std::printf("{\"fingerprint\":\"%s\",\"gigahertz\":%.3f,\"adds_per_cycle\":%.2f,\"cases\":[",
              fingerprint.c_str(), machine.gigahertz, machine.adds_per_cycle);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    std::printf(
        "%s{\"name\":\"%s\",\"per\":\"%s\",\"best_ns\":%.3f,\"median_ns\":%.3f,\"bar_ns\":%.0f}",
        i == 0 ? "" : ",", line.name.c_str(), line.unit.c_str(), line.timing.best,
        line.timing.median, line.bar);
  }
  std::printf("]}\n");
}

}  // namespace contrail::bench
