#!/usr/bin/env bash
# Installs ready-made tools from PyPI into target/tools and prints the folder of their programs.
# usage: scripts/tools.sh PACKAGE…
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/${CARGO_TARGET_DIR:-target}/tools
[[ ${CARGO_TARGET_DIR:-} != /* ]] || venv=$CARGO_TARGET_DIR/tools

install() {
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
}

[[ -x $venv/bin/pip ]] || python3 -m venv "$venv" >&2
install "$@" || { echo "pip failed, once more" >&2; sleep 5; install "$@"; }
echo "$venv/bin"
