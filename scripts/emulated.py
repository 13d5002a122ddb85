"""GitHub for scripts/act.py: the emulator, behind a proxy that corrects what it does otherwise and adds what it lacks."""
import base64
import json
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPOSITORY = "/repos/maint/corpus"
# What the App may do that stands for GitHub's own; each of its tokens may do a part of it.
MOST = {"metadata": "read", "actions": "read", "checks": "write", "contents": "write", "issues": "write", "pull_requests": "write"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Emulator:
    """The emulator, and a proxy before it.

    Corrected is what the emulator does otherwise than GitHub:

    - A pull request's head moves with its branch; the emulator leaves it where it was.
    - `GET /user` is refused to a workflow's token; the emulator answers.
    - A fork shares its commits with the repository it was forked from; the emulator's does not, so that a branch named
      fork-… stands for one: its pull request's head lies in another repository.

    Added is what it lacks, as far as approvals need it:

    - GraphQL: the four documents of src/github/graphql, told apart by the field that they ask for. A commit is made of the
      emulator's own blobs, trees and refs, so that the token's permissions and the branch's tip are asked of the emulator.
    - Reactions to comments: kept in `reactions`, whatever the token may do.
    - When a comment was edited: the emulator's own time of a change moves on its own, so that `edit` keeps it.

    Whether the documents fit GitHub's schema, and what every fault at these requests leads to, is not played here:
    tests/it/github/graphql.rs and tests/it/github/faults.rs.
    """

    def __init__(self, command, folder):
        self.key = folder / "app.pem"
        subprocess.run(["openssl", "genrsa", "-traditional", "-out", self.key, "2048"], check=True, capture_output=True)
        seed = folder / "seed.json"  # JSON is YAML
        seed.write_text(json.dumps(self.seed(self.key.read_text())))
        port = free_port()
        self.direct = f"http://127.0.0.1:{port}"
        self.reactions, self.edited = {}, {}
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
            "permissions": MOST,
            "installations": [{"installation_id": 100, "account": "maint", "repository_selection": "all"}],
        }
        return {
            "tokens": {f"tok_{login}": {"login": login, "scopes": ["repo", "user"]} for login in ("maint", "stranger")},
            "github": {
                "users": [
                    {"login": "maint", "name": "Maintainer", "email": "maint@example.com"},
                    {"login": "stranger", "name": "Stranger", "email": "stranger@example.com"},
                ],
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
        """What the program is answered: status, content type, body."""
        if path == "/user":
            return 403, "application/json", b'{"message": "Resource not accessible by integration"}'
        passed = {name: headers[name] for name in ("authorization", "accept", "content-type") if headers.get(name)}
        if path == "/graphql":
            answer = self.graphql(json.loads(body), lambda *call: self.passed_on(*call, passed))
            return 200, "application/json", json.dumps(answer).encode()
        if reaction := re.fullmatch(f"({REPOSITORY}/issues/comments/([0-9]+))/reactions", path):
            status, kind, text = self.passed_on("GET", reaction[1], None, passed)
            if status == 200:
                content = json.loads(body)["content"]
                self.reactions.setdefault(int(reaction[2]), set()).add(content)
                status, text = 201, json.dumps({"id": 1, "content": content}).encode()
            return status, kind, text
        status, kind, text = self.passed_on(verb, path, body, passed)
        if verb == "GET" and status == 200 and re.fullmatch(f"{REPOSITORY}/pulls/[0-9]+", path):
            text = json.dumps(self.corrected(json.loads(text))).encode()
        return status, kind, text

    def passed_on(self, verb, path, body, headers):
        request = urllib.request.Request(self.direct + path, method=verb, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, reply.headers.get("content-type", ""), reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("content-type", ""), error.read()

    def graphql(self, asked, ask):
        """Answers a document; `ask` asks the emulator with the token that came with it."""
        query, variables = asked["query"], asked.get("variables") or {}
        if "createCommitOnBranch" in query:
            return self.commit_on_branch(variables["input"], ask)
        if "lastEditedAt" in query:
            comment = re.fullmatch("0:IssueComment([0-9]+)", base64.b64decode(variables["id"] + "==").decode())
            return {"data": {"node": {"lastEditedAt": self.edited.get(int(comment[1]))} if comment else None}}
        if "associatedPullRequests" in query:
            return {"data": {"repository": {"object": {"history": self.history(variables, ask)}}}}
        if "viewer" in query:
            return {"data": {"viewer": {"login": "github-actions[bot]"}}}
        return {"errors": [{"message": "the proxy does not know this document"}]}

    def history(self, wanted, ask):
        """The commits behind one, the newest first: a page holds all that there are here."""
        def get(path):
            status, _, text = ask("GET", REPOSITORY + path, None)
            if status != 200:
                raise RuntimeError(f"{path}: {status}: {text[:200]}")
            return json.loads(text)

        def folder(tree):
            for part in wanted["folder"].split("/"):
                entries = [entry for entry in get(f"/git/trees/{tree}")["tree"] if entry["path"] == part]
                if not entries:
                    return None
                tree = entries[0]["sha"]
            return {"oid": tree}

        def brought(pull):
            comments = get(f"/issues/{pull['number']}/comments?per_page={wanted['comments']}")
            said = [{"body": comment["body"], "author": self.author(comment["user"])} for comment in comments]
            return {
                "number": pull["number"], "merged": bool(pull.get("merged_at")), "baseRefName": pull["base"]["ref"],
                "baseRepository": {"nameWithOwner": REPOSITORY.removeprefix("/repos/")},
                "mergeCommit": {"oid": pull["merge_commit_sha"]} if pull.get("merged_at") else None,
                "comments": {"totalCount": len(said), "nodes": said},
            }

        pulls = get("/pulls?state=all&per_page=100")
        found, ahead = {}, [wanted["commit"]]
        while ahead:
            name = ahead.pop(0)
            if name in found:
                continue
            commit = get(f"/git/commits/{name}")
            parents = [parent["sha"] for parent in commit["parents"]]
            mine = [brought(pull) for pull in pulls if name in (pull["head"]["sha"], pull.get("merge_commit_sha"))]
            found[name] = {
                "oid": name, "parents": {"nodes": [{"oid": parent} for parent in parents]}, "file": folder(commit["tree"]["sha"]),
                "associatedPullRequests": {"totalCount": len(mine), "nodes": mine},
            }
            ahead += parents
        if len(found) > wanted["commits"]:
            raise RuntimeError("the proxy gives one page, and there are more commits")
        return {"pageInfo": {"endCursor": None, "hasNextPage": False}, "nodes": list(found.values())}

    @staticmethod
    def author(user):
        return {"__typename": user["type"], "login": user["login"].removesuffix("[bot]")}

    def commit_on_branch(self, wanted, ask):
        def git(verb, path, body=None):
            status, _, text = ask(verb, REPOSITORY + path, json.dumps(body).encode() if body is not None else None)
            if status >= 300:
                raise PermissionError(json.loads(text)["message"])
            return json.loads(text)

        refused = lambda kind, message: {"data": {"createCommitOnBranch": None}, "errors": [{"type": kind, "message": message}]}
        branch, expected, files = wanted["branch"]["branchName"], wanted["expectedHeadOid"], wanted["fileChanges"]
        if wanted["branch"]["repositoryNameWithOwner"] != REPOSITORY.removeprefix("/repos/"):
            return refused("NOT_FOUND", "there is no such repository")
        if (tip := self.tip(branch)) != expected:
            return refused("STALE_DATA", f'Expected branch to point to "{expected}" but it points to "{tip}".')
        try:
            entries = [{"path": file["path"], "mode": "100644", "type": "blob", "sha": None} for file in files["deletions"]]
            for file in files["additions"]:
                blob = git("POST", "/git/blobs", {"content": file["contents"], "encoding": "base64"})
                entries.append({"path": file["path"], "mode": "100644", "type": "blob", "sha": blob["sha"]})
            below = git("GET", f"/git/commits/{expected}")["tree"]["sha"]
            tree = git("POST", "/git/trees", {"base_tree": below, "tree": entries})["sha"]
            message = wanted["message"]["headline"]
            commit = git("POST", "/git/commits", {"message": message, "tree": tree, "parents": [expected]})["sha"]
            git("PATCH", f"/git/refs/heads/{branch}", {"sha": commit, "force": False})
        except PermissionError as error:
            return refused("FORBIDDEN", str(error))
        return {"data": {"createCommitOnBranch": {"commit": {"oid": commit}}}}

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

    def said(self, number, login, text):
        """Somebody writes below a pull request: the payload of what the workflow hears."""
        comment = self.call("POST", f"{REPOSITORY}/issues/{number}/comments", {"body": text}, f"tok_{login}")
        # The emulator knows a pull request by no issue.
        issue = {"number": number, "pull_request": {"url": f"{self.url}{REPOSITORY}/pulls/{number}"}}
        repository = self.call("GET", REPOSITORY)
        return {"action": "created", "issue": issue, "comment": comment, "repository": repository, "sender": comment["user"]}

    def edit(self, comment, text):
        self.call("PATCH", f"{REPOSITORY}/issues/comments/{comment}", {"body": text})
        self.edited[comment] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def file(self, branch, path):
        content = self.call("GET", f"{REPOSITORY}/contents/{path}?ref={branch}")["content"]
        return base64.b64decode(content).decode()

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
