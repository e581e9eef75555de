#!/bin/bash
# Plants one-constant mistakes into copies of the core, one at a time, and requires that the
# fingerprint tells: the first stage that differs has to be the one the mistake belongs to.
#
#   tests/determinism/fingerprint_faults.sh [PATTERN]    only mistakes whose line matches
#
# CXX: the compiler, else g++ (through ccache where there is one). Exit status: 0 every mistake was
# seen where it belongs, 1 one wasn't or is no longer planted, 2 the core doesn't compile.
set -euo pipefail

# Stage, file, what sed makes of it.
mistakes() {
  cat <<'MISTAKES'
mix arith.hpp s/return (x + (std::int64_t{1} << 23)) >> 24;/return (x + (std::int64_t{1} << 23) - 1) >> 24;/
mix arith.hpp s/return (x + (std::int64_t{1} << 23)) >> 24;/return (x + (std::int64_t{1} << 23) + 1) >> 24;/
mix arith.hpp s/return q - static_cast<std::int64_t>(q \* b > a);/return q;/
mix arith.hpp s/0xED5AD4BBU/0xED5AD4BDU/
mix arith.hpp s/0xAC4C1B51U/0xAC4C1B53U/
mix arith.hpp s/0x31848BABU/0x31848BADU/
mix arith.hpp s/x >> 14;/x >> 15;/
mix arith.hpp s/(velocity \* (t & 65535)) >> 16/(velocity * (t \& 65535) + 1) >> 16/
mix arith.hpp s/const std::int64_t n = length >> 4;/const std::int64_t n = (length + 1) >> 4;/
mix inline_unit.hpp s/root \* root > 2 \* root) \[/root * root > 2 * root + 1) [/
mix inline_unit.hpp s/(std::uint64_t{1} << 37) + k_near/k_near/
mix inline_unit.hpp s/result.shift = bits - 25;/result.shift = bits - 24;/
noise noise.cpp s/10 \* 65536)) >> 16;/10 * 65536 + 1)) >> 16;/
noise noise.cpp s/15 \* t/14 * t/
noise noise.cpp s/139'022/139'021/
noise noise.cpp s/6 \* 65536 - w0/6 * 65536 - 1 - w0/
frame frame.cpp s/round24(2 \* (v.x/round24((v.x/
frame frame.cpp s/k_log2_knot_step = 16/k_log2_knot_step = 15/;s/k_frame_knots - 1)/2 * k_frame_knots - 1)/
flight base_curve.cpp s/81'920/81'921/
flight base_curve.cpp s/cosine < 0/cosine < -4194304/
flight base_curve.cpp s/max_abs(chord) >> 3/max_abs(chord) >> 4/
flight base_curve.cpp s/(7 \* std::int64_t{part.radius}) >> 3/(7 * std::int64_t{part.radius}) >> 4/
flight flight_knots.cpp s/return (e \* e) >> 16;/return (e * e) >> 15;/
flight flight_knots.cpp s/const std::int64_t w = u >> 4;/const std::int64_t w = (u + 8) >> 4;/
flight flight_knots.cpp s/reach \* n.x, k_noise_one/reach * n.x, k_noise_one + 1/
track track.cpp s/drift(piece.v1, local - duration)/drift(piece.v1, local - duration + 1)/
homing homing.cpp s/15 \* u/14 * u/
homing homing.cpp s/10 \* std::int64_t{k_one}/10 * std::int64_t{k_one} + 1/
homing homing.cpp s/(u \* u) >> 20/(u * u + (1 << 19)) >> 20/
homing homing.cpp s/now - before) \* std::int64_t{64}/now - before) * std::int64_t{65}/
flight_model flight_model.cpp s/greatest_acceleration >> 6/greatest_acceleration >> 7/
turret turret.hpp s/k_turret_hysteresis = k_turret_turn \/ 128;/k_turret_hysteresis = k_turret_turn \/ 128 + 1;/
turret turret.hpp s/std::int64_t{binary} + 8) >> 4/std::int64_t{binary} + 7) >> 4/
turret turret.hpp s/k_max_turret_rate = 1 << 25;/k_max_turret_rate = (1 << 25) - 1;/
turret turret.cpp s/>> 1), k + 1);/>> 1), k + 2);/
turret turret.cpp s/const bool upper = upward ? 2 \* beyond <= gap + margin/const bool upper = upward ? 2 * beyond <= gap/
turret turret_aim.cpp s/>= std::int64_t{1} << 25/>= std::int64_t{1} << 24/
turret shot.cpp s/stray.x} \* error) >> 15/stray.x} * error) >> 14/
turret shot.cpp s/i % barrels/0 % barrels/
turret intercept.cpp s/WideVec3(bore) \* std::int64_t{shot.speed}/WideVec3(bore) * std::int64_t{shot.speed + 1}/
hit limits.hpp s/k_min_radius_sum = 1229/k_min_radius_sum = 1230/
hit hit.cpp s/(std::int64_t{1} << 36)/(std::int64_t{1} << 20)/
hit hit.cpp s/dot(gap, gap) <= r \* r/dot(gap, gap) < r * r/
hit hit.cpp s/(along >> shift) \* 65536/(along >> shift) * 65535/
MISTAKES
}
sources=(arith assert base_curve basis curve fingerprint fingerprint_turrets flight flight_knots
  flight_model frame hit homing intercept noise shot track trig turret turret_aim)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler=("${CXX:-g++}")
if command -v ccache >/dev/null; then
  compiler=(ccache "${compiler[@]}")
  export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
fi

# The program that prints the fingerprint of the copy $1.
build() {
  local copy=$1 name
  for name in "${sources[@]}"; do
    (cd "$copy" && "${compiler[@]}" -std=c++20 -O0 -I. -c \
      "contrail/sim/$name.cpp" -o "$name.o")
  done
  (cd "$copy" && "${compiler[@]}" -std=c++20 -O0 -I. -c print.cpp -o print.o && \
    "${CXX:-g++}" ./*.o -o print)
}

make_copy() {
  local copy=$work/copy
  rm -rf "$copy"
  mkdir -p "$copy/contrail"
  cp -r "$root/protocol/sim" "$copy/contrail/sim"
  cat >"$copy/print.cpp" <<'PRINT'
#include <cstdio>
#include <contrail/sim/fingerprint.hpp>
int main() {
  const auto print = contrail::sim::compute_fingerprint();
  for (int i = 0; i < contrail::sim::k_stages; ++i) {
    std::printf("%s %s\n", contrail::sim::stage_name(static_cast<contrail::sim::Stage>(i)),
                print.stages[static_cast<std::size_t>(i)].hex().c_str());
  }
}
PRINT
  echo "$copy"
}

copy=$(make_copy)
build "$copy" || exit 2
"$copy/print" >"$work/sound"

failures=0
planted=0
while read -r stage file edit; do
  copy=$(make_copy)
  sed -i "$edit" "$copy/contrail/sim/$file"
  if cmp -s "$copy/contrail/sim/$file" "$root/protocol/sim/$file"; then
    echo "fingerprint_faults: not planted, $file has changed: $edit"
    failures=$((failures + 1))
    continue
  fi
  build "$copy"
  "$copy/print" >"$work/found" || true
  first=$(diff "$work/sound" "$work/found" | sed -n 's/^< \([a-z_]*\) .*/\1/p' | head -n 1 || true)
  planted=$((planted + 1))
  if [[ $first == "$stage" ]]; then
    echo "$stage: seen: $file $edit"
  else
    echo "$stage: first seen in ${first:-no stage}: $file $edit"
    failures=$((failures + 1))
  fi
done < <(mistakes | grep -e "${1-}")

echo "fingerprint_faults: $planted planted, $failures not seen where they belong"
((planted > 0 && failures == 0))
