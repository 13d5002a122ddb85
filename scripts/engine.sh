#!/usr/bin/env bash
# Runs a command with a Docker engine: the one that runs already, else one of our own, which ends with the command.
# usage: scripts/engine.sh COMMAND…
#
# Our own needs root and the programs of Debian's docker.io, and keeps its images under target/engine. It makes no
# networks and no firewall rules: whatever runs in it takes `--network host`.
# Exits as COMMAND does, or 75 if no engine can be started here.
set -euo pipefail
cd "$(dirname "$0")/.."

if docker info > /dev/null 2>&1; then
    exec "$@"
fi

skip() {
    echo "engine.sh: no Docker engine runs, and none can be started: $*" >&2
    exit 75
}

[[ $(id -u) == 0 ]] || skip 'not root'
if ! command -v dockerd > /dev/null || ! command -v docker > /dev/null; then
    command -v apt-get > /dev/null || skip 'there is no dockerd, and no apt-get to install it'
    { apt-get update -qq && apt-get install --yes -qq --no-install-recommends docker.io; } > /dev/null 2>&1 ||
        skip 'docker.io cannot be installed'
fi

data=$(realpath -m "${CARGO_TARGET_DIR:-target}/engine")
run=$(mktemp -d) # short, since the path of a socket is
mkdir -p "$data"
exec 9> "$data.lock"
flock 9 # two engines cannot have the same images
dockerd --data-root "$data" --exec-root "$run/exec" --pidfile "$run/dockerd.pid" --host "unix://$run/docker.sock" \
    --iptables=false --bridge=none > "$run/log" 2>&1 9>&- &
engine=$!
end() {
    docker image prune --force --filter until=24h > /dev/null 2>&1 || true # old stages are large
    kill "$engine" 2> /dev/null && wait "$engine" || true
    umount "$run/exec/netns/default" 2> /dev/null || true
    rm -rf "$run"
}
trap end EXIT

export DOCKER_HOST=unix://$run/docker.sock
for _ in {1..150}; do
    docker info > /dev/null 2>&1 && break
    kill -0 "$engine" 2> /dev/null || { tail -n 3 "$run/log" >&2; skip 'dockerd ended'; }
    sleep 0.2
done
docker info > /dev/null 2>&1 || { tail -n 3 "$run/log" >&2; skip 'dockerd does not answer'; }
"$@"
