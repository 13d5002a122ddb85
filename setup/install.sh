#!/usr/bin/env bash
# Puts the binary of a release into a folder, if its bytes are those of setup/release.txt; builds it where there is no such
# file, which is so until the first release.
# usage: setup/install.sh FOLDER
#
# release.txt: the tag in its first line, then the lines of sha256sum. It is part of the action's own commit, so that whoever
# pins that has pinned the binary.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
downloads=${RANKHOLD_DOWNLOADS:-https://github.com/rankhold/rankhold/releases/download}

refuse() {
    echo "::error title=Rankhold::$*" >&2
    exit 1
}

[[ $(uname -s) == Linux ]] || refuse "setup installs on Linux runners, and this is $(uname -s)"

if [[ ! -f $here/release.txt ]]; then
    command -v cargo > /dev/null || refuse 'there is no release yet, and no cargo on this runner to build rankhold with'
    cd "$here/.." # where rust-toolchain.toml counts
    cargo install --quiet --locked --path . --target-dir "$folder/target" --root "$folder/root"
    mv "$folder/root/bin/rankhold" "$folder/rankhold"
    rm -rf "$folder/target" "$folder/root"
    exit
fi

tag=$(head -n 1 "$here/release.txt")
file=rankhold-$(uname -m)-unknown-linux-musl
sum=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$here/release.txt")
[[ -n $sum ]] || refuse "the release $tag has no binary for $(uname -m)"
curl --fail --silent --show-error --location --retry 3 --output "$folder/rankhold" "$downloads/$tag/$file" ||
    refuse "$downloads/$tag/$file cannot be downloaded"
echo "$sum  $folder/rankhold" | sha256sum --check --strict --quiet ||
    { rm -f "$folder/rankhold"; refuse "$file of $tag is not what setup/release.txt says: nothing was installed"; }
chmod 755 "$folder/rankhold"
