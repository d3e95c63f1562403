#!/usr/bin/env python3
"""Checks the cost model of bench/scale_model.py: against known numbers, against brute force, against the measured runs
that are kept beside it, and that docs/scale.md shows its tables."""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench")]

import scale_model  # noqa: E402
from scale_model import Cluster, Constants, Model, Work  # noqa: E402

ROUND = Constants(rate=[10.0, 8.0], start=0.5, plan=0.25, output=0.125, statistics=2.0, plan_bytes=8, result_bytes=16)
# 14 weights in the layer, 8 in the tied embedding, 3 norms of width 2.
SMALL = Model("small", layers=1, hidden=2, heads=1, key_value_heads=1, head_size=1, feed_forward=1, vocabulary=4, tied=True)


class ScaleModelTest(unittest.TestCase):
    def test_parameters_are_those_of_the_published_models(self):
        found = [model.parameters for model in scale_model.MODELS]
        self.assertEqual(found, [109529856, 1235814400, 8030261248, 70553706496])

    def test_operations_by_hand(self):
        self.assertEqual((SMALL.layer_weights, SMALL.parameters), (14, 28))
        # 2 * 14 * 3 in the layer, 2 * 3 * 4 * 1 in attention, 2 * 2 * 2 * 4 in the head.
        self.assertEqual(SMALL.operations(3, 2), 84 + 24 + 32)

    def test_a_run_by_hand(self):
        # 16384 // 3 = 5461 texts of 140 operations per batch: 5461 and 1 texts.
        work = Work(examples=5462, tokens=3, labels=2)
        found = scale_model.predict(SMALL, work, ROUND, Cluster(ranks=2, threads=2, busy=2), audits=True)
        self.assertAlmostEqual(found.compute, 5461 * 140 / (8.0 * 2))
        self.assertAlmostEqual(found.start, 0.5 * 28 * 4)
        self.assertAlmostEqual(found.plan, 0.25 * 5462 * 3)
        self.assertAlmostEqual(found.output, 0.125 * 5462 * 3)
        self.assertAlmostEqual(found.total, found.start + found.plan + found.compute + found.output + 2.0 * 5462)
        one = scale_model.predict(SMALL, work, ROUND, Cluster(ranks=1, threads=1, busy=1))
        self.assertAlmostEqual(one.compute, 5462 * 140 / 10.0)

    def test_the_hand_out(self):
        self.assertEqual(scale_model.makespan([5, 4, 3, 3, 3], 2), 10)
        self.assertEqual(scale_model.makespan([5, 4], 7), 5)
        draw = random.Random(1)
        for ranks in (2, 3):
            batches = sorted((draw.randint(1, 9) for _ in range(7)), reverse=True)
            best = min(max(sum(batch for batch, owner in zip(batches, owners) if owner == rank) for rank in range(ranks))
                       for owners in itertools.product(range(ranks), repeat=len(batches)))
            found = scale_model.makespan(batches, ranks)
            self.assertGreaterEqual(found, best)
            self.assertLessEqual(found, best * (4 / 3 - 1 / (3 * ranks)))  # Graham's bound for the longest first
            self.assertEqual(found, max(sum(share) for share in scale_model.even_shares(batches, ranks)))
            self.assertEqual(found, scale_model.makespan_of_speeds(batches, [1.0] * ranks))

    def test_the_measured_runs_are_predicted(self):
        constants = scale_model.constants()
        runs = json.loads(scale_model.RUNS.read_text(encoding="utf-8"))["runs"]
        self.assertEqual({run["cluster"]["ranks"] for run in runs}, {1, 2})
        for run in runs:
            with self.subTest(run["what"]):
                found = scale_model.predict(scale_model.MEASURED_MODEL, Work(**run["work"]), constants, Cluster(**run["cluster"]))
                self.assertLess(abs(found.total / run["seconds"] - 1), 0.15)

    def test_the_page_shows_the_tables(self):
        done = subprocess.run([sys.executable, ROOT / "bench" / "scale_model.py", "check", ROOT / "docs" / "scale.md"],
                              capture_output=True, text=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
