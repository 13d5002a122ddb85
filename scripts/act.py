#!/usr/bin/env python3
"""What scripts/act.sh shows: pull requests on an emulated GitHub, judged by the real image under act.

1. A first pull request without a baseline: neutral, and the comment says what to do.
2. A baseline on main, and a pull request that loses a case: a red check and a comment that names the case.
3. A push that brings it back: the same comment turns, and the check of the new head is green.
4. The same loss from a fork, whose token only reads: nothing is written, the step fails, the log says why.

act gives the end of the job neither state nor inputs, so that the action measures once more there, without a token; GitHub's
runner gives it both (tests/it/action_phases.rs).
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from emulated import READ, WRITE, Emulator

HOME = Path(__file__).resolve().parent.parent
CHECK = "rankhold/verdict"

DOCS = {
    "alpha": "How to install the alpha component with cargo",
    "beta": "Configure beta logging and levels",
    "gamma": "Gamma retries and exponential backoff",
    "delta": "Deploy delta to production clusters",
}


def expect(holds, what):
    if not holds:
        raise SystemExit(f"act.py: expected {what}")
    print(f"  ok: {what}")


class Checkout:
    """The tree that a workflow checks out. Its commits are the emulator's: `.git` only says which."""

    def __init__(self, root):
        self.root = root
        subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", root], check=True)
        self.git("remote", "add", "origin", "https://github.com/maint/corpus.git")

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, *arguments], check=True)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def at(self, sha):
        (self.root / ".git" / "HEAD").write_text(sha + "\n")


class Act:
    """One run of the workflow: a new run id, a token, an event."""

    def __init__(self, arguments, emulator, checkout, folder):
        self.arguments, self.emulator, self.checkout, self.folder = arguments, emulator, checkout, folder
        self.runs = 0
        # The action as a release has it: its image is there already, and is not built from this tree.
        self.action = folder / "action"
        self.action.mkdir()
        text = (HOME / "action.yml").read_text()
        lines = [f"  image: docker://{arguments.image}" if line.startswith("  image: ") else line for line in text.splitlines()]
        (self.action / "action.yml").write_text("\n".join(lines) + "\n")

    def run(self, event, token):
        self.runs += 1
        payload = self.folder / "event.json"
        payload.write_text(json.dumps(event))
        command = [
            self.arguments.act, "pull_request", "--actor", "maint", "--eventpath", payload, "--pull=false",
            "--platform", f"ubuntu-24.04={self.arguments.job}", "--local-repository", f"rankhold/rankhold@main={self.action}",
            "--secret", f"GITHUB_TOKEN={token}", "--container-daemon-socket", "-", "--no-cache-server",
            "--action-offline-mode", "--action-cache-path", self.folder / "cache", "--rm",
            "--env", f"GITHUB_API_URL={self.emulator.url}", "--env", f"GITHUB_RUN_ID={self.runs}",
        ]
        began = time.monotonic()
        environment = {**os.environ, "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache")}
        ran = subprocess.run(command, cwd=self.checkout.root, env=environment, capture_output=True, text=True, timeout=300)
        print(f"  act: exit {ran.returncode} after {time.monotonic() - began:.1f} s")
        self.log = ran.stdout + ran.stderr
        if self.arguments.verbose:
            print(self.log)
        return ran.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--act", required=True)
    parser.add_argument("--image", required=True)
    parser.add_argument("--job", required=True, help="image that jobs run in")
    parser.add_argument("--emulator", required=True, nargs=2)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    emulator = Emulator(arguments.emulator, folder)
    act = None
    try:
        checkout = Checkout(folder / "corpus")
        act = Act(arguments, emulator, checkout, folder)
        scenes(arguments, emulator, checkout, act)
    except SystemExit:
        print(act.log if act and hasattr(act, "log") else "", file=sys.stderr)
        raise
    finally:
        emulator.end()
        shutil.rmtree(folder, ignore_errors=True)
    print("all of it holds")


def scenes(arguments, emulator, checkout, act):
    cases = [
        {"id": word, "input": text.lower(), "metadata": {"expectedTargets": [f"docs/{word}.md"]}}
        for word, text in DOCS.items()
    ]
    files = {f"docs/{word}.md": f"# {word.title()}\n\n{text}.\n" for word, text in DOCS.items()}
    files["suites/docs.json"] = json.dumps({"evalFormatVersion": "2026-04", "name": "Docs", "cases": cases}, indent=1)
    files[".github/workflows/rankhold.yml"] = (HOME / "docs/workflows/same-repository.yml").read_text()
    for path, text in files.items():
        checkout.write(path, text)
        emulator.put("main", path, text)

    def change(branch, path, text):
        checkout.write(path, text)
        emulator.put(branch, path, text)

    def judged(number, branch, action, permissions):
        checkout.at(emulator.tip(branch))
        return act.run(emulator.event(number, action), emulator.token(permissions))

    def verdict(number, branch):
        sha = emulator.tip(branch)
        checks = [check for check in emulator.checks(sha) if check["name"] == CHECK]
        expect(len(checks) == 1 and checks[0]["status"] == "completed", "one check on the head, completed")
        comments = emulator.comments(number)
        expect(len(comments) == 1, "one comment")
        expect(comments[0]["user"]["login"] == "github-actions[bot]", "by the workflow")
        return checks[0]["conclusion"], comments[0]

    print("1. a first pull request, no baseline")
    emulator.branch("first")
    change("first", "docs/new.md", "# New\n\nNothing yet.\n")
    number = emulator.pull("first")
    expect(judged(number, "first", "opened", WRITE) == 0, "the step succeeds")
    conclusion, comment = verdict(number, "first")
    expect(conclusion == "neutral", "neutral")
    expect("rankhold approve" in comment["body"], "the comment says how to approve")

    print("2. a baseline on main, and a pull request that loses a case")
    approve = ["docker", "run", "--rm", "--network", "none", "--volume", f"{checkout.root}:/tree", "--workdir", "/tree"]
    subprocess.run([*approve, arguments.image, "--quiet", "approve", "--by", "maint"], check=True)
    emulator.put("main", "docs/new.md", (checkout.root / "docs/new.md").read_text())
    emulator.put("main", "baselines/docs.bm25.json", (checkout.root / "baselines/docs.bm25.json").read_text())
    emulator.branch("lose")
    change("lose", "docs/beta.md", "# Beta\n\nNothing to see.\n")
    for at in range(4):
        change("lose", f"docs/other{at}.md", "# Configure beta logging and levels\n\nConfigure beta logging and levels.\n" * 3)
    number = emulator.pull("lose")
    expect(judged(number, "lose", "opened", WRITE) == 0, "the step succeeds: the check says it")
    conclusion, lost = verdict(number, "lose")
    expect(conclusion == "failure", "a red check")
    expect("Lost (1)" in lost["body"] and "`beta`" in lost["body"], "the comment names the lost case")

    print("3. a push that brings it back")
    change("lose", "docs/beta.md", files["docs/beta.md"])
    for at in range(4):
        change("lose", f"docs/other{at}.md", "# Other\n\nOf something else.\n")
    expect(judged(number, "lose", "synchronize", WRITE) == 0, "the step succeeds")
    conclusion, comment = verdict(number, "lose")
    expect(conclusion == "success", "a green check on the new head")
    expect(comment["id"] == lost["id"] and "Lost (" not in comment["body"], "the same comment, turned")

    print("4. the loss again, from a fork")
    emulator.branch("fork-lose")
    for at in range(4):
        change("fork-lose", f"docs/other{at}.md", "# Configure beta logging and levels\n\nConfigure beta logging and levels.\n" * 3)
    change("fork-lose", "docs/beta.md", "# Beta\n\nNothing to see.\n")
    number = emulator.pull("fork-lose")
    expect(judged(number, "fork-lose", "opened", READ) != 0, "the step fails")
    expect(emulator.comments(number) == [] and emulator.checks(emulator.tip("fork-lose")) == [], "nothing was written")
    expect("this token only reads" in act.log, "the log says why")
    expect("1 lost" in act.log, "and what was lost")


if __name__ == "__main__":
    main()
