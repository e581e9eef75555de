#!/bin/bash
# Benchmarks: figures and ratios to look at, never a reason to fail.
#
#   tests/bench/run.sh core [--quick] [--json]
#   tests/bench/run.sh hits [--quick]
#   tests/bench/run.sh turrets
#   tests/bench/run.sh net [--quick]
#   tests/bench/run.sh bytes [--quick]
#
#   core   compiling and evaluating flights on every instruction set, beside the textbook ways in
#          float; instructions counted by callgrind where there is valgrind. --quick: at most
#          10,000 missiles
#   hits   a tick of a match with 1,000 to 1,000,000 missiles among 10 to 1,000 ships, the resolver,
#          fold and state hash apart, memory; per-tick point tests and swept segments beside it.
#          --quick: a quarter of the ticks
#   turrets  overshoot, settling time and lag of both controllers and of the textbook's Align, what a
#          step and a lead solution cost, and a plot: build/bench/turrets.svg
#   net    a server and 1 to 256 clients over loopback in real time, ships scripted or flown by 32
#          pilots: CPU beside bare sends of the same datagrams, launch to client, packets, bytes
#   bytes  the same match for one client as contrail's log and as a delta-compressed snapshot stream
#          over ENet (libenet-dev), without and with losses: bytes, CPU, delays, errors of the picture
#
# --json: the last line is one JSON object. Built for itself in build/bench, as the release is.
# A benchmark NAME is a function bench_NAME here and usually an executable bench_NAME.
# Exit status: 0 measured, 1 something computes wrong or failed, 2 wrong usage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bin=build/bench/bin

usage() {
  sed -n '2,/^set /{s/^# \{0,1\}//p}' "tests/bench/run.sh" >&2
  exit 2
}

# build TARGET: into $bin. Silent unless it fails.
build() {
  local log=build/bench/build.log
  mkdir -p build/bench
  echo "bench: building $1" >&2
  { cmake --preset release -B build/bench && ninja -C build/bench "$1"; } >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    exit 1
  }
}

# Instructions a unit of work, "what target number" a line, from callgrind.
count_core() {
  local targets
  targets=$("$bin/bench_core" --lanes | grep -Ex 'scalar|sse4|avx2|neon')
  # shellcheck disable=SC2086  # one argument a target
  tests/bench/count_instructions.sh "$bin/bench_core" $targets
}

bench_core() {
  local counts='' figures
  build bench_core
  if [[ $json ]]; then
    figures=$("$bin/bench_core" --json "${quick[@]}")
  else
    "$bin/bench_core" "${quick[@]}"
  fi
  if command -v valgrind >/dev/null; then
    counts=$(count_core)
  else
    echo "bench: no valgrind here: instructions are not counted (apt-get install valgrind)" >&2
  fi
  if [[ $json ]]; then
    jq -c --arg counts "$counts" '. + {instructions: [$counts | split("\n")[] | select(. != "")
      | split(" ") | {what: .[0], how: .[1], count: (.[2] | tonumber)}]}' <<<"$figures"
  elif [[ $counts ]]; then
    printf '\nInstructions, counted by callgrind\n'
    awk '{ printf "  %-34s%11d\n", ($1 == "compile" ? "a flight compiled, " : "a position evaluated, ") $2, $3 }' \
      <<<"$counts"
  fi
}

bench_hits() {
  [[ ! $json ]] || usage
  build bench_hits
  "$bin/bench_hits" "${quick[@]}"
}

bench_net() {
  [[ ! $json ]] || usage
  build bench_net
  "$bin/bench_net" "${quick[@]}"
}

bench_bytes() {
  [[ ! $json ]] || usage
  build bench_bytes
  "$bin/bench_bytes" "${quick[@]}"
}

bench_turrets() {
  [[ ! $json ]] || usage
  build bench_turrets
  "$bin/bench_turrets" build/bench/turrets.svg
}

name=${1-}
declare -F "bench_$name" >/dev/null || usage
shift
json='' quick=()
for argument; do
  case $argument in
    --json) json=1 ;;
    --quick) quick=(--quick) ;;
    *) usage ;;
  esac
done
"bench_$name"
