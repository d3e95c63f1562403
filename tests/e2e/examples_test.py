#!/usr/bin/env python3
"""Runs everything under examples/ that README and docs point to, against an installed library where it is C++."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def run(*command, **options) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, encoding="utf-8", check=False,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "--install", os.environ["PALIMPSEST_BUILD"], "--prefix", cls.folder / "prefix")

    def build(self, example):
        build = self.folder / example
        run("cmake", "-G", "Ninja", "-S", EXAMPLES / example, "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.folder / 'prefix'}")
        run("cmake", "--build", build)
        return build / example.replace("-", "_")

    def test_an_attack_of_ones_own(self):
        text = run(self.build("own-attack"), EXAMPLES / "traces" / "forget.jsonl", EXAMPLES / "traces" / "holdout.jsonl")
        self.assertRegex(text, r"(?m)^worst_token +0\.\d\d\d")
        self.assertRegex(text, r"(?m)^loss +0\.736")

    def test_a_metric_of_ones_own(self):
        data = EXAMPLES / "data" / "questions.jsonl"
        text = run(self.build("own-metric"), EXAMPLES / "tiny-model", data, self.folder / "own")
        self.assertRegex(text, r"(?m)^longest_run +\d")
        log = json.loads((self.folder / "own" / "OWN_EVAL.json").read_text(encoding="utf-8"))
        self.assertEqual(log["longest_run"]["value_by_index"]["0"]["score"], [9])

    def test_a_service(self):
        for name in ("forget", "holdout"):
            traces = run(sys.executable, EXAMPLES / "service" / "to_traces.py", "--model", "some-service",
                         EXAMPLES / "service" / f"answers_{name}.jsonl")
            (self.folder / f"{name}.jsonl").write_text(traces, encoding="utf-8")
        text = run(os.environ["PALIMPSEST"], "mia", "--forget-traces", "forget.jsonl", "--holdout-traces", "holdout.jsonl",
                   "--out", "service", cwd=self.folder)
        self.assertTrue(text.startswith("REMEMBERED."), text)
        self.assertRegex(text, r"(?m)^loss +0\.9")
        self.assertTrue((self.folder / "service" / "report.html").exists())

    def test_a_checkpoint_of_ones_own(self):
        draw = random.Random(1)
        words = "In a small town near the river Where was author born".split()
        for name in ("f", "h"):
            lines = [json.dumps({"question": " ".join(draw.choices(words, k=5)), "answer": " ".join(draw.choices(words, k=6))})
                     for _ in range(25)]
            (self.folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        text = run(EXAMPLES / "own-checkpoint" / "audit.sh", EXAMPLES / "tiny-model", "f.jsonl", "h.jsonl", "audit",
                   "--attacks", "loss,min_k", cwd=self.folder)
        self.assertIn("Open audit/report.html", text)
        self.assertTrue((self.folder / "audit" / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
