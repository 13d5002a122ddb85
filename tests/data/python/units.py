"""The parts of the workers that need no package. Run by tests/it/python.rs."""

import hashlib
import json
import pathlib
import tempfile
import unittest
from types import SimpleNamespace

import rankhold_chunks
import rankhold_encoders
import rankhold_models
import rankhold_talk
from rankhold_talk import Missing

SETTINGS = {"system": "coderankembed", "hf": "hf", "online": False, "trial": False, "caches": [], "random": False, "stand_in": False, "query_prompt": None}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def model(self, **files):
        for path, text in files.items():
            self.write(path, text)
        return rankhold_models.Model("m", self.folder)

    def missing(self, act, *arguments):
        with self.assertRaises(Missing) as caught:
            act(*arguments)
        return caught.exception


class Models(Folder):
    def test_the_hash_is_that_of_sha256sum_and_knows_neither_prose_nor_hidden_files(self):
        self.write("b/weights", "w")
        self.write("a.json", "{}")
        model = self.model()
        lines = "".join(f"{hashlib.sha256(text).hexdigest()}  {path}\n" for path, text in [("a.json", b"{}"), ("b/weights", b"w")])
        self.assertEqual(model.sha256(), hashlib.sha256(lines.encode()).hexdigest())
        before = model.sha256()
        for path in ("README.md", ".cache/huggingface/a.metadata", ".gitattributes"):
            self.write(path, "x")
        self.assertEqual(model.sha256(), before)
        self.write("b/weights", "v")
        self.assertNotEqual(model.sha256(), before)

    def cache(self, *revisions):
        for revision in revisions:
            self.write(f"models--lab--net/snapshots/{revision}/config.json", "{}")
        return [{"name": "the cache", "folder": str(self.folder)}]

    def test_a_revision_is_taken_as_it_is_asked_for(self):
        caches = self.cache("aaa", "bbb")
        self.assertEqual(rankhold_models.cached("lab/net", "bbb", caches).name, "lab/net@bbb")
        self.assertIsNone(rankhold_models.cached("lab/net", "ccc", caches))
        self.assertIsNone(rankhold_models.cached("lab/other", "aaa", caches))

    def test_without_one_the_only_one_is_taken_and_of_two_neither(self):
        self.assertEqual(rankhold_models.cached("lab/net", None, self.cache("aaa")).name, "lab/net@aaa")
        missing = self.missing(rankhold_models.cached, "lab/net", None, self.cache("bbb"))
        self.assertIn("several revisions of the model `lab/net` lie in the cache: aaa, bbb", missing.what)

    def test_an_absent_model_says_how_to_get_it(self):
        wanted = {"name": "lab/net", "revision": "aaa"}
        settings = {**SETTINGS, "model": wanted, "caches": [{"name": "~/.cache", "folder": "/nowhere"}]}
        missing = self.missing(rankhold_models.locate, settings)
        self.assertEqual(missing.what, "the model `lab/net` at revision aaa is not on this machine (looked in ~/.cache)")
        self.assertIn("hf download lab/net --revision aaa", missing.hint)
        self.assertNotIn("bm25", missing.hint)
        named = self.missing(rankhold_models.locate, {**settings, "system": "semble", "hf": ".venv/bin/hf"})
        self.assertIn("run `.venv/bin/hf download lab/net --revision aaa` once", named.hint)
        self.assertIn('or write `mode = "bm25"`, which needs no model', named.hint)
        online = {**settings, "online": True, "model": {"name": "lab/net", "revision": None}}
        self.assertIn("nothing says which revision", self.missing(rankhold_models.locate, online).what)

    def test_a_folder_is_named_as_it_is_written_and_must_hold_a_model(self):
        folder = {"name": "net", "folder": str(self.folder / "net"), "written": "/nope/net"}
        settings = {**SETTINGS, "model": folder, "caches": []}
        self.assertEqual(self.missing(rankhold_models.locate, settings).what, "there is no folder `/nope/net` with a model")
        self.write("net/readme.txt", "x")
        missing = self.missing(rankhold_models.locate, settings)
        self.assertEqual(missing.what, "the folder `/nope/net` holds no model")
        self.assertIn(".safetensors", missing.hint)
        self.write("net/model.safetensors", "0.25")
        self.assertEqual(rankhold_models.locate(settings).name, "net")

    def test_a_hub_that_cannot_be_asked_is_named_with_what_can_be_done(self):
        def unreachable(name, revision):
            raise OSError("no route to host\nand a long story")

        kept = rankhold_models.load
        self.addCleanup(setattr, rankhold_models, "load", kept)
        rankhold_models.load = lambda module, install: SimpleNamespace(snapshot_download=unreachable)
        settings = {**SETTINGS, "online": True, "caches": [], "model": {"name": "lab/net", "revision": "aaa"}}
        missing = self.missing(rankhold_models.locate, settings)
        self.assertEqual(missing.what, "the model `lab/net` could not be had from https://huggingface.co: no route to host")
        self.assertIn("hf download lab/net --revision aaa", missing.hint)

    def test_random_vectors_ask_for_the_tokenizer_and_a_model_for_more_than_that(self):
        caches = self.cache("aaa")
        settings = {**SETTINGS, "model": {"name": "lab/net", "revision": "aaa"}, "caches": caches}
        floor = {**settings, "random": True}
        missing = self.missing(rankhold_models.locate, floor)
        self.assertTrue(missing.what.startswith("the tokenizer.json of the model `lab/net` at revision aaa is not"))
        self.assertIn("run `hf download lab/net tokenizer.json --revision aaa` once", missing.hint)
        self.write("models--lab--net/snapshots/aaa/tokenizer.json", "{}")
        self.assertEqual(rankhold_models.locate(floor).name, "lab/net@aaa")
        self.assertIn("hf download lab/net --revision aaa", self.missing(rankhold_models.locate, settings).hint)
        self.write("models--lab--net/snapshots/aaa/model.safetensors", "0.25")
        self.assertEqual(rankhold_models.locate(settings).name, "lab/net@aaa")

    def test_online_a_look_asks_the_hub_and_only_a_run_downloads(self):
        asked = []
        hub = SimpleNamespace(
            HfApi=lambda: SimpleNamespace(model_info=lambda name, revision: asked.append(("look", name, revision))),
            snapshot_download=lambda name, revision: asked.append(("download", name, revision)) or str(self.folder),
        )
        kept = rankhold_models.load
        self.addCleanup(setattr, rankhold_models, "load", kept)
        rankhold_models.load = lambda module, install: hub
        wanted = {**SETTINGS, "online": True, "model": {"name": "lab/net", "revision": "aaa"}}
        self.assertIsNone(rankhold_models.locate({**wanted, "trial": True}))
        self.assertEqual(rankhold_models.locate(wanted).name, "lab/net@aaa")
        self.assertEqual(asked, [("look", "lab/net", "aaa"), ("download", "lab/net", "aaa")])


class Encoders(Folder):
    def test_what_runs_a_model_is_decided_by_what_its_folder_holds(self):
        chosen = {}
        for name in ("SentenceTransformers", "Onnx"):
            kept = getattr(rankhold_encoders, name)
            self.addCleanup(setattr, rankhold_encoders, name, kept)
            setattr(rankhold_encoders, name, lambda model, settings, name=name: name)
        missing = self.missing(rankhold_encoders.encoder, self.model(), SETTINGS)
        self.assertIn("has no weights", missing.what)
        self.write("onnx/model.onnx", "")
        self.assertEqual(rankhold_encoders.encoder(self.model(), SETTINGS), "Onnx")
        self.write("model.safetensors", "")
        self.assertEqual(rankhold_encoders.encoder(self.model(), SETTINGS), "SentenceTransformers")

    def test_the_prompt_of_queries_is_never_forgotten(self):
        prompt = lambda **settings: rankhold_encoders.Encoder(self.model(), {**SETTINGS, **settings}).prompt
        self.assertEqual(prompt(), rankhold_encoders.QUERY_PROMPT)
        self.write("config_sentence_transformers.json", json.dumps({"prompts": {"query": "find: "}}))
        self.assertEqual(prompt(), "find: ")
        self.assertEqual(prompt(query_prompt=""), "")

    def test_pooling_is_what_the_folder_says(self):
        self.assertIsNone(rankhold_encoders.pooling(self.model()))
        for said, expected in [
            ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
            ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
            ({"pooling_mode": "cls"}, "cls"),
            ({"pooling_mode_max_tokens": True}, None),
        ]:
            self.write("1_Pooling/config.json", json.dumps(said))
            self.assertEqual(rankhold_encoders.pooling(self.model()), expected)

    def test_code_runs_only_if_it_is_trusted_and_of_the_same_revision(self):
        check = rankhold_encoders.check_code
        check(self.model(), False)
        self.write("modules.json", json.dumps([{"type": "sentence_transformers.models.Transformer"}]))
        check(self.model(), False)
        self.write("modules.json", json.dumps([{"type": "custom.Module"}]))
        self.assertIn("the permission to run code", self.missing(check, self.model(), False).what)
        self.write("modules.json", "[]")
        self.write("config.json", json.dumps({"auto_map": {"AutoModel": "modeling.Net"}}))
        self.assertIn("trust-remote-code = true", self.missing(check, self.model(), False).hint)
        check(self.model(), True)
        self.write("config.json", json.dumps({"auto_map": {"AutoTokenizer": [None, "lab/code--tokens.Fast"]}}))
        self.assertIn("at no fixed revision: lab/code", self.missing(check, self.model(), True).what)


class Talk(unittest.TestCase):
    def test_all_that_is_missing_is_told_at_once(self):
        def missing(*words):
            raise Missing(*words)

        looks = [lambda: missing("no a", "install it"), lambda: 1, lambda: missing("no b", "fetch it")]
        with self.assertRaises(Missing) as all_of_it:
            rankhold_talk.together(*looks)
        self.assertEqual((all_of_it.exception.what, all_of_it.exception.hint), ("no a; no b", "install it; fetch it"))
        self.assertEqual(rankhold_talk.together(looks[1], looks[1]), [1, 1])

    def test_a_package_that_is_absent_is_told_from_one_that_is_broken(self):
        with self.assertRaises(Missing) as absent:
            rankhold_talk.load("no_such_package.part", "no-such==1")
        self.assertIn("has no package `no_such_package`", absent.exception.what)
        self.assertIn("pip install no-such==1", absent.exception.hint)
        with self.assertRaises(Missing) as old:
            rankhold_talk.load("semble.no_such_part", "semble==0.7.0")
        self.assertIn("`semble` of Python", old.exception.what)
        self.assertIn("lacks `semble.no_such_part`", old.exception.what)

    def test_an_operation_that_is_unknown_or_fails_is_a_reply(self):
        def failing(request):
            raise KeyError("x")

        for op, detail in [("sing", "ValueError: no such operation: sing"), ("fail", "KeyError: 'x'")]:
            self.assertEqual(rankhold_talk.answer({"fail": failing}, {"op": op})["error"]["detail"], detail)


class Hits(unittest.TestCase):
    def test_a_file_is_one_hit_at_its_best_chunk_and_ties_go_by_path(self):
        def result(path, line, score):
            return SimpleNamespace(chunk=SimpleNamespace(file_path=path, start_line=line), score=score)

        results = [result("b.rs", 1, 0.5), result("a.rs", 9, 0.5), result("b.rs", 7, 0.9), result("c.rs", 1, 0.1)]
        hits = [(hit["path"], hit["score"]) for hit in rankhold_chunks.hits(results)]
        self.assertEqual(hits, [("b.rs", 0.9), ("a.rs", 0.5), ("c.rs", 0.1)])


if __name__ == "__main__":
    unittest.main()
