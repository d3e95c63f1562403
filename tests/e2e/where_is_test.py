#!/usr/bin/env python3
"""Checks docs/where-is.md: runs every command of its tables, compiles every call, and looks for every name of the sources.

The commands run in the order of the page, in one folder that holds what the page says: examples/, attacks.csv, a tiny
model and data in TOFU's shape. A row without a command and without a call must say "not here", or lead to another page.
"""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from readme_test import ROOT

PROGRAM = os.environ["PALIMPSEST"]
PAGE = (ROOT / "docs" / "where-is.md").read_text(encoding="utf-8")

# What the documents of these projects name, by the heading of the page's table.
NAMES = {
    "fedjax.metrics": """Stat Stat.merge Stat.reduce Stat.result MeanStat MeanStat.new MeanStat.accum MeanStat.weight SumStat
        SumStat.new Metric Metric.zero Metric.evaluate_example CrossEntropyLoss Accuracy SequenceTokenCrossEntropyLoss
        SequenceCrossEntropyLoss SequenceTokenAccuracy SequenceTokenCount SequenceCount SequenceTruncationRate
        SequenceTokenOOVRate SequenceLength PerDomainMetric unreduced_cross_entropy_loss evaluate_batch evaluate_model mask""",
    "tapas.report": """ThreatModel.test(attack) AttackSummary MIAttackSummary AIAttackSummary BinaryAIAttackSummary Report
        .publish(filepath) BinaryLabelAttackReport MIAttackReport AIAttackReport BinaryAIAttackReport ROCReport
        EffectiveEpsilonReport metrics accuracy true_positive_rate false_positive_rate mia_advantage privacy_gain auc
        effective_epsilon .compare comparison_column fixed_pair_columns num_bootstrap validation_split confidence_levels
        ExactDataKnowledge""",
    "The guides to MIA metrics": """mia_loss LOSSAttack mia_min_k MinKProbAttack k mia_min_k_plus_plus MinKPlusPlusAttack
        mia_gradnorm GradNormAttack p mia_zlib ZLIBAttack mia_reference ReferenceAttack reference_model_path Attack setup
        compute_batch_values compute_score Attack.attack mia_auc roc_auc_score agg_value value_by_index evaluate_probability
        avg_loss prob tokenwise_logprobs tokenwise_vocab_logprobs extract_target_texts_from_processed_data IGNORE_INDEX""",
    "The evaluation guide, and open-unlearning": """model= trainer= eval=tofu output_dir= device tofu_metrics metrics Q_A_Prob
        Q_PARA_A_PARA_Prob Q_A_ROUGE Q_A_PARA_ROUGE Q_A_PARA_Prob Q_A_PERT_Prob TOFU_QA_FORGET10
        DataCollatorForSupervisedDatasetwithIndex collators batch_size handler @unlearning_metric _register_metric pre_compute
        access_key truth_ratio probability probability_w_options rouge exact_memorization extraction_strength ks_test privleak
        rel_diff hm_aggregate forget_quality model_utility mia_loss mia_min_k mia_zlib mia_reference forget_split
        holdout_split question_key retain_logs_path reference_logs TOFUEvaluator MUSEEvaluator LMEvalEvaluator QADataset
        CompletionDataset PretrainingDataset TOFU_EVAL.json TOFU_SUMMARY.json task_name= experiment= classifier_prob""",
    "MIMIR": """base_model dataset_member dataset_nonmember blackbox_attacks loss ref zlib min_k min_k++ ne gradnorm recall dc_pdd
        ref_config max_tokens random_seed fpr_list n_samples min_words max_words full_doc tokenization_attack
        quantile_attack""",
}


def code_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def tables() -> dict[str, list[list[str]]]:
    """The rows of each section's table, without their heading."""
    found = {}
    for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        rows = [line for line in section.splitlines() if line.startswith("|")]
        found[section.splitlines()[0]] = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]
    return found


ROWS = {heading: rows for heading, rows in tables().items() if heading in NAMES}


def commands() -> list[str]:
    found = [code for rows in ROWS.values() for row in rows for code in code_in(row[1]) if code.startswith("palimpsest ")]
    return list(dict.fromkeys(found))


def calls() -> list[tuple[str, str]]:
    """Each call with its header."""
    return [(code, code_in(row[3])[0]) for rows in ROWS.values() for row in rows if len(row) == 4 and code_in(row[3])
            for code in code_in(row[2])]


class WhereIsTest(unittest.TestCase):

    def test_every_name_has_a_row(self):
        self.assertEqual(set(ROWS), set(NAMES))
        for heading, names in NAMES.items():
            there = {code for row in ROWS[heading] for code in code_in(row[0])}
            self.assertEqual(set(names.split()) - there, set(), heading)

    def test_every_row_leads_somewhere(self):
        for heading, rows in ROWS.items():
            for row in rows:
                where = " ".join(row[1:])
                self.assertTrue(code_in(where) or "not here: " in where or "](" in where, f"{heading}: {row}")

    def test_commands_run(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.prepare(folder)
            for command in commands():
                with self.subTest(command):
                    words = [PROGRAM, *shlex.split(command)[1:]]
                    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def prepare(self, folder: pathlib.Path):
        def palimpsest(*words):
            subprocess.run([PROGRAM, "--quiet", *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (folder / "examples").symlink_to(ROOT / "examples")
        for name in ("a", "b"):
            palimpsest("metrics", "--data", f"examples/metrics/client_{name}.jsonl", "--metric", "Accuracy", "--out", f"{name}.json")
        records = (ROOT / "examples" / "metrics" / "client_a.jsonl").read_text(encoding="utf-8")
        (folder / "masked.jsonl").write_text(records.replace("{", '{"mask": true, '), encoding="utf-8")
        rows = [f"{i % 2},{(i * 7) % 13 / 13 + i % 2 / 2},{i % 2 if i % 5 else 1 - i % 2},data,{generator},{attack},t1,income"
                for generator in ("g1", "g2") for attack in ("a1", "a2") for i in range(60)]
        (folder / "attacks.csv").write_text("label,score,prediction,dataset,generator,attack,target_id,sensitive_attribute\n"
                                            + "\n".join(rows) + "\n", encoding="utf-8")
        colours = ("red", "green", "blue")
        (folder / "classes.csv").write_text("label,prediction,attack\n" + "".join(
            f"{colours[i % 3]},{colours[(i + i % 4 // 3) % 3]},guess\n" for i in range(30)), encoding="utf-8")
        palimpsest("lab", "data", "--authors", 20, "--out", "data/TOFU")
        palimpsest("lab", "train", "--data", "data/TOFU/full.json", "--tokenizer", "data/TOFU/tokenizer", "--epochs", 0, "--layers", 1,
                   "--out", "model")
        palimpsest("model", "examples/tiny-model", "--random-init", "random-model")

    def test_calls_compile(self):
        headers = sorted({header for _, header in calls()})
        lines = [f'#include "{header}"' for header in headers] + ["#include <optional>", "#include <vector>", "using namespace palimpsest;"]
        for number, (call, _) in enumerate(calls()):
            lines.append(f"[[maybe_unused]] static void call_{number}() {{ [[maybe_unused]] auto&& value = {call}; }}")
        self.assertGreater(len(calls()), 60)
        done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", f"-I{ROOT}", "-x", "c++", "-"],
                              input="\n".join(lines), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
