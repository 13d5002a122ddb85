"""A model that counts letters, and writes down what it was asked to encode."""

import json
import os

__version__ = "3.0"


class SentenceTransformer:
    def __init__(self, model_name_or_path, trust_remote_code=False):
        with open(os.path.join(model_name_or_path, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        if config.get("auto_map") and not trust_remote_code:
            raise ValueError("requires you to execute the configuration file in that repo")
        if config.get("needs"):
            raise ImportError(f"This modeling file requires: {config['needs']}")
        self.max_seq_length = config.get("max_seq_length")

    def encode(
        self,
        sentences,
        prompt_name=None,
        prompt=None,
        batch_size=32,
        show_progress_bar=None,
        convert_to_numpy=True,
    ):
        texts = [(prompt or "") + sentence for sentence in sentences]
        said = {"texts": texts, "batch_size": batch_size, "max_seq_length": self.max_seq_length}
        with open(os.path.join(os.environ["HF_HOME"], "encoded.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")
        return [[1.0 + text.count(letter) for letter in "aeiou"] for text in texts]
