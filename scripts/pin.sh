#!/usr/bin/env bash
# Writes what a release is made of into the tree: the image into action.yml, the one with the tools of the field into
# full/image.txt, the tag and the checksums (from stdin) into setup/release.txt.
# usage: scripts/pin.sh TAG IMAGE@sha256:DIGEST FULL@sha256:DIGEST < SHA256SUMS
set -euo pipefail
cd "$(dirname "$0")/.."
tag=${1:-} image=${2:-} full=${3:-}

refuse() {
    echo "pin.sh: $*" >&2
    exit 2
}

[[ $tag =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "no tag of a release: $tag"
for each in "$image" "$full"; do
    [[ $each =~ ^[a-z0-9./-]+@sha256:[0-9a-f]{64}$ ]] || refuse "no image with a digest: $each"
done
sums=$(cat)
[[ -n $sums ]] || refuse 'no checksums on stdin'
grep -Evq '^[0-9a-f]{64}  rankhold-[a-z0-9_]+-unknown-linux-musl$' <<< "$sums" && refuse 'these are no checksums of binaries'
[[ $(grep -Ec '^  image: ' action.yml) == 1 ]] || refuse 'action.yml has not one line with an image'

sed -i \
    -e '/^  # Built where it is used until there is a release/d' \
    -e "s|^  image: .*|  image: docker://$image # $tag|" \
    action.yml
echo "$full" > full/image.txt
printf '%s\n%s\n' "$tag" "$sums" > setup/release.txt
