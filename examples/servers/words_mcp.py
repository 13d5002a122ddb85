"""An MCP server over stdin and stdout with one tool, `search`: ranks files by the query's words in them."""

import json
import os
import re
import sys


def search(query, limit):
    words, hits = set(re.findall(r"\w+", query.lower())), []
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name)).replace(os.sep, "/")
            with open(path, encoding="utf-8", errors="replace") as file:
                text = f"{path}\n{file.read()}".lower()
            counts = [text.count(word) for word in words if word in text]
            if counts:
                hits.append({"path": path, "score": len(counts) * 1000000 + sum(counts)})
    hits.sort(key=lambda hit: (-hit["score"], hit["path"]))
    return {"results": hits[:limit]}


def initialize(params):
    info = {"name": "words_mcp.py", "version": "1.0"}
    return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}


def list_tools(params):
    schema = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
    return {"tools": [{"name": "search", "description": "Ranks files.", "inputSchema": schema}]}


def call_tool(params):
    try:
        found = search(**params["arguments"])
    except Exception as error:  # the tool failed, and says so; the server goes on
        return {"content": [{"type": "text", "text": f"{type(error).__name__}: {error}"}], "isError": True}
    return {"content": [{"type": "text", "text": json.dumps(found)}], "structuredContent": found}


methods = {"initialize": initialize, "tools/list": list_tools, "tools/call": call_tool, "ping": lambda params: {}}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue  # a notification
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message.get("method") in methods:
        answer["result"] = methods[message["method"]](message.get("params") or {})
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
