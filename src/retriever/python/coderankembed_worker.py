"""Rankhold's worker for CodeRankEmbed over semble's chunks: by vectors alone, or hybrid as semble's authors measured it."""

from contextlib import nullcontext

from rankhold_chunks import INSTALL as CHUNKS
from rankhold_chunks import Chunks
from rankhold_encoders import INSTALL as MODELS
from rankhold_encoders import encoder
from rankhold_models import RandomVectors, described, locate
from rankhold_talk import converse, settings


class CodeRankEmbed:
    def __init__(self, settings):
        self.settings, self.chunks, self.encoder = settings, None, None

    def hello(self, _):
        self.chunks = Chunks(self.settings, f"{CHUNKS} {MODELS}")
        model = locate(self.settings)
        said, version = described(model, self.settings), f"semble {self.chunks.version}"
        if model is not None:
            self.encoder = RandomVectors(model) if self.settings["random"] else encoder(model, self.settings)
            version += f", {getattr(self.encoder, 'version', 'random vectors')}"
            # An index holds the documents' vectors: of this model, cut at this length.
            self.chunks.plug_in(self.encoder, f"{said['name']} {said['sha256']} {self.settings['max_seq_length']}")
            if self.settings["trial"]:
                self.chunks.try_out()
        return {"protocol": 1, "name": "coderankembed", "version": version, "unit": "chunk", "model": said}

    def prepare(self, request):
        return self.chunks.prepare(request["corpus"])

    def query(self, request):
        asking = getattr(self.encoder, "asking", nullcontext)
        with asking():
            return self.chunks.search(request["query"], request["fetch"])


if __name__ == "__main__":  # processes that semble starts read this file too
    worker = CodeRankEmbed(settings())
    converse({"hello": worker.hello, "prepare": worker.prepare, "query": worker.query})
