"""Statistics on numpy arrays. Numbers come from the headers of the library, which say how they were worked out."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import palimpsest
from palimpsest import stat

POSITIVES = np.array([0.9, 0.8, 0.4, 0.7])
NEGATIVES = np.array([0.4, 0.1, 0.5])


def test_auc_counts_ties_half():
    assert stat.auc([0.9, 0.4], [0.4, 0.1]) == 0.875
    assert stat.auc(np.array([0.9, 0.4]), np.array([0.4, 0.1])) == 0.875


def test_auc_of_one_class_is_none():
    assert stat.auc([], [1.0]) is None
    assert stat.auc([1], np.array([])) is None


@pytest.mark.parametrize("numbers", [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3], dtype=np.float32),
                                     np.arange(1, 4, dtype=np.int16), np.array([1.0, 9, 2, 9, 3, 9])[::2]])
def test_other_numbers_are_converted(numbers):
    assert stat.auc(numbers, [0.0, 2.0]) == pytest.approx((1 + 1.5 + 2) / 6)


@pytest.mark.parametrize("wrong, said", [
    (["a", "b"], "dtype"),
    ([None, 1.0], "dtype object"),
    ([[1.0], [2.0, 3.0]], "not an array of numbers"),
    ([[1.0, 2.0]], "one, found the shape (1, 2)"),
    (np.array([1 + 2j]), "dtype complex128"),
    ([math.nan, 1.0], "positives"),
    ([math.inf], "positives"),
])
def test_wrong_scores_are_refused_by_name(wrong, said):
    with pytest.raises(palimpsest.Error) as caught:
        stat.auc(wrong, [1.0])
    assert "positives" in str(caught.value) and said in str(caught.value)


@pytest.mark.parametrize("call, copies", [
    ("stat.harmonic_mean(many)", 0),  # one pass over the numbers
    # Sorting takes a copy of the numbers, and twice as much for keys.
    ("stat.auc(many, few)", 3), ("stat.ks(many, few)", 3), ("stat.effective_epsilon(many, few)", 3),
    ("stat.advantage(many, few)", 3),
])
def test_large_arrays_are_read_where_they_are(call, copies):
    """A copy of 32 MB would show in the largest size of the process."""
    code = f"""
import resource
import numpy as np
from palimpsest import stat
many, few = np.full(4_000_000, 0.5), np.arange(1.0, 1001.0)
size = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = size()
{call}
print((size() - before) / many.nbytes)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(done.stdout) < copies + 0.5


def test_delong():
    estimate = stat.delong(POSITIVES, NEGATIVES)
    assert estimate.auc == stat.auc(POSITIVES, NEGATIVES)
    interval = stat.delong_interval(POSITIVES, NEGATIVES)
    assert interval.low < estimate.auc < interval.high <= 1
    same = stat.delong_test((POSITIVES, NEGATIVES), (POSITIVES, NEGATIVES))
    assert same.p_value == 1 and same.difference == (0, 0)
    assert stat.delong([1.0], NEGATIVES) is None


def test_clusters_of_one_give_delongs_variance():
    found = stat.clustered_auc(POSITIVES, NEGATIVES, [0, 1, 2, 3], [4, 5, 6])
    assert found.variance == pytest.approx(stat.delong(POSITIVES, NEGATIVES).variance)


def test_the_bootstrap_repeats():
    random = np.random.default_rng(1)
    positives, negatives = random.normal(1, 1, 200), random.normal(0, 1, 150)
    first = stat.bootstrap_auc(positives, negatives, resamples=300, seed=3, threads=1)
    assert first == stat.bootstrap_auc(positives, negatives, resamples=300, seed=3, threads=2)
    assert first.interval.low < first.estimate < first.interval.high
    with pytest.raises(palimpsest.Error, match="bca or percentile"):
        stat.bootstrap_auc(positives, negatives, method="other")


def test_roc_curve():
    curve = stat.roc_curve(POSITIVES, NEGATIVES)
    assert curve.fpr[0] == curve.tpr[0] == 0 and curve.fpr[-1] == curve.tpr[-1] == 1
    assert math.isinf(curve.thresholds[0])
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(stat.auc(POSITIVES, NEGATIVES))


def test_rates():
    random = np.random.default_rng(2)
    positives, negatives = random.normal(2, 1, 500), random.normal(0, 1, 500)
    rate = stat.tpr_at_fpr(positives, negatives, 0.1)
    assert rate.interval.low < rate.tpr < rate.interval.high and rate.realized_fpr <= 0.1
    assert stat.tpr_at_fpr(positives, negatives, 0.001) is None  # 500 negatives say nothing about it
    assert 0 < stat.advantage(positives, negatives).value <= 1
    assert stat.clopper_pearson(8, 10) == pytest.approx((0.4439, 0.9748), abs=1e-4)


def test_kolmogorov_smirnov():
    assert stat.ks([1, 2], [3, 4, 5]) == (1, pytest.approx(0.2), "exact")
    assert stat.ks([], [1.0]) is None


def test_epsilons():
    counts = stat.Confusion(487, 0, 512, 1)
    assert stat.bayesian_epsilon(counts, alpha=0.1, delta=1e-5) == pytest.approx((0.1439, 6.4156), abs=1e-4)
    assert stat.clopper_pearson_epsilon((90, 10, 10, 90)) > 0
    assert stat.one_run_epsilon(100, 100, 50) == 0
    random = np.random.default_rng(4)
    labels = np.repeat([1, 0], 500)
    found = stat.two_step_epsilon([(labels, random.normal(labels * 2.0, 1))])
    assert [bound.confidence for bound in found.bounds] == [0.9, 0.95, 0.99]
    assert found.bounds[0].epsilon.low >= found.bounds[2].epsilon.low > 0
    assert math.isinf(stat.effective_epsilon(np.arange(50.0, 100.0), np.arange(50.0)))


def test_adjusted_p_values():
    assert stat.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert stat.benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    assert stat.harmonic_mean([1, 4]) == pytest.approx(1.6)


def test_results_can_be_pickled():
    estimate = stat.delong(POSITIVES, NEGATIVES)
    assert pickle.loads(pickle.dumps(estimate)) == estimate
