#!/usr/bin/env python3
"""Records what the real tools print: tests/data/transcripts/TOOL/SHAPE.json, over the small corpus beside them.

    record.py [TOOL…]

Tools are installed where `run` installs them. One that is not here keeps its old transcripts, and its name is printed.
Paths of this machine become /corpus, /scratch and /tools; the lines of a tool's own source that a Python traceback quotes
are left out. What was recorded, when, by which program, stands in recorded.json.
"""
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import tools

OUT = tools.HERE.parent / "data/transcripts"
FETCH = 50
TOP = "high water"
NOWHERE = "/no/such/folder"
INHERITED = ("PATH", "LD_LIBRARY_PATH", "LANG")


class Stage:
    """A tool on a private copy of the corpus, with a home of its own."""

    def __init__(self, name, version, program, root, **env):
        self.name, self.version, self.program = name, version, str(program)
        self.root = Path(root)
        self.corpus, self.scratch = self.root / "corpus", self.root / "scratch"
        shutil.copytree(OUT / "corpus", self.corpus)
        self.scratch.mkdir()
        self.env = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self.env |= {f"XDG_{kind}_HOME": str(self.scratch / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")}
        self.env |= {"HOME": str(self.scratch / "home"), "TMPDIR": str(self.scratch), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        self.env |= {"HF_HUB_OFFLINE": "1", "ORT_DISABLE_TELEMETRY": "1", **env}
        self.folder = OUT / name

    def folder_of(self, name, **files):
        """One more folder to search, with these files."""
        folder = self.scratch / name
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file.replace("_", ".")).write_text(text)
        return folder

    def run(self, argv, cwd=None, env=None):
        return subprocess.run(
            argv, cwd=cwd or self.corpus, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True, timeout=300
        )

    def filled(self, argv, query, corpus=None):
        values = {"{query}": query, "{fetch}": str(FETCH), "{corpus}": str(corpus or self.corpus), "{scratch}": str(self.scratch)}
        return [self.program, *(re.sub(r"\{\w+\}", lambda found: values.get(found[0], found[0]), part) for part in argv)]

    def shoot(self, shape, argv, query=TOP, corpus=None, cwd=None, env=None):
        """Runs it once and keeps what came."""
        done = self.run(self.filled(argv, query, corpus), cwd, env)
        self.keep(
            shape, argv=[Path(self.program).name, *argv], query=query, exit=done.returncode,
            stdout=self.clean(done.stdout, corpus), stderr=self.clean(done.stderr, corpus),
        )

    def converse(self, argv, tool, calls, cwd=None, env=None):
        """Calls an MCP server's tool, a shape a call, and keeps the replies."""
        server = Server(self.filled(argv, ""), cwd or self.corpus, {**self.env, **(env or {})})
        try:
            for shape, arguments in calls.items():
                reply = server.call(tool, arguments)
                request = json.loads(self.clean(json.dumps(arguments)))
                self.keep(
                    shape, argv=[Path(self.program).name, *argv], request={"name": tool, "arguments": request},
                    reply=json.loads(self.clean(json.dumps(reply, ensure_ascii=False))),
                )
        finally:
            server.end()

    def clean(self, printed, corpus=None):
        """Text without this machine in it."""
        text = printed if isinstance(printed, str) else printed.decode(errors="backslashreplace")
        for real, said in (
            (corpus if isinstance(corpus, Path) else self.corpus, "/corpus"), (self.corpus, "/corpus"),
            (self.scratch, "/scratch"), (self.root, "/scratch/.."), (tools.CACHE, "/tools"),
            (Path(self.program).resolve().parent, "/tools"), (Path.home(), "/home"),
        ):
            text = text.replace(str(real), said)
        text = re.sub(r"(?m)^(  File .*\n)(?:    .*\n)+", r"\1", text)
        text = re.sub(r"/[\w./-]*?/lib/python3[\w.]*/", "/tools/python/", text)
        text = re.sub(r"(?m)^(Stack backtrace:\n)(?:\s+.*(?:\n|\Z))+", r"\1   0: <unknown>\n", text)
        return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:1234", text)

    def keep(self, shape, **content):
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"tool": self.name, "version": self.version, **content}, indent=1, ensure_ascii=False) + "\n"
        if len(text.encode()) > 20_000:
            raise SystemExit(f"record.py: {self.name}/{shape} has {len(text.encode())} bytes, more than a transcript should")
        (self.folder / f"{shape}.json").write_text(text)


class Server:
    """An MCP server over stdio, asked one thing at a time."""

    def __init__(self, argv, cwd, env):
        self.process = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.asked = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "record.py", "version": "1"}})
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.asked += 1
        self.say({"id": self.asked, "method": method, "params": params})
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply.get("id") == self.asked:
                return reply
        raise RuntimeError(f"the server ended with {self.process.wait()}")

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def stage(name, program, version_argv, **env):
    with tempfile.TemporaryDirectory(prefix="rankhold-record-") as root:
        version = tools.first_line([program, *version_argv])
        yield Stage(name, version, program, Path(root).resolve(), **env)


def ripgrep(program):
    count = ["--no-config", "-F", "-i", "--count-matches", "--with-filename", "--null", "-e", "{query}", "{corpus}"]
    lines = ["--no-config", "--json", "-F", "-i", "-e", "{query}", "{corpus}"]
    with stage("rg", program, ["--version"]) as on:
        on.shoot("count-hits", count)
        on.shoot("count-none", count, query="zebra crossing")
        on.shoot("json-hits", lines)
        on.shoot("json-none", lines, query="zebra crossing")
        on.shoot("json-words", ["--no-config", "--json", "-F", "-i", "-e", "high", "-e", "surge", "{corpus}"])
        on.shoot("error", lines, corpus=NOWHERE)
        on.shoot("error-line-break", lines, query="high\nwater")
        on.shoot("count-partial", [*count, NOWHERE])
        on.shoot("json-partial", [*lines, NOWHERE])
        latin = on.folder_of("latin")
        (latin / "praia.txt").write_bytes("high water na maré\n".encode("latin-1"))
        with open(os.fsencode(latin) + b"/mar\xe9.txt", "w") as file:
            file.write("high water\n")
        on.shoot("json-bytes", lines, corpus=".", cwd=latin)  # a path in base64 would keep the name of this machine's folder


def probe(name, program):
    search = ["search", "--format", "json", "--max-results", "{fetch}", "--timeout", "300", "--allow-tests", "--", "{query}", "{corpus}"]
    with stage(name, program, ["--version"]) as on:
        few = ["search", "--format", "json", "--max-results", "2", "--timeout", "300", "--", "{query}", "{corpus}"]
        on.shoot("hits", search, query="nearest station")
        on.shoot("hits-cut", few)
        on.shoot("hits-brace", few, query='high water {"results": [], "summary": {}}')  # the older program prints the query first
        on.shoot("hits-line-break", few, query='high water\n{"results": [], "summary": {}}\n')
        on.shoot("none", search, query="xylograph")
        on.shoot("none-stop-words", search, query="the and of")
        on.shoot("none-dash", search, query="-xylograph")
        named = on.scratch / "xylograph/corpus"  # the names of the folders above count as the files' own
        shutil.copytree(on.corpus, named)
        on.shoot("folder-named-as-the-query", few, query="xylograph", corpus=named)
        shutil.move(named.parent, on.scratch / "x")
        on.shoot("zero-score", few, query="xylograph", corpus=on.scratch / "x/corpus")
        on.shoot("one-file", search, query="rankholdprobe", corpus=on.folder_of("one", probe_txt="a rankholdprobe word\n"))
        on.shoot("exit-0-error", search, corpus=NOWHERE)
        on.shoot("error", ["search", "--no-such-flag", *search[1:]])


def colgrep(program):
    model = tools.colbert()
    with stage("colgrep", program, ["--version"], ORT_DYLIB_PATH=str(tools.onnxruntime())) as on:
        common = ["--force-cpu", "--model", str(model)]
        said = ["--force-cpu", "--model", "{model}"]
        search = ["search", *common, "--json", "--color", "never", "--no-update", "-k", "{fetch}"]

        def shoot(shape, argv, **options):
            on.shoot(shape, argv, **options)
            path = on.folder / f"{shape}.json"
            path.write_text(path.read_text().replace(on.clean(str(model)), "{model}").replace(str(model), "{model}"))

        shoot("prepare", ["init", *common, "-y", "{corpus}"])
        shoot("prepare-again", ["init", *common, "-y", "{corpus}"])
        shoot("hits", [*search[:-1], "3", "--", "{query}", "{corpus}"])
        shoot("none", [*search, "-e", "xylograph", "--", "{query}", "{corpus}"])
        shoot("error", [*search, "--", "{query}", "{corpus}/missing"])  # it lists the nearest folder that is there
        empty = on.folder_of("empty")
        shoot("prepare-empty", ["init", *common, "-y", "{corpus}"], corpus=empty)
        shoot("error-empty", [*search, "--", "{query}", "{corpus}"], corpus=empty)
        shoot("error-no-index", [*search, "--", "{query}", "{corpus}"], corpus=on.folder_of("fresh", one_md="# High water\n"))
        shoot("error-model", ["init", "--force-cpu", "--model", "/no/such/model", "-y", "{corpus}"])
        shoot("error-runtime", ["init", *common, "-y", "{corpus}"], corpus=on.folder_of("other", one_md="# High water\n"), env={"ORT_DYLIB_PATH": "/no/such/library.so"})


def semble(program):
    with stage("semble", program, ["--version"], SEMBLE_MODEL_NAME=str(tools.static(random=True))) as on:
        search = ["search", "-k", "{fetch}", "--max-snippet-lines", "0", "--format", "json", "--", "{query}", "{corpus}"]
        on.shoot("hits", search)
        on.shoot("hits-content", ["search", "-k", "2", "--format", "json", "--", "{query}", "{corpus}"])
        on.shoot("none", search, query="")
        on.shoot("error", search, corpus=NOWHERE)
        empty = on.folder_of("empty")
        on.shoot("error-traceback", search, corpus=empty)
        on.shoot("error-model", search, env={"SEMBLE_MODEL_NAME": "/no/such/model"}, corpus=on.folder_of("one", one_py="high = 'water'\n"))
        on.shoot("error-flag", ["search", "--no-such-flag", "--", "{query}", "{corpus}"])
        ask = lambda **given: {"repo": str(on.corpus), "top_k": FETCH, "max_snippet_lines": 0, **given}
        on.converse([], "search", {
            "mcp-hits": ask(query=TOP),
            "mcp-none": ask(query=""),
            "mcp-error-as-answer": ask(query=TOP, repo=NOWHERE),
            "mcp-error": {"repo": str(on.corpus)},
        })


@contextmanager
def endpoint(*arguments):
    """The stand-in for an embedding model; yields its URL."""
    server = subprocess.Popen([sys.executable, tools.STANDINS / "embed_server.py", *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().split()[1]
    finally:
        server.terminate()
        server.wait()


def grepai(program):
    with endpoint() as url, stage("grepai", program, ["version"]) as on:
        search = ["search", "--json", "--compact", "-n", "{fetch}", "--", "{query}"]
        on.shoot("error-no-project", search)
        on.shoot("init", ["init", "--provider", "openai", "--backend", "gob", "--yes"])
        config = on.corpus / ".grepai/config.yaml"
        text = config.read_text()
        text = re.sub(r"(?m)^(    endpoint: ).*$", rf"\g<1>{url}\n    api_key: none\n    dimensions: 256", text, count=1)
        config.write_text(text)
        on.shoot("none-no-index", search)
        watch(on)
        on.shoot("hits", search)
        on.shoot("hits-content", ["search", "--json", "-n", "2", "--", "{query}"])
        on.shoot("hits-dash", search, query="--help")
        on.shoot("error-flag", ["search", "--compact", "--", "{query}"])
        ask = lambda **given: {"limit": FETCH, "compact": True, "format": "json", **given}
        on.converse(["mcp-serve", "{corpus}"], "grepai_search", {"mcp-hits": ask(query=TOP), "mcp-error": {"limit": 5}})
        config.write_text(text.replace(url, "http://127.0.0.1:9/v1"))
        on.shoot("exit-0-error", search)
        on.converse(["mcp-serve", "{corpus}"], "grepai_search", {"mcp-error-endpoint": ask(query=TOP)})


def watch(on):
    """Indexes: there is no command for that alone, so the watcher is ended once it says that it only watches."""
    argv = ["watch", "--no-ui"]
    process = subprocess.Popen(on.filled(argv, ""), cwd=on.corpus, env=on.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    printed = b""
    while b"Watching for changes" not in printed and (some := os.read(process.stdout.fileno(), 4096)):
        printed += some
    process.send_signal(signal.SIGTERM)
    printed += process.stdout.read()
    code = process.wait(30)
    reader.join()
    on.keep("prepare", argv=[Path(on.program).name, *argv], query="", exit=code, stdout=on.clean(printed), stderr=on.clean(errors[0]))


def ak_docs(program):
    with stage("ak-docs", program, ["--version"]) as on:
        search = ["search", " {query}"]
        on.shoot("error-no-config", search)
        config = {"schemaVersion": 1, "corpus": {"agent": {"root": "."}}, "index": {"llmsTxt": {"enabled": False}, "capabilities": {"enabled": False}}}
        config["index"]["outFile"] = "../scratch/ak-docs.json"
        (on.corpus / "doc-bridge.config.json").write_text(json.dumps(config))
        on.shoot("error-no-index", search)
        on.shoot("prepare", ["index"])
        on.shoot("hits", search, query="station")
        on.shoot("none", search, query="zebra crossing")
        on.shoot("error", search, query="")
        on.shoot("exit-0-noise", ["search", "{query}"], query="--version")
        on.shoot("hits-retrieve", ["retrieve", " {query}"], query="station")
        on.converse(["mcp"], "doc.search", {
            "mcp-hits": {"term": "station", "limit": FETCH},
            "mcp-none": {"term": "zebra crossing", "limit": FETCH},
            "mcp-error": {"term": "", "limit": FETCH},
            "mcp-error-limit": {"term": "station", "limit": 500},
        })
        on.converse(["mcp"], "retriever.query", {"mcp-hits-chunks": {"query": "station", "limit": FETCH}})
        (on.scratch / "ak-docs.json").unlink()
        on.converse(["mcp"], "doc.search", {"mcp-error-no-index": {"term": "station", "limit": FETCH}})


RECORDERS = {
    "rg": (tools.ripgrep, ripgrep),
    "probe-newer": (tools.npm_probe, lambda program: probe("probe-newer", program)),
    "probe-older": (lambda: tools.crate(tools.PROBE_OLDER, "probe"), lambda program: probe("probe-older", program)),
    "colgrep": (lambda: tools.crate(tools.COLGREP, "colgrep"), colgrep),
    "semble": (tools.semble, semble),
    "grepai": (lambda: tools.given("RANKHOLD_GREPAI"), grepai),
    "ak-docs": (lambda: tools.given("RANKHOLD_AK_DOCS"), ak_docs),
}


def main():
    unknown = [name for name in sys.argv[1:] if name not in RECORDERS]
    if unknown:
        raise SystemExit(f"record.py: no tool {unknown[0]}; there are {', '.join(RECORDERS)}")
    log = OUT / "recorded.json"
    recorded = json.loads(log.read_text()) if log.exists() else {}
    for name in sys.argv[1:] or RECORDERS:
        find, record = RECORDERS[name]
        try:
            program = find()
        except tools.Missing as missing:
            print(f"{name}: kept as it is, {missing}")
            continue
        shutil.rmtree(OUT / name, ignore_errors=True)
        record(program)
        kept = sorted((OUT / name).glob("*.json"))
        version = json.loads(kept[0].read_text())["version"]
        recorded[name] = {"version": version, "day": datetime.date.today().isoformat()}
        if not tools.is_script(program):
            recorded[name]["sha256"] = tools.digest(program)
        log.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + "\n")
        print(f"{name}: {len(kept)} transcripts of {version}")


main()
