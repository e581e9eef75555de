#!/bin/bash
# The repository's own rules, checked on a source tree: tests/repository/check.sh [ROOT]
#
# Prints one line a fault, "file:line: rule: what", and ends with "N passed, N failed", where each
# rule is one test. check_test.sh beside it plants a fault of every kind and expects it to be found.
set -euo pipefail
cd "${1:-.}"

# What a folder's code may include of contrail. No entry: anything. A library's name in an include
# is the one its folder gives to contrail_library().
layers() {
  cat <<'LAYERS'
protocol/sim        protocol/sim
protocol/wire       protocol/sim protocol/wire
protocol/recording  protocol/sim protocol/wire protocol/recording
server/flow         protocol/sim protocol/wire server/flow
server/edge         protocol/sim protocol/wire protocol/recording server/flow server/edge
server/replay       protocol/sim protocol/wire protocol/recording server/flow server/edge server/replay
client_sdk/core     protocol/sim protocol/wire client_sdk/core
client_sdk/client   protocol/sim protocol/wire client_sdk/core client_sdk/client
client_sdk/tools    protocol/sim protocol/wire client_sdk/core client_sdk/client client_sdk/tools
client_sdk/examples protocol/sim protocol/wire client_sdk/core client_sdk/client
LAYERS
}

# Words that would let a clock, a thread, an unordered walk, an exception or a float into the code
# that has to give the same bits everywhere. SIMD lanes carry their integers in doubles.
pure_folders=(protocol/sim server/flow)
pure_except=protocol/sim/assert.cpp # throws when a caller broke a contract, and nothing else does
float_lanes=protocol/sim/batch/
impure_words='\<(throw|rand|srand|random_device|thread|mutex|atomic|chrono|fstream|iostream|filesystem|setjmp|thread_local)\>|\<unordered_|_distribution\>'
float_words="\<(float|double)\>|(^|[^A-Za-z0-9_.'])([0-9][0-9']*\\.|\\.[0-9]|[0-9][0-9']*[eE][-+0-9])"

# Texts stand on their own: they name no machine's paths, no package registry, no issue by number,
# and no document that isn't here.
own_words='(^|[^A-Za-z0-9_.-])/(work|home|root|Users)/'
own_words+='|(deb\.debian|registry\.npmjs|files\.pythonhosted|proxy\.golang|index\.crates)\.'
own_words+='|\<[Ii]ssue #?[0-9]+|\<coding agents?\>'
documents='\<[A-Z][A-Z_]{3,}(\.md\>| (section|appendix|[A-Z]\.)( ?[0-9]+))'

warn_lines=500
fail_lines=600

passed=0 failed=0 faults=''
fault() { faults+="$1"$'\n'; }

# rule NAME FUNCTION: runs the function and reports the faults it found.
rule() {
  faults=''
  "$2"
  if [[ $faults ]]; then
    failed=$((failed + 1))
    printf '%s' "$faults" | sed "s/^/$1: /"
  else
    passed=$((passed + 1))
  fi
}

# sources FOLDER...: C++ files below the folders that exist.
sources() {
  local folder
  for folder; do
    [[ ! -d $folder ]] || find "$folder" -name node_modules -prune -o \
      -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) -print
  done | sort
}

# code FILE: the file without comments, string and character literals, line numbers kept. Include
# lines are kept whole.
code() {
  awk '
    { line = $0; out = ""
      if (!block && line ~ /^[ \t]*#[ \t]*include/) { sub(/[ \t]*\/\/.*/, "", line); print line; next }
      while (line != "") {
        if (block) {
          end = index(line, "*/"); if (!end) { line = ""; break }
          line = substr(line, end + 2); block = 0; continue
        }
        if (substr(line, 1, 2) == "//") break
        if (substr(line, 1, 2) == "/*") { block = 1; line = substr(line, 3); continue }
        if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^\x27([^\x27\\]|\\.)\x27/)) {
          out = out "\"\""; line = substr(line, RLENGTH + 1); continue
        }
        out = out substr(line, 1, 1); line = substr(line, 2)
      }
      print out }' "$1"
}

check_layering() {
  local folder allowed file name line home declared
  declared=$(find protocol server client_sdk -name CMakeLists.txt -exec \
    grep -oHE 'contrail_library\([a-z_0-9]+' {} + 2>/dev/null |
    sed -E 's#^(.*)/CMakeLists\.txt:contrail_library\((.*)#\2 \1#' || true)
  while read -r folder allowed; do
    while read -r file; do
      while IFS=: read -r line name; do
        home=$(awk -v name="$name" '$1 == name { print $2 }' <<<"$declared")
        if [[ ! $home ]]; then
          fault "$file:$line: <contrail/$name/...> is no library of this tree"
        elif [[ " $allowed " != *" $home "* ]]; then
          fault "$file:$line: $folder may not include $home; it may include: $allowed"
        fi
      done < <(code "$file" | sed -nE 's#^[ \t]*\#[ \t]*include <contrail/([a-z_0-9]+)/.*#\1#p;t;s/.*//p' |
        grep -n . || true)
    done < <(sources "$folder")
  done < <(layers)
}

check_relative_includes() {
  local file line
  while read -r file; do
    while read -r line; do
      fault "$file:$line climbs out of its folder; include <contrail/...> instead"
    done < <(grep -nE '^[ \t]*#[ \t]*include "\.\./' "$file" || true)
  done < <(sources protocol server client_sdk)
}

check_purity() {
  local file line words
  while read -r file; do
    words=$impure_words
    [[ $file == "$float_lanes"* ]] || words+="|$float_words"
    while read -r line; do
      fault "$file:$line: not allowed in sim and flow"
    done < <(code "$file" | grep -nE "$words" || true)
  done < <(sources "${pure_folders[@]}" | grep -vxF "$pure_except")
}

check_length() {
  local file lines
  while read -r file; do
    lines=$(wc -l <"$file")
    if ((lines > fail_lines)); then
      fault "$file has $lines lines; look for the second noun ($fail_lines at most)"
    elif ((lines > warn_lines)); then
      printf 'warning: %s has %d lines\n' "$file" "$lines"
    fi
  done < <(sources protocol server client_sdk tests; find dev docker tests -name '*.sh' -o -name dev)
}

check_words() {
  local line name
  while read -r line; do
    fault "$line"
  done < <(texts "$own_words")
  while read -r line; do
    while read -r name; do
      [[ $(find . -name .git -prune -o -name "$name.md" -print -quit) ]] ||
        fault "$line: there is no $name.md here"
    done < <(grep -oE "$documents" <<<"$line" | grep -oE '^[A-Z_]+')
  done < <(texts "$documents")
}

# texts PATTERN: "file:line:text" of every match in what the repository holds.
texts() {
  grep -rnIE --exclude-dir={.git,build,node_modules,.cache,repository} \
    --exclude=package-lock.json "$1" . || true
}

check_test_names() {
  local file
  while read -r file; do
    [[ -f ${file%.cpp}.hpp ]] || # a helper of tests, with a header of its own
      fault "$file is no *_test.cpp, has no header and is not in tests/support"
  done < <([[ ! -d tests ]] || find tests \( -path tests/support -o -path tests/consumer -o \
    -path tests/fuzz -o -path tests/bench -o -name node_modules \) -prune -o \
    -name '*.cpp' ! -name '*_test.cpp' -print | sort)
}

# Every row of the README's table "Life of a missile" names a source file and a test that exist; a
# word behind the test's file, as in `tests/x_test.cpp` Stage01, starts the name of a test in it.
check_life_of_a_missile() {
  local rows row path paths name path_pattern='[A-Za-z0-9_./-]+/[A-Za-z0-9_.-]+\.(cpp|hpp|sh|fbs|toml|md)'
  [[ -f README.md ]] || { fault 'README.md is missing'; return; }
  rows=$(awk '/^#/ { on = /Life of a missile/ } !/^\|/ { head = 1 } on && !head
    /^\| *-/ { head = 0 }' README.md)
  [[ $rows ]] || { fault 'README.md has no table "Life of a missile"'; return; }
  while read -r row; do
    mapfile -t paths < <(grep -oE "$path_pattern" <<<"$row" || true)
    grep -qE '(protocol|server|client_sdk)/.*\.(cpp|hpp)' <<<"${paths[*]}" || fault "no source file in row: $row"
    grep -qE 'tests/.*_test\.cpp' <<<"${paths[*]}" || fault "no test in row: $row"
    while read -r path name; do
      grep -qE "TEST(_F|_P)?\(.*\<$name" "$path" 2>/dev/null || fault "README.md: no test $name in $path"
    done < <(sed -nE 's/.*`(tests[^`]*_test\.cpp)` ([A-Za-z0-9_]+).*/\1 \2/p' <<<"$row")
  done <<<"$rows"
  while read -r path; do
    [[ -f $path ]] || fault "README.md names $path, which is not here"
  done < <(grep -oE "$path_pattern" <<<"$rows" | sort -u)
}

rule layering check_layering
rule relative-include check_relative_includes
rule purity check_purity
rule length check_length
rule words check_words
rule test-name check_test_names
rule life-of-a-missile check_life_of_a_missile
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
