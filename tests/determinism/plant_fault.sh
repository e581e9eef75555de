#!/bin/bash
# Plants a small fault into a copy of the core: what the matrix has to find when an
# implementation differs.
#
#   tests/determinism/plant_fault.sh STAGE DIRECTORY   into the copies of protocol/sim and wire there
#   tests/determinism/plant_fault.sh --list            stages with a fault, in the battery's order
#
# Exit status: 0 planted, 1 the code that it changes is no longer there, 2 usage.
set -euo pipefail

# Stages that share the fault, library, what sed makes of its files.
faults() {
  cat <<'FAULTS'
rounding sim s/return (x + (std::int64_t{1} << 23)) >> 24;/return x \/ (std::int64_t{1} << 24);/
trig sim s/(x \* slope + (std::int64_t{1} << 28)) >> 29/(x * slope) >> 29/
mix sim s/0x31848BABU/0x31848BADU/
noise sim s/return {x >> 1, y >> 1};/return {x \/ 2, y \/ 2};/
frame sim s/axes.r = reflect(axes.r, d);/axes.r = reflect(axes.r, d) + WideVec3(1, 0, 0);/
flight,launches sim s/return (e \* e) >> 16;/return (e * e + 32768) >> 16;/
track,tracks sim s/drift(piece.v1, local - duration)/drift(piece.v1, local - duration + 1)/
homing,pursuit sim s/(u2 \* u) >> 24/(u2 * u + (1 << 23)) >> 24/
flight_model sim s/greatest_acceleration >> 6/greatest_acceleration >> 7/
hits sim s/((along >> shift) \* 65536) \/ square/((along >> shift) * 65536 + square \/ 2) \/ square/
batch_compile,batch_evaluate,batch_self_check sim s/mul_add(v, set(0x1p-24), set(0.5))/v * set(0x1p-24)/
world sim s/lock.kept += now + drift(velocity, t - at);/lock.kept += now + drift(velocity, t - at + 1);/
records wire s/"CTRL"/"LRTC"/
packets wire s/return finish(0, nullptr);/return finish(0, "CTPB");/
messages wire s/"CTSH"/"HSTC"/
datagrams wire s/writer.u16(block.ack);/writer.u16(block.ack ^ 1U);/;s/block.ack = in.u16();/block.ack = in.u16() ^ 1U;/
FAULTS
}

if [[ ${1-} == --list && $# == 1 ]]; then
  faults | cut -d ' ' -f 1
  exit
fi
if (($# != 2)) || ! read -r library edit < <(faults | sed -nE "s/^([a-z_]+,)*$1(,[a-z_]+)* //p"); then
  echo "plant_fault.sh STAGE DIRECTORY; stages: $(faults | cut -d ' ' -f 1 | xargs)" >&2
  exit 2
fi
planted=''
while IFS= read -r file; do
  cp "$file" "$file.before"
  sed -i "$edit" "$file"
  diff "$file.before" "$file" >&2 || planted=1
  rm "$file.before"
done < <(find "$2/$library" -type f -name '*.?pp')
[[ $planted ]] || {
  echo "plant_fault.sh: nothing in $2/$library matches $edit" >&2
  exit 1
}
