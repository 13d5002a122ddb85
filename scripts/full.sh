#!/usr/bin/env bash
# Builds the target `full` of Dockerfile on a real engine, says how large it is and what its start costs, and measures with
# every tool inside, the way full/action.yml does: without network, as a user without rights, over a checkout that cannot
# be written to.
# usage: scripts/full.sh [--tag NAME] [--built]
#
# --built takes the image as it is there. Compiling the tools takes a quarter of an hour: this is no part of .ci/run. Starts
# an engine if none runs (scripts/engine.sh), and makes base images where none can be pulled (scripts/base.sh).
# Exits 0 if all holds, 1 if something does not, 75 if there can be no engine or no base image here.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -n ${RANKHOLD_ENGINE:-} ]] || RANKHOLD_ENGINE=1 exec scripts/engine.sh "$0" "$@"

tag=rankhold-full:local build=yes
while [[ $# -gt 0 ]]; do
    case $1 in
        --tag) tag=$2; shift ;;
        --built) build=no ;;
        *) echo "full.sh: what is $1?" >&2; exit 2 ;;
    esac
    shift
done

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() {
    echo "full.sh: $*" >&2
    exit 1
}

if [[ $build == yes ]]; then
    builder=$(scripts/base.sh BUILDER)
    debian=$(scripts/base.sh DEBIAN)
    echo "building $tag from $builder and $debian"
    began=$SECONDS
    docker build --network host --build-arg "BUILDER=$builder" --build-arg "DEBIAN=$debian" --target full --tag "$tag" . \
        > "$out/build" 2>&1 || { tail -n 30 "$out/build" >&2; fail 'the image cannot be built'; }
    echo "built in $((SECONDS - began)) s"
fi

inside() {
    docker run --rm --network none --entrypoint sh "$tag" -c "$1"
}
echo "size: $(($(docker image inspect --format '{{.Size}}' "$tag") / 1000000)) MB, of which"
inside 'du --apparent-size --block-size 1000000 --summarize /usr/local/bin/* /opt/python /usr && find /models -mindepth 1' |
    sed 's/^\([0-9]*\)\t/  \1 MB  /'
inside 'rg --version | head -n 1; probe --version; colgrep --version; semble --version; rankhold --version' ||
    fail 'a tool does not start'
[[ -z $(inside 'find / -xdev -name "*.safetensors" -o -xdev -name "*.gguf" -o -xdev -name "*.onnx" -size +100k') ]] ||
    fail 'a model is inside'

# What a step of full/action.yml does, on a runner that has this image.
runner() {
    mkdir -p "$out/$1/temp"
    : > "$out/$1/output"
    : > "$out/$1/summary"
    env "${@:2}" INPUT_IMAGE="$tag" RUNNER_TEMP="$out/$1/temp" GITHUB_WORKSPACE="$out/tree" GITHUB_ACTIONS=true \
        GITHUB_EVENT_NAME=workflow_dispatch GITHUB_EVENT_PATH="$out/event.json" GITHUB_REPOSITORY=o/r GITHUB_RUN_ID=1 \
        GITHUB_OUTPUT="$out/$1/output" GITHUB_STEP_SUMMARY="$out/$1/summary" full/measure.sh
}
mkdir -p "$out/tree/.git" "$out/tree/suites" "$out/tree/docs"
echo '{"repository": {"id": 1, "full_name": "o/r", "default_branch": "main"}, "inputs": null}' > "$out/event.json"
echo 1111111111111111111111111111111111111111 > "$out/tree/.git/HEAD"
for word in alpha beta gamma delta; do
    printf '# %s\n\nThe chapter about %s.\n' "$word" "$word" > "$out/tree/docs/$word.md"
done
cat > "$out/tree/suites/docs.json" << 'SUITE'
{"evalFormatVersion": "2026-04", "name": "docs", "cases": [
  {"id": "a", "input": "chapter about alpha", "metadata": {"expectedTargets": ["docs/alpha.md"]}},
  {"id": "b", "input": "chapter about beta", "metadata": {"expectedTargets": ["docs/beta.md"]}}
]}
SUITE
cat > "$out/tree/rankhold.toml" << 'CONFIG'
version = 1
[[suite]]
path = "suites/docs.json"
retrievers = ["rg", "probe", "words"]
[[retriever]]
name = "words"
kind = "semble"
mode = "bm25"
content = ["docs"]
CONFIG
before=$(cd "$out/tree" && find . -type f -exec sha256sum {} + | sort)

runner measured || fail 'measuring failed'
results=("$out"/measured/temp/rankhold/*.result.json)
[[ ${#results[@]} == 3 ]] || fail "${#results[@]} results in the place of 3"
grep -q '^verdict<<' "$out/measured/output" || fail 'there are no outputs'
[[ -s $out/measured/summary ]] || fail 'there is no summary'
[[ $(stat -c %u "${results[0]}") == "$(id -u)" ]] || fail 'the results are not ours'

runner compared INPUT_COMPARE=bm25,ripgrep,rg,probe,words,colgrep || fail 'comparing failed'
cat "$out/compared/temp/rankhold/compare.md"
grep -q '^table=rankhold/compare.md$' "$out/compared/output" || fail 'there is no output'
[[ -s $out/compared/summary && -s $out/compared/temp/rankhold/compare.svg ]] || fail 'there is no summary or no chart'
python3 - "$out/compared/temp/rankhold/compare.json" << 'ROWS' || fail 'a tool that needs no model did not run'
import json, sys
rows = {row["retriever"]: row for row in json.load(open(sys.argv[1]))["rows"]}
silent = [name for name in ("bm25", "ripgrep", "rg", "probe", "words") if rows[name]["status"] != "ran"]
for name in silent:
    print(f"{name}: {rows[name]['status']}: {rows[name]['detail']}", file=sys.stderr)
print(f"colgrep: {rows['colgrep']['status']}: {rows['colgrep']['detail']}")
sys.exit(bool(silent))
ROWS
[[ $before == "$(cd "$out/tree" && find . -type f -exec sha256sum {} + | sort)" ]] || fail 'the checkout was written to'

python3 - "$tag" << 'BENCH'
import statistics, subprocess, sys, time

RUNS = 11

def start(*arguments):
    began = time.monotonic()
    subprocess.run(["docker", "run", "--rm", "--network", "none", *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began

started, nothing = [], []
for at in range(RUNS + 1):
    pair = start(sys.argv[1], "--version"), start("--entrypoint", "/bin/true", sys.argv[1])
    if at:  # the first one warms up
        started.append(pair[0])
        nothing.append(pair[1])
median = [statistics.median(times) for times in (started, nothing)]
print(f"start: {median[0] * 1000:.0f} ms, that of /bin/true in the same image {median[1] * 1000:.0f} ms "
      f"(medians of {RUNS}): ratio {median[0] / median[1]:.2f}")
BENCH
