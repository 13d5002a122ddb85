"""A Rankhold worker: ranks files by the query's words in them. Protocol: docs/protocol.md."""

import json
import os
import re
import sys

texts = {}  # path -> path and text, in lower case


def hello(request):
    return {"protocol": 1, "name": "words.py", "version": "1.0", "unit": "file", "ranked": True}


def prepare(request):
    root = request["corpus"]
    for folder, _, names in os.walk(root):
        for name in names:
            full = os.path.join(folder, name)
            path = os.path.relpath(full, root).replace(os.sep, "/")
            with open(full, encoding="utf-8", errors="replace") as file:
                texts[path] = f"{path}\n{file.read()}".lower()
    return {"files": sorted(texts), "units": len(texts)}


def query(request):
    words = set(re.findall(r"\w+", request["query"].lower()))
    hits = []
    for path, text in texts.items():
        counts = [text.count(word) for word in words if word in text]
        if counts:
            hits.append({"path": path, "score": len(counts) * 1000000 + sum(counts)})
    hits.sort(key=lambda hit: (-hit["score"], hit["path"]))
    return {"hits": hits[: request["fetch"]]}


operations = {"hello": hello, "prepare": prepare, "query": query, "stop": lambda request: {}}

for line in sys.stdin:
    request = json.loads(line)
    try:
        reply = {"ok": True, **operations[request["op"]](request)}
    except Exception as error:  # an operation we do not know, a file we cannot read: say so and go on
        reply = {"ok": False, "error": {"detail": f"{type(error).__name__}: {error}"}}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
    if request["op"] == "stop":
        break
