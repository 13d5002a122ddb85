"""GitHub for scripts/act.py: the emulator, behind a proxy that corrects what it does otherwise."""
import base64
import json
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPOSITORY = "/repos/maint/corpus"
READ = {"metadata": "read", "contents": "read", "actions": "read", "checks": "read", "pull_requests": "read"}
WRITE = {**READ, "checks": "write", "pull_requests": "write"}  # those of the workflow


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
