#!/usr/bin/env bash
# Records a minute of circus and folds it anew in JavaScript: every state hash and the positions of all
# missiles at 1,000 random times have to be the same, every intermediate exact.
#   run.sh BIN_DIR [WORK_DIR]     BIN_DIR holds contrail-server and contrail-replay
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$here/../../client_sdk/typescript/test/recorded_session.js
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: run.sh BIN_DIR [WORK_DIR]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd)
work=${2:-$bin/../typescript}
mkdir -p "$work"
cd "$work"

rm -f session.mcap session.jsonl
"$bin/contrail-server" --insecure --scenario circus --seed 11 --unpaced --duration 60s \
  --record session.mcap --json >server.out 2>server.err || { cat server.err >&2; exit 1; }
"$bin/contrail-replay" export --vectors session.mcap >session.jsonl
node "$program" --checked <session.jsonl

# The control: a slip in the arithmetic has to show.
if node "$program" --fault <session.jsonl; then
  echo "typescript: a planted slip went unseen" >&2
  exit 1
fi
echo "typescript: the session is the same, and the planted slip was seen"

"$here/seeds.sh" "$bin"
