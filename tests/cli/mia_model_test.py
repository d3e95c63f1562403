"""`palimpsest mia --model`: from a checkpoint and two data files to an audit."""

import gzip
import html
import json
import random
import shutil
import unittest

from program import EXAMPLES, ROOT, ProgramTest

MIA = ROOT / "tests" / "golden" / "mia"
TINY = EXAMPLES / "tiny-model"
TRACES = ROOT / "tests" / "golden" / "formats" / "0.2" / "traces"  # of few examples, with which nothing is decided
WORDS = "In a small town near the river Where was author born".split()


class MiaModelTest(ProgramTest):
    def questions(self, name, count, seed, **more):
        draw = random.Random(seed)
        return self.write(name, *(json.dumps({"question": " ".join(draw.choices(WORDS, k=5)),
                                              "answer": " ".join(draw.choices(WORDS, k=8)), "topic": "xy"[i % 2], **more})
                                  for i in range(count)))

    def arguments(self, *more, model=TINY, out="out", forget=None, holdout=None):
        forget = forget or self.questions("forget.jsonl", 30, 1)
        holdout = holdout or self.questions("holdout.jsonl", 30, 2)
        return ("mia", "--model", model, "--forget", forget, "--holdout", holdout, "--out", out, *more)

    def test_one_command_gives_every_attack_its_traces_and_its_files(self):
        text = self.succeed(*self.arguments("--reference", TINY, "--baseline", TINY, "--group-key", "topic"))
        for attack in self.attacks():
            self.assertRegex(text, rf"(?m)^{attack} +[01]\.\d\d\d")
        report = self.read_json("out/mia.json")
        self.assertIsNone(report["loss"]["against_baseline"])  # the same model: nothing varies
        self.assertIn(f"{TINY.name}, fingerprint", report["audit"]["record"])
        self.assertEqual({g["group"] for g in report["loss"]["groups"] if g["by"] == "topic"}, {"x", "y"})
        names = sorted(path.name for path in (self.folder / "out" / "traces").iterdir())
        self.assertEqual(names, ["baseline-forget.jsonl", "baseline-holdout.jsonl", "forget.jsonl", "holdout.jsonl",
                                 "reference-forget.jsonl", "reference-holdout.jsonl"])
        # Auditing the traces says the same.
        traces = self.folder / "out" / "traces"
        self.succeed("mia", "--forget-traces", traces / "forget.jsonl", "--holdout-traces", traces / "holdout.jsonl",
                     "--attacks", "loss", "--out", "again")
        self.assertEqual(self.read_json("again/mia.json")["loss"]["auc"], report["loss"]["auc"])

    def test_a_second_call_computes_nothing_and_gives_the_same_bytes(self):
        arguments = self.arguments("--attacks", "loss,gradnorm")
        self.succeed(*arguments)
        first = {p.name: p.read_bytes() for p in (self.folder / "out").iterdir() if p.is_file()}
        self.assertFalse((self.folder / "out" / "traces.run").exists())  # the journals are not needed any more
        done = self.run_program(*arguments)
        self.assertIn("60 of 60 sequences had been run before", done.stderr)
        self.assertEqual({p.name: p.read_bytes() for p in (self.folder / "out").iterdir() if p.is_file()}, first)

    def test_warnings_are_stored_and_shown(self):
        model = self.folder / "model"
        shutil.copytree(TINY, model)
        config = model / "tokenizer_config.json"
        config.write_text(json.dumps({**json.loads(config.read_text(encoding="utf-8")), "tokenizer_class": "Unheard"}), encoding="utf-8")
        arguments = self.arguments("--attacks", "loss", "--template", "tags", "--max-length", "6", model=model)
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        warnings = self.read_json("out/mia.json")["audit"]["warnings"]
        for expected in ("forget.jsonl: 30 of 30 examples are as long as the maximum length allows and may be cut",
                         "holdout.jsonl: 30 of 30 examples are as long as the maximum length allows and may be cut",
                         "model/tokenizer_config.json: the tokenizer class 'Unheard' is not known; tokenizer.json is used as it is"):
            self.assertIn(expected, warnings)
        page = (self.folder / "out" / "report.html").read_text(encoding="utf-8")
        for warning in warnings:
            self.assertIn(warning.split(": ", 1)[1], done.stderr)
            self.assertIn(warning, html.unescape(page))
        self.assertIn("mia.json: the same", self.succeed("verify", "out"))
        self.succeed("report", "out", "--out", "again")
        self.assertIn("tokenizer class", (self.folder / "again" / "report.html").read_text(encoding="utf-8"))

    def test_models_in_the_hubs_cache_are_called_by_their_names(self):
        first, second = (self.folder / "hub" / "models--lab--small" / "snapshots" / revision for revision in ("a39f3", "b7c01"))
        shutil.copytree(TINY, first)
        shutil.copytree(TINY, second)
        self.succeed(*self.arguments("--attacks", "loss", model=first))
        self.assertIn("small, fingerprint", self.read_json("out/mia.json")["audit"]["record"])
        self.assertNotIn("a39f3", (self.folder / "out" / "mia.json").read_text(encoding="utf-8"))
        self.succeed(*self.arguments("--attacks", "loss", "--baseline", second, model=first, out="both"))
        record = self.read_json("both/mia.json")["audit"]["record"]
        self.assertIn("a39f3/lab/small, fingerprint", record)
        self.assertIn("b7c01/lab/small, fingerprint", record)

    def test_a_folder_of_compressed_files_is_the_same_data(self):
        lines = (self.folder / self.questions("forget.jsonl", 30, 1)).read_text(encoding="utf-8").splitlines(keepends=True)
        shards = self.folder / "shards"
        shards.mkdir()
        (shards / "1.jsonl").write_text("".join(lines[20:]), encoding="utf-8")
        with gzip.open(shards / "0.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write("".join(lines[:20]))
        self.succeed(*self.arguments("--attacks", "loss"))
        self.succeed(*self.arguments("--attacks", "loss", forget=shards, out="folder"))
        scores = [self.read_json(f"{out}/mia.json")["loss"]["forget"]["value_by_index"] for out in ("out", "folder")]
        self.assertEqual(scores[0], scores[1])
        inputs = {one["role"]: one for one in self.read_json("folder/provenance.json")["inputs"]}
        self.assertEqual([file["name"] for file in inputs["forget data"]["files"]], ["0.jsonl.gz", "1.jsonl"])
        self.assertIn("mia.json: the same", self.succeed("verify", "folder"))

    def test_other_columns_of_the_data_cost_no_second_run(self):
        self.succeed(*self.arguments("--attacks", "loss"))
        done = self.run_program(*self.arguments("--attacks", "loss", "--group-key", "topic"))
        self.assertIn("60 of 60 sequences had been run before", done.stderr)
        groups = self.read_json("out/mia.json")["loss"]["groups"]
        self.assertEqual({group["group"] for group in groups if group["by"] == "topic"}, {"x", "y"})

    def test_the_help_names_the_default_type(self):  # what it is in fact: tests/cli/run_test.cc
        usage = " ".join(self.succeed("mia", "--help").split())
        self.assertRegex(usage, r"--dtype TEXT Number type of the computation: .*? \(default: float32\)")

    def test_without_a_reference_its_attacks_are_left_out_with_a_note(self):
        text = self.succeed(*self.arguments())
        comparing = [name for name, (_, reference) in self.attacks().items() if reference]
        self.assertIn(f"{', '.join(comparing)} are left out", " ".join(text.split()))
        self.assertIn("which the attack reference needs",
                      self.run_program(*self.arguments("--attacks", "reference", out="other")).stderr)

    def test_the_same_set_twice_is_refused_before_the_run(self):
        both = self.questions("both.jsonl", 30, 1)
        sentence = self.run_program(*self.arguments("--attacks", "loss", forget=both, holdout=both))
        self.assertEqual(sentence.returncode, 2)
        self.assertIn("every text of one set is also in the other one", sentence.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_what_the_sizes_can_show_is_said_before_the_run(self):
        done = self.run_program(*self.arguments("--attacks", "loss"))
        self.assertRegex(done.stderr, r"With 30 forget and 30 holdout examples, an audit detects an AUC of about 0\.\d+ or more")
        done = self.run_program(*self.arguments("--attacks", "loss", "--cluster-size", "5", out="blocks"))
        self.assertIn("in 12 clusters (blocks of 5)", done.stderr)

    def test_what_would_be_detected_does_not_depend_on_the_confidence_of_intervals(self):
        # The answer has a level of its own: ½ + (t_0.985 + t_0.8) sqrt(1/(12·30) + 1/(12·30)), with 58 degrees of freedom.
        for confidence in ("0.9", "0.95", "0.99"):
            more = ("--attacks", "loss", "--independent", "--confidence", confidence)
            done = self.run_program(*self.arguments(*more, out=confidence))
            self.assertIn("With 30 forget and 30 holdout examples, an audit detects an AUC of about 0.73 or more with a probability of 80%",
                          done.stderr)
            self.succeed("plan", *self.arguments(*more, out=f"{confidence}.json")[1:])
            self.assertAlmostEqual(self.read_json(f"{confidence}.json")["sample"]["would_detect"], 0.729, delta=5e-4)

    def test_the_answer_does_not_depend_on_the_confidence_of_intervals(self):
        widths, answers = [], []
        for confidence in ("0.9", "0.95", "0.99"):
            self.succeed("mia", "--forget-traces", TRACES / "forget.jsonl", "--holdout-traces", TRACES / "holdout.jsonl", "--attacks",
                         "loss,min_k", "--cluster-size", "2", "--confidence", confidence, "--out", confidence)
            audit = self.read_json(f"{confidence}/mia.json")
            answer = audit["audit"]["answer"]
            self.assertEqual((answer["level"], audit["loss"]["confidence"]), (0.05, float(confidence)))
            self.assertIn(f"would have detected an AUC of {answer['would_detect']:.3f} or more with probability 80%", answer["sentence"])
            self.assertEqual(answer.pop("picked_out")["confidence"], float(confidence))
            answers.append((answer, [audit[name][key] for name in ("loss", "min_k")
                                     for key in ("auc_ci_simultaneous", "auc_ci_equivalence")]))
            low, high = audit["loss"]["auc_ci"]
            widths.append(high - low)
        self.assertEqual(answers[1:], answers[:1] * 2)
        self.assertTrue(widths[0] < widths[1] < widths[2], widths)

    def test_a_key_of_the_records_names_the_clusters(self):
        draw = random.Random(4)
        files = [self.write(f"{name}.jsonl", *(json.dumps({"question": " ".join(draw.choices(WORDS, k=5)),
                                                           "answer": " ".join(draw.choices(WORDS, k=8)),
                                                           "author": f"{name} {i // 3}"}) for i in range(30)))
                 for name in ("forget", "holdout")]
        self.succeed(*self.arguments("--attacks", "loss", "--cluster-key", "author", forget=files[0], holdout=files[1]))
        clusters = self.read_json("out/mia.json")["audit"]["clusters"]
        self.assertEqual(clusters["key"], "author")
        self.assertEqual(clusters["forget"]["4"], "forget 1")
        missing = self.run_program(*self.arguments("--cluster-key", "writer", forget=files[0], holdout=files[1], out="other"))
        self.assertEqual(missing.returncode, 2)
        self.assertIn("'writer'", missing.stderr)

    def test_bad_input_is_refused_and_nothing_is_written(self):
        empty = self.write("empty.jsonl")
        other_key = self.write("other.jsonl", '{"question": "Where was", "answer": "In a town"}', '{"question": "a", "reply": "b"}')
        binary = self.folder / "binary.jsonl"
        binary.write_bytes(b'{"question": "\xff", "answer": "a"}\n')
        null = self.write("null.jsonl", '{"question": "Where was", "answer": null}')
        good = self.questions("good.jsonl", 5, 3)
        for arguments, message in (
                (self.arguments(forget=empty), "no record"), (self.arguments(holdout=empty), "no record"),
                (self.arguments(forget=other_key), "other.jsonl:2"), (self.arguments(forget=other_key), "question, reply"),
                (self.arguments(forget=binary), "UTF-8"), (self.arguments(holdout=null), "null.jsonl:1"),
                (self.arguments("-k", "0"), "k is 0"), (self.arguments("-k", "1.5"), "k is 1.5"),
                (self.arguments("-p", "3"), "p is 3"), (self.arguments(model="nowhere"), "nowhere"),
                (self.arguments("--reference", MIA / "gpt2"), "a different vocabulary"),
                (self.arguments("--forget-traces", good, "--holdout-traces", good), "both a model and traces"),
                (self.arguments("--baseline-forget-traces", good, "--baseline-holdout-traces", good), "--baseline-forget-traces"),
                (self.arguments("--threads", "100000"), "100000 is not a valid number of threads"),
                (("mia", "--forget-traces", good, "--holdout-traces", good, "--threads", "100000"), "not a valid number of threads"),
                (("mia",), "--forget-traces"), (("mia", "--model", TINY, "--forget", good, "--holdout", good), "--out"),
                (("mia", "--model", TINY, "--out", "x", "--holdout", good), "--forget"),
                (("mia", "--forget-traces", good, "--holdout-traces", good, "--reference", TINY), "--reference"),
                (self.arguments("--dataset", "completion", forget=good), "text")):
            with self.subTest(message):
                done = self.run_program(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr.splitlines()[-1])
                self.assertFalse((self.folder / "out").exists())

    def test_a_changed_model_is_not_mistaken_for_the_old_one(self):
        shutil.copytree(TINY, self.folder / "model")
        arguments = self.arguments("--attacks", "loss", model="model")
        self.succeed(*arguments)
        before = self.read_json("out/mia.json")["loss"]["forget"]["agg_value"]
        weights = self.folder / "model" / "model.safetensors"
        content = bytearray(weights.read_bytes())
        content[-4:] = b"\x00\x00\x80\x40"  # the last number becomes 4
        weights.write_bytes(content)
        self.assertNotIn("had been run before", self.run_program(*arguments).stderr)
        self.assertNotEqual(self.read_json("out/mia.json")["loss"]["forget"]["agg_value"], before)


if __name__ == "__main__":
    unittest.main()
