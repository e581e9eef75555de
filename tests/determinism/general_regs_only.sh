#!/bin/bash
# The deciding code is integers only: every translation unit of protocol/sim (but its SIMD kernels,
# which carry integers in doubles) and server/flow compiles without floating-point or vector
# registers, and one with a double planted in it doesn't.
#
#   tests/determinism/general_regs_only.sh BUILD_DIRECTORY   (configured, generated headers built)
#
# Ends with "N passed, N failed", one test a translation unit and one for the control.
set -euo pipefail
commands=$1/compile_commands.json
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile SOURCE FLAGS...: g++ with the flags of the real build, to nowhere. -O0, so that no float
# is optimised away before it is seen.
compile() {
  local source=$1
  shift
  g++ "$@" -std=c++20 -mgeneral-regs-only -O0 -w -c -o /dev/null "$source"
}

# units: "source<TAB>include and define flags" of every translation unit concerned.
units() {
  jq -r --arg root "$root" '.[]
    | select(.file | startswith($root + "/protocol/sim/") or startswith($root + "/server/flow/"))
    | select(.file != $root + "/protocol/sim/batch/lanes.cpp")
    | [.file, (.command | [scan("(?:-I|-D|-isystem )[^ ]+")] | join(" "))] | @tsv' "$commands" | sort -u
}

# judge SOURCE<TAB>FLAGS: one line of verdict.
judge() {
  local source flags
  IFS=$'\t' read -r source flags <<<"$1"
  if compile "$source" $flags; then echo passed; else echo "FAILED: $source needs floating-point registers"; fi
}
export -f compile judge

units >"$work/units"
[[ -s $work/units ]] || { echo "FAILED: found no translation unit in $commands"; exit 1; }
xargs -P "$(nproc)" -d '\n' -I{} bash -c 'judge "$1"' - {} <"$work/units" >"$work/verdicts"
passed=$(grep -c '^passed$' "$work/verdicts" || true)
failed=$(grep -c '^FAILED' "$work/verdicts" || true)
grep '^FAILED' "$work/verdicts" || true

# The control: the last unit again, with a double of the most innocent kind behind it.
IFS=$'\t' read -r source flags < <(tail -n 1 "$work/units")
{ printf '#include "%s"\n' "$source"; echo 'double planted(int x) { return x * 0.5; }'; } >"$work/planted.cpp"
if [[ $(judge "$work/planted.cpp"$'\t'"$flags" 2>/dev/null) == FAILED* ]]; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAILED: a planted double went unnoticed"
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
