"""How the Python workers that ship with Rankhold talk: JSON Lines (docs/protocol.md), out of reach of libraries."""

import importlib
import json
import os
import platform
import sys
import traceback


class Missing(Exception):
    """What must be had before anything can be asked, and how to get it. `packages` are those that the hint installs, `parts`
    what it is made of if it is several things."""

    def __init__(self, what, hint, packages=(), parts=()):
        super().__init__(what)
        self.what, self.hint, self.packages, self.parts = what, hint, tuple(packages), list(parts) or [self]


def pip(packages):
    """How to get packages."""
    return f"`pip install {' '.join(packages)}` for that Python, or name the one that has it with `python`"


def settings():
    """What Rankhold wrote beside this file. Libraries read their threads from the environment, once, when they load."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "settings.json"), encoding="utf-8") as file:
        read = json.load(file)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, str(read["threads"]))
    if read["online"]:
        os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "0"
    return read


def load(module, install):
    """A module of a package that must be installed; `install` is what pip is told."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package, absent = module.split(".")[0], error.name or module
        here = f"Python {platform.python_version()}"
        if absent == package:
            packages = install.split()
            raise Missing(f"{here} has no package `{package}`", pip(packages), packages) from None
        other = absent.split(".")[0]
        raise Missing(
            f"the package `{package}` of {here} lacks `{absent}`",
            f"`pip install {install}{'' if other == package else ' ' + other}` for that Python",
        ) from None


def together(*looks):
    """What each look finds; what several of them miss is told at once, so that nothing is fetched for nothing, and packages
    that several of them want are installed by one command."""
    found, missing = [], []
    for look in looks:
        try:
            found.append(look())
        except Missing as absent:
            missing.extend(absent.parts)
    if missing:
        packages = dict.fromkeys(package for absent in missing for package in absent.packages)
        hints = dict.fromkeys(pip(packages) if absent.packages else absent.hint for absent in missing)
        whats = dict.fromkeys(absent.what for absent in missing)
        raise Missing("; ".join(whats), "; ".join(hints), parts=missing)
    return found


def take_streams():
    """Both ends of the conversation. What a library prints goes to stderr from now on, and what it reads is empty."""
    asked = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    told = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(os.devnull, encoding="utf-8"), sys.stderr
    return asked, told


def answer(operations, request):
    """The reply to one request, without its id."""
    try:
        if request["op"] not in operations:
            raise ValueError(f"no such operation: {request['op']}")
        return {"ok": True, **operations[request["op"]](request)}
    except Missing as missing:
        return {"ok": False, "error": {"detail": missing.what, "hint": missing.hint}}
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return {"ok": False, "error": {"detail": f"{type(error).__name__}: {error}"}}


def converse(operations):
    """Answers until it is told to stop or nobody asks any more."""
    asked, told = take_streams()
    operations = {"stop": lambda request: {}, **operations}
    for line in asked:
        request = json.loads(line)
        told.write(json.dumps({"id": request["id"], **answer(operations, request)}) + "\n")
        told.flush()
        if request["op"] == "stop":
            return
