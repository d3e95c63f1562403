#!/usr/bin/env python3
"""The samples of the documents that the project was created from, as inputs: configurations, commands and numbers.

What cannot run as it is written has a row in the last table of docs/where-is.md.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from readme_test import ROOT

PROGRAM = os.environ["PALIMPSEST"]

# The evaluation guide: a benchmark, a metric, and a metric that is made of others. The keys are theirs, the comments ours.
TOFU = """# @package eval.tofu

defaults: # as there, comments follow values
  - tofu_metrics: 
    - Q_A_Prob # and items
    - Q_PARA_A_PARA_Prob
    - Q_A_ROUGE
    - Q_A_PARA_ROUGE

device: cuda
output_dir: ${output_dir}
metrics: {}
"""
Q_A_PROB = """# @package eval.tofu.metrics.Q_A_Prob

defaults:
  - ../../data/datasets@datasets: TOFU_QA_FORGET10
  - ../../collator@collators: DataCollatorForSupervisedDatasetwithIndex
  # a comment between the lists and the keys

handler: probability
batch_size: 16
"""
TRUTH_RATIO = """# @package eval.tofu.metrics.truth_ratio

defaults:
  - .@pre_compute.Q_A_PARA_Prob: Q_A_PARA_Prob
  - .@pre_compute.Q_A_PERT_Prob: Q_A_PERT_Prob

pre_compute:
  Q_A_PARA_Prob:
    access_key: paraphrase
  Q_A_PERT_Prob:
    access_key: perturb

handler: truth_ratio
"""


class SamplesTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, encoding="utf-8", check=False)

    def succeed(self, *words):
        done = self.run_program(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def write_lines(self, name, values):
        (self.folder / name).write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")

    def make_model(self):
        """Data in TOFU's shape, and a model without training."""
        self.succeed("lab", "data", "--authors", 20, "--out", "data/TOFU")
        self.succeed("lab", "train", "--data", "data/TOFU/full.json", "--tokenizer", "data/TOFU/tokenizer", "--epochs", 0, "--layers", 1,
                     "--width", 32, "--mlp", 48, "--out", "model")

    def test_the_configurations_of_the_evaluation_guide(self):
        self.make_model()
        shutil.copytree(ROOT / "configs", self.folder / "configs")
        metrics = self.folder / "configs" / "eval" / "tofu_metrics"
        (self.folder / "configs" / "eval" / "tofu.yaml").write_text(TOFU, encoding="utf-8")
        (metrics / "Q_A_Prob.yaml").write_text(Q_A_PROB, encoding="utf-8")
        (metrics / "truth_ratio.yaml").write_text(TRUTH_RATIO, encoding="utf-8")
        # The words of the quick start, the trainer that its text adds, and a model that a test can run.
        command = ("eval", "--config-dir", "configs", "model=Llama-3.1-8B-Instruct", "trainer=finetune", "eval=tofu", "output_dir=evals")
        model = ("model.model_args.pretrained_model_name_or_path=model", "model.tokenizer_args.pretrained_model_name_or_path=model")
        done = self.succeed(*command, *model)
        self.assertIn("trainer=finetune has no effect: eval trains nothing", done.stderr)
        self.assertIn("its key is taken to mean TOFUEvaluator", done.stderr)
        self.assertIn("device is cuda, but there is no such device", done.stderr)
        log = json.loads((self.folder / "evals" / "TOFU_EVAL.json").read_text(encoding="utf-8"))
        self.assertEqual(set(log), {"Q_A_Prob", "Q_PARA_A_PARA_Prob", "Q_A_ROUGE", "Q_A_PARA_ROUGE"})
        self.assertTrue(all(entry["agg_value"] is not None for entry in log.values()))
        # The metric that is made of others, by its definition in the guide.
        done = self.succeed(*command, *model, "eval/tofu_metrics@eval.tofu.tofu_metrics=[truth_ratio]")
        log = json.loads((self.folder / "evals" / "TOFU_EVAL.json").read_text(encoding="utf-8"))
        for index, entry in log["truth_ratio"]["value_by_index"].items():
            wrong = log["Q_A_PERT_Prob"]["value_by_index"][index]["prob"]  # one per wrong answer
            right = log["Q_A_PARA_Prob"]["value_by_index"][index]["prob"]
            self.assertAlmostEqual(list(entry.values())[0], sum(wrong) / len(wrong) / right, places=6)

    def test_errors_name_the_file_to_correct(self):
        shutil.copytree(ROOT / "configs", self.folder / "configs")
        benchmark = self.folder / "configs" / "eval" / "mine.yaml"
        metric = self.folder / "configs" / "eval" / "tofu_metrics" / "Q_A_Prob.yaml"

        def refusal(text):
            benchmark.write_text(text, encoding="utf-8")
            done = self.run_program("eval", "--config-dir", "configs", "eval=mine", "model=lab", "output_dir=evals")
            self.assertEqual(done.returncode, 2, done.stderr)
            return done.stderr.splitlines()[-1]
        head = "# @package eval.mine\ndefaults:\n  - tofu_metrics@metrics.Q_A_Prob: Q_A_Prob\n\noutput_dir: ${output_dir}\n"
        self.assertRegex(refusal(head + "metrics: {}\n"), r"configs/eval/mine\.yaml:\d+: eval\.mine: the key 'handler' is missing")
        head += "handler: Evaluator\nbatch_size: 1\n"
        self.assertRegex(refusal(head + "retain_logs_path: ${nowhere}\nmetrics: {}\n"),
                         r"configs/eval/mine\.yaml:\d+: eval\.mine\.retain_logs_path: \$\{nowhere\} refers to nothing")
        metric.write_text(metric.read_text(encoding="utf-8").replace("handler: probability\n", ""), encoding="utf-8")
        self.assertRegex(refusal(head + "metrics: {}\n"), r"configs/eval/tofu_metrics/Q_A_Prob\.yaml:\d+: eval\.mine\.metrics\.Q_A_Prob: "
                                                          r"the metric 'Q_A_Prob' has no handler")

    def test_an_audit_needs_no_retain_logs(self):
        self.make_model()
        self.succeed("model", "model", "--random-init", "other")
        self.succeed("eval", "eval=audit", "+reference_model=other", "model=lab", "model.model_args.pretrained_model_name_or_path=model",
                     "output_dir=evals", "eval.tofu.cluster_size=2", "~eval.tofu.metrics.model_utility")
        log = json.loads((self.folder / "evals" / "TOFU_EVAL.json").read_text(encoding="utf-8"))
        self.assertIn("mia_reference", log)
        self.assertIn("forget_quality", log)

    def accuracy(self, *examples):
        self.write_lines("d.jsonl", [{"y": y, "pred": pred} for y, pred in examples])
        stats = json.loads(self.succeed("metrics", "--data", "d.jsonl", "--metric", "Accuracy", "--out", "s.json", "--json").stdout)
        return stats["stats"]["Accuracy"]

    def test_the_samples_of_fedjax(self):
        # evaluate_model
        self.assertEqual(self.accuracy((1, [1.2, 0.4]), (0, [2.3, 0.1]), (1, [0.3, 3.2]), (1, [2.1, 4.3])), {"type": "mean", "accum": 3.0, "weight": 4.0})
        # a loop over examples
        self.assertEqual(self.accuracy((1, [0, 1]), (0, [1, 0]), (1, [1, 0]), (0, [2, 0])), {"type": "mean", "accum": 3.0, "weight": 4.0})
        # a loop over batches, merged
        for name, batch in (("a", ((1, [0, 1]), (0, [1, 0]))), ("b", ((1, [1, 0]), (0, [2, 0])))):
            self.accuracy(*batch)
            shutil.move(self.folder / "s.json", self.folder / f"{name}.json")
        self.assertRegex(self.succeed("merge", "a.json", "b.json").stdout, r"Accuracy +0\.75 +4")

    def test_the_example_of_the_guide_to_mia_loss(self):
        """Forget scores are lower than holdout scores; the guide says that its AUC is then near 0, but by its labels it is 1."""
        for name, losses in (("forget", (2.5, 2.8, 2.3, 2.7)), ("holdout", (3.1, 3.3, 2.9, 3.2))):
            self.write_lines(f"{name}.jsonl", [{"palimpsest_trace": 1, "model": "m", "dataset": name}]
                             + [{"index": str(i), "num_labels": 4, "avg_loss": loss} for i, loss in enumerate(losses)])
        self.succeed("mia", "--forget-traces", "forget.jsonl", "--holdout-traces", "holdout.jsonl", "--attacks", "mia_loss", "--out", "out")
        result = json.loads((self.folder / "out" / "mia.json").read_text(encoding="utf-8"))
        loss = result["loss"]
        self.assertEqual(loss["auc"], 1)
        self.assertAlmostEqual(loss["forget"]["agg_value"], 2.575)
        self.assertEqual(loss["forget"]["value_by_index"]["0"]["score"], 2.5)


if __name__ == "__main__":
    unittest.main()
