#!/usr/bin/env bash
# case_09: 64-bit session seeds go from C++ through JSON into JavaScript and back unchanged.
#   seeds.sh BIN_DIR
set -euo pipefail
program=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/client_sdk/typescript/test/session_seed.js
server=$1/contrail-server

describe() { "$server" --describe-scenario --json --scenario circus --seed "$1" | tail -n 1; }

# -3494269252759342425 as 64 bits without a sign, 2^53 + 1, 2^64 - 1, and small ones.
for seed in 14952474820950209191 9007199254740993 18446744073709551615 9223372036854775808 42 0; do
  back=$(node "$program" "$(describe "$seed")" | sed 's/.*"seed":"\([0-9]*\)".*/\1/')
  again=$(describe "$back" | sed 's/.*"seed":"\([0-9]*\)".*/\1/')
  if [ "$back" != "$seed" ] || [ "$again" != "$seed" ]; then
    echo "seeds: $seed came back as $back, then $again" >&2
    exit 1
  fi
done
# The numbers SPEC.md gives for launch seeds of two of them.
node "$program" '{"seed":"9007199254740993"}' | grep -q '\[3931336140,'

# The control: a seed written as a number loses its last digit on the way.
if node "$program" '{"seed":9007199254740993}' 2>/dev/null; then
  echo "seeds: a seed that is no text went unseen" >&2
  exit 1
fi
naive=$(node -p 'JSON.parse("{\"seed\":9007199254740993}").seed')
[ "$naive" = 9007199254740992 ]
echo "typescript: 64-bit seeds came back unchanged"
