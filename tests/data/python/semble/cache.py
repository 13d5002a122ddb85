import hashlib
import json
import os
import pathlib


def resolve_cache_folder():
    folder = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "semble"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def place(path, content):
    scope = "-".join(sorted(kind.value for kind in content))
    return resolve_cache_folder() / f"{hashlib.sha256(str(path).encode()).hexdigest()}-{scope}.json"


def save_index_to_cache(index, path):
    if not index.loaded_from_disk:
        place(path, index.content).write_text(json.dumps({"model": index.model_path, "vectors": index.vectors}))
