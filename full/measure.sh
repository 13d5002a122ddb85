#!/usr/bin/env bash
# Measures in a container that holds the tools of the field: it sees the checkout and the models, can change neither, has
# no network unless it is asked for and never a token, and leaves its results in the runner's temporary folder.
# usage: full/measure.sh, with a runner's variables and the inputs of full/action.yml as INPUT_…
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

refuse() {
    echo "::error title=Rankhold::$*" >&2
    exit 2
}

# The runner's shells have no variable with a dash in its name.
image=${INPUT_IMAGE:-} models=${INPUT_MODELS:-} compare=${INPUT_COMPARE:-}
case ${INPUT_NETWORK:-false} in
    true) network=host ;;
    false) network=none ;;
    *) refuse '`network` is true or false' ;;
esac
case ${INPUT_FLOOR:-false} in
    true) floor=(--floor) ;;
    false) floor=() ;;
    *) refuse '`floor` is true or false' ;;
esac
[[ $(uname -s) == Linux ]] || refuse "its container runs on Linux, and this is $(uname -s)"
# What Docker would take for another word, or for two folders.
[[ $image != -* ]] || refuse '`image` is the name of an image'
for path in "$GITHUB_WORKSPACE" "$RUNNER_TEMP" "$models"; do
    [[ $path != *[:,]* ]] || refuse 'a folder whose name has a colon or a comma cannot be given to a container'
done
command -v docker > /dev/null || refuse 'this runner has no docker; rankhold/rankhold/setup needs none'

if [[ -z $image && -f $here/image.txt ]]; then
    image=$(< "$here/image.txt") # of the release that this commit is
elif [[ -z $image ]]; then
    image=rankhold-full:local
    echo '::group::there is no release yet: the image is built here'
    docker build --target full --tag "$image" "$here/.." || refuse 'the image cannot be built'
    echo '::endgroup::'
fi

results=$RUNNER_TEMP/rankhold
mkdir -p "$results"
run=(docker run --rm --network "$network" --user "$(id -u):$(id -g)" --cap-drop ALL --security-opt no-new-privileges
    --volume "$GITHUB_WORKSPACE:/github/workspace:ro" --workdir /github/workspace
    --volume "$results:/github/runner_temp/rankhold" --env RUNNER_TEMP=/github/runner_temp --env HOME=/tmp)
if [[ -n $models ]]; then
    given=$models
    models=$(cd "$GITHUB_WORKSPACE" && realpath -e -- "$models") || refuse 'there is no folder of that name: `models`'
    # Whoever wrote the checkout would choose by a link what its code sees.
    [[ $given == /* || $models == "$(realpath -e -- "$GITHUB_WORKSPACE")"/* ]] ||
        refuse '`models` leads out of the checkout; write where it is, from the root on'
    run+=(--volume "$models:/models:ro")
fi

if [[ -n $compare ]]; then
    config=() flags=()
    [[ -z ${INPUT_CONFIG:-} ]] || config=("--config=$INPUT_CONFIG")
    [[ -z ${INPUT_SUITES:-} ]] || flags+=("--suite=$INPUT_SUITES")
    [[ $compare == all ]] || flags+=("--against=$compare")
    [[ -z ${INPUT_REPEATS:-} ]] || flags+=("--repeats=$INPUT_REPEATS")
    [[ -z ${INPUT_TIMEOUT:-} ]] || flags+=("--timeout=$INPUT_TIMEOUT")
    cd "$results"
    rm -f compare.md compare.json compare.svg
    code=0
    "${run[@]}" --workdir "/github/workspace/${INPUT_WORKING_DIRECTORY:-.}" "$image" "${config[@]}" compare \
        "${flags[@]}" "${floor[@]}" --format markdown --out /github/runner_temp/rankhold/compare.md \
        --json /github/runner_temp/rankhold/compare.json --chart /github/runner_temp/rankhold/compare.svg || code=$?
    # What was measured could write here too: a link would make the runner's own files public.
    if [[ -f compare.md && ! -L compare.md ]]; then
        head --bytes 900000 compare.md >> "$GITHUB_STEP_SUMMARY"
        echo 'table=rankhold/compare.md' >> "$GITHUB_OUTPUT"
    fi
    exit "$code"
fi

# What the action of the root reads, but for the token and what only a publisher needs.
for name in GITHUB_ACTIONS GITHUB_ACTOR GITHUB_API_URL GITHUB_EVENT_NAME GITHUB_REPOSITORY GITHUB_RUN_ATTEMPT GITHUB_RUN_ID \
    GITHUB_SERVER_URL INPUT_CONFIG INPUT_RETRIEVERS INPUT_SUITES; do
    [[ -z ${!name:-} ]] || run+=(--env "$name")
done
exec "${run[@]}" --env CI=true --env INPUT_TOKEN= --env "INPUT_WORKING-DIRECTORY=${INPUT_WORKING_DIRECTORY:-.}" \
    --env GITHUB_WORKSPACE=/github/workspace \
    --volume "$GITHUB_EVENT_PATH:/github/workflow/event.json:ro" --env GITHUB_EVENT_PATH=/github/workflow/event.json \
    --volume "$GITHUB_OUTPUT:/github/file_commands/output" --env GITHUB_OUTPUT=/github/file_commands/output \
    --volume "$GITHUB_STEP_SUMMARY:/github/file_commands/summary" --env GITHUB_STEP_SUMMARY=/github/file_commands/summary \
    "$image" action
