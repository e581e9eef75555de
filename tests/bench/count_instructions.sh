#!/bin/bash
# Instructions per flight compiled and per position evaluated, counted by callgrind: the figure that
# does not depend on what else a machine does.
#
#   tests/bench/count_instructions.sh BENCH_CORE [TARGET...]     (scalar sse4 avx2)
#
# Two runs of different length, subtracted, so that start-up does not count.
set -euo pipefail
bench=$1
shift
(($#)) || set -- scalar sse4 avx2

# instructions WHAT TARGET ROUNDS: total and units of one run.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --count "$1" "$2" "$3" 2>&1 |
    awk '/Collected/ { total = $NF } /^[0-9]+$/ { units = $1 } END { print total, units }'
}

for what in compile evaluate; do
  for target; do
    read -r few few_units < <(instructions "$what" "$target" 5)
    read -r many many_units < <(instructions "$what" "$target" 25)
    printf '%s %s %d\n' "$what" "$target" $(((many - few) / (many_units - few_units)))
  done
done
