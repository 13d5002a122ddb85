"""semble's index over a folder, with whatever turns texts into vectors, and its ranking as hits.

A hit is a file: its best chunk. The order is that of semble's score, and of path and line where scores are equal. How
many chunks semble is asked for (`candidates`) changes its ranks, so it is always the same number, whatever is fetched.
"""

import os
import pathlib

from rankhold_models import matrix
from rankhold_talk import load

INSTALL = "semble==0.7.0"
#: The weight of the vectors; without one semble chooses by the query.
ALPHA = {"hybrid": None, "bm25": 0.0, "semantic": 1.0}
#: What a look indexes: semble takes files by their ending.
TRIALS = {"code": "trial.py", "docs": "trial.md", "config": "trial.toml"}


class Unneeded:
    """In place of a model where vectors have no weight."""

    dim = 1

    def encode(self, texts, **_):
        return matrix([[1.0] for _ in texts], self.dim)


class Chunks:
    """semble, installed and of a version that is built as we use it."""

    def __init__(self, settings, install=INSTALL):
        self.settings = settings
        os.environ.setdefault("SEMBLE_INDEX_WORKERS", str(settings["threads"]))
        self.semble = load("semble", install)
        self.cache = load("semble.cache", install)
        self.module = load("semble.index.index", install)
        self.version = self.semble.__version__
        for module, name in ((self.module, "load_model"), (self.cache, "save_index_to_cache")):
            if not hasattr(module, name):
                raise RuntimeError(f"semble {self.version} has no `{name}` any more; {INSTALL} is known to work")
        self.found = None

    def plug_in(self, encoder, name):
        """Lets semble use `encoder` wherever it would load a model. Its cache holds an index under the model's name."""
        self.encoder, self.name = encoder, name
        self.module.load_model = lambda _=None: (encoder, name)

    def prepare(self, folder):
        """Indexes the folder, or takes up the index that an earlier worker left in the scratch folder."""
        kinds = [self.semble.ContentType(name) for name in self.settings["content"]]
        index = self.semble.SembleIndex.from_path(folder, content=kinds, model_path=self.name)
        self.cache.save_index_to_cache(index, folder)
        self.found = index
        files = {chunk.file_path.replace(os.sep, "/") for chunk in index.chunks}
        return {"files": sorted(files), "units": len(index.chunks), "reused": index.loaded_from_disk}

    def search(self, text, fetch):
        """At most `fetch` files, best first."""
        results = self.found.search(
            text, top_k=self.settings["candidates"], alpha=ALPHA[self.settings["mode"]], max_snippet_lines=0
        )
        return {"hits": hits(results)[:fetch]}

    def try_out(self):
        """A search over one file of our own: only that shows that chunks, vectors and ranking work together."""
        folder = pathlib.Path(__file__).resolve().parent / "trial"
        folder.mkdir(exist_ok=True)
        (folder / TRIALS[self.settings["content"][0]]).write_text("trial = 'one file, one line'\n", encoding="utf-8")
        self.prepare(str(folder))
        if not self.search("trial", 1)["hits"]:
            raise RuntimeError("a trial search over one file found nothing")


def hits(results):
    """One for each file, at its best chunk."""
    ranked = sorted((-float(result.score), path(result), result.chunk.start_line) for result in results)
    best = {}
    for score, file, _ in ranked:
        best.setdefault(file, -score)
    return [{"path": file, "score": score} for file, score in best.items()]


def path(result):
    return result.chunk.file_path.replace(os.sep, "/")
