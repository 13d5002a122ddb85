"""A search server: GET /search?q=QUERY&n=LIMIT ranks the files of a folder. Usage: words_http.py PORT FOLDER"""

import json
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

texts = {}  # path -> path and text, in lower case


def read(root):
    for folder, _, names in os.walk(root):
        for name in names:
            full = os.path.join(folder, name)
            path = os.path.relpath(full, root).replace(os.sep, "/")
            with open(full, encoding="utf-8", errors="replace") as file:
                texts[path] = f"{path}\n{file.read()}".lower()


def search(query, limit):
    words, hits = set(re.findall(r"\w+", query.lower())), []
    for path, text in texts.items():
        counts = [text.count(word) for word in words if word in text]
        if counts:
            hits.append({"file": path, "score": len(counts) * 1000000 + sum(counts)})
    hits.sort(key=lambda hit: (-hit["score"], hit["file"]))
    return {"results": hits[:limit]}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlparse(self.path)
        asked = parse_qs(url.query)
        if url.path == "/search":
            self.answer(200, search(asked.get("q", [""])[0], int(asked.get("n", ["10"])[0])))
        elif url.path == "/version":
            self.answer(200, {"version": "1.0"})
        else:
            self.answer(404, {"error": "nothing is here"})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


read(sys.argv[2])
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
