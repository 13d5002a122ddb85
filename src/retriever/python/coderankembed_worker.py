"""Rankhold's worker for CodeRankEmbed over semble's chunks: by vectors alone, or hybrid as semble's authors measured it."""

from contextlib import nullcontext

from rankhold_chunks import INSTALL as CHUNKS
from rankhold_chunks import Chunks
from rankhold_encoders import INSTALL as MODELS
from rankhold_encoders import encoder, packages
from rankhold_models import RandomVectors, described, locate
from rankhold_talk import Missing, converse, settings, together


def refuse(missing):
    raise missing


class CodeRankEmbed:
    def __init__(self, settings):
        self.settings, self.chunks, self.encoder = settings, None, None

    def hello(self, _):
        self.chunks, model = together(lambda: Chunks(self.settings, f"{CHUNKS} {MODELS}"), self.model)
        said, version = described(model, self.settings), f"semble {self.chunks.version}"
        if model is not None:
            self.encoder = RandomVectors(model) if self.settings["random"] else encoder(model, self.settings)
            version += f", {getattr(self.encoder, 'version', 'random vectors')}"
            # An index holds the documents' vectors: of this model, cut at this length.
            self.chunks.plug_in(self.encoder, f"{said['name']} {said['sha256']} {self.settings['max_seq_length']}")
            if self.settings["trial"]:
                self.chunks.try_out()
        return {"protocol": 1, "name": "coderankembed", "version": version, "unit": "chunk", "model": said}

    def model(self):
        """Where it is. Whoever has to fetch it hears first of the packages that would run it."""
        try:
            return locate(self.settings)
        except Missing as absent:
            if "folder" not in self.settings["model"]:
                together(*packages(self.settings), lambda: refuse(absent))
            raise

    def prepare(self, request):
        return self.chunks.prepare(request["corpus"])

    def query(self, request):
        asking = getattr(self.encoder, "asking", nullcontext)
        with asking():
            return self.chunks.search(request["query"], request["fetch"])


if __name__ == "__main__":  # processes that semble starts read this file too
    worker = CodeRankEmbed(settings())
    converse({"hello": worker.hello, "prepare": worker.prepare, "query": worker.query})
