#!/bin/bash
# Fuzzing: everything that reads foreign bytes, under libFuzzer and the address and
# undefined-behaviour sanitizers.
#
#   tests/fuzz/run.sh [--runs N] [--seconds N] [--target T]
#   tests/fuzz/run.sh --control | --coverage | --harvest
#
#   --runs N     inputs over all targets together (10,000,000), shared out by the targets' weights
#   --seconds N  instead: about so long altogether, the same time for each target
#   --target T   that target only; all the runs, or the time, are its own
#   --control    planted faults: each has to be found from the committed corpus within 60 s
#   --coverage   lines that the committed corpus alone executes, as a table; the codec's >= 90 %
#   --harvest    adds to the corpus the smallest input found for each refusal it has no example of
#
# What is found new is kept in build/fuzz/work and built on the next time. A crash leaves its input
# in build/fuzz/crashes and prints how to run it again. FUZZ_TREE names another tree.
# Exit status: 0 nothing found, 1 a finding or a failed build, 2 wrong usage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export FUZZ_TREE=${FUZZ_TREE:-build/fuzz}
tree=$FUZZ_TREE
fuzz=$tree/bin/contrail-fuzz
corpus=tests/fuzz/corpus
# A target that takes longer for one input, or more memory, is at fault. Entropic scheduling costs
# more than it gives where inputs play sessions.
limits=(-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=128 -entropic=0)

say() { printf 'fuzz: %s\n' "$*" >&2; }
usage() {
  [[ ! ${1-} ]] || say "$1"
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' tests/fuzz/run.sh >&2
  exit 2
}
need_number() { [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage "$1 needs a number above 0"; }

# build TARGET...: into $tree. Silent unless it fails.
build() {
  mkdir -p "$tree"
  say "building $*"
  { cmake --preset fuzz -B "$tree" -DCONTRAIL_TESTS=ON &&
    cmake --build "$tree" --target "$@"; } >"$tree/build.log" 2>&1 || {
    tail -n 40 "$tree/build.log" >&2
    exit 1
  }
}

# inputs LOG: how many a run has tried so far.
inputs() {
  grep -aoE '^#[0-9]+|number_of_executed_units: [0-9]+' "$1" | tail -n 1 |
    grep -oE '[0-9]+$' || echo 0
}

# fuzz_one TARGET WEIGHT MAX_BYTES RUNS SECONDS: ends with a line of figures; fails on a finding.
fuzz_one() {
  local target=$1 max_bytes=$3 runs=$4 seconds=$5 log=$tree/logs/$1.log status=0 input
  mkdir -p "$tree/work/$target"
  "$fuzz" "--target=$target" "-runs=$runs" "-max_total_time=$seconds" "-max_len=$max_bytes" \
    "${limits[@]}" "-artifact_prefix=$tree/crashes/$target-" -print_final_stats=1 \
    "$tree/work/$target" "$corpus/$target" >"$log" 2>&1 || status=$?
  if ((status)); then
    say "$target: a finding, status $status; the end of $log:"
    tail -n 40 "$log" | sed 's/^/  | /' >&2
    input=$(grep -aoE "$tree/crashes/[^ ]+" "$log" | tail -n 1)
    say "its input:    ${input:-was not written}"
    say "to run again: $fuzz --target=$target $input"
    return 1
  fi
  say "$(printf '%-15s %9d inputs %7d a second %6d edges %5d kept' "$target" "$(inputs "$log")" \
    "$(grep -aoE 'average_exec_per_sec: +[0-9]+' "$log" | grep -oE '[0-9]+')" \
    "$(grep -aoE ' cov: [0-9]+' "$log" | tail -n 1 | grep -oE '[0-9]+')" \
    "$(find "$tree/work/$target" -type f | wc -l)")"
}

sum_of_inputs() {
  local log sum=0
  for log in "$tree"/logs/*.log; do
    [[ ! -f $log ]] || sum=$((sum + $(inputs "$log")))
  done
  echo "$sum"
}

fuzz_all() {
  local runs=$1 seconds=$2 only=$3 parallel targets watcher status=0 failures
  parallel=$(nproc)
  build contrail-fuzz
  "$fuzz" --list >"$tree/targets"
  if [[ $only ]]; then
    grep -q "^$only " "$tree/targets" ||
      usage "no target '$only'; there are: $(cut -d' ' -f1 "$tree/targets" | paste -sd' ')"
    sed -i "/^$only /!d" "$tree/targets"
  fi
  targets=$(wc -l <"$tree/targets")
  ((targets >= parallel)) || parallel=$targets
  seconds=$(((seconds * parallel + targets - 1) / targets))
  rm -rf "$tree/logs"
  mkdir -p "$tree/logs" "$tree/crashes"
  (for ((s = 1; ; ++s)); do sleep 1; ((s % 15)) || say "$(sum_of_inputs) inputs so far"; done) &
  watcher=$!
  trap 'kill '"$watcher"' 2>/dev/null || true' EXIT
  # The ones at the end of the list take longest.
  tac "$tree/targets" | awk -v runs="$runs" -v seconds="$seconds" -v only="$only" '{
      print $0, (seconds ? -1 : only ? runs : int(runs * $2 / 1000 + 0.5)), seconds }' |
    xargs -P "$parallel" -L 1 tests/fuzz/run.sh --one || status=1
  kill "$watcher"
  trap - EXIT
  failures=$({ grep -alE '^SUMMARY: |deadly signal' "$tree"/logs/*.log || true; } | wc -l)
  ((status == 0 || failures > 0)) || failures=1
  say "$(sum_of_inputs) inputs, $targets targets, findings in $failures"
  printf '%d passed, %d failed\n' $((targets - failures)) "$failures"
  return "$status"
}

# control_one FAULT TARGET: whether fuzzing finds the fault. Refused inputs of the corpus are left
# out: they lie so near that running them would be finding it.
control_one() {
  local fault=$1 target=$2 work started=$SECONDS status=0 log=$tree/control-$1.log
  work=$(mktemp -d)
  mkdir -p "$tree/crashes"
  find "$corpus/$target" -type f ! -name 'refused*' -exec cp -t "$work" {} +
  "$fuzz-$fault" "--target=$target" -seed=1 -max_total_time=60 -max_len=1300 "${limits[@]}" \
    "-artifact_prefix=$tree/crashes/$fault-" "$work" >"$log" 2>&1 || status=$?
  rm -rf "$work"
  if ((status == 0)) || ! grep -aqE '^SUMMARY: |deadly signal' "$log"; then
    say "control: $fault was not found in target $target"
    return 1
  fi
  say "control: $fault found in target $target after $((SECONDS - started)) s and" \
    "$(inputs "$log") inputs: $(grep -aE 'runtime error|ERROR: Addr|^contrail-fuzz: ' "$log" | head -n 1)"
}

control() {
  local failures=0
  build contrail-fuzz-planted-window contrail-fuzz-planted-words
  control_one planted-window packet_body || failures=$((failures + 1))
  control_one planted-words sealed_content || failures=$((failures + 1))
  printf '%d passed, %d failed\n' $((2 - failures)) "$failures"
  ((failures == 0))
}

# Sources in the coverage table; those of the first group are the codec, and have to be covered.
codec='protocol/wire/(codec_|record_|snapshot_elements|scenario_|packet_|handshake|control_|slices|message|byte_io|connect_token|cookie|crypto|key_schedule)'
others='protocol/wire/log_assembler|protocol/recording/(mcap_(scan|summary|chunk|records)|recording_reader)|server/edge/(decimal|route_csv|toml_document|scenario_|type_reader|table_reader)'

# coverage: g++ and gcov, so that it needs no packages of its own. describe() of an error and the
# like count as any other line.
coverage() {
  local cover=$tree-coverage
  mkdir -p "$cover"
  say "building corpus_test with coverage"
  { cmake -S . -B "$cover" -G Ninja -DCONTRAIL_TESTS=ON -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS='--coverage -O0 -g1' &&
    cmake --build "$cover" --target corpus_test; } >"$cover/build.log" 2>&1 || {
    tail -n 40 "$cover/build.log" >&2
    exit 1
  }
  find "$cover" -name '*.gcda' -delete
  # Not the test that makes the valid part of the corpus: it would run the encoders.
  "$cover/bin/corpus_test" --gtest_filter='Targets/*' --gtest_brief=1 >&2
  find "$cover" -name '*.gcda' -print0 | xargs -0 gcov --json-format --stdout 2>/dev/null |
    jq -r '.files[] | (.file | sub("^(\\.\\./)+"; "")
        | sub("^include/wire/contrail/"; "protocol/")) as $f
      | .lines[] | "\($f) \(.line_number) \(.count)"' |
    awk -v codec="^($codec)" -v others="^($others)" '
      $1 ~ codec || $1 ~ others {
        key = $1 ":" $2
        if (!(key in hit)) { lines[$1]++; hit[key] = 0 }
        if ($3 > 0 && !hit[key]) { hit[key] = 1; covered[$1]++ } }
      END {
        for (f in lines) {
          printf "%d %-45s %5d of %5d lines  %5.1f %%\n", f !~ codec, f, covered[f], lines[f],
            100 * covered[f] / lines[f]
          if (f ~ codec) { all += lines[f]; good += covered[f] } }
        if (!all) all = 1
        printf "2 %-45s %5d of %5d lines  %5.1f %%\n", "the codec", good, all, 100 * good / all
        exit good < 0.9 * all }' | sort | cut -c3-
}

# harvest: one example for each way to be refused, named after it. The work of earlier runs is
# looked through, smallest files first.
harvest() {
  local target size word path added=0
  build contrail-fuzz
  while read -r target _; do
    [[ -d $tree/work/$target ]] || continue
    while read -r word size path; do
      ((size <= 1300)) || continue
      [[ $word == refused_* && ! -e $corpus/$target/$word.bin ]] || continue
      cp "$path" "$corpus/$target/$word.bin"
      added=$((added + 1))
    done < <(find "$tree/work/$target" -type f -print0 |
      xargs -0 -r "$fuzz" "--target=$target" --outcomes | sort -s -n -k 2,2)
  done < <("$fuzz" --list)
  say "$added files added to $corpus"
}

main() {
  local runs=10000000 seconds=0 target=''
  while (($#)); do
    case $1 in
      --runs) need_number "$@"; runs=$2; shift 2 ;;
      --seconds) need_number "$@"; seconds=$2; shift 2 ;;
      --target) [[ ${2-} ]] || usage "--target needs a name"; target=$2; shift 2 ;;
      --one) shift; fuzz_one "$@"; return ;; # of fuzz_all, in a process of its own
      --control | --coverage | --harvest) (($# == 1)) || usage "$1 goes alone"; "${1#--}"; return ;;
      *) usage "unknown argument '$1'" ;;
    esac
  done
  fuzz_all "$runs" "$seconds" "$target"
}

main "$@"; exit
