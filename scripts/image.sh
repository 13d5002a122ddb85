#!/usr/bin/env bash
# Builds the image of Dockerfile on a real engine, looks at what came out and runs it as GitHub's runner does.
# usage: scripts/image.sh [--tag NAME] [--binary FILE]
#
# --binary copies the program out. Starts an engine if none runs (scripts/engine.sh), and makes a base image where the one
# that Dockerfile names cannot be pulled (scripts/base.sh).
# Exits 0 if all holds, 1 if something does not, 75 if there can be no engine or no base image here.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -n ${RANKHOLD_ENGINE:-} ]] || RANKHOLD_ENGINE=1 exec scripts/engine.sh "$0" "$@"

tag=rankhold:local binary=''
while [[ $# -gt 0 ]]; do
    case $1 in
        --tag) tag=$2; shift ;;
        --binary) binary=$2; shift ;;
        *) echo "image.sh: what is $1?" >&2; exit 2 ;;
    esac
    shift
done

most=12000000 # bytes
out=$(mktemp -d)
trap 'rm -rf "$out" 2> /dev/null || true' EXIT # what containers wrote is root's

fail() {
    echo "image.sh: $*" >&2
    exit 1
}

builder=$(scripts/base.sh BUILDER)

echo "building $tag from $builder"
began=$SECONDS
# Builders that know no targets make every stage before the one that is asked for; this one comes before the tools.
docker build --network host --build-arg "BUILDER=$builder" --target rankhold --tag "$tag" . > "$out/build" 2>&1 ||
    { tail -n 20 "$out/build" >&2; fail 'the image cannot be built'; }
echo "built in $((SECONDS - began)) s"

size=$(docker image inspect --format '{{.Size}}' "$tag")
echo "size: $size bytes, at most $most"
[[ $size -le $most ]] || fail 'the image is too large'

[[ $(docker image inspect --format '{{.Config.User}}|{{json .Config.Entrypoint}}' "$tag") == '|["/rankhold"]' ]] ||
    fail 'it must start /rankhold, as root'
docker save "$tag" | tar -x -C "$out"
layers=$(python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))[0]["Layers"])' "$out/manifest.json")
content=$(for layer in $layers; do tar -t -f "$out/$layer"; done)
echo "content: $content"
[[ $content == rankhold ]] || fail 'one file is what the image is'

version=$(docker run --rm --network none --read-only "$tag" --version)
echo "says: $version"
[[ $version == "rankhold $(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)" ]] || fail 'that is another version'

# As the runner starts a container action, with nothing of the image's own to write to.
for folder in workspace/docs workspace/suites workspace/.git home temp file_commands workflow; do
    mkdir -p "$out/runner/$folder"
done
for word in alpha beta gamma; do
    printf '# %s\n\nAll about %s.\n' "$word" "$word" > "$out/runner/workspace/docs/$word.md"
done
cat > "$out/runner/workspace/suites/docs.json" << 'SUITE'
{"evalFormatVersion": "2026-04", "name": "Docs", "cases": [
  {"id": "a", "input": "all about alpha", "metadata": {"expectedTargets": ["docs/alpha.md"]}},
  {"id": "b", "input": "all about beta", "metadata": {"expectedTargets": ["docs/beta.md"]}}
]}
SUITE
echo 1111111111111111111111111111111111111111 > "$out/runner/workspace/.git/HEAD"
echo '{"repository": {"id": 1, "full_name": "o/r", "default_branch": "main"}, "inputs": null}' \
    > "$out/runner/workflow/event.json"
for file in output summary state; do : > "$out/runner/file_commands/$file"; done

workspace() {
    (cd "$out/runner/workspace" && find . -type f -exec sha256sum {} + | sort -k 2)
}
workspace > "$out/before"
docker run --rm --network none --read-only --workdir /github/workspace \
    --env HOME=/github/home --env CI=true --env GITHUB_ACTIONS=true --env GITHUB_WORKSPACE=/github/workspace \
    --env GITHUB_REPOSITORY=o/r --env GITHUB_EVENT_NAME=workflow_dispatch --env GITHUB_RUN_ID=1 \
    --env GITHUB_EVENT_PATH=/github/workflow/event.json --env RUNNER_TEMP=/github/runner_temp \
    --env GITHUB_OUTPUT=/github/file_commands/output --env GITHUB_STATE=/github/file_commands/state \
    --env GITHUB_STEP_SUMMARY=/github/file_commands/summary --env INPUT_TOKEN= \
    --volume "$out/runner/workspace:/github/workspace" --volume "$out/runner/home:/github/home" \
    --volume "$out/runner/temp:/github/runner_temp" --volume "$out/runner/workflow:/github/workflow" \
    --volume "$out/runner/file_commands:/github/file_commands" \
    "$tag" action > "$out/log" 2>&1 || { cat "$out/log" >&2; fail 'the action failed'; }
workspace > "$out/after"
cmp -s "$out/before" "$out/after" || { diff "$out/before" "$out/after" >&2; fail 'something was written into the workspace'; }
[[ -z $(ls -A "$out/runner/home") ]] || fail 'something was written into HOME'
grep -q '^verdict<<' "$out/runner/file_commands/output" || fail 'there are no outputs'
[[ -s $out/runner/temp/rankhold/docs.bm25.result.json && -s $out/runner/temp/rankhold/report.md ]] ||
    fail 'there are no results'
echo "action: measured without a token, results in $(ls "$out/runner/temp/rankhold" | wc -l) files, workspace and HOME as before"

if [[ -n $binary ]]; then
    container=$(docker create "$tag")
    docker cp "$container:/rankhold" "$binary" > /dev/null
    docker rm "$container" > /dev/null
fi

# What a start costs, beside that of a program that does nothing: one after the other, so that both meet the same machine.
cat > "$out/Dockerfile" << 'TRIVIAL'
ARG BUILDER
FROM ${BUILDER} AS build
RUN echo 'int main(void) { return 0; }' > /nothing.c && gcc -static -Os -s -o /nothing /nothing.c
FROM scratch
COPY --from=build /nothing /nothing
ENTRYPOINT ["/nothing"]
TRIVIAL
docker build --network host --build-arg "BUILDER=$builder" --tag rankhold:nothing - < "$out/Dockerfile" > "$out/build" 2>&1 ||
    { tail -n 20 "$out/build" >&2; fail 'the trivial image cannot be built'; }
python3 - "$tag" << 'BENCH'
import statistics, subprocess, sys, time

RUNS = 15

def start(image, *arguments):
    began = time.monotonic()
    command = ["docker", "run", "--rm", "--network", "none", image, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began

ours, nothing = [], []
for at in range(RUNS + 2):
    pair = start(sys.argv[1], "--version"), start("rankhold:nothing")
    if at >= 2:  # the first ones warm up
        ours.append(pair[0])
        nothing.append(pair[1])
median = [statistics.median(times) for times in (ours, nothing)]
print(f"start: {median[0] * 1000:.0f} ms, that of an image that does nothing {median[1] * 1000:.0f} ms "
      f"(medians of {RUNS}): ratio {median[0] / median[1]:.2f}, wanted at most 1.2")
BENCH
