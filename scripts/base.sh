#!/usr/bin/env bash
# Prints the name of a base image for Dockerfile: the one that its ARG names, if that can be pulled, else one that is made
# here of Debian: with a C compiler for musl and this machine's Rust toolchain as BUILDER, with nothing else as DEBIAN. Keeps
# what it made before.
# usage: scripts/engine.sh scripts/base.sh BUILDER|DEBIAN
#
# Exits 75 if there can be neither.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
    BUILDER)
        made=local/rankhold-builder:$(rustc --version | cut -d ' ' -f 2)
        packages=ca-certificates,gcc,libc6-dev,musl-tools
        ;;
    DEBIAN)
        made=local/rankhold-debian:bookworm
        packages=ca-certificates
        ;;
    *) echo 'base.sh: BUILDER or DEBIAN?' >&2; exit 2 ;;
esac
if docker image inspect "$made" > /dev/null 2>&1; then
    echo "$made"
    exit
fi
named=$(sed -n "s/^ARG $1=//p" Dockerfile)
if docker pull --quiet "$named" > /dev/null 2>&1; then
    echo "$named"
    exit
fi
if [[ $(id -u) != 0 ]]; then
    echo "base.sh: $named cannot be pulled, and only root can make another base" >&2
    exit 75
fi

if ! command -v debootstrap > /dev/null; then
    { apt-get update -qq && apt-get install --yes -qq --no-install-recommends debootstrap; } >&2 ||
        { echo 'base.sh: debootstrap cannot be installed here' >&2; exit 75; }
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase --include="$packages" bookworm "$root" > "$root.log" 2>&1 ||
    { tail -n 5 "$root.log" >&2; rm -f "$root.log"; echo "base.sh: there is no Debian to be had here" >&2; exit 75; }
rm -rf "$root.log" "$root"/var/cache/apt/archives/*.deb

# Registries are reached as from here, through whatever proxy this machine trusts.
trusted=/etc/ssl/certs/ca-certificates.crt
[[ ! -f $trusted ]] || cp "$trusted" "$root$trusted"
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
changes=(-c "ENV PIP_CERT=$trusted" -c "ENV NODE_EXTRA_CA_CERTS=$trusted")

if [[ $1 == BUILDER ]]; then
    # Of the toolchain what builds for here: this machine's target for build scripts, and musl.
    target=$(uname -m)-unknown-linux-musl
    rustup target add "$target" >&2
    sysroot=$(rustc --print sysroot)
    mkdir -p "$root/opt/rust/lib/rustlib"
    tar -C "$sysroot" --exclude='lib/rustlib/*' -c bin lib | tar -C "$root/opt/rust" -x
    for part in "$target" "$(rustc -vV | sed -n 's/^host: //p')"; do
        cp -r "$sysroot/lib/rustlib/$part" "$root/opt/rust/lib/rustlib/"
    done
    path=/opt/rust/bin:$path
fi
tar -C "$root" -c . | docker import "${changes[@]}" -c "ENV PATH=$path" - "$made" >&2
echo "$made"
