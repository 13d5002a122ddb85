#!/usr/bin/env python3
"""Measures the Python workers as Rankhold starts them, cold and warm, and holds our fake packages against the real ones.
Started by python_workers.sh, which see. One line a system; ends with 1 if one fails."""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "src/retriever/python"
FAKES = ROOT / "tests/data/python"
#: How much faster a query of a worker that stays must be than one of a process of its own.
RATIO = 20
#: So many processes of their own.
COLD = 7


class Failed(Exception):
    pass


def settings(**given):
    """What Rankhold writes for a worker (src/retriever/python/options.rs)."""
    usual = {
        "trial": False, "threads": 2, "online": False, "caches": [], "model": None, "mode": "hybrid",
        "content": ["code"], "candidates": 50, "max_seq_length": 512, "query_prompt": None,
        "trust_remote_code": False, "random": False, "stand_in": True,
    }  # fmt: skip
    return {**usual, **given}


def environment(scratch):
    """What a child sees (src/process/environment.rs)."""
    homes = {
        "HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data",
        "XDG_STATE_HOME": "state", "HF_HOME": "huggingface", "TMPDIR": "tmp",
    }  # fmt: skip
    for folder in homes.values():
        (scratch / folder).mkdir(exist_ok=True)
    fixed = {
        "PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "DO_NOT_TRACK": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1", "ORT_DISABLE_TELEMETRY": "1", "NO_COLOR": "1", "TERM": "dumb",
        "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1",
        "OMP_WAIT_POLICY": "passive",
    }  # fmt: skip
    return {**fixed, **{name: str(scratch / folder) for name, folder in homes.items()}}


class Worker:
    """One process, spoken to in lines."""

    def __init__(self, python, script, told, scratch, corpus):
        folder = scratch / "worker"
        folder.mkdir(exist_ok=True)
        for source in SCRIPTS.glob("*.py"):
            shutil.copy(source, folder)
        (folder / "settings.json").write_text(json.dumps(told))
        self.corpus, self.scratch, self.asked = corpus, scratch, 0
        self.child = subprocess.Popen(
            [python, str(folder / script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, cwd=corpus, env=environment(scratch),
        )  # fmt: skip

    def ask(self, op, **fields):
        self.asked += 1
        self.child.stdin.write(json.dumps({"id": self.asked, "op": op, **fields}) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        reply = json.loads(line) if line else {"ok": False, "error": {"detail": "it ended"}}
        if not reply["ok"] or reply["id"] != self.asked:
            raise Failed(f"{op}: {reply}")
        return reply

    def prepare(self):
        return self.ask("prepare", corpus=str(self.corpus), scratch=str(self.scratch), threads=2)

    def query(self, text):
        return [hit["path"] for hit in self.ask("query", query=text, fetch=50)["hits"]]

    def stop(self):
        self.ask("stop")
        self.child.stdin.close()
        if self.child.wait(timeout=10) != 0:
            raise Failed(f"it ended with {self.child.returncode}")


def median_ms(seconds):
    return statistics.median(seconds) * 1000


def timed(act):
    start = time.perf_counter()
    result = act()
    return result, time.perf_counter() - start


def measure(name, python, script, told, corpus, queries, hold_ratio=True):
    """Index, warm and cold; the same answers every time; nothing left behind."""
    with tempfile.TemporaryDirectory(prefix="rankhold-real-") as folder:
        scratch = pathlib.Path(folder)
        begin = lambda: Worker(python, script, told, scratch, corpus)
        worker = begin()
        said = worker.ask("hello", protocol=1)
        read, index = timed(worker.prepare)
        if read["reused"] or not set(read["files"]) <= paths_below(corpus):
            raise Failed("it has files that are not in the corpus, or an index from before")
        first = [worker.query(query) for query in queries]

        def one_process(query):
            other = begin()
            other.ask("hello", protocol=1)
            if not other.prepare()["reused"]:
                raise Failed("a new process indexed again")
            return other, other.query(query)

        # In turn, so that both meet whatever else the machine does.
        cold, warm = [], []
        for query, before in list(zip(queries, first))[:COLD]:
            (other, answer), took = timed(lambda: one_process(query))
            cold.append(took)
            other.stop()
            if answer != before:
                raise Failed(f"another answer to `{query}` from a new process")
            for query, before in zip(queries, first):
                answer, took = timed(lambda: worker.query(query))
                warm.append(took)
                if answer != before:
                    raise Failed(f"another answer to `{query}` than before")
        worker.stop()
        if running(folder):
            raise Failed(f"still running: {running(folder)}")
        if said["model"] is None or not said["model"]["stand-in"]:
            model = "no stand-in"
        else:
            model = "stand-in"
    ratio = median_ms(cold) / median_ms(warm)
    print(
        f"{name:<32} ready  {said['name']} {said['version']}, {model}; index {index:.1f} s, {read['units']} chunks of "
        f"{len(read['files'])} files; query p50 warm {median_ms(warm):.1f} ms, cold {median_ms(cold):.0f} ms: {ratio:.0f}x",
        flush=True,
    )
    if hold_ratio and ratio < RATIO:
        raise Failed(f"a warm query is only {ratio:.1f} times as fast as a cold one")
    return median_ms(warm)


def command_line(python, model, corpus, queries, warm):
    """semble's own program, a process a query, its index ready."""
    with tempfile.TemporaryDirectory(prefix="rankhold-real-") as folder:
        seen = {**environment(pathlib.Path(folder)), "SEMBLE_MODEL_NAME": str(model)}
        program = str(pathlib.Path(python).parent / "semble")
        argv = [program, "search", "-k", "50", "--max-snippet-lines", "0", "--format", "json", "--"]
        ask = lambda query: subprocess.run([*argv, query, str(corpus)], env=seen, capture_output=True, check=True)
        ask(queries[0])
        cold = median_ms([timed(lambda: ask(query))[1] for query in queries[:COLD]])
    print(f"{'semble, its own program':<32} ready  query p50 cold {cold:.0f} ms: {cold / warm:.0f}x the worker's", flush=True)
    if cold / warm < RATIO:
        raise Failed(f"the worker is only {cold / warm:.1f} times as fast as semble's own program")


def paths_below(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def running(tag):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if tag.encode() in command and process.name != str(os.getpid()):
            found.append(command.replace(b"\0", b" ").decode(errors="replace"))
    return found


def state(folders):
    """Every file below with its size and its time of change."""
    files = {}
    for folder in folders:
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file() and not path.is_symlink():
                files[str(path)] = (path.stat().st_size, path.stat().st_mtime_ns)
    return files


SIGNATURES = """
import inspect, json, sys
sys.stdout, told = sys.stderr, sys.stdout
import semble, semble.cache, semble.index.index, semble.index.dense
from dataclasses import fields
names = lambda function: list(inspect.signature(function).parameters)
said = {
    "from_path": names(semble.SembleIndex.from_path),
    "search": names(semble.SembleIndex.search),
    "save": names(semble.cache.save_index_to_cache),
    "load_model": names(semble.index.dense.load_model),
    "it loads through": names(semble.index.index.load_model),
    "kinds": [kind.value for kind in semble.ContentType],
    "chunk": [field.name for field in fields(semble.Chunk)][:4],
    "result": [field.name for field in fields(semble.SearchResult)],
    "version": semble.__version__,
}
try:
    from sentence_transformers import SentenceTransformer
    said["encode"] = names(SentenceTransformer.encode)
    said["load"] = names(SentenceTransformer.__init__)
except ImportError:
    pass
print(json.dumps(said), file=told)
"""


def hold_fakes(python):
    """What our stand-ins for packages take is what the real ones take."""

    def signatures(**variables):
        with tempfile.TemporaryDirectory(prefix="rankhold-real-") as folder:
            seen = {**environment(pathlib.Path(folder)), **variables}
            ran = subprocess.run([python, "-c", SIGNATURES], env=seen, capture_output=True, check=True)
            return json.loads(ran.stdout)

    real, fake = signatures(), signatures(PYTHONPATH=str(FAKES))
    for name, names in real.items():
        ours = fake[name]
        held = ours == names if name not in ("encode", "load") else set(ours) <= set(names)
        if not held:
            raise Failed(f"{name}: the fake takes {ours}, the real one {names}")
    print(f"{'fake packages':<32} as the real ones: {', '.join(real)}", flush=True)


def through_rankhold(python, models, work):
    """`doctor` and `compare` of the binary itself, over this repository's own suite."""
    usual = next((path for path in (ROOT / "target/release/rankhold", ROOT / "target/debug/rankhold") if path.exists()), None)
    binary = os.environ.get("RANKHOLD_BIN") or usual
    if binary is None:
        print(f"{'through rankhold':<32} skipped: there is no binary; cargo build makes one")
        return
    entry = lambda name, **keys: f"[[retriever]]\nname = {json.dumps(name)}\nrun-timeout = \"20m\"\n" + "".join(
        f"{key.replace('_', '-')} = {json.dumps(value)}\n" for key, value in keys.items()
    )
    static = {"kind": "semble", "python": python, "model": str(models / "static")}
    config = work / "rankhold.toml"
    config.write_text(
        "version = 1\n[corpus]\nexclude = [\"tests/data/**\", \"tests/snapshots/**\"]\n"
        f"[[suite]]\nname = \"rankhold\"\npath = \"suites/rankhold.json\"\n"
        + entry("semble-hybrid", **static, stand_in=True)
        + entry("semble-floor", **static, random_model=True)
        + entry("semble-bm25", kind="semble", python=python, mode="bm25")
    )
    names = ["semble-hybrid", "semble-floor", "semble-bm25"]
    rankhold = lambda *arguments: subprocess.run(
        [binary, *arguments, "--config", str(config), "--repo", str(ROOT)], capture_output=True, text=True
    )
    doctor = rankhold("doctor", "--format", "json")
    if not doctor.stdout:
        raise Failed(f"doctor ended with {doctor.returncode}: {doctor.stderr}")
    states = {row["name"]: row for row in json.loads(doctor.stdout)["retrievers"]}
    for name in names:
        if states[name]["state"] != "ready":
            raise Failed(f"doctor says of {name}: {states[name]}")
    table = rankhold("compare", "--suite", "rankhold", "--against", ",".join(["bm25", *names]), "--timeout", "20m")
    print(table.stdout, flush=True)
    if table.returncode != 0 or any(f"| {name}" not in table.stdout.replace("`", "") for name in names):
        raise Failed(f"compare ended with {table.returncode}: {table.stderr}")


def corpus_in(work, folders=()):
    """This repository's files without what answers its suite, as they are committed."""
    corpus = work / f"corpus-{len(folders)}"
    corpus.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD", *folders], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", str(corpus)], input=archive, check=True)
    for path in ("suites", "baselines", "tests/data", "tests/snapshots"):
        shutil.rmtree(corpus / path, ignore_errors=True)
    return corpus


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--torch-python")
    parser.add_argument("--models", required=True, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="no transformer and no binary")
    given = parser.parse_args()
    cases = json.loads((ROOT / "suites/rankhold.json").read_text())["cases"]
    queries = [case["input"] for case in cases if case["metadata"].get("expectedTargets")][::3]
    models = {name: {"name": name, "folder": str(given.models / name)} for name in ("static", "onnx", "sentence")}
    failed = 0

    def attempt(name, act):
        nonlocal failed
        try:
            return act()
        except (Failed, subprocess.SubprocessError, KeyError, ValueError) as problem:
            words = getattr(problem, "stderr", None) or ""
            print(f"{name:<32} FAILED: {problem} {words}", flush=True)
            failed += 1

    with tempfile.TemporaryDirectory(prefix="rankhold-real-") as folder:
        work = pathlib.Path(folder)
        whole = corpus_in(work)
        part = corpus_in(work, ("src/retriever/worker", "src/process", "src/gate"))
        watched = [given.models, pathlib.Path(given.python).parent.parent, work, FAKES]
        for home in (".cache/semble", ".cache/huggingface", ".cache/Microsoft"):
            watched.append(pathlib.Path.home() / home)
        before = state(watched)
        run = lambda name, script, told, corpus, **more: attempt(
            name,
            lambda: measure(name, more.pop("python", given.python), script, told, corpus, queries, **more),
        )
        attempt("fake packages", lambda: hold_fakes(given.torch_python or given.python))
        warm = run("semble hybrid", "semble_worker.py", settings(model=models["static"]), whole)
        if warm:
            static = given.models / "static"
            attempt("semble, its own program", lambda: command_line(given.python, static, whole, queries, warm))
        bm25 = settings(mode="bm25", stand_in=False)
        run("semble bm25", "semble_worker.py", bm25, whole)
        if not given.quick:
            semantic = settings(model=models["static"], mode="semantic")
            run("semble semantic", "semble_worker.py", semantic, whole)
            floor = settings(model=models["static"], random=True)
            # A floor loads no model, so a process of its own costs little more than Python.
            run("semble hybrid, random vectors", "semble_worker.py", floor, whole, hold_ratio=False)
            encode = "coderankembed_worker.py"
            for mode in ("semantic", "hybrid"):
                onnx = settings(model=models["onnx"], mode=mode, max_seq_length=256)
                run(f"coderankembed {mode}, onnx", encode, onnx, part)
            floor = settings(model=models["onnx"], mode="semantic", random=True)
            run("coderankembed, random vectors", encode, floor, part, hold_ratio=False)
            if given.torch_python:
                told = settings(model=models["sentence"], mode="semantic", max_seq_length=256, trust_remote_code=True)
                # What a query costs here is the model's own time, which is the same in a process of its own.
                more = {"python": given.torch_python, "hold_ratio": False}
                run("coderankembed semantic, torch", encode, told, part, **more)
            else:
                print(f"{'coderankembed semantic, torch':<32} skipped: RANKHOLD_TORCH_PYTHON names no Python")
        changed = {path for path, seen in state(watched).items() if before.get(path) != seen} | {
            path for path in before if not os.path.exists(path)
        }
        if changed:
            print(f"{'outside the scratch folder':<32} FAILED: written: {sorted(changed)[:10]}")
            failed += 1
        else:
            print(f"{'outside the scratch folder':<32} nothing written ({len(before)} files watched)")
        if not given.quick:
            attempt("through rankhold", lambda: through_rankhold(given.python, given.models, work))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
