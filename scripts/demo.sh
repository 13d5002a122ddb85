#!/usr/bin/env bash
# Runs the demonstration against the stand-in for GitHub and prints its transcript, which is docs/demo.md.
# usage: scripts/demo.sh [--write]
#
# Without --write it fails if what happens is not what docs/demo.md says.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
    '') ;;
    --write) export RANKHOLD_BLESS=1 ;;
    *)
        sed -n '3s/^# //p' "$0" >&2
        exit 2
        ;;
esac
cargo test --locked --quiet --test it github::demo
cat docs/demo.md
