#!/usr/bin/env python3
"""Makes tests/golden/report/tapas.json: what `palimpsest report` must equal, from TAPAS itself.

    python3 tools/golden/report.py CHECKOUT [--out tests/golden/report]

CHECKOUT is a checkout of TAPAS (alan-turing-institute/tapas); only its report modules are read. Needs numpy,
scipy, scikit-learn and pandas. The same versions and seed give the same bytes.

Each data set holds the scores of one or more attacks on one threat model. For each attack TAPAS' metrics, for the
data set its choice of attack and threshold and the bounds of epsilon, by both heuristics; for some its bootstrap:
standard deviation and the 2.5th and 97.5th percentile of every metric. Where TAPAS departs from our definitions
(see stat_tapas.py) the answer by definition stands beside it.
"""

import argparse
import pathlib

import numpy as np

import golden_file
import stat_tapas
from golden_file import attempt

SEED = 20261116
RESAMPLES = 600
METRICS = ["accuracy", "true_positive_rate", "false_positive_rate", "mia_advantage", "privacy_gain", "auc",
           "effective_epsilon"]


def threshold_predictions(scores):
    return (scores > np.median(scores)).astype(int)


def normal_attack(rng, labels, shift, digits):
    scores = np.round(rng.normal(size=labels.size) + shift * labels, digits)
    return labels, scores, threshold_predictions(scores)


def data_sets(rng):
    """(name, validation split, whether to bootstrap, [(labels, scores, predictions), …])."""
    for n, split, digits, shifts, bootstrap in [
        (20, 0.5, 17, [1.0], False), (40, 0.3, 1, [0.5, 1.0], False), (60, 0.3, 0, [1.0], True),
        (80, 0.25, 2, [0.0, 2.0], False), (100, 0.1, 1, [1.0, -1.0], True), (120, 0.3, 17, [0.3, 0.6], False),
        (150, 0.2, 2, [0.7], True), (200, 0.1, 1, [0.0], True), (200, 0.3, 17, [0.5, 1.5, 2.5], False),
        (240, 0.3, 1, [3.0, 0.2], False), (300, 0.1, 2, [1.0], True), (300, 0.3, 0, [0.4, -0.8], False),
        (50, 0.5, 0, [2.0], False), (90, 0.4, 1, [-2.0], False), (160, 0.5, 3, [0.1, 0.1], False),
        (220, 0.15, 17, [4.0], False), (260, 0.2, 1, [0.8, 0.9, 1.0], False), (130, 0.3, 2, [1.2], True),
    ]:
        labels = rng.integers(0, 2, size=n)
        yield (f"normal {n} shifts {shifts} digits {digits}", split, bootstrap,
               [normal_attack(rng, labels, shift, digits) for shift in shifts])
    for share in [0.1, 0.9]:
        labels = (rng.random(200) < share).astype(int)
        yield f"share of positives {share}", 0.3, True, [normal_attack(rng, labels, 1.0, 1)]
    plain = lambda labels, scores, predictions: [(np.array(labels), np.array(scores, dtype=float),
                                                  np.array(predictions))]
    yield "one item", 0.5, False, plain([1], [0.5], [1])
    yield "two items", 0.5, False, plain([0, 1], [0.1, 0.9], [0, 1])
    yield "three items", 0.4, False, plain([0, 1, 1], [0.1, 0.9, 0.5], [0, 1, 0])
    yield "all tied", 0.3, False, plain([0, 1] * 30, [1.0] * 60, [1, 0, 1] * 20)
    yield "positives only", 0.3, False, plain([1] * 30, range(30), [0, 1] * 15)
    yield "negatives only", 0.3, False, plain([0] * 30, range(30), [0, 1] * 15)
    yield "one class in the validation part", 0.3, False, plain([1] * 12 + [0, 1] * 14, range(40), [0, 1] * 20)
    yield "one class in the rest", 0.5, False, plain([0, 1] * 10 + [1] * 20, np.arange(40) % 7, [0, 1] * 20)
    yield "perfect", 0.3, False, plain([0, 1] * 60, np.tile([0.0, 1.0], 60) + np.arange(120) / 1000, [0, 1] * 60)
    yield "perfectly wrong", 0.3, False, plain([1, 0] * 60, np.tile([0.0, 1.0], 60) + np.arange(120) / 1000,
                                               [0, 1] * 60)
    yield "never says yes", 0.3, False, plain([0, 1] * 30, np.arange(60) % 11, [0] * 60)
    yield "always says yes", 0.3, False, plain([0, 1] * 30, np.arange(60) % 13, [1] * 60)
    yield "scores are yes or no", 0.3, True, plain([0, 1, 0, 1, 0, 1, 1, 0] * 15, [0, 1, 1, 1, 0, 0, 1, 0] * 15,
                                                   [0, 1, 1, 1, 0, 0, 1, 0] * 15)
    yield "tiny differences", 0.3, False, plain([0, 1] * 40, 1 + np.arange(80) % 5 * 2.0**-52, [0, 1, 1, 0] * 20)
    yield "huge numbers", 0.3, False, plain([0, 1] * 40, (np.arange(80) % 9 - 4) * 1e307, [0, 1, 1, 0] * 20)


def summary(tapas, attack, number):
    labels, scores, predictions = attack
    return tapas.attack_summary.MIAttackSummary(labels, predictions, scores, generator_info="model",
                                                attack_info=f"attack {number}", dataset_info="data", target_id="t")


def metrics_of(one):
    frame = attempt(one.get_metrics)
    if isinstance(frame, str):
        return frame
    return {metric: frame[metric].iloc[0] for metric in METRICS}


def bootstrap_of(tapas, summaries):
    """TAPAS' own resampling; a resample of one class makes it fail, so such sets are not among these."""
    report = tapas.report.BinaryLabelAttackReport(summaries, metrics=METRICS, num_bootstrap=RESAMPLES)
    spread = []
    for _, rows in report.attacks_data.groupby("attack"):
        of_attack = {}
        for metric in METRICS:
            values = rows[metric].to_numpy(dtype=float)
            finite = values[np.isfinite(values)]
            # Percentiles of a sample with infinities are no numbers.
            of_attack[metric] = {"not_finite": len(values) - len(finite)}
            if len(finite) == len(values):
                of_attack[metric] |= {"std": np.std(values), "low": np.quantile(values, 0.025),
                                      "high": np.quantile(values, 0.975)}
        spread.append(of_attack)
    return spread


def cases(tapas, rng):
    for name, split, bootstrap, attacks in data_sets(rng):
        summaries = [summary(tapas, attack, i) for i, attack in enumerate(attacks)]
        pairs = [(labels, scores) for labels, scores, _ in attacks]
        case = {"name": name, "validation_split": split, "attacks": []}
        for one, (labels, scores, predictions) in zip(summaries, attacks):
            case["attacks"].append({
                "labels": labels, "scores": scores, "predictions": predictions, "metrics": metrics_of(one),
                "effective_epsilon_defined": attempt(lambda: stat_tapas.effective_epsilon_defined(labels, scores))})
        for heuristic in ["cp", "ratio"]:
            report = tapas.report.EffectiveEpsilonReport(summaries, split, stat_tapas.CONFIDENCES, heuristic)
            case[heuristic] = stat_tapas.outcome(report, pairs, split, attempt(report._select_attack))
        case["ratio_counts"] = stat_tapas.outcome(report, pairs, split,
                                                  attempt(lambda: stat_tapas.select_ratio_counts(pairs, split)))
        if bootstrap:
            np.random.seed(SEED)
            case["bootstrap"] = attempt(lambda: bootstrap_of(tapas, summaries))
        yield case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--out", default="tests/golden/report")
    arguments = parser.parse_args()
    tapas = stat_tapas.Tapas(arguments.checkout)
    manifest = {"script": "tools/golden/report.py", "seed": SEED, "resamples": RESAMPLES,
                "packages": golden_file.versions("numpy", "scipy", "scikit-learn", "pandas"), "tapas": tapas.origin}
    found = list(cases(tapas, np.random.default_rng(SEED)))
    folder = pathlib.Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    golden_file.write(folder / "tapas.json", manifest, data_sets=found)


if __name__ == "__main__":
    main()
