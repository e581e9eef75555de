#!/bin/bash
# The deciding code is integers only: every translation unit of protocol/sim and server/flow
# compiles without floating-point or vector registers, and one with a double planted in it doesn't.
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
    | [.file, (.command | [scan("(?:-I|-D|-isystem )[^ ]+")] | join(" "))] | @tsv' "$commands" | sort -u
}

passed=0 failed=0
while IFS=$'\t' read -r source flags; do
  # shellcheck disable=SC2086  # a list of flags
  if compile "$source" $flags; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $source needs floating-point registers"
  fi
done < <(units)
((passed + failed > 0)) || { echo "FAILED: found no translation unit in $commands"; failed=1; }

# The control: the last unit again, with a double of the most innocent kind behind it.
if ((failed == 0)); then
  { printf '#include "%s"\n' "$source"; echo 'double planted(int x) { return x * 0.5; }'; } >"$work/planted.cpp"
  # shellcheck disable=SC2086
  if compile "$work/planted.cpp" $flags 2>/dev/null; then
    failed=$((failed + 1))
    echo "FAILED: a planted double went unnoticed"
  else
    passed=$((passed + 1))
  fi
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
