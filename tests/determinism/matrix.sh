#!/bin/bash
# The core's battery in every cell of the matrix: compilers, flags, states of the floating-point
# unit, instruction sets, byte orders, operating systems. One hash for all of them.
#
#   tests/determinism/matrix.sh [--short] [--json] [--break STAGE] [--only NAME] [--jobs N]
#
# --short  a few native builds, and one foreign machine if its compiler is here
# --json   one JSON object on stdout in place of the table
# --break  the cells of --short and one more, with a fault planted in that stage: must fail and name
#          the stage
# --only   builds with NAME in their names, and nothing else
# --jobs   so many builds at a time; one for each processor by itself
#
# Every run builds faulty copies of the core, too (plant_fault.sh), and fails if it can't tell them
# from the real one. It uses the compilers and emulators it finds; without --short one that is
# missing is a failure. Works in build/matrix; progress on stderr. Exit status: 0 one hash, 1 not,
# 2 usage.
set -euo pipefail
shopt -s extglob
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=tests/determinism
work=build/matrix
lib32=/usr/i686-linux-gnu/lib
export WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' WINEPREFIX=$PWD/$work/wine

# ---------------------------------------------------------------------------------------------
# The builds: name | how it runs | compiler and flags. Foreign machines first: they take longest.

builds() {
  local compiler flags
  if [[ $short ]]; then
    foreign | first_here
    cat <<'SHORT'
g++ -O0|native|g++ -O0
g++ -O2 -ffast-math -mfma|native|g++ -O2 -ffast-math -mfma
clang++ -Ofast|native|clang++ -Ofast
SHORT
    return
  fi
  foreign
  for compiler in g++ clang++; do
    for flags in -O0 -O2 '-O3 -march=native' -Ofast '-O2 -ffast-math -mfma'; do
      printf '%s %s|native|%s %s\n' "$compiler" "$flags" "$compiler" "$flags"
    done
  done
  # There are no 32-bit headers for the native compilers; the cross compiler's serve both.
  cat <<'X87'
g++ 32-bit -mfpmath=387|native32|i686-linux-gnu-g++ -O2 -mfpmath=387
clang++ 32-bit -mfpmath=387|native32|clang++ --target=i686-linux-gnu -march=i686 -O2 -mfpmath=387
X87
}

foreign() {
  cat <<'FOREIGN'
s390x big-endian|qemu-s390x|s390x-linux-gnu-g++ -O2
riscv64|qemu-riscv64|riscv64-linux-gnu-g++ -O2
armhf|qemu-arm|arm-linux-gnueabihf-g++ -O2
aarch64|qemu-aarch64|aarch64-linux-gnu-g++ -O2
i686|qemu-i386|i686-linux-gnu-g++ -O2 -msse2 -mfpmath=sse
Windows x86-64|wine|x86_64-w64-mingw32-g++-posix -O2
FOREIGN
}

# first_here: the first row of stdin whose compiler and emulator are on this machine.
first_here() {
  local row name how command found=''
  while IFS= read -r row; do
    IFS='|' read -r name how command <<<"$row"
    [[ $found || $(lacking "$how" "$command") ]] || { found=1; printf '%s\n' "$row"; }
  done
}

# lacking HOW COMMAND: what this machine lacks for such a build, or nothing.
lacking() {
  local compiler=${2%% *}
  command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; return; }
  case $1 in
    qemu-*) command -v "$1-static" >/dev/null || echo "$1-static is not installed" ;;
    wine) command -v wine >/dev/null || echo 'wine is not installed' ;;
    native32) [[ -e $lib32/ld-linux.so.2 ]] || echo 'g++-i686-linux-gnu is not installed' ;;
    native) [[ $2 != *-mfma* ]] || grep -qw fma /proc/cpuinfo || echo 'this processor has no FMA' ;;
  esac
}

# states HOW: the floating-point states such a build runs in. RISC-V and z/Architecture can't flush
# to zero.
states() {
  echo default
  case $1 in
    native*) printf '%s\n' FTZ+DAZ '-ffast-math library loaded first' ;;
    qemu-s390x | qemu-riscv64) ;;
    *) echo FTZ ;;
  esac
  printf 'rounding %s\n' up down zero nearest
}

# ---------------------------------------------------------------------------------------------
# Building. A few large translation units compile in half the time of many small ones.

# prepare: a copy of the sources, so that every cell has the same while somebody works on them.
prepare() {
  local header file
  rm -rf "$work"/{cells,builds,faults,tree,units}
  mkdir -p "$work"/{cells,builds,faults,tree/contrail,units,include,schema}
  cp -r protocol/{sim,wire} tests/support "$work/tree/contrail/"
  cp -r "$here" "$work/tree/battery"
  cp tests/protocol/sim/{flight_samples,test_numbers}.hpp tests/protocol/wire/codec_samples.?pp \
    "$work/tree/battery/"
  # Cross compilers find these here: /usr/include as a whole would hide their own headers.
  for header in glm flatbuffers hwy; do
    [[ ! -e /usr/include/$header ]] || ln -sfnT "/usr/include/$header" "$work/include/$header"
  done
  flatc --cpp --cpp-std c++17 -o "$work/schema" protocol/schema/contrail.fbs

  cd "$work/tree"
  unit batch_lanes contrail/sim/batch/lanes.cpp # includes itself once for every target
  unit batch_scalar contrail/sim/batch/scalar_kernels.cpp
  unit batch contrail/sim/batch/!(lanes|scalar_kernels).cpp
  unit sim contrail/sim/*.cpp
  unit codec contrail/wire/{codec,record}_*.cpp contrail/wire/wire_error.cpp
  unit snapshot contrail/wire/snapshot_elements.cpp
  unit messages contrail/wire/scenario_*.cpp \
    contrail/wire/{packet_header,control_messages,commands}.cpp
  unit turrets contrail/wire/turret_tables.cpp
  unit battery contrail/support/random_log.cpp battery/{codec_samples,battery}.cpp \
    battery/*_stages.cpp battery/{fpu_state,float_witness}.cpp
  cd - >/dev/null
}

# unit NAME FILE...: a translation unit of several files.
unit() {
  local name=$1
  shift
  printf '#include <%s>\n' "$@" >"../units/$name.cpp"
}

# build DIRECTORY TREE HOW COMMAND: compiles and links DIRECTORY/battery.
build() {
  local directory=$1 tree=$2 how=$3 command link=() unit
  read -ra command <<<"$4"
  case $how in
    qemu-* | wine) link=(-static) ;;
    native32) link=("-Wl,--dynamic-linker=$lib32/ld-linux.so.2" "-Wl,-rpath=$lib32") ;;
  esac
  mkdir -p "$directory"
  for unit in "$work"/units/*.cpp; do
    compile "$unit" "$directory/$(basename "$unit" .cpp)" "$tree" "${command[@]}" || return 1
  done
  "${command[@]}" "$directory"/*.o "${link[@]}" -o "$directory/battery"
}

# compile UNIT OBJECT TREE COMMAND...: the unit, or its files one by one where they don't fit into
# one: two files may use the same name for different things.
compile() {
  local unit=$1 object=$2 line number=0
  shift 2
  translate "$unit" "$object.o" "$@" && return
  (($(wc -l <"$unit") > 1)) || return 1
  echo "note: $unit doesn't compile as one"
  while IFS= read -r line; do
    number=$((number + 1))
    printf '%s\n' "$line" >"$object-$number.cpp"
    translate "$object-$number.cpp" "$object-$number.o" "$@" || return 1
  done <"$unit"
}

translate() {
  local source=$1 object=$2 tree=$3
  shift 3
  CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 "${launcher[@]}" "$@" -std=c++20 -w -I "$tree" \
    -I "$tree/battery" -isystem "$work/include" -isystem "$work/schema" -c "$source" -o "$object"
}

# fast_math HOW COMPILER...: a library whose start-up code turns on flush to zero for its process,
# as any plug-in linked with -ffast-math does.
fast_math() {
  local how=$1
  shift
  echo 'extern "C" int contrail_fast_math_plugin() { return 1; }' >"$work/fast_math.cpp"
  "$@" -O2 -ffast-math -shared -fPIC "$work/fast_math.cpp" -o "$work/fast_math-$how.so"
}

# ---------------------------------------------------------------------------------------------
# Jobs, each a process of its own. What they find is a JSON object a file in cells/.

# row NUMBER: builds a row of the table and runs it in every state.
row() {
  local name how command state number=0 directory=$work/builds/$1
  IFS='|' read -r name how command <"$directory.row"
  if ! build "$directory" "$work/tree" "$how" "$command" >"$directory.log" 2>&1; then
    say "$name does not build; the end of $directory.log:"
    tail -n 20 "$directory.log" >&2
    cell "$1-0" "$name" 'not built' 0 false
  else
    while IFS= read -r state; do
      number=$((number + 1))
      run_cell "$1-$number" "$name" "$how" "$state" "$directory/battery"
    done < <(states "$how")
  fi
  rm -rf "$directory"
}

# run_cell ID NAME HOW STATE PROGRAM
run_cell() {
  local id=$1 name=$2 how=$3 state=$4 program=$5 runner=() arguments=()
  case $how in
    qemu-*) runner=("$how-static") ;;
    wine) runner=(wine) program+=.exe ;;
  esac
  case $state in
    FTZ*) arguments=(--ftz) ;;
    rounding*) arguments=(--rounding "${state#rounding }") ;;
    *library*)
      runner=(env "LD_PRELOAD=$PWD/$work/fast_math-$how.so")
      arguments=(--expect-ftz)
      ;;
  esac
  measured "$id" "$name" "$state" "${runner[@]}" "$program" "${arguments[@]}"
}

# broken STAGE: a cell like the others but for its fault.
broken() {
  local name="g++ -O0 with a fault in $1" directory=$work/faults/$1
  if plant_and_build "$1" >"$directory.log" 2>&1; then
    measured "broken-$1" "$name" default "$directory/battery"
  else
    say "$name does not build; the end of $directory.log:"
    tail -n 20 "$directory.log" >&2
    cell "broken-$1" "$name" 'not built' 0 false
  fi
  rm -rf "$directory"
}

# control STAGE: what the battery of a faulty core prints must differ in that stage.
control() {
  local directory=$work/faults/$1 out=$work/cells/control-$1.out
  if ! plant_and_build "$1" >"$directory.log" 2>&1 || ! "$directory/battery" >"$out" 2>>"$directory.log"; then
    say "no control for stage $1; the end of $directory.log:"
    tail -n 20 "$directory.log" >&2
    : >"$out"
  fi
  jq -L "$here" -cRn --arg stage "$1" 'include "matrix"; battery + { kind: "control", stage: $stage }' \
    <"$out" >"${out%.out}.json"
  rm -rf "$directory"
}

plant_and_build() {
  local directory=$work/faults/$1
  mkdir -p "$directory"
  cp -r "$work/tree" "$directory/tree" &&
    "$here/plant_fault.sh" "$1" "$directory/tree/contrail" &&
    build "$directory" "$directory/tree" native 'g++ -O0'
}

# javascript: the second implementation. Its battery prints what the C++ one does, as many stages as
# it has, and "all" over these.
javascript() {
  local program=client_sdk/typescript/test/battery.js
  if [[ ! -f $program ]]; then
    absent 'JavaScript, node' "$program is not here" false
  elif ! command -v node >/dev/null; then
    absent 'JavaScript, node' 'node is not installed' true
  else
    measured javascript JavaScript "node $(node --version)" node "$program"
  fi
}

# measured ID NAME STATE COMMAND...: runs a battery and makes a cell of what it prints.
measured() {
  local id=$1 name=$2 state=$3 begun=${EPOCHREALTIME/./} done=true
  shift 3
  timeout 300 "$@" 2>"$work/cells/$id.err" | tr -d '\r' >"$work/cells/$id.out" || done=false
  cell "$id" "$name" "$state" $(((${EPOCHREALTIME/./} - begun) / 1000)) "$done"
}

# cell ID NAME STATE MILLISECONDS DONE
cell() {
  local file=$work/cells/$1 count
  [[ $5 == true ]] || : >"$file.out"
  jq -L "$here" -cRn --arg name "$2, $3" --arg build "$2" --arg state "$3" --argjson ms "$4" \
    'include "matrix"; { kind: "cell", $name, $build, $state, $ms } + battery' \
    <"$file.out" >"$file.json"
  count=$(find "$work/cells" -name '*.json' | wc -l)
  say "[$count] $2, $3: $(jq -L "$here" -r '.hash // "FAILED"' "$file.json")"
  [[ $5 == true || ! -s $file.err ]] || tail -n 5 "$file.err" >&2
}

# absent NAME WHY MISSING: a cell that isn't here; MISSING: true if it should be.
absent() {
  say "absent: $1: $2"
  jq -cn --arg name "$1" --arg why "$2" --argjson missing "$3" \
    '{ kind: "absent", $name, $why, $missing }' >"$work/cells/absent-$1.json"
}

# ---------------------------------------------------------------------------------------------
# The run

# rows: a file builds/N.row for every build that can be made here.
rows() {
  local row name how command why number=0
  while IFS= read -r row; do
    IFS='|' read -r name how command <<<"$row"
    [[ $name == *"$only"* ]] || continue
    why=$(lacking "$how" "$command")
    if [[ $why ]]; then
      absent "$name" "$why" "$([[ $why == *processor* ]] && echo false || echo true)"
    else
      number=$((number + 1))
      printf '%s\n' "$row" >"$work/builds/$(printf %02d "$number").row"
    fi
  done < <(builds)
}

# list_jobs: "FUNCTION ARGUMENT" of everything to do.
list_jobs() {
  local row stage
  for row in "$work"/builds/*.row; do
    [[ ! -e $row ]] || echo "row $(basename "$row" .row)"
  done
  if [[ $only ]]; then
    return
  elif [[ $fault ]]; then
    echo "broken $fault"
  elif [[ $short ]]; then
    echo 'control rounding'
  else
    while IFS=, read -r stage _; do echo "control $stage"; done < <("$here/plant_fault.sh" --list)
  fi
  echo 'javascript -'
}

# in_parallel: runs the jobs on stdin, so many at a time.
in_parallel() {
  local function argument
  trap 'kill $(jobs -rp) 2>/dev/null; exit 130' INT TERM
  while read -r function argument; do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    "$function" "$argument" </dev/null &
  done
  wait
  trap - INT TERM
}

say() { printf 'matrix: %s\n' "$*" >&2; }
usage() { say "$*"; say 'matrix.sh [--short] [--json] [--break STAGE] [--only NAME] [--jobs N]'; exit 2; }

main() {
  short='' fault='' only='' jobs=$(nproc) launcher=()
  local table=1 stages lock report=$work/matrix.json line
  while (($#)); do
    case $1 in
      --short) short=1; shift ;;
      --json) table=''; shift ;;
      --break) [[ ${2-} ]] || usage '--break needs a stage'; fault=$2 short=1; shift 2 ;;
      --only) [[ ${2-} ]] || usage '--only needs a part of a name'; only=$2; shift 2 ;;
      --jobs) [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage '--jobs needs a number'; jobs=$2; shift 2 ;;
      *) usage "unknown argument '$1'" ;;
    esac
  done
  stages=$("$here/plant_fault.sh" --list | tr ',\n' '  ')
  [[ ! $fault || " $stages" == *" $fault "* ]] || usage "no stage '$fault'; there are: $stages"
  ! command -v ccache >/dev/null || launcher=(ccache)

  mkdir -p "$work"
  exec {lock}>"$work.lock"
  flock --nonblock "$lock" || { say 'waiting for another matrix in this tree'; flock "$lock"; }
  prepare
  rows
  fast_math native g++
  [[ $short || ! -e $lib32/ld-linux.so.2 ]] || fast_math native32 i686-linux-gnu-g++
  if grep -qs '|wine|' "$work"/builds/*.row; then
    say 'making a Windows for Wine'
    wine wineboot --init >"$work/wine.log" 2>&1 || true
  fi
  in_parallel < <(list_jobs)
  [[ ! -d $WINEPREFIX ]] || { wineserver -k || true; rm -rf "$WINEPREFIX"; }

  cat "$work"/cells/*.json | jq -L "$here" -cs "include \"matrix\"; report($SECONDS)" >"$report"
  if [[ $table ]]; then jq -L "$here" -r 'include "matrix"; table' "$report"; else cat "$report"; fi
  while IFS= read -r line; do say "$line"; done < <(jq -L "$here" -r 'include "matrix"; complaints, summary' "$report")
  jq -e '.faults == 0 and .cells != []' "$report" >/dev/null
}

main "$@"
