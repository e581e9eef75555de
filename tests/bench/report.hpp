#pragma once

// Time taking and the benchmark's table.

#include <functional>
#include <string>
#include <vector>

namespace contrail::bench {

/// CPU time of this thread, seconds.
double thread_seconds();

/// What one case took, nanoseconds a unit of work.
struct Timing {
  double best = 0;  // of the repetitions: the one disturbed least
  double median = 0;
};
/// Runs work() `repeats` times after one run to warm up; `units` is what one run does.
Timing time_of(int repeats, double units, const std::function<void()>& work);

struct Line {
  std::string name;
  std::string unit;  // of what one is measured: "flight", "position"
  Timing timing;     // nanoseconds
  double bar = 0;    // nanoseconds it should stay below; 0: none
};

/// How fast this machine is at this moment: other programs and the core's other half take part.
struct Machine {
  double gigahertz = 0;       // of a chain of dependent multiplications
  double adds_per_cycle = 0;  // of independent additions; 5 and more on an undisturbed core of 2021
};
Machine measure_machine();

/// As a table on stdout, or as one JSON object.
void print_table(const std::vector<Line>& lines, const Machine& machine,
                 const std::string& fingerprint);
void print_json(const std::vector<Line>& lines, const Machine& machine,
                const std::string& fingerprint);

}  // namespace contrail::bench
