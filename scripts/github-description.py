#!/usr/bin/env python3
"""Cuts GitHub's OpenAPI description to what the tests hold requests and answers against.

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
    scripts/github-description.py package/generated/api.github.com.json

Reads tests/data/github/routes.txt, writes tests/data/github/openapi.json: prose and examples are left out, one path or
component a line, so that a difference can be read.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent / "tests/data/github"
PROSE = {"description", "summary", "example", "examples", "externalDocs", "tags", "title"}


def stripped(value, names=False):
    """Without prose; `names` says that the keys are names of fields and not words of the description."""
    if isinstance(value, list):
        return [stripped(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, item in value.items():
        if not names and (key in PROSE or key.startswith("x-")):
            continue
        kept[key] = item if key in ("enum", "required", "default") and not names else stripped(item, key == "properties" and not names)
    return kept


def references(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str):
                yield item
            else:
                yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def main():
    source = json.loads(pathlib.Path(sys.argv[1]).read_text())
    paths = {}
    for line in (HERE / "routes.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        method, path = line.split(" ", 1)
        paths.setdefault(path, {})[method.lower()] = stripped(source["paths"][path][method.lower()])
    components, waiting = {}, list(references(paths))
    while waiting:
        _, _, kind, name = waiting.pop().split("/", 3)
        if name in components.setdefault(kind, {}):
            continue
        components[kind][name] = stripped(source["components"][kind][name])
        waiting.extend(references(components[kind][name]))
    out = ['{"openapi":%s,"info":%s,"paths":{' % (json.dumps(source["openapi"]), json.dumps(stripped(source["info"])))]
    lines = lambda table: ",\n".join(f"{json.dumps(key)}:{json.dumps(table[key], separators=(',', ':'))}" for key in sorted(table))
    out.append(lines(paths))
    out.append('},"components":{')
    out.append(",\n".join(f"{json.dumps(kind)}:{{\n{lines(components[kind])}}}" for kind in sorted(components)))
    out.append("}}")
    (HERE / "openapi.json").write_text("\n".join(out) + "\n")


main()
