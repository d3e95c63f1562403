#!/usr/bin/env python3
"""`palimpsest mia` from traces, as a careful and as a careless user would call it."""

import csv
import json
import pathlib
import tempfile
import unittest

from program import ProgramTest, palimpsest

TRACES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "traces"
HEADER = '{"palimpsest_trace": 1, "model": "m"}\n'


class MiaTest(ProgramTest):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.folder = pathlib.Path(self.temp.name)

    def mia(self, *arguments, forget=TRACES / "forget.jsonl", holdout=TRACES / "holdout.jsonl"):
        return palimpsest("mia", "--forget-traces", forget, "--holdout-traces", holdout, *arguments)

    def write(self, name: str, text: str, mode: str = "w") -> pathlib.Path:
        path = self.folder / name
        if mode == "wb":
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
        return path

    def test_writes_scores_from_which_the_auc_follows(self):
        run = self.mia("--out", self.folder / "out")
        self.assertEqual(run.returncode, 0, run.stderr)
        report = json.loads((self.folder / "out" / "mia.json").read_text())
        self.assertEqual(list(report), ["loss", "min_k", "min_k_plus_plus", "zlib"])
        with open(self.folder / "out" / "scores.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for attack, result in report.items():
            members = [float(r["score"]) for r in rows if r["attack"] == attack and r["label"] == "1"]
            others = [float(r["score"]) for r in rows if r["attack"] == attack and r["label"] == "0"]
            wins = sum((m > o) + (m == o) / 2 for m in members for o in others)
            self.assertAlmostEqual(result["auc"], wins / len(members) / len(others), places=12)
            self.assertLess(result["auc_ci"][0], result["auc"])
            self.assertGreater(result["auc_ci"][1], result["auc"])
            self.assertEqual(len(result["forget"]["value_by_index"]), 120)

    def test_same_call_same_bytes(self):
        outputs = []
        for name in ("a", "b"):
            self.assertEqual(self.mia("--out", self.folder / name).returncode, 0)
            outputs.append([(self.folder / name / f).read_bytes() for f in ("mia.json", "scores.csv")])
        self.assertEqual(outputs[0], outputs[1])

    def test_json_goes_to_standard_output(self):
        run = self.mia("--json", "--attacks", "loss")
        self.assertEqual(list(json.loads(run.stdout)), ["loss"])

    def test_only_log_probabilities_allow_loss_and_min_k(self):
        forget = self.write("f", HEADER + "".join(
            f'{{"index": {i}, "num_labels": 2, "logprob": [-0.{i}, -1]}}\n' for i in range(1, 5)))
        holdout = self.write("h", HEADER + "".join(
            f'{{"index": {i}, "num_labels": 2, "logprob": [-2.{i}, -1]}}\n' for i in range(1, 5)))
        run = self.mia("--json", forget=forget, holdout=holdout)
        self.assertEqual(list(json.loads(run.stdout)), ["loss", "min_k"])
        self.assertIn("zlib is left out", run.stderr)
        self.assert_refused(self.mia("--attacks", "zlib", forget=forget, holdout=holdout), "'text' is missing", "f:2")

    def test_bad_input_is_refused_and_nothing_is_written(self):
        good = '{"index": 0, "num_labels": 1, "logprob": [-1]}\n'
        cases = {
            "not there": (None, "No such file"),
            "empty file": ("", "empty"),
            "no examples": (HEADER, "no examples"),
            "no header": (good, "first line"),
            "other version": ('{"palimpsest_trace": 9}\n' + good, "version"),
            "bad line": (HEADER + good + "{broken\n", ":3:"),
            "NaN": (HEADER + '{"index": 0, "num_labels": 1, "logprob": [NaN]}\n', "NaN"),
            "infinite": (HEADER + '{"index": 0, "num_labels": 1, "avg_loss": Infinity}\n', "infinite"),
            "lengths": (HEADER + '{"index": 0, "num_labels": 5, "logprob": [-1]}\n', "num_labels"),
            "other model": ('{"palimpsest_trace": 1, "model": "another"}\n' + good, "different models"),
        }
        for name, (text, message) in cases.items():
            with self.subTest(name):
                path = self.folder / "none" if text is None else self.write("bad", text)
                out = self.folder / "out"
                self.assert_refused(self.mia("--out", out, forget=path), message)
                self.assertFalse(out.exists())

    def test_text_that_is_not_utf8_is_refused(self):
        path = self.write("bad", HEADER.encode() + b'{"index": 0, "num_labels": 1, "text": "\xff"}\n', "wb")
        self.assert_refused(self.mia(forget=path), ":2:", "UTF-8")

    def test_bad_options_are_refused(self):
        self.assert_refused(self.mia("-k", "0"), "k is 0")
        self.assert_refused(self.mia("-k", "nan"), "k is nan")
        self.assert_refused(self.mia("-k", "x"), "x")
        self.assert_refused(self.mia("--attacks", "magic"), "magic", "min_k_plus_plus")
        self.assert_refused(self.mia("--bootstrap", "0"), "resamples")
        self.assert_refused(self.mia("--confidence", "1"), "confidence")
        self.assert_refused(self.mia("--fpr", "0"), "false positive rate")
        self.assert_refused(self.mia("--nonsense"), "--nonsense")
        self.assert_refused(palimpsest("mia"), "--forget-traces")

    def test_an_output_folder_that_cannot_be_made_is_refused(self):
        blocked = self.write("file", "")
        self.assert_refused(self.mia("--out", blocked / "below"), "folder")


if __name__ == "__main__":
    unittest.main()
