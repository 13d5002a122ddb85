"""Embedding models that know queries from documents, one text at a time: a text's vector does not depend on its
neighbours. What runs a model is decided by what its folder holds."""

from contextlib import contextmanager

from rankhold_models import matrix
from rankhold_talk import Missing, load

#: What CodeRankEmbed was trained with before each query, and nothing before a document. Without it nothing fails.
QUERY_PROMPT = "Represent this query for searching relevant code: "
INSTALL = "sentence-transformers einops"
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
GRAPHS = ("model.onnx", "onnx/model.onnx")


def encoder(model, settings):
    """The one for this folder."""
    if any(map(model.has, WEIGHTS)):
        return SentenceTransformers(model, settings)
    if any(map(model.has, GRAPHS)):
        return Onnx(model, settings)
    raise Missing(
        f"the model `{model.name}` has no weights that can be used",
        f"its folder needs one of {', '.join(WEIGHTS + GRAPHS)}",
    )


def packages(settings):
    """Looks at what a model of the hub is run with, before there is one: random vectors take less."""
    if settings["random"]:
        return [lambda: load("tokenizers", "tokenizers")]
    return [lambda: load("sentence_transformers", INSTALL)]


class Encoder:
    """What both have in common."""

    def __init__(self, model, settings):
        own = model.json("config_sentence_transformers.json").get("prompts", {}).get("query")
        given = settings["query_prompt"]
        self.prompt = given if given is not None else own or QUERY_PROMPT
        self.asked = False

    @contextmanager
    def asking(self):
        """Texts are queries meanwhile."""
        self.asked = True
        try:
            yield
        finally:
            self.asked = False

    def encode(self, texts, **_):
        """`semble` passes arguments that are its own model's."""
        prompt = self.prompt if self.asked else ""
        return matrix([self.vector(prompt, text) for text in texts], self.dim)


class SentenceTransformers(Encoder):
    def __init__(self, model, settings):
        super().__init__(model, settings)
        check_code(model, settings["trust_remote_code"])
        library = load("sentence_transformers", INSTALL)
        torch = load("torch", INSTALL)
        torch.set_num_threads(settings["threads"])
        self.version = f"sentence-transformers {library.__version__}, torch {torch.__version__}"
        try:
            self.model = library.SentenceTransformer(
                str(model.folder), trust_remote_code=settings["trust_remote_code"]
            )
        except ImportError as error:  # the model's own code names a package, and transformers says which
            raise Missing(f"the model `{model.name}` needs another package: {error}", "install it for that Python")
        own = self.model.max_seq_length
        self.model.max_seq_length = min(own or settings["max_seq_length"], settings["max_seq_length"])
        self.dim = len(self.vector("", "one"))

    def vector(self, prompt, text):
        options = {"batch_size": 1, "show_progress_bar": False, "convert_to_numpy": True}
        return self.model.encode([text], prompt=prompt, **options)[0]


class Onnx(Encoder):
    def __init__(self, model, settings):
        super().__init__(model, settings)
        self.numpy = load("numpy", "numpy")
        runtime = load("onnxruntime", "onnxruntime tokenizers")
        tokenizers = load("tokenizers", "onnxruntime tokenizers")
        self.version = f"onnxruntime {runtime.__version__}"
        if not model.has("tokenizer.json"):
            raise Missing(f"the model `{model.name}` has no tokenizer.json", "put it beside the graph")
        self.tokenizer = tokenizers.Tokenizer.from_file(str(model.folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(settings["max_seq_length"])
        self.tokenizer.no_padding()
        self.pooling = pooling(model)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = settings["threads"]
        graph = next(filter(model.has, GRAPHS))
        providers = ["CPUExecutionProvider"]
        self.session = runtime.InferenceSession(str(model.folder / graph), options, providers=providers)
        self.inputs = [each.name for each in self.session.get_inputs()]
        outputs = [each.name for each in self.session.get_outputs()]
        self.output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        self.dim = len(self.vector("", "one"))

    def vector(self, prompt, text):
        encoded = self.tokenizer.encode(prompt + text)
        given = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        tensors = {name: self.numpy.asarray([given[name]], dtype="int64") for name in self.inputs}
        output = self.session.run([self.output], tensors)[0][0]
        if output.ndim == 1:  # the graph pools by itself
            return output
        if self.pooling is None:
            raise RuntimeError("the model does not say how its tokens become one vector (1_Pooling/config.json)")
        return output[0] if self.pooling == "cls" else output.mean(axis=0)


def pooling(model):
    """`cls`, `mean`, or nothing if the folder does not say."""
    said = model.json("1_Pooling/config.json")
    if said.get("pooling_mode_cls_token") or said.get("pooling_mode") == "cls":
        return "cls"
    if said.get("pooling_mode_mean_tokens") or said.get("pooling_mode") == "mean":
        return "mean"
    return None


def check_code(model, trusted):
    """A model that brings code of its own is loaded only if the configuration trusts it, and only from its folder."""
    named = code_of(model.json("config.json"))
    modules = [each.get("type", "") for each in model.json("modules.json") or []]
    foreign = [name for name in modules if not name.startswith("sentence_transformers.")]
    if not trusted and (named or foreign):
        raise Missing(
            f"the permission to run code: the model `{model.name}` brings Python of its own, which would run here",
            "read it, then write `trust-remote-code = true`",
        )
    elsewhere = sorted({name.split("--")[0] for name in named if "--" in name})
    if elsewhere:
        raise Missing(
            f"the code of the model `{model.name}` lies in another repository, at no fixed revision: {elsewhere[0]}",
            "use a folder that holds the model with its code",
        )


def code_of(config):
    """The classes that a configuration names: `file.Class`, or `owner/repository--file.Class`."""
    named = []
    for value in config.get("auto_map", {}).values():
        named += [each for each in (value if isinstance(value, list) else [value]) if each]
    return named
