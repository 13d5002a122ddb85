#!/usr/bin/env bash
# Builds static binaries and shows that they give the committed digests of tests/data/determinism.
# usage: scripts/determinism.sh [--quick] [TARGET…]
#        scripts/determinism.sh --binary FILE
#
# TARGET is x86_64-unknown-linux-musl (the default, by this machine's processor) or aarch64-unknown-linux-musl, which runs
# under qemu-aarch64-static where the machine is another. --quick builds without optimising: half the time, and one more
# way to be the same; --binary takes one that is there. cargo-zigbuild, from PyPI, builds them all, so that no C compiler for musl is needed.
# Exits 0 if all digests agree, 1 if one differs, 75 if a target cannot be added here (no network).
set -euo pipefail
cd "$(dirname "$0")/.."

profile=release binary=''
if [[ ${1:-} == --binary ]]; then
    binary=$(realpath "$2")
    set --
elif [[ ${1:-} == --quick ]]; then
    profile=dev
    export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0
    shift
fi
[[ -n $binary || $# -gt 0 ]] || set -- "$(uname -m)-unknown-linux-musl"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The lines of digests.txt, from a binary.
digests() {
    "$@" run --quiet --repo tests/data/determinism/tree --results "$out/results" > /dev/null
    for retriever in bm25 ripgrep; do
        hash=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1], encoding="utf-8"))["contentHash"])' \
            "$out/results/golden.$retriever.result.json")
        echo "golden.$retriever $hash"
    done
}

if [[ -n $binary ]]; then
    digests "$binary" > "$out/digests"
    diff tests/data/determinism/digests.txt "$out/digests" || { echo "$binary: DIFFERENT"; exit 1; }
    echo "$binary: same"
    exit
fi

for target in "$@"; do
    if ! rustup target add "$target" > "$out/rustup" 2>&1; then
        cat "$out/rustup" >&2
        echo "determinism.sh: $target cannot be added here" >&2
        exit 75
    fi
done

tools=$(scripts/tools.sh astral-dev-toolchain-cargo-zigbuild ziglang)
for target in "$@"; do
    PATH=$tools:$PATH cargo zigbuild --locked --bin rankhold --profile "$profile" --target "$target"
done

status=0
for target in "$@"; do
    binary=${CARGO_TARGET_DIR:-target}/$target/${profile/#dev/debug}/rankhold
    run=("$binary")
    [[ $target == "$(uname -m)"-* ]] || run=("qemu-${target%%-*}-static" "$binary")
    rm -rf "$out/results"
    digests "${run[@]}" > "$out/digests"
    verdict=same
    cmp -s "$out/digests" tests/data/determinism/digests.txt || { verdict=DIFFERENT; status=1; }
    printf '%s (%s profile, %s bytes): %s\n' "$target" "$profile" "$(stat -c %s "$binary")" "$verdict"
    sed 's/^/    /' "$out/digests"
done
exit "$status"
