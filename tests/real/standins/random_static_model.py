#!/usr/bin/env python3
"""A model2vec folder of random vectors for letters, in semble's model's place: plumbing without a download, and no more.

    random_static_model.py OUT      in a Python that has semble
"""
import json
import sys

import numpy
from model2vec import StaticModel
from tokenizers import Tokenizer

import letters

described = letters.tokenizer()
vectors = numpy.random.default_rng(20261130).normal(size=(len(described["model"]["vocab"]), 256))
StaticModel(vectors.astype("float32"), Tokenizer.from_str(json.dumps(described)), normalize=True).save_pretrained(sys.argv[1])
print(sys.argv[1])
