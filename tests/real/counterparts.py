#!/usr/bin/env python3
"""Servers that others wrote, asked as `mcp` and `http`: three from npm and PyPI over stdio, streamable HTTP and HTTP.

usage: tests/real/counterparts.py [--binary PATH] [--cache FOLDER]

Installs into the cache folder (again only if it is gone), asks each by `rankhold doctor`, `run` and `compare` over a made-up
tree, prints one line per counterpart and ends with 1 if one of them is not what docs/protocol.md says. Needs npm, node,
python3 with venv, and the registries. The model of semble is a stand-in with random vectors: what is proved is the
plumbing, not how good a tool is.
"""

import argparse
import json
import os
import socket
import sqlite3  # noqa: F401 (a Python without it cannot build the index of datasette)
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
NPM = ["@modelcontextprotocol/server-filesystem@2026.8.31", "supergateway@4.0.0"]
PYPI = ["semble[mcp]==0.7.0", "datasette==0.65.5"]

TREE = {
    "docs/apples.md": "# Apples\n\nHow to graft an apple tree in winter.\n",
    "docs/bees.md": "# Bees\n\nKeeping a hive: smoke, honey and swarms.\n",
    "docs/compost.md": "# Compost\n\nTurn the heap weekly, keep it moist.\n",
    "src/watering.py": "def schedule_watering(beds):\n    return sorted(beds)\n",
    "src/pruning.py": "def prune_branches(tree):\n    return tree.cut_dead_branches()\n",
}
NAMES = [("apples", "**/apples*", "docs/apples.md"), ("bees", "**/*bees.md", "docs/bees.md"), ("py", "src/w*.py", "src/watering.py")]
WORDS = [
    ("graft", "graft apple", "docs/apples.md"),
    ("hive", "hive honey", "docs/bees.md"),
    ("water", "schedule_watering", "src/watering.py"),
    ("prune", "prune_branches", "src/pruning.py"),
]

# Random vectors over letters: semble works with it as with a real one, and means nothing by it.
MODEL = """
import sys
import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
words = {"[PAD]": 0, "[UNK]": 1}
for code in range(32, 127):
    for word in (chr(code), "##" + chr(code)):
        words.setdefault(word, len(words))
tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]", max_input_chars_per_word=200))
tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
vectors = np.random.default_rng(7).normal(size=(len(words), 64)).astype(np.float32)
StaticModel(vectors, tokenizer, config={"normalize": True, "seq_length": 512}, normalize=True).save_pretrained(sys.argv[1])
"""

INDEX = """
import os, sqlite3, sys
base = sqlite3.connect(sys.argv[2])
base.execute("create virtual table docs using fts5(path unindexed, body)")
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        full = os.path.join(folder, name)
        path = os.path.relpath(full, sys.argv[1]).replace(os.sep, "/")
        base.execute("insert into docs values (?, ?)", (path, path + " " + open(full, encoding="utf-8").read()))
base.commit()
"""

SQL = "select+path,-rank+as+score+from+docs+where+docs+match+escape_fts(:q)+order+by+rank,path+limit+:n"

CONFIG = """
version = 1

[[suite]]
path = "suites/names.json"
retrievers = ["filesystem", "filesystem-http"]

[[suite]]
path = "suites/words.json"
retrievers = ["semble", "datasette"]

[[retriever]]
name = "filesystem"
kind = "mcp"
argv = ["node", "{npm}/@modelcontextprotocol/server-filesystem/dist/index.js", "{{corpus}}"]
tool = "search_files"
arguments = {{ path = "{{corpus}}", pattern = "{{query}}" }}
format = "paths"
empty-texts = ["No matches found"]
ranked = false

[[retriever]]
name = "filesystem-http"
kind = "mcp"
url = "http://127.0.0.1:{port}/mcp"
tool = "search_files"
arguments = {{ path = "{root}", pattern = "{{query}}" }}
format = "paths"
empty-texts = ["No matches found"]
ranked = false

[[retriever]]
name = "filesystem-refused"
kind = "mcp"
argv = ["node", "{npm}/@modelcontextprotocol/server-filesystem/dist/index.js", "{{corpus}}"]
tool = "search_files"
arguments = {{ path = "/etc", pattern = "{{query}}" }}
format = "paths"
empty-texts = ["No matches found"]

[[retriever]]
name = "semble"
kind = "mcp"
argv = ["{venv}/bin/semble"]
tool = "search"
arguments = {{ query = "{{query}}", repo = "{{corpus}}", top_k = "{{fetch}}", max_snippet_lines = 0, content = "all" }}
hits = "/results"
path = "/file_path"
error = "/error"
empty-texts = ["No results found."]
unit = "chunk"
model = "stand-in: random vectors"
env = {{ SEMBLE_MODEL_NAME = "{model}" }}
timeout = "60s"

[[retriever]]
name = "datasette"
kind = "http"
prepare = ["{venv}/bin/python", "{index}", "{{corpus}}", "{{scratch}}/docs.db"]
start = ["{venv}/bin/datasette", "serve", "{{scratch}}/docs.db", "--host", "127.0.0.1", "--port", "{{port}}"]
ready = "http://127.0.0.1:{{port}}/-/versions.json"
version = {{ url = "http://127.0.0.1:{{port}}/-/versions.json", pointer = "/datasette/version" }}
url = "http://127.0.0.1:{{port}}/docs.json?sql={sql}&_shape=array&q={{query}}&n={{fetch}}"

[[retriever]]
name = "datasette-wrong"
kind = "http"
prepare = ["{venv}/bin/python", "{index}", "{{corpus}}", "{{scratch}}/docs.db"]
start = ["{venv}/bin/datasette", "serve", "{{scratch}}/docs.db", "--host", "127.0.0.1", "--port", "{{port}}"]
ready = "http://127.0.0.1:{{port}}/-/versions.json"
url = "http://127.0.0.1:{{port}}/docs.json?sql=select+path+from+nowhere&_shape=array&q={{query}}"
"""


def say(*words):
    print(*words, flush=True)


def call(*words, **more):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, **more)


def install(cache):
    npm, venv, model = cache / "npm", cache / "venv", cache / "model"
    if not (npm / "done").exists():
        npm.mkdir(parents=True, exist_ok=True)
        call("npm", "install", "--prefix", npm, "--no-audit", "--no-fund", "--silent", *NPM)
        (npm / "done").touch()
    if not (venv / "done").exists():
        call(sys.executable, "-m", "venv", venv)
        call(venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *PYPI)
        (venv / "done").touch()
    if not (model / "done").exists():
        call(venv / "bin/python", "-c", MODEL, model)
        (model / "done").touch()
    return npm / "node_modules", venv, model


def suite(name, cases, absent):
    found = [
        {"id": id, "input": text, "metadata": {"expectedTargets": [target], "lang": "en", "kind": "x"}}
        for id, text, target in cases
    ]
    if absent:
        found.append({"id": "absent", "input": absent, "metadata": {"expectNoResult": True}})
    return json.dumps({"evalFormatVersion": "2026-04", "name": name, "cases": found}, indent=2)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def wait_for(port, server):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if server.poll() is not None:
            raise SystemExit(f"supergateway ended with {server.returncode}")
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
    raise SystemExit("supergateway was not ready within a minute")


class Check:
    failed = 0

    def __call__(self, what, holds, detail=""):
        if not holds:
            Check.failed += 1
            say(f"FAILED: {what}\n{detail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=HOME / "target/debug/rankhold")
    parser.add_argument("--cache", default=Path.home() / ".cache/rankhold-counterparts", type=Path)
    arguments = parser.parse_args()
    binary, check = str(Path(arguments.binary).resolve()), Check()
    npm, venv, model = install(arguments.cache.resolve())
    with tempfile.TemporaryDirectory(prefix="counterparts-") as folder:
        root = Path(folder).resolve() / "repo"
        index = Path(folder).resolve() / "index.py"
        index.write_text(INDEX)
        for path, text in TREE.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        (root / "suites").mkdir()
        (root / "suites/names.json").write_text(suite("Names", NAMES, "**/*.zig"))
        (root / "suites/words.json").write_text(suite("Words", WORDS, None))
        port = free_port()
        places = {"npm": npm, "venv": venv, "model": model, "index": index, "port": port, "root": root, "sql": SQL}
        (root / "rankhold.toml").write_text(CONFIG.format(**places))
        behind = f"node {npm}/@modelcontextprotocol/server-filesystem/dist/index.js {root}"
        gateway = [npm / ".bin/supergateway", "--stdio", behind, "--outputTransport", "streamableHttp", "--stateful", "--port", port]
        server = subprocess.Popen(
            [str(word) for word in gateway], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )
        try:
            wait_for(port, server)
            counterparts(binary, root, check)
        finally:
            os.killpg(server.pid, 9)
            server.wait()
    if Check.failed:
        raise SystemExit(f"{Check.failed} not as it should be")
    say("all counterparts are as they should be")


def counterparts(binary, root, check):
    def rankhold(*words):
        return subprocess.run([binary, *words], cwd=root, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    doctor = rankhold("doctor", "--format", "json")
    health = {row["name"]: row for row in json.loads(doctor.stdout)["retrievers"]}
    for name in ("filesystem", "filesystem-http", "semble", "datasette"):
        check(f"doctor: {name} is ready", health[name]["state"] == "ready", health[name])

    ran = rankhold("run", "-v", "--results", "out")
    check("run ends with 0", ran.returncode == 0, ran.stdout + ran.stderr)
    compared = rankhold("compare", "--against", "semble,datasette", "--suite", "words", "--format", "json")
    check("compare ends with 0", compared.returncode == 0, compared.stdout + compared.stderr)
    for name, of in (("filesystem", "names"), ("filesystem-http", "names"), ("semble", "words"), ("datasette", "words")):
        path = root / f"out/{of}.{name}.result.json"
        if not path.exists():
            check(f"{name}: there is a result", False)
            continue
        result = json.loads(path.read_text())
        states = {case["id"]: case["state"] for case in result["cases"]}
        want = {id: "found" for id, *_ in (NAMES if of == "names" else WORDS)}
        want.update({"absent": "clean"} if of == "names" else {})
        check(f"{name}: every case is what it should be", states == want, states)
        times = json.loads((root / f"out/{of}.{name}.timings.json").read_text())
        queries = sorted(times["queriesUs"])
        version = result["measurement"]["retriever"]["version"]
        say(f"{name:<16} ready  {version:<40} prepare {times['prepareUs'] / 1e6:6.2f} s  p50 {queries[len(queries) // 2] / 1e3:8.2f} ms")

    # What says no is a failure of each case, and never an empty answer.
    for name, of, words in (
        ("filesystem-refused", "names", "Access denied"),
        ("datasette-wrong", "words", "no such table: nowhere"),
    ):
        refused = rankhold("run", "-v", of, "--retriever", name)
        said = refused.stdout + refused.stderr
        check(f"{name}: ends with 3 and says why", refused.returncode == 3 and words in said, said)


if __name__ == "__main__":
    main()
