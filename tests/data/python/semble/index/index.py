import json
import os
import pathlib
import sys
import tempfile

from semble.cache import place, resolve_cache_folder
from semble.index.dense import load_model
from semble.types import Chunk, ContentType, SearchResult

ENDINGS = {
    ContentType.CODE: (".py", ".rs"),
    ContentType.DOCS: (".md",),
    ContentType.CONFIG: (".toml",),
}
LINES = 10


class SembleIndex:
    def __init__(self, model, chunks, vectors, model_path, content, loaded_from_disk):
        self.model, self.chunks, self.vectors = model, chunks, vectors
        self.model_path, self.content, self.loaded_from_disk = model_path, content, loaded_from_disk

    @classmethod
    def from_path(cls, path, content=(ContentType.CODE,), include_text_files=None, model_path=None, show_progress_bar=False):
        chunks = chunks_of(pathlib.Path(path), content)
        if not chunks:
            raise ValueError(f"No supported files found under {path}.")
        kept = place(path, content)
        model, model_path = load_model(model_path)
        if kept.exists():
            read = json.loads(kept.read_text())
            if read["model"] == model_path:
                return cls(model, chunks, read["vectors"], model_path, content, True)
        vectors = model.encode([chunk.content for chunk in chunks], use_multiprocessing=False, max_length=None)
        with open(resolve_cache_folder() / "builds", "a", encoding="utf-8") as file:
            file.write(f"{os.environ['SEMBLE_INDEX_WORKERS']} workers\n")
        write_everywhere()
        return cls(model, chunks, vectors, model_path, content, False)

    def search(
        self,
        query,
        top_k=10,
        alpha=None,
        filter_languages=None,
        filter_paths=None,
        rerank=None,
        max_snippet_lines=None,
    ):
        obey(query)
        if not query.strip():
            return []
        weight = 0.5 if alpha is None else alpha
        asked = self.model.encode([query])[0]
        results = []
        for chunk, vector in zip(self.chunks, self.vectors):
            words = sum(chunk.content.count(word) for word in query.split())
            near = sum(a * b for a, b in zip(asked, vector))
            score = weight * near + (1 - weight) * words
            if score > 0:
                results.append(SearchResult(chunk, score))
        results.sort(key=lambda result: -result.score)
        return results[:top_k]


def chunks_of(root, content):
    chunks = []
    for kind in content:
        for path in sorted(root.rglob("*")):
            if path.suffix not in ENDINGS[kind]:
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            for start in range(0, len(lines), LINES):
                text = "\n".join(lines[start : start + LINES])
                chunks.append(Chunk(text, str(path.relative_to(root)), start + 1, start + LINES))
    return chunks


def obey(query):
    """What goes wrong in a tool."""
    if query == "!die":
        print("out of memory", file=sys.stderr)
        os._exit(7)
    elif query == "!raise":
        raise KeyError("no such chunk")
    elif query == "!exit":
        sys.exit("giving up")
    elif query == "!print":
        print('{"id": 3, "ok": true, "hits": ["printed.rs"]}')
        os.system("echo a child prints too")
    elif query == "!read":
        raise ValueError(f"read {sys.stdin.read()!r}, {os.read(0, 100)!r}")


def write_everywhere():
    """As tools do: caches, settings and statistics."""
    homes = [pathlib.Path.home(), pathlib.Path(tempfile.gettempdir())]
    homes += [pathlib.Path(os.environ[name]) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HF_HOME")]
    for home in homes:
        (home / "left-by-semble").write_text("x")
