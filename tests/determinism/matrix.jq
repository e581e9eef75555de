# What matrix.sh found, as one object and as a table.

# The lines that a battery printed (raw inputs) as an object.
def battery:
  [inputs | split(" ")] as $lines
  | def about($what): [$lines[] | select(.[:2] == ["#", $what])[2:] | join(" ")][0];
  { hash: [$lines[] | select(.[0] == "all")[1]][0],
    stages: ([$lines[] | select(.[0] != "all" and .[0] != "#") | { key: .[0], value: .[1] }]
      | from_entries),
    floats: about("float"),
    fpu: about("fpu"),
    simd: about("simd") };

# The value that most of an array have.
def common: group_by(.) | max_by(length) | if . == null then null else .[0] end;

# The stages of a cell or control that differ from the reference.
def differing($reference):
  [.stages | to_entries[] | select(.value != $reference[.key]) | .key];

# Cells, controls and absent cells as the report. A stage's reference is what most cells give. Cells
# of an implementation that doesn't have every stage are `partial`: compared stage by stage.
def report($seconds):
  [.[] | select(.kind == "cell") | del(.kind)] as $ran
  | ($ran | map(.stages | length) | max // 0) as $stages
  | [$ran[] | select(.hash == null or (.stages | length) == $stages)] as $cells
  | [$ran[] | select(.hash != null and (.stages | length) < $stages)] as $partial
  | ([$cells[].stages | to_entries[]] | group_by(.key)
      | map({ key: .[0].key, value: (map(.value) | common) }) | from_entries) as $reference
  | (($cells | max_by(.stages | length) | .stages) // {} | keys_unsorted) as $order
  | { cells: $cells,
      partial: $partial,
      unique: ([$cells[].hash] | unique | length),
      hash: ([$cells[].hash | values] | common),
      stages: $order,
      differing: [$order[] as $stage
        | { stage: $stage,
            cells: [$ran[] | select(differing($reference) | index($stage)) | .name] }
        | select(.cells != [])],
      failed: [$ran[] | select(.hash == null) | .name],
      controls: [.[] | select(.kind == "control") | .stage as $stage | differing($reference)
        | { stage: $stage, noticed: (index($stage) != null), differing: . }],
      absent: [.[] | select(.kind == "absent") | del(.kind)],
      float_hashes: ([$ran[].floats | values] | unique | length),
      seconds: $seconds }
  | ([.absent[] | select(.missing)] | length) as $missing
  | .faults = ([.differing[].cells[], .failed[]] | unique | length)
      + ([.controls[] | select(.noticed | not)] | length) + $missing
  | .passed = (.cells + .partial + .controls | length) + $missing - .faults;

# What is wrong, a line each, the cause first.
def complaints:
  (.failed[] | "failed: \(.)"),
  (.differing[] | "stage \(.stage) differs in \(.cells | length) cells: \(.cells | join("; "))"),
  (.controls[] | select(.noticed | not) | "a planted fault in stage \(.stage) went unnoticed"),
  (.absent[] | select(.missing) | "missing: \(.name): \(.why)");

def summary:
  "\(.cells | length) cells, \(.unique) \(if .unique == 1 then "hash" else "hashes" end): \(.hash);"
  + " the same kind of work in floats: \(.float_hashes) hashes; \(.seconds) s";

def pad($n): . + (" " * ([$n - length, 0] | max));
def row($hash): "\(.name | pad(62)) \($hash | pad(17)) \(.floats // "" | pad(17)) \(.ms)";

# The report for people. The last line is "N passed, N failed".
def table:
  (.stages | length) as $stages
  | "\("cell" | pad(62)) \("hash" | pad(17)) \("floats" | pad(17)) ms",
    (.cells[] | row(.hash // "FAILED")),
    (.partial[] | row("\(.stages | length) of \($stages) stages")),
    "",
    (.controls[] | "control: a fault in \(.stage) changes \(.differing | join(", "))"),
    (.absent[] | "absent: \(.name): \(.why)"),
    complaints,
    summary,
    "\(.passed) passed, \(.faults) failed";
