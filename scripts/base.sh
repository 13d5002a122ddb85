#!/usr/bin/env bash
# Prints the name of a base image for Dockerfile's first stage: the one that it names, if that can be pulled, else one that
# is made here of Debian, a C compiler for musl and this machine's Rust toolchain. Keeps what it made before.
# usage: scripts/engine.sh scripts/builder.sh
#
# Exits 75 if there can be neither.
set -euo pipefail
cd "$(dirname "$0")/.."

release=$(rustc --version | cut -d ' ' -f 2)
name=local/rankhold-builder:$release
if docker image inspect "$name" > /dev/null 2>&1; then
    echo "$name"
    exit
fi
named=$(sed -n '1s/^ARG BUILDER=//p' Dockerfile)
if docker pull --quiet "$named" > /dev/null 2>&1; then
    echo "$named"
    exit
fi
if [[ $(id -u) != 0 ]]; then
    echo "builder.sh: $named cannot be pulled, and only root can make another base" >&2
    exit 75
fi

target=$(uname -m)-unknown-linux-musl
rustup target add "$target" >&2
if ! command -v debootstrap > /dev/null; then
    { apt-get update -qq && apt-get install --yes -qq --no-install-recommends debootstrap; } >&2
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase --include=ca-certificates,gcc,libc6-dev,musl-tools bookworm "$root" > "$root.log" 2>&1 ||
    { tail -n 5 "$root.log" >&2; rm -f "$root.log"; exit 1; }
rm -rf "$root.log" "$root"/var/cache/apt/archives/*.deb
# The registry of crates is reached as from here, through whatever proxy this machine trusts.
[[ ! -f /etc/ssl/certs/ca-certificates.crt ]] || cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"

# Of the toolchain what builds for here: this machine's target for build scripts, and musl.
sysroot=$(rustc --print sysroot)
mkdir -p "$root/opt/rust/lib/rustlib"
tar -C "$sysroot" --exclude='lib/rustlib/*' -c bin lib | tar -C "$root/opt/rust" -x
for part in "$target" "$(rustc -vV | sed -n 's/^host: //p')"; do
    cp -r "$sysroot/lib/rustlib/$part" "$root/opt/rust/lib/rustlib/"
done
tar -C "$root" -c . |
    docker import -c 'ENV PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$name" >&2
echo "$name"
