#!/bin/bash
# Builds docker/Dockerfile and checks that the image does what an operator relies on. Called by
# `./dev container`, as root, from the top of the repository:
#
#   docker/check.sh [--quick] BASE_TAR BIN
#
# BASE_TAR is a minimal Debian 12 that stands in for debian:bookworm-slim, so that no image registry
# is needed; BIN holds contrail-client and contrail-replay. A Docker daemon of its own runs while
# the script does; its images are kept in build/container for the next time.
set -euo pipefail

quick=''
[[ $1 != --quick ]] || { quick=1; shift; }
base_tar=$1 bin=$2
work=$(realpath -m build/container)
port=$((20000 + RANDOM % 10000))
daemon='' container=''
mkdir -p "$work"
# A socket's path must be short.
runtime=$(mktemp -d /tmp/contrail-docker.XXXXXX)
export DOCKER_HOST=unix://$runtime/docker.sock DOCKER_BUILDKIT=1

say() { printf 'container: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Debian's own client: others on the PATH may lack the builder that goes with this daemon.
docker() { command /usr/bin/docker "$@"; }

cleanup() {
  [[ ! $container ]] || docker rm -f -v "$container" >/dev/null 2>&1 || true
  if [[ $daemon ]]; then
    kill "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
  rm -rf --one-file-system "$runtime"
}
trap cleanup EXIT

# The daemon's mounts live in a namespace of their own and end with it. No bridge, no firewall
# rules: containers use the host's network.
start_daemon() {
  unshare --mount --propagation private dockerd --host "$DOCKER_HOST" --data-root "$work/data" \
    --exec-root "$runtime/exec" --pidfile "$runtime/docker.pid" --storage-driver overlay2 \
    --iptables=false --ip6tables=false --bridge=none >"$work/dockerd.log" 2>&1 &
  daemon=$!
  for _ in {1..100}; do
    ! docker info >/dev/null 2>&1 || return 0
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 20 "$work/dockerd.log" >&2
  fail "no Docker daemon"
}

build_image() {
  if [[ ! -e $work/base.stamp || $base_tar -nt $work/base.stamp ]] ||
    ! docker image inspect debian:bookworm-slim >/dev/null 2>&1; then
    docker import "$base_tar" debian:bookworm-slim >/dev/null
    touch "$work/base.stamp"
  fi
  say "building the image; output in build/container/build.log"
  docker build --progress=plain --network=host -t contrail:check -f docker/Dockerfile . \
    >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log" >&2; fail "the image does not build"; }
}

# start ARGUMENT...: the server as an operator would run it, with as little as it needs.
start() {
  container=$(docker run -d --network=host --read-only --cap-drop=ALL \
    --security-opt=no-new-privileges --memory=128m --health-interval=1s \
    -e "CONTRAIL_LISTEN=127.0.0.1:$port" "${volume[@]}" contrail:check \
    --insecure --scenario circus --listen "127.0.0.1:$port" --json "$@")
}

await_healthy() {
  local state=''
  for _ in {1..80}; do
    state=$(docker inspect -f '{{.State.Health.Status}}' "$container")
    [[ $state != healthy ]] || return 0
    [[ $(docker inspect -f '{{.State.Running}}' "$container") == true ]] || break
    sleep 0.25
  done
  docker logs "$container" >&2
  docker inspect -f '{{json .State.Health}}' "$container" >&2
  fail "the server did not become healthy (last state: $state)"
}

# A client follows for some seconds and every state hash agrees.
join() {
  "$bin/contrail-client" --server "127.0.0.1:$port" --duration 4s --json >"$work/client.out" ||
    { docker logs "$container" >&2; fail "the client ended with status $?"; }
  tail -n 1 "$work/client.out" | jq -e '.hash_checks >= 1 and .hash_mismatches == 0' >/dev/null ||
    fail "the client did not follow: $(tail -n 1 "$work/client.out")"
}

# stop SIGNAL: exit status of the server after the signal; Docker kills after 10 s, which shows as 137.
stop() {
  docker kill --signal "$1" "$container" >/dev/null
  timeout 10 /usr/bin/docker wait "$container" || { docker kill "$container" >/dev/null; echo 137; }
}

start_daemon
build_image

volume=()
start
await_healthy
join
status=$(docker stop -t 10 "$container" >/dev/null && docker inspect -f '{{.State.ExitCode}}' "$container")
printf 'container: healthy, joined, exit %s\n' "$status"
[[ $status == 0 ]] || { docker logs "$container" >&2; exit 1; }
[[ ! $quick ]] || exit 0

docker rm -v "$container" >/dev/null
volume=(--volume /data)
start --record /data/match.mcap
await_healthy
join
status=$(stop SIGINT)
[[ $status == 0 ]] || fail "SIGINT: exit $status"
docker cp "$container:/data/match.mcap" "$work/match.mcap"
"$bin/contrail-replay" verify "$work/match.mcap" >&2 || fail "the recording from the container does not verify"
user=$(docker inspect -f '{{.Config.User}}' "$container")
[[ $user == 65532:65532 ]] || fail "the image runs as '$user'"
size=$(docker image inspect -f '{{.Size}}' contrail:check)
printf 'container: recorded to /data and verified, SIGINT exit 0, user %s, image %d MB\n' "$user" $((size / 1000000))
