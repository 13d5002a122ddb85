#!/usr/bin/env python3
"""What scripts/act.sh shows: pull requests on an emulated GitHub, judged by the real image under act.

1. A first pull request without a baseline: neutral, and the comment says what to do.
2. A baseline on main, and a pull request that loses a case: a red check and a comment that names the case.
3. A push that brings it back: the same comment turns, and the check of the new head is green.
4. The same loss from a fork, whose token only reads: nothing is written, the step fails, the log says why.
5. A loss that is meant, with docs/workflows/command.yml on main: a stranger's approval is refused; `/rankhold status` shows
   the token; the maintainer's approval is committed to the branch and turns the check.
6. The next push is held against what was approved; once the comment is edited, the baseline counts no more.

What the emulator lacks for commands is added by a proxy (scripts/emulated.py). Not played here, and where it is: the other
modes and forks (tests/it/github/approve.rs), commands that break off and faults (tests/it/github/faults.rs), attackers
(tests/it/github/attacks.rs), and an App's `commit-token` (tests/it/github/approve.rs). `concurrency` is GitHub's alone.

act gives the end of the job neither state nor inputs, so that the action measures once more there, without a token; GitHub's
runner gives it both (tests/it/action_phases.rs). A command would be answered once more: it is run without that phase.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from emulated import REPOSITORY, Emulator

HOME = Path(__file__).resolve().parent.parent
JUDGE = (HOME / "docs/workflows/same-repository.yml").read_text()
COMMAND = (HOME / "docs/workflows/command.yml").read_text()
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


def granted(workflow):
    """What a workflow asks for its job: its token may do that and no more, which act itself does not see to."""
    permissions = re.findall(r"^ {6}([a-z-]+): (read|write) #", workflow, re.MULTILINE)
    expect(len(permissions) == workflow.count(": read #") + workflow.count(": write #"), "all permissions are understood")
    return {"metadata": "read", **{name.replace("-", "_"): level for name, level in permissions}}


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


# In the place of GitHub's action, which cannot be downloaded here and keeps files where nobody reads them: says which are
# there, and takes the inputs that the workflows give.
UPLOAD = """name: upload-artifact
description: Says what would be kept.
inputs:
  name: {required: true}
  path: {required: true}
  if-no-files-found: {required: false}
runs:
  using: composite
  steps:
    - shell: sh
      run: ls -d "$WHAT" || true
      env: {WHAT: "${{ inputs.path }}"}
"""


def uploads():
    """Every version of it that the workflows name."""
    named = re.findall(r"uses: (actions/upload-artifact@\S+)", JUDGE + COMMAND)
    return sorted(set(named))


class Act:
    """One run of the workflow: a new run id, a token, an event."""

    def __init__(self, arguments, emulator, checkout, folder):
        self.arguments, self.emulator, self.checkout, self.folder = arguments, emulator, checkout, folder
        self.runs = 0
        self.action = folder / "action"
        self.action.mkdir()
        self.upload = folder / "upload-artifact"
        self.upload.mkdir()
        (self.upload / "action.yml").write_text(UPLOAD)

    def release(self, name):
        """The action as a release has it: its image is there already, and is not built from this tree."""
        lines = [
            f"  image: docker://{self.arguments.image}" if line.startswith("  image: ") else line
            for line in (HOME / "action.yml").read_text().splitlines()
            if not (name == "issue_comment" and line.startswith("  post-entrypoint: "))
        ]
        (self.action / "action.yml").write_text("\n".join(lines) + "\n")

    def run(self, name, event, token, actor="maint"):
        self.runs += 1
        self.release(name)
        payload = self.folder / "event.json"
        payload.write_text(json.dumps(event))
        command = [
            self.arguments.act, name, "--actor", actor, "--eventpath", payload, "--pull=false",
            "--platform", f"ubuntu-24.04={self.arguments.job}", "--local-repository", f"rankhold/rankhold@main={self.action}",
            *(part for name in uploads() for part in ("--local-repository", f"{name}={self.upload}")),
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
    write, commit = granted(JUDGE), granted(COMMAND)
    read = dict.fromkeys(write, "read")
    cases = [
        {"id": word, "input": text.lower(), "metadata": {"expectedTargets": [f"docs/{word}.md"]}}
        for word, text in DOCS.items()
    ]
    files = {f"docs/{word}.md": f"# {word.title()}\n\n{text}.\n" for word, text in DOCS.items()}
    files["suites/docs.json"] = json.dumps({"evalFormatVersion": "2026-04", "name": "Docs", "cases": cases}, indent=1)
    files[".github/workflows/rankhold.yml"] = JUDGE
    for path, text in files.items():
        checkout.write(path, text)
        emulator.put("main", path, text)

    def change(branch, path, text):
        checkout.write(path, text)
        emulator.put(branch, path, text)

    def judged(number, branch, action, permissions):
        checkout.at(emulator.tip(branch))
        return act.run("pull_request", emulator.event(number, action), emulator.token(permissions))

    def says(number, login, text):
        """Somebody comments, and the command workflow hears it: the comment, and what was written below it since."""
        before = {comment["id"] for comment in emulator.comments(number)}
        said = emulator.said(number, login, text)
        comment = said["comment"]["id"]
        checkout.at(emulator.tip("main"))
        expect(act.run("issue_comment", said, emulator.token(commit), login) == 0, "the step succeeds")
        answers = [other for other in emulator.comments(number) if other["id"] not in {*before, comment}]
        expect(len(answers) == 1 and answers[0]["user"]["login"] == "github-actions[bot]", "one answer, by the workflow")
        return comment, answers[0]["body"]

    def verdict(number, branch):
        sha = emulator.tip(branch)
        checks = [check for check in emulator.checks(sha) if check["name"] == CHECK]
        expect(len(checks) == 1 and checks[0]["status"] == "completed", "one check on the head, completed")
        comments = emulator.comments(number)
        reports = [comment for comment in comments if comment["body"].rstrip().endswith("<!-- rankhold:report -->")]
        expect(len(reports) == 1, "one report")
        expect(reports[0]["user"]["login"] == "github-actions[bot]", "by the workflow")
        return checks[0]["conclusion"], reports[0]

    print("1. a first pull request, no baseline")
    emulator.branch("first")
    change("first", "docs/new.md", "# New\n\nNothing yet.\n")
    number = emulator.pull("first")
    expect(judged(number, "first", "opened", write) == 0, "the step succeeds")
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
    expect(judged(number, "lose", "opened", write) == 0, "the step succeeds: the check says it")
    conclusion, lost = verdict(number, "lose")
    expect(conclusion == "failure", "a red check")
    expect("Lost (1)" in lost["body"] and "`beta`" in lost["body"], "the comment names the lost case")

    print("3. a push that brings it back")
    change("lose", "docs/beta.md", files["docs/beta.md"])
    for at in range(4):
        change("lose", f"docs/other{at}.md", "# Other\n\nOf something else.\n")
    expect(judged(number, "lose", "synchronize", write) == 0, "the step succeeds")
    conclusion, comment = verdict(number, "lose")
    expect(conclusion == "success", "a green check on the new head")
    expect(comment["id"] == lost["id"] and "Lost (" not in comment["body"], "the same comment, turned")

    print("4. the loss again, from a fork")
    emulator.branch("fork-lose")
    for at in range(4):
        change("fork-lose", f"docs/other{at}.md", "# Configure beta logging and levels\n\nConfigure beta logging and levels.\n" * 3)
    change("fork-lose", "docs/beta.md", "# Beta\n\nNothing to see.\n")
    number = emulator.pull("fork-lose")
    expect(judged(number, "fork-lose", "opened", read) != 0, "the step fails")
    expect(emulator.comments(number) == [] and emulator.checks(emulator.tip("fork-lose")) == [], "nothing was written")
    expect("this token only reads" in act.log, "the log says why")
    expect("1 lost" in act.log, "and what was lost")

    print("5. a loss that is meant, and commands")
    command, removed = re.subn(r"\n +queue: max #[^\n]*", "", COMMAND)
    expect(removed == 1, "act does not know `queue`: as the file says, it is taken out, and nothing else is")
    change("main", ".github/workflows/rankhold-command.yml", command)
    emulator.branch("meant")
    change("meant", "docs/beta.md", "# Beta\n\nNothing to see.\n")
    for at in range(4):
        change("meant", f"docs/other{at}.md", "# Configure beta logging and levels\n\nConfigure beta logging and levels.\n" * 3)
    number = emulator.pull("meant")
    expect(judged(number, "meant", "opened", write) == 0, "the step succeeds")
    conclusion, report = verdict(number, "meant")
    shown = re.search("/rankhold approve ([0-9a-f]{32})", report["body"])
    expect(conclusion == "failure" and shown, "a red check, and the report shows the command")
    token, head = shown[1], emulator.tip("meant")

    comment, answer = says(number, "stranger", f"/rankhold approve {token} looks fine to me")
    expect("not one of this repository's approvers" in answer, "a stranger is told that he is no approver")
    expect(emulator.reactions.get(comment) == {"-1"}, "his comment gets a thumb down")
    expect(emulator.tip("meant") == head, "nothing is committed")
    expect(verdict(number, "meant")[0] == "failure", "the check stays red")

    comment, answer = says(number, "stranger", "/rankhold status")
    expect(token in answer and head[:7] in answer, "anybody is shown what can be approved, and at which commit")
    expect(emulator.reactions.get(comment) == {"eyes"}, "his comment was seen")

    comment, answer = says(number, "maint", f"/rankhold approve {'0' * 32}")
    expect("other figures" in answer and token in answer, "another token is stale, and the answer has the present one")
    expect(emulator.tip("meant") == head, "nothing is committed")

    reason = "beta is documented elsewhere"
    approval, answer = says(number, "maint", f"/rankhold approve {token} {reason}")
    expect("`maint` approved these figures" in answer and reason in answer, "the maintainer's approval is confirmed")
    expect(emulator.reactions.get(approval) == {"+1"}, "his comment gets a thumb up")
    approved = emulator.call("GET", f"{REPOSITORY}/commits/{emulator.tip('meant')}")
    expect([parent["sha"] for parent in approved["parents"]] == [head], "one commit on what was approved")
    expect("github-actions[bot]" in approved["commit"]["author"]["email"], "by the workflow")
    expect(reason not in approved["commit"]["message"] and token in approved["commit"]["message"], "with a message of ours")
    conclusion, report = verdict(number, "meant")
    expect(conclusion == "success", "a green check on it")
    baseline = emulator.file("meant", "baselines/docs.bm25.json")
    record = json.loads(baseline)["approval"]
    expect((record["approvedBy"], record["reason"]) == ("maint", reason), "the file says who and why")
    expect((record["github"]["comment"], record["github"]["token"]) == (approval, token), "and by which comment and token")
    checkout.write("baselines/docs.bm25.json", baseline)
    verify = ["docker", "run", "--rm", "--network", "none", "--volume", f"{checkout.root}:/tree:ro", "--workdir", "/tree"]
    verified = subprocess.run([*verify, arguments.image, "verify", "baselines/docs.bm25.json"], capture_output=True)
    expect(verified.returncode == 0, "it verifies without GitHub")

    print("6. after the approval")
    change("meant", "docs/more.md", "# More\n\nOf gamma.\n")
    expect(judged(number, "meant", "synchronize", write) == 0, "the step succeeds")
    expect(verdict(number, "meant")[0] == "success", "the next push is held against what was approved: green")
    emulator.edit(approval, f"/rankhold approve {token} on second thoughts")
    expect(judged(number, "meant", "synchronize", write) == 0, "the step succeeds")
    conclusion, report = verdict(number, "meant")
    expect(conclusion == "failure" and "no approval covers" in report["body"], "once the comment is edited: red again")


if __name__ == "__main__":
    main()
