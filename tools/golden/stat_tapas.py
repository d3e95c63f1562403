"""The part of stat.py that runs TAPAS' own attack summaries and its report on the effective epsilon.

TAPAS departs from the definitions of docs/definitions.md in three ways, so each of them has a second answer in
the file, written here from the definition:
  - a threshold with TP = FP = 1 makes one side of its maximum NaN, which hides that side
    ("effective_epsilon_defined" skips such thresholds; null: none is left),
  - its `ratio` choice compares a rate with a count, so FP = 0 is never chosen ("ratio_counts" compares counts;
    of choices without a miss it takes the one with the most hits over all attacks, the last among equals),
  - SciPy's Clopper-Pearson bounds are roots found to 2e-12 absolute, which is coarse for a small rate and
    coarser for its logarithm ("bounds" are TAPAS' own, "bounds_exact" take beta quantiles).
"""

import hashlib
import importlib.util
import math
import pathlib
import sys
import types

import numpy as np
import scipy.special

from golden_file import attempt

CONFIDENCES = [0.9, 0.95, 0.99]


class Tapas:
    """TAPAS' two report modules, loaded without the rest of the package (which needs plotting and more)."""

    def __init__(self, checkout):
        folder = pathlib.Path(checkout) / "tapas" / "report"
        package = types.ModuleType("tapas_report")
        package.__path__ = [str(folder)]
        plots = types.ModuleType("tapas_report.utils")
        plots.metric_comparison_plots = plots.plot_roc_curve = plots.DEFAULT_METRICS = None
        sys.modules.update({"tapas_report": package, "tapas_report.utils": plots})
        self.origin = {}
        for name in ["attack_summary", "report"]:
            path = folder / f"{name}.py"
            self.origin[f"tapas/report/{name}.py"] = "sha256 " + hashlib.sha256(path.read_bytes()).hexdigest()
            spec = importlib.util.spec_from_file_location(f"tapas_report.{name}", path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            setattr(self, name, module)

    def summary(self, labels, predictions, scores):
        return self.attack_summary.BinaryLabelInferenceAttackSummary(labels, predictions, scores)


def rates(labels, scores, threshold):
    return np.mean(scores[labels == 1] >= threshold), np.mean(scores[labels == 0] >= threshold)


def effective_epsilon_defined(labels, scores):
    """Our definition over the thresholds that TAPAS calls significant; None where it is undefined."""
    labels, scores = np.array(labels), np.array(scores)
    if len(set(labels)) < 2:
        return None
    cut = max(min(10, int(0.1 * len(scores))), 1)
    best = None
    for threshold in np.unique(np.sort(scores)[cut:-cut]):
        tp, fp = rates(labels, scores, threshold)
        if tp == 1 and fp == 1:
            continue
        first = tp / fp if fp > 0 else math.inf
        second = (1 - fp) / (1 - tp) if tp < 1 else math.inf
        best = max(first, second) if best is None else max(best, first, second)
    return None if best is None else np.log(best)


def summary_sets(rng):
    """(name, labels, scores, predictions)."""
    yield "empty", [], [], []
    yield "one item", [1], [0.5], [1]
    yield "two items", [0, 1], [0.1, 0.9], [0, 1]
    yield "three items", [0, 1, 1], [0.1, 0.9, 0.5], [0, 1, 0]
    yield "four tied", [0, 1, 0, 1], [0.5] * 4, [1] * 4
    yield "positives only", [1] * 12, list(range(12)), [0, 1] * 6
    yield "negatives only", [0] * 12, list(range(12)), [0, 1] * 6
    yield "never says yes", [0, 1] * 6, list(range(12)), [0] * 12
    yield "always says yes", [0, 1] * 6, list(range(12)), [1] * 12
    yield "perfect", [0] * 20 + [1] * 20, list(range(40)), [0] * 20 + [1] * 20
    yield "perfectly wrong", [1] * 20 + [0] * 20, list(range(40)), [0] * 20 + [1] * 20
    yield "constant", [0, 1] * 15, [1.0] * 30, [0, 1, 1] * 10
    yield "lowest scores tied", [0] * 15 + [1] * 15, [0] * 12 + [1, 2, 3] + [0] * 3 + [1] * 6 + [4] * 6, [0, 1] * 15
    yield "highest scores tied", [0] * 15 + [1] * 15, [1, 2, 3] * 4 + [5] * 3 + [2, 3, 4] * 3 + [5] * 6, [1, 0] * 15
    yield "scores are yes or no", [0] * 20 + [1] * 20, [0] * 14 + [1] * 6 + [0] * 5 + [1] * 15, [0, 0, 1, 1] * 10
    for n in [5, 9, 10, 11, 19, 20, 21, 37, 50, 99, 100, 101, 110, 150, 200]:
        for digits, shift in [(17, 0.5), (0, 1.0), (1, 2.0)]:
            labels = rng.integers(0, 2, size=n)
            scores = np.round(rng.normal(size=n) + shift * labels, digits)
            predictions = (scores > shift / 2).astype(int)
            yield f"normal {n} shift {shift} digits {digits}", labels, scores, predictions


def summary_cases(tapas, rng):
    for name, labels, scores, predictions in summary_sets(rng):
        case = {"name": name, "labels": labels, "scores": scores, "predictions": predictions}
        with_scores = tapas.summary(labels, predictions, scores)
        for metric in ["accuracy", "tp", "fp", "mia_advantage", "privacy_gain", "auc", "effective_epsilon"]:
            case[metric] = attempt(lambda: getattr(with_scores, metric))
        case["effective_epsilon_defined"] = attempt(lambda: effective_epsilon_defined(labels, scores))
        # scores=None becomes array(None) in the constructor, which is not None: the branch for predictions is
        # reached only when the attribute is set afterwards.
        without = tapas.summary(labels, predictions, None)
        case["effective_epsilon_of_array_none"] = attempt(lambda: without.effective_epsilon)
        without.scores = None
        case["auc_of_predictions"] = attempt(lambda: without.auc)
        case["effective_epsilon_of_predictions"] = attempt(lambda: without.effective_epsilon)
        yield case


def select_ratio_counts(attacks, split):
    """TAPAS' `ratio` choice with counts compared with counts where the denominator is 0."""
    best, most_hits, selection = -1, 0, None
    for index, (labels, scores) in enumerate(attacks):
        part = int(split * len(scores))
        s, l = scores[:part], labels[:part]
        positives, negatives = int(np.sum(l == 1)), int(np.sum(l == 0))
        if positives == 0 or negatives == 0:
            continue
        edge = min(10, 1 + int(part * 0.1))
        enough = max(10, int(part * 0.05))
        for threshold in np.unique(np.sort(s)[edge:-edge]):
            tp, fp = int(np.sum(s[l == 1] >= threshold)), int(np.sum(s[l == 0] >= threshold))
            for inverse, hits, of_hits, misses, of_misses in [
                (False, tp, positives, fp, negatives),
                (True, negatives - fp, negatives, positives - tp, positives),
            ]:
                if misses == 0 and hits >= max(enough, most_hits):
                    best, most_hits, selection = math.inf, hits, (index, threshold, inverse)
                elif misses > 0 and (hits / of_hits) / (misses / of_misses) > best:
                    best, selection = (hits / of_hits) / (misses / of_misses), (index, threshold, inverse)
    return selection


def clopper_pearson(k, n, confidence):
    tail = (1 - confidence) / 2
    low = scipy.special.betaincinv(k, n - k + 1, tail) if k > 0 else 0.0
    high = scipy.special.betainccinv(k + 1, n - k, tail) if k < n else 1.0
    return low, high


def bounds_exact(labels, scores, threshold, inverse, confidence):
    """The counts behind the two rates, and the bounds from beta quantiles."""
    positive = labels == (0 if inverse else 1)
    called = scores <= threshold if inverse else scores >= threshold
    counts = [int(np.sum(called & positive)), int(np.sum(positive)),
              int(np.sum(called & ~positive)), int(np.sum(~positive))]
    if counts[1] == 0 or counts[3] == 0:
        return counts, None
    level = 1 - (1 - confidence) / 2
    tp, fp = clopper_pearson(*counts[:2], level), clopper_pearson(*counts[2:], level)
    low = max(0.0, math.log(tp[0] / fp[1])) if tp[0] > 0 else 0.0
    high = math.log(tp[1] / fp[0]) if fp[0] > 0 else math.inf
    return counts, [low, high]


def outcome(report, attacks, split, selection):
    """The choice and its bounds on the rest of the data, as TAPAS' publish() computes them."""
    if selection is None or isinstance(selection, str):
        return {"selection": selection}
    index, threshold, inverse = selection
    labels, scores = (column[int(split * len(column)):] for column in attacks[index])
    result = {"selection": {"attack": index, "threshold": threshold, "inverse": inverse}, "bounds": []}
    for confidence in CONFIDENCES:
        counts, exact = bounds_exact(labels, scores, threshold, inverse, confidence)
        low_high = attempt(lambda: report._estimate_effective_epsilon(scores, labels, threshold, confidence, inverse))
        result["counts"] = counts
        result["bounds"].append({"confidence": confidence, "bounds": low_high, "bounds_exact": exact})
    return result


def report_sets(rng):
    """(name, validation split, [(labels, scores), …])."""
    for split in [0.1, 0.3]:
        for n, digits, shifts in [
            (20, 17, [1.0]), (60, 1, [1.0]), (100, 0, [0.5, 1.5]), (200, 1, [0.0]), (200, 17, [0.2, 1.0, 2.0]),
            (300, 2, [3.0]), (400, 1, [-2.0, 0.5]), (400, 2, [1.0, 2.5, -3.5]), (400, 0, [2.0]),
        ]:
            labels = rng.integers(0, 2, size=n)
            attacks = [(labels, np.round(rng.normal(size=n) + shift * labels, digits)) for shift in shifts]
            yield f"normal {n} shifts {shifts} digits {digits}", split, attacks
    yield "validation part of one class", 0.3, [(np.array([1] * 10 + [0, 1] * 10), np.arange(30.0))]
    yield "rest of one class", 0.5, [(np.array([0, 1] * 10 + [1] * 20), np.arange(40.0) % 7)]
    yield "no validation part", 0.1, [(np.array([0, 1, 0, 1]), np.array([0.1, 0.9, 0.2, 0.8]))]
    yield "constant", 0.3, [(np.array([0, 1] * 50), np.ones(100))]
    yield "perfect", 0.3, [(np.array([0, 1] * 100), np.tile([0.0, 1.0], 100) + np.arange(200) / 1000)]
    yield "perfectly wrong", 0.5, [(np.array([1, 0] * 60), np.tile([0.0, 1.0], 60) + np.arange(120) / 1000)]
    labels = rng.integers(0, 2, size=150)
    yield "attacks of different lengths", 0.3, [(labels, np.round(rng.normal(size=150) + labels, 1)),
                                                (labels[:90], np.round(rng.normal(size=90) + 2 * labels[:90], 1))]


    labels = np.tile([0, 1, 0, 1], 40)
    above = np.tile([0.0, 1.0, 0.0, 0.0], 40)  # half of the positives stand above all negatives
    yield "two attacks without a miss", 0.5, [(labels, 300 * above + np.arange(160)),
                                              (labels, 300 * above * (np.arange(160) % 3 > 0) + np.arange(160))]


def report_cases(tapas, rng):
    for name, split, attacks in report_sets(rng):
        summaries = [tapas.summary(labels, labels, scores) for labels, scores in attacks]
        case = {"name": name, "validation_split": split,
                "attacks": [{"labels": labels, "scores": scores} for labels, scores in attacks]}
        for heuristic in ["cp", "ratio"]:
            report = tapas.report.EffectiveEpsilonReport(summaries, split, CONFIDENCES, heuristic)
            case[heuristic] = outcome(report, attacks, split, attempt(report._select_attack))
        case["ratio_counts"] = outcome(report, attacks, split, select_ratio_counts(attacks, split))
        yield case
