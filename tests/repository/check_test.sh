#!/bin/bash
# The negative controls of check.sh: a sound tree passes, and a fault of every kind is found.
set -euo pipefail
check=$(realpath "$(dirname "${BASH_SOURCE[0]}")/check.sh")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
passed=0 failed=0
missile_table='## Life of a missile\n| stage | file | test |\n| --- | --- | --- |\n'

sound_tree() {
  rm -rf "${tree:?}"/*
  cd "$tree"
  mkdir -p protocol/{sim,wire} server/flow client_sdk/core tests/{flow,support} docker
  local folder
  for folder in protocol/sim protocol/wire server/flow client_sdk/core; do
    echo "contrail_library(${folder##*/} SOURCES x.cpp)" >"$folder/CMakeLists.txt"
  done
  # Comments, strings and longer words hold every banned token, and none counts.
  cat >protocol/sim/x.cpp <<'CPP'
#include <contrail/sim/x.hpp>
// a float, a double, std::chrono; throw nothing
/* rand() in
   a thread */ int operand = 1;
const char* text = "double \" float";  // 'double'
int doubled = 1'000 + 'f' + 0x1e3 + e1.x;  // 1.5
CPP
  cp protocol/sim/x.cpp protocol/sim/x.hpp
  echo '#include <contrail/wire/x.hpp>' >server/flow/match.cpp
  touch dev protocol/SPEC.md tests/flow/match_test.cpp tests/support/sim_network.cpp
  cat >README.md <<'MD'
## Life of a missile
| stage | file | test |
| --- | --- | --- |
| fired | `server/flow/match.cpp` (SPEC.md section 3) | `tests/flow/match_test.cpp` |
## After
MD
}

# expect RULE|sound WHAT [FILE TEXT]...: appends each TEXT to its FILE of a sound tree and runs the
# checker.
expect() {
  local want=$1 what=$2 output status=0
  shift 2
  sound_tree
  while (($#)); do
    mkdir -p "$(dirname "$1")"
    printf '%b\n' "$2" >>"$1"
    shift 2
  done
  output=$("$check" "$tree" 2>&1) || status=$?
  if [[ $want == sound && $status == 0 ]] ||
    [[ $want != sound && $status == 1 && $output == *"$want: "* && $output == *"6 passed, 1 failed"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s: expected %s, got status %d and:\n%s\n' "$what" "$want" "$status" "$output"
  fi
}

expect sound 'a tree without faults'
expect layering 'sim includes wire' protocol/sim/y.hpp '#include <contrail/wire/x.hpp>'
expect layering 'the client includes the server' client_sdk/core/y.cpp '\n  #  include <contrail/flow/x.hpp>  // why'
expect layering 'an unknown library' server/flow/y.cpp '#include <contrail/nothing/x.hpp>'
expect relative-include 'an include that climbs' protocol/wire/y.cpp '#include "../sim/x.hpp"'
expect purity 'a double in sim' protocol/sim/y.cpp 'double ratio = 1;'
expect purity 'a float after a comment' protocol/sim/y.cpp '/* int */ float ratio;'
expect purity 'a floating-point literal' protocol/sim/y.cpp 'bool f(int a) { return a > 1.5; }'
expect purity 'one with an exponent' protocol/sim/y.cpp 'int f(int a) { return a > 1e3; }'
expect sound 'a double in a SIMD lane' protocol/sim/batch/y.cpp 'double lane = 0.5;'
expect purity 'a thread in a SIMD lane' protocol/sim/batch/y.cpp 'std::thread t;'
expect purity 'a clock in flow' server/flow/y.cpp '#include <chrono>'
expect purity 'an unordered container in flow' server/flow/y.hpp 'std::unordered_map<int, int> m;'
expect purity 'a distribution in sim' protocol/sim/y.cpp 'std::uniform_int_distribution<int> d;'
expect purity 'an exception in flow' server/flow/y.cpp 'void f() { throw 1; }'
expect purity 'a thread in flow' server/flow/y.cpp 'std::thread t;'
expect purity 'rand in sim' protocol/sim/y.cpp 'int x = rand();'
expect length 'a file of 601 lines' protocol/sim/y.cpp "$(printf 'int a;\\n%.0s' {1..600})"
expect words 'a path of one machine' docker/notes.md 'see /home/me/notes'
expect words 'a registry host' docker/Dockerfile 'ADD http://deb.debian.org/x /x'
expect words 'an issue number' server/flow/y.cpp '// see issue 12'
expect words 'a document that is not here' README.md 'see PLAN.md'
expect words 'a section of a document that is not here' protocol/sim/y.cpp '// PLAN section 4'
expect words 'an appendix that is not here' protocol/sim/y.cpp '// PLAN A.8'
expect sound 'a helper of tests' tests/flow/author.cpp 'int x;' tests/flow/author.hpp 'extern int x;'
expect sound 'the assertion handler throws' protocol/sim/assert.cpp 'void f() { throw 1; }'
expect test-name 'a test under another name' tests/flow/check_match.cpp 'int main() {}'
expect life-of-a-missile 'a row with a missing file' README.md \
  "$missile_table| fired | server/flow/gone.cpp | tests/flow/match_test.cpp |"
expect life-of-a-missile 'a row without a test' README.md \
  "$missile_table| fired | server/flow/match.cpp | |"
expect sound 'a row that names a test' \
  README.md "$missile_table| fired | server/flow/match.cpp | \`tests/flow/match_test.cpp\` Stage01 |" \
  tests/flow/match_test.cpp 'TEST(Match, Stage01Fires) {}'
expect life-of-a-missile 'a row whose test is not in the file' README.md \
  "$missile_table| fired | server/flow/match.cpp | \`tests/flow/match_test.cpp\` Stage02 |"

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
