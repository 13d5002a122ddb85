"""Models on this machine: where one lies, what its content hashes to, and vectors that know nothing."""

import hashlib
import json
import os
import pathlib

from rankhold_talk import Missing, load

SEED = 7
RANDOM_DIMENSIONS = 256
CHUNK = 1 << 20
#: All of a model that random vectors need.
TOKENIZER = "tokenizer.json"
#: How files with weights end, whoever reads them.
WEIGHTS = (".safetensors", ".bin", ".onnx", ".index.json")


class Model:
    """A folder with a model in it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder)

    def has(self, path):
        return (self.folder / path).is_file()

    def json(self, path):
        """A file of it, read; empty if it has none of that name."""
        if not self.has(path):
            return {}
        with open(self.folder / path, encoding="utf-8") as file:
            return json.load(file)

    def files(self):
        """Its files by path, without hidden ones and prose, which no tool reads. Links of a hub's cache are followed."""
        found = []
        for folder, folders, names in os.walk(self.folder, followlinks=True):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if not name.startswith(".") and not name.lower().endswith(".md"):
                    found.append((pathlib.Path(folder) / name).relative_to(self.folder).as_posix())
        return sorted(found)

    def sha256(self, files=None):
        """One hash over them, as `sha256sum` over the list that `sha256sum FILES` prints."""
        whole = hashlib.sha256()
        for path in self.files() if files is None else files:
            part = hashlib.sha256()
            with open(self.folder / path, "rb") as file:
                for block in iter(lambda: file.read(CHUNK), b""):
                    part.update(block)
            whole.update(f"{part.hexdigest()}  {path}\n".encode())
        return whole.hexdigest()


def locate(settings):
    """The model that is configured. Nothing while a worker is only looked at and the hub would be asked for it."""
    wanted = settings["model"]
    if "folder" in wanted:
        written, model = wanted["written"], Model(wanted["name"], wanted["folder"])
        if not os.path.isdir(wanted["folder"]):
            raise Missing(f"there is no folder `{written}` with a model", "correct `model`, or build the model first")
        if not settings["random"] and not holds(model, settings):
            endings = ", ".join(WEIGHTS)
            raise Missing(
                f"the folder `{written}` holds no model",
                f"name in `model` the folder with the model's weights (a file that ends with one of {endings})",
            )
        return model
    found = cached(wanted["name"], wanted["revision"], settings["caches"])
    if found is not None and holds(found, settings):
        return found
    if settings["online"]:
        return fetch(wanted["name"], wanted["revision"], settings)
    raise absent(wanted, settings)


def holds(model, settings):
    """What is asked of it is there: whoever fetched the tokenizer alone, for random vectors, has no model yet."""
    if settings["random"]:
        return model.has(TOKENIZER)
    return any(path.endswith(WEIGHTS) for path in model.files())


def cached(name, revision, caches):
    """A model of a hub that lies in a cache, at that revision or, if none is asked for, at the only one that is there."""
    for cache in caches:
        snapshots = pathlib.Path(cache["folder"]) / f"models--{name.replace('/', '--')}" / "snapshots"
        there = sorted(path.name for path in snapshots.iterdir() if path.is_dir()) if snapshots.is_dir() else []
        if revision is None and len(there) > 1:
            raise Missing(
                f"several revisions of the model `{name}` lie in {cache['name']}: {', '.join(there)}",
                "say which with `revision`",
            )
        chosen = revision or "".join(there)
        if chosen in there:
            return Model(f"{name}@{chosen}", snapshots / chosen)
    return None


def absent(wanted, settings):
    name, revision = wanted["name"], wanted["revision"]
    looked = ", ".join(cache["name"] for cache in settings["caches"]) or "no cache at all"
    at = f" at revision {revision}" if revision else ""
    files = f" {TOKENIZER}" if settings["random"] else ""
    command = f"{settings['hf']} download {name}{files}" + (f" --revision {revision}" if revision else "")
    ways = ["give a folder that holds it as `model`", "write `online = true` to have it downloaded for each run"]
    if settings["random"]:
        return Missing(
            f"the {TOKENIZER} of the model `{name}`{at} is not on this machine (looked in {looked})",
            f"random vectors need that one file and nothing else of the model: run `{command}` once where there is a "
            f"network, or {ways[0]}",
        )
    if settings["system"] == "semble":
        ways.append('write `mode = "bm25"`, which needs no model')
    return Missing(
        f"the model `{name}`{at} is not on this machine (looked in {looked})",
        f"run `{command}` once where there is a network, {', '.join(ways[:-1])}, or {ways[-1]}",
    )


def fetch(name, revision, settings):
    """From the hub into the scratch folder. A look asks the hub whether it is there, and downloads nothing."""
    if revision is None:
        raise Missing(f"nothing says which revision of `{name}` to download", "write `revision`, the commit's full hash")
    hub = load("huggingface_hub", "huggingface_hub")
    try:
        if settings["trial"]:
            hub.HfApi().model_info(name, revision=revision)
            return None
        return Model(f"{name}@{revision}", hub.snapshot_download(name, revision=revision))
    except Exception as error:  # each layer below has its own, and all mean this
        endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise Missing(
            f"the model `{name}` could not be had from {endpoint}: {why}",
            "check the network (a proxy is passed on with `pass-env`), "
            f"or run `{settings['hf']} download {name} --revision {revision}` where there is one and take `online` out",
        ) from error


def described(model, settings):
    """What hello says of it."""
    if model is None:
        return None
    if settings["random"]:
        name, files = f"random vectors, tokenizer of {model.name}", [TOKENIZER]
        return {"name": name, "sha256": model.sha256(files), "stand-in": True}
    return {"name": model.name, "sha256": model.sha256(), "stand-in": settings["stand_in"]}


class RandomVectors:
    """A seeded vector for each of a model's tokens, and their mean for a text: the same on every machine, and it knows
    nothing of any word. A suite on which a model is no better than this does not see the model."""

    def __init__(self, model):
        if not model.has(TOKENIZER):
            raise Missing(f"the model `{model.name}` has no {TOKENIZER}", "`random-model` needs one that has")
        numpy = load("numpy", "numpy")
        self.tokenizer = load("tokenizers", "tokenizers").Tokenizer.from_file(str(model.folder / TOKENIZER))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        size, self.dim = self.tokenizer.get_vocab_size(), RANDOM_DIMENSIONS
        # The legacy generator: its stream is frozen, and whole numbers have no last digit to differ in.
        drawn = numpy.random.RandomState(SEED).randint(0, 2, size=(size, self.dim), dtype="uint8")
        self.table = drawn.astype("int8") * 2 - 1

    def encode(self, texts, **_):
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return matrix([self.table[each.ids].sum(axis=0, dtype="int64") for each in encoded], self.dim)


def matrix(rows, dimensions):
    """Vectors as semble wants them, one a row; of no rows too."""
    return load("numpy", "numpy").asarray(rows, dtype="float32").reshape(len(rows), dimensions)
