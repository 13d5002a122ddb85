"""Rankhold's worker for semble: hybrid, BM25 or semantic search over chunks of code."""

from rankhold_chunks import INSTALL, Chunks, Unneeded
from rankhold_models import RandomVectors, described, locate
from rankhold_talk import converse, load, settings, together


class Semble:
    def __init__(self, settings):
        self.settings, self.chunks = settings, None

    def hello(self, _):
        looks = [] if self.settings["mode"] == "bm25" else [lambda: locate(self.settings)]
        self.chunks, *models = together(lambda: Chunks(self.settings), *looks)
        model = models[0] if models else None
        said = described(model, self.settings)
        if said or self.settings["mode"] == "bm25":
            self.chunks.plug_in(self.encoder(model), f"{said['name']} {said['sha256']}" if said else "no model")
            if self.settings["trial"]:
                self.chunks.try_out()
        return {"protocol": 1, "name": "semble", "version": self.chunks.version, "unit": "chunk", "model": said}

    def encoder(self, model):
        if model is None:
            return Unneeded()
        if self.settings["random"]:
            return RandomVectors(model)
        # semble's own way of loading, from a folder: given a name it would take the newest copy of a cache.
        return load("semble.index.dense", INSTALL).load_model(str(model.folder))[0]

    def prepare(self, request):
        return self.chunks.prepare(request["corpus"])

    def query(self, request):
        return self.chunks.search(request["query"], request["fetch"])


if __name__ == "__main__":  # processes that semble starts read this file too
    worker = Semble(settings())
    converse({"hello": worker.hello, "prepare": worker.prepare, "query": worker.query})
