#!/usr/bin/env python3
"""How long scikit-learn and numpy take for what bench/stat_bench.cc measures. Prints {name: seconds} as JSON.

    python3 bench/peers/stat_peer.py             the seconds, each the median of a few runs
    python3 bench/peers/stat_peer.py --values    the results, which bench/stat_bench.cc checks its own against

Both programs make the same input from a formula, so that neither needs a file:
    u(k)     = (z(k) >> 11) / 2^53, z(k) the k-th output of SplitMix64 from seed 0, k = 0, 1, …
    label(i) = i mod 2
    score(i) = i mod 4 == 1 ? max(u(2i), u(2i+1)) : u(2i)
so the AUC is 7/12 but for chance, and epsilon stays finite. Without numpy and scikit-learn it prints {} and a
note, and exits with 0.
"""

import json
import math
import statistics
import sys
import time

try:
    import numpy as np
    from sklearn.metrics import roc_auc_score
except ImportError as error:
    print(f"stat_peer.py: {error}; no figures without numpy and scikit-learn", file=sys.stderr)
    print("{}")
    sys.exit(0)

BOOTSTRAP_SCORES, BOOTSTRAP_MEASURED, BOOTSTRAP_WANTED = 10_000, 100, 1_000
AUC_SCORES = 10_000_000
EPSILON_SCORES, EPSILON_MEASURED = 100_000, 500
REPEATS = 3


def uniform(count):
    """u(0) … u(count - 1)."""
    z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def labelled_scores(count):
    labels = np.arange(count) % 2
    pairs = uniform(2 * count).reshape(count, 2)
    return labels, np.where(np.arange(count) % 4 == 1, pairs.max(axis=1), pairs[:, 0])


def seconds(function):
    """The median of a few runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def bootstrap_seconds():
    """A loop of resamples; as many as are wanted would take ten times as long, so that is what is said."""
    labels, scores = labelled_scores(BOOTSTRAP_SCORES)
    rng = np.random.default_rng(0)

    def loop():
        for _ in range(BOOTSTRAP_MEASURED):
            drawn = rng.integers(0, BOOTSTRAP_SCORES, BOOTSTRAP_SCORES)
            roc_auc_score(labels[drawn], scores[drawn])

    return seconds(loop) * BOOTSTRAP_WANTED / BOOTSTRAP_MEASURED


def significant_thresholds(scores):
    """The distinct scores without the first and the last few."""
    margin = max(min(10, len(scores) // 10), 1)
    return np.unique(np.sort(scores)[margin:-margin])


def epsilon_seconds():
    """The usual way in numpy: two passes over the scores at each threshold. The thresholds, here nearly as many as
    scores, are timed on an even sample of them and scaled up."""
    labels, scores = labelled_scores(EPSILON_SCORES)
    members, others = scores[labels == 1], scores[labels == 0]
    thresholds = significant_thresholds(scores)
    sample = thresholds[:: len(thresholds) // EPSILON_MEASURED]

    def passes():
        for threshold in sample:
            np.mean(members >= threshold)
            np.mean(others >= threshold)

    once = seconds(lambda: significant_thresholds(scores))
    return once + seconds(passes) * len(thresholds) / len(sample)


def effective_epsilon(labels, scores):
    """The result itself, by sorting."""
    members, others = np.sort(scores[labels == 1]), np.sort(scores[labels == 0])
    thresholds = significant_thresholds(scores)
    fn, tn = np.searchsorted(members, thresholds), np.searchsorted(others, thresholds)
    tp, fp = len(members) - fn, len(others) - tn
    sides = [(tp / len(members)) / (fp / len(others)), (tn / len(others)) / (fn / len(members))]
    return math.log(np.max(sides))


def main():
    if sys.argv[1:] == ["--values"]:
        result = {
            "bootstrap_auc": roc_auc_score(*labelled_scores(BOOTSTRAP_SCORES)),
            "auc": roc_auc_score(*labelled_scores(AUC_SCORES)),
            "effective_epsilon": effective_epsilon(*labelled_scores(EPSILON_SCORES)),
        }
    else:
        labels, scores = labelled_scores(AUC_SCORES)
        result = {
            "bootstrap_auc": bootstrap_seconds(),
            "auc": seconds(lambda: roc_auc_score(labels, scores)),
            "effective_epsilon": epsilon_seconds(),
        }
    print(json.dumps({name: float(value) for name, value in result.items()}))


if __name__ == "__main__":
    main()
