#!/usr/bin/env bash
# Records a short session, reads it with @mcap/core and compares with what contrail-replay says.
#   run.sh BIN_DIR [WORK_DIR]     BIN_DIR holds contrail-server and contrail-replay
# Needs node 18 or later and npm; packages go into WORK_DIR (default: beside BIN_DIR), the source
# tree stays as it is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: run.sh BIN_DIR [WORK_DIR]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd)
work=${2:-$bin/../recording_js}
mkdir -p "$work"
work=$(cd "$work" && pwd)

cp "$here/package.json" "$here/package-lock.json" "$here/read.mjs" "$work/"
cd "$work"
# Installed once for each state of the lock file.
lock=$(sha256sum package-lock.json | cut -d' ' -f1)
if [ "$(cat installed 2>/dev/null)" != "$lock" ]; then
  npm ci --no-audit --no-fund --loglevel=error >&2
  echo "$lock" >installed
fi

rm -f session.mcap flipped.mcap info.json
"$bin/contrail-server" --insecure --scenario circus --seed 7 --unpaced --duration 20s \
  --record session.mcap --json >server.out 2>server.err || { cat server.err >&2; exit 1; }
"$bin/contrail-replay" info --check --json session.mcap >info.json
node read.mjs session.mcap info.json

# The control: a reader that verifies has to refuse the file with one bit changed in the middle.
cp session.mcap flipped.mcap
middle=$(($(stat -c %s session.mcap) / 3))
byte=$(od -An -tu1 -j "$middle" -N 1 session.mcap)
printf "\\x$(printf %02x $((byte ^ 1)))" | dd of=flipped.mcap bs=1 seek="$middle" conv=notrunc status=none
if node read.mjs flipped.mcap >/dev/null 2>&1; then
  echo "recording_js: a flipped bit went unseen" >&2
  exit 1
fi
echo "recording_js: equal, and the flipped bit was seen"
