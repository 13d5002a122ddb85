#!/usr/bin/env python3
"""An embedding endpoint on the loopback interface that knows no language: a stand-in for the model behind grepai.

    embed_server.py [--port PORT] [--width 256] [--random] [--fail-after COUNT]

It prints `ready http://127.0.0.1:PORT/v1` and serves until it is ended: GET /v1/models and POST /v1/embeddings as OpenAI
has them, GET /api/tags and POST /api/embeddings as Ollama has them. A text's vector counts its words, each in a place that
a hash of the word gives, so texts that share words lie close; with --random the place depends on the whole text, and
nothing but an equal text lies close. Standard library only.
"""
import argparse
import hashlib
import http.server
import json
import math
import re

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def embed(text, width, whole):
    vector = [0.0] * width
    for word in [f"{text} {place}" for place in range(64)] if whole else WORD.findall(text):
        digest = hashlib.sha256(word.lower().encode()).digest()
        vector[int.from_bytes(digest[:4], "big") % width] += 1 if digest[4] % 2 else -1
    damped = [math.copysign(math.sqrt(abs(count)), count) for count in vector]
    length = math.hypot(*damped) or 1.0
    return [count / length for count in damped]


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    width, whole, left = 256, False, None  # what was asked for on the command line

    def do_GET(self):
        match self.path:
            case "/v1/models":
                self.answer(200, {"object": "list", "data": [{"id": "stand-in", "object": "model"}]})
            case "/api/tags":
                self.answer(200, {"models": [{"name": "stand-in:latest"}]})
            case _:
                self.refuse(404, "no such route")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if Endpoint.left is not None:
            Endpoint.left -= 1
            if Endpoint.left < 0:
                return self.refuse(500, "told to fail")
        try:
            request = json.loads(body)
            width = request.get("dimensions") or self.width
            match self.path:
                case "/v1/embeddings":
                    texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
                    data = [{"object": "embedding", "index": at, "embedding": embed(text, width, self.whole)} for at, text in enumerate(texts)]
                    usage = {"prompt_tokens": 0, "total_tokens": 0}
                    self.answer(200, {"object": "list", "model": request.get("model"), "data": data, "usage": usage})
                case "/api/embeddings":
                    self.answer(200, {"embedding": embed(request["prompt"], width, self.whole)})
                case _:
                    self.refuse(404, "no such route")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.refuse(400, f"{type(error).__name__}: {error}")

    def refuse(self, status, message):
        self.answer(status, {"error": {"message": message, "type": "stand_in"}})

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--port", type=int, default=0)
    arguments.add_argument("--width", type=int, default=256)
    arguments.add_argument("--random", action="store_true")
    arguments.add_argument("--fail-after", type=int, metavar="COUNT")
    given = arguments.parse_args()
    Endpoint.width, Endpoint.whole, Endpoint.left = given.width, given.random, given.fail_after
    with http.server.ThreadingHTTPServer(("127.0.0.1", given.port), Endpoint) as server:
        print(f"ready http://127.0.0.1:{server.server_port}/v1", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
