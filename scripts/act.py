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
import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
REPOSITORY = "/repos/maint/corpus"
CHECK = "rankhold/verdict"
READ = {"metadata": "read", "contents": "read", "actions": "read", "checks": "read", "pull_requests": "read"}
WRITE = {**READ, "checks": "write", "pull_requests": "write"}  # those of the workflow

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


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Emulator:
    """The emulator, and a proxy before it that corrects what it does otherwise than GitHub.

    - A pull request's head moves with its branch; the emulator leaves it where it was.
    - `GET /user` is refused to a workflow's token; the emulator answers.
    - A fork shares its commits with the repository it was forked from; the emulator's does not, so that a branch named
      fork-… stands for one: its pull request's head lies in another repository.
    """

    def __init__(self, command, folder):
        self.key = folder / "app.pem"
        subprocess.run(["openssl", "genrsa", "-traditional", "-out", self.key, "2048"], check=True, capture_output=True)
        seed = folder / "seed.json"  # JSON is YAML
        seed.write_text(json.dumps(self.seed(self.key.read_text())))
        port = free_port()
        self.direct = f"http://127.0.0.1:{port}"
        self.log = open(folder / "emulator.log", "wb")
        arguments = [*command, "start", "--service", "github", "--port", str(port), "--seed", str(seed)]
        self.process = subprocess.Popen(arguments, stdout=self.log, stderr=self.log)
        for _ in range(100):
            try:
                urllib.request.urlopen(self.direct + REPOSITORY)
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                time.sleep(0.1)
        self.proxy = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.url = f"http://127.0.0.1:{self.proxy.server_address[1]}"
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()

    @staticmethod
    def seed(key):
        app = {
            "app_id": 15368, "slug": "github-actions", "name": "GitHub Actions", "private_key": key, "events": [],
            "permissions": {**WRITE, "contents": "write", "issues": "write"},
            "installations": [{"installation_id": 100, "account": "maint", "repository_selection": "all"}],
        }
        return {
            "tokens": {"tok_maint": {"login": "maint", "scopes": ["repo", "user"]}},
            "github": {
                "users": [{"login": "maint", "name": "Maintainer", "email": "maint@example.com"}],
                "repos": [{"owner": "maint", "name": "corpus", "auto_init": True}],
                "apps": [app],
            },
        }

    def handler(emulator):
        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length) if length else None
                status, kind, text = emulator.forward(self.command, self.path, body, self.headers)
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                pass

        return Handler

    def forward(self, verb, path, body, headers):
        if path == "/user":
            return 403, "application/json", b'{"message": "Resource not accessible by integration"}'
        passed = {name: headers[name] for name in ("authorization", "accept", "content-type") if headers.get(name)}
        request = urllib.request.Request(self.direct + path, method=verb, data=body, headers=passed)
        try:
            with urllib.request.urlopen(request) as reply:
                status, kind, text = reply.status, reply.headers.get("content-type", ""), reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("content-type", ""), error.read()
        if verb == "GET" and path.startswith(REPOSITORY + "/pulls/"):
            text = json.dumps(self.corrected(json.loads(text))).encode()
        return status, kind, text

    def corrected(self, pull):
        pull["head"]["sha"] = self.tip(pull["head"]["ref"])
        if pull["head"]["ref"].startswith("fork-"):
            pull["head"]["repo"] = {**pull["head"]["repo"], "id": 4711, "full_name": "stranger/corpus"}
        return pull

    def call(self, verb, path, body=None, token="tok_maint", base=None):
        data = json.dumps(body).encode() if body is not None else None
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        request = urllib.request.Request((base or self.direct) + path, method=verb, data=data, headers=headers)
        with urllib.request.urlopen(request) as reply:
            text = reply.read()
        return json.loads(text) if text else None

    def tip(self, branch):
        return self.call("GET", f"{REPOSITORY}/branches/{branch}")["commit"]["sha"]

    def branch(self, name):
        self.call("POST", REPOSITORY + "/git/refs", {"ref": f"refs/heads/{name}", "sha": self.tip("main")})

    def put(self, branch, path, text):
        body = {"message": path, "content": base64.b64encode(text.encode()).decode(), "branch": branch}
        try:
            body["sha"] = self.call("GET", f"{REPOSITORY}/contents/{path}?ref={branch}")["sha"]
        except urllib.error.HTTPError:
            pass
        self.call("PUT", f"{REPOSITORY}/contents/{path}", body)

    def pull(self, branch):
        body = {"title": branch, "head": branch, "base": "main"}
        return self.call("POST", REPOSITORY + "/pulls", body)["number"]

    def event(self, number, action):
        pull = self.call("GET", f"{REPOSITORY}/pulls/{number}", base=self.url)
        repository = self.call("GET", REPOSITORY)
        return {"action": action, "number": number, "pull_request": pull, "repository": repository}

    def token(self, permissions):
        """What a workflow gets: an unknown token would act as a user who may do anything."""
        encoded = lambda text: base64.urlsafe_b64encode(text).rstrip(b"=").decode()
        now = int(time.time())
        claims = {"iat": now - 10, "exp": now + 300, "iss": "15368"}
        signed = encoded(b'{"alg":"RS256","typ":"JWT"}') + "." + encoded(json.dumps(claims).encode())
        sign = ["openssl", "dgst", "-sha256", "-sign", self.key]
        signature = subprocess.run(sign, input=signed.encode(), capture_output=True, check=True).stdout
        jwt = f"{signed}.{encoded(signature)}"
        return self.call("POST", "/app/installations/100/access_tokens", {"permissions": permissions}, jwt)["token"]

    def comments(self, number):
        return self.call("GET", f"{REPOSITORY}/issues/{number}/comments")

    def checks(self, sha):
        return self.call("GET", f"{REPOSITORY}/commits/{sha}/check-runs")["check_runs"]

    def end(self):
        self.proxy.shutdown()
        self.process.terminate()
        self.process.wait()
        self.log.close()


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
