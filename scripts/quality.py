#!/usr/bin/env python3
"""NDCG@10 of a retriever over public suites, by running the rankhold binary.

DATA holds `semble/manifest.json` with one suite per repository, and `manifest-other.json`; CORPORA holds one folder per
corpus. Neither is part of this repository: docs/benchmarks.md says where they come from. A suite with a
`benchmark_root` is measured twice: "repo" searches the whole repository, "root" that folder alone. A corpus that is not
there is named and left out of every mean.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    options = parse_arguments()
    suites = list(semble(options.data)) + list(others(options.data))
    print(f"{'suite':24} {'root':>7} {'repo':>7} {'cases':>6}")
    scores, absent = {}, set()
    for suite in suites:
        if options.only and suite["name"] not in options.only:
            continue
        if not (options.corpora / suite["corpus"]).is_dir():
            absent.add(f"{suite['corpus']}: {suite['repo']} at {suite['revision']}")
            print(f"{suite['name']:24} {'no corpus':>15}")
            continue
        root, repo, cases = measure_both(suite, options)
        scores[suite["name"]] = (suite["family"], root, repo)
        shown = f"{root:7.4f}" if suite["family"] == "semble" else f"{'':7}"
        print(f"{suite['name']:24} {shown} {repo:7.4f} {cases:6}", flush=True)
    macro = [(root, repo) for family, root, repo in scores.values() if family == "semble"]
    if macro:
        root, repo = (sum(column) / len(macro) for column in zip(*macro))
        print(f"{f'macro mean of {len(macro)} suites':24} {root:7.4f} {repo:7.4f}")
    for corpus in sorted(absent):
        print(f"no corpus {corpus}", file=sys.stderr)
    return 0 if scores else 3


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="manifests and suites")
    parser.add_argument("--corpora", type=Path, required=True, metavar="DIR", help="one folder per corpus")
    parser.add_argument("--binary", type=Path, default=Path("target/release/rankhold"), metavar="FILE")
    parser.add_argument("--retriever", default="bm25", metavar="NAME")
    parser.add_argument("--only", action="append", metavar="SUITE", help="this suite alone (repeatable)")
    options = parser.parse_args()
    options.binary = options.binary.resolve()
    return options


def semble(data):
    folder = data / "semble"
    for entry in read(folder / "manifest.json")["suites"]:
        yield described(entry, folder, "semble")


def others(data):
    for entry in read(data / "manifest-other.json")["suites"]:
        yield described(entry, data, "other")


def described(entry, folder, family):
    return {
        "name": entry["name"],
        "family": family,
        "corpus": entry.get("corpus", entry["name"]),
        "file": folder / entry["suite"],
        "root": entry.get("benchmark_root"),
        "exclude": entry.get("exclude_from_corpus", []),
        "repo": entry["repo"],
        "revision": entry["revision_available"],
    }


def measure_both(suite, options):
    """NDCG@10 over the suite's root and over the whole repository, and how many cases are scored."""
    document = read(suite["file"])
    repository = options.corpora / suite["corpus"]
    repo, cases = measure(suite, document, repository, options)
    if not suite["root"]:
        return repo, repo, cases
    root, _ = measure(suite, below(document, suite["root"]), repository / suite["root"], options)
    return root, repo, cases


def below(document, folder):
    """The suite as seen from a folder: its targets lose the folder's name."""
    document = json.loads(json.dumps(document))
    for case in document["cases"]:
        metadata = case["metadata"]
        metadata["expectedTargets"] = [
            target.removeprefix(folder + "/") for target in metadata.get("expectedTargets", [])
        ]
    return document


def measure(suite, document, tree, options):
    """Runs the binary in a temporary workspace, so that nothing of the caller's configuration matters."""
    with tempfile.TemporaryDirectory(prefix="rankhold-quality-") as scratch:
        scratch = Path(scratch)
        exclude = [pattern for path in suite["exclude"] for pattern in (path, f"{path}/**")]
        config = f"version = 1\n[corpus]\nexclude = {json.dumps(exclude)}\n"
        (scratch / "rankhold.toml").write_text(config, encoding="utf-8")
        (scratch / "suite.json").write_text(json.dumps(document), encoding="utf-8")
        arguments = ["run", "--quiet", "--retriever", options.retriever, "--format", "json"]
        arguments += ["--config", scratch / "rankhold.toml", "--repo", tree, "--results", scratch / "out"]
        arguments += [scratch / "suite.json"]
        ran = subprocess.run([options.binary, *arguments], stdout=subprocess.DEVNULL, check=False)
        result = scratch / "out" / f"suite.{options.retriever}.result.json"
        if ran.returncode != 0 or not result.is_file():
            sys.exit(f"{suite['name']}: rankhold ended with {ran.returncode}")
        result = read(result)
        failed = result["counts"]["failed"]
        if failed:
            print(f"{suite['name']}: {failed} queries failed and count as 0", file=sys.stderr)
        return result["metrics"]["ndcgAt10"]["value"], result["counts"]["scored"]


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
