#!/usr/bin/env python3
"""`palimpsest demo` from nothing: the numbers must tell the true story, which here, and only here, is known."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["PALIMPSEST"]


def demo(folder, *options):
    done = subprocess.run([PROGRAM, "demo", "--out", folder, *options], capture_output=True, text=True,
                          encoding="utf-8", check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done


class DemoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name) / "demo"
        cls.done = demo(cls.folder)
        cls.logs = {name: json.loads((cls.folder / "evals" / name / "TOFU_EVAL.json").read_text(encoding="utf-8"))
                    for name in ("unlearned", "original", "retrained", "random")}
        lines = (cls.folder / "models.csv").read_text(encoding="utf-8").splitlines()
        heading = lines[0].split(",")
        cls.table = {row.split(",")[0]: dict(zip(heading, row.split(","))) for row in lines[1:]}

    def auc(self, name):
        row = self.table[name]
        return float(row["mia_loss"]), float(row["mia_loss_low"]), float(row["mia_loss_high"])

    def test_the_original_plainly_remembers(self):
        auc, low, _ = self.auc("original")
        self.assertGreaterEqual(auc, 0.9)
        self.assertGreater(low, 0.8)
        self.assertGreater(self.logs["original"]["forget_Q_A_ROUGE"]["agg_value"], 0.7)
        self.assertLess(self.logs["original"]["forget_quality"]["agg_value"], 0.05)

    def test_the_retrained_cannot_tell(self):
        _, low, high = self.auc("retrained")
        self.assertLess(low, 0.5)
        self.assertGreater(high, 0.5)
        self.assertEqual(self.logs["retrained"]["forget_quality"]["agg_value"], 1)
        self.assertGreater(self.logs["retrained"]["model_utility"]["agg_value"], 0.3)

    def test_the_random_one_knows_nothing(self):
        auc, _, _ = self.auc("random")
        self.assertLess(abs(auc - 0.5), 0.15)
        self.assertLess(self.logs["random"]["model_utility"]["agg_value"], 0.1)

    def test_the_unlearned_one_forgot_and_kept_the_rest(self):
        self.assertLess(self.auc("unlearned")[0], self.auc("original")[0])
        self.assertLess(self.logs["unlearned"]["forget_Q_A_ROUGE"]["agg_value"],
                        self.logs["original"]["forget_Q_A_ROUGE"]["agg_value"])
        self.assertGreater(self.logs["unlearned"]["model_utility"]["agg_value"],
                           self.logs["random"]["model_utility"]["agg_value"])

    def test_every_attack_ran_on_every_model(self):
        for name, log in self.logs.items():
            for attack in ("loss", "min_k", "min_k_plus_plus", "zlib", "gradnorm", "reference"):
                self.assertIsNotNone(log[f"mia_{attack}"]["auc"], f"{name} {attack}")

    def answer(self, name):
        path = self.folder / "evals" / name / "TOFU_RUN.json"
        return json.loads(path.read_text(encoding="utf-8"))["answer"]

    def test_the_answers_fit_the_truth(self):
        self.assertEqual(self.answer("original")["verdict"], "remembered")
        self.assertNotEqual(self.answer("retrained")["verdict"], "remembered")
        # Everybody but the retrained model is compared with it; authors count, not questions.
        self.assertTrue(self.answer("unlearned")["against_baseline"])
        self.assertFalse(self.answer("retrained")["against_baseline"])
        self.assertEqual(self.answer("unlearned")["clusters"]["forget"], 40)
        text = " ".join(self.done.stdout.split())
        self.assertIn(f"The unlearned model: {self.answer('unlearned')['sentence']}", text)
        self.assertRegex(self.done.stdout, r"(?m)^original .* remembered ")

    def test_it_ends_with_a_table_and_a_page(self):
        for name in self.logs:
            self.assertRegex(self.done.stdout, rf"(?m)^{name} ")
        self.assertIn("report.html", self.done.stdout)
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("Does unlearned still remember what it was asked to forget?", page)

    def test_a_second_call_finds_everything_done(self):
        before = {p: p.stat().st_mtime_ns for p in (self.folder / "models").rglob("*.safetensors")}
        again = demo(self.folder)
        self.assertEqual(again.stdout, self.done.stdout)
        self.assertIn("original: already exists", again.stderr)
        self.assertEqual({p: p.stat().st_mtime_ns for p in (self.folder / "models").rglob("*.safetensors")}, before)

    def test_a_folder_that_cannot_be_used_is_refused(self):
        blocked = self.folder.parent / "file"
        blocked.write_text("", encoding="utf-8")
        done = subprocess.run([PROGRAM, "demo", "--out", blocked], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], r"\Apalimpsest: .*file")
        done = subprocess.run([PROGRAM, "demo", "--out", self.folder.parent / "x", "--method", "magic"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("npo", done.stderr)


if __name__ == "__main__":
    unittest.main()
