"""Statistics of scores: ROC curves, intervals, tests and bounds on epsilon.

Scores come as one array of positives and one of negatives; a higher score means "more likely positive". Arrays of float64
are read where they are; lists and arrays of other numbers are converted. A number that is undefined is None, never 0.

    >>> auc([0.9, 0.4], [0.4, 0.1])
    0.875
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from palimpsest import _core
from palimpsest._core import auc

if TYPE_CHECKING:  # importing numpy takes longer than everything else here
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AucEstimate", "BestThreshold", "BootstrapEstimate", "ClusteredAuc", "Confusion", "DelongTest", "EpsilonAtConfidence",
    "Interval", "KsResult", "RocCurve", "TprAtFpr", "TwoStepEpsilon", "advantage", "auc", "bayesian_epsilon",
    "benjamini_hochberg", "best_accuracy", "bootstrap_auc", "clopper_pearson", "clopper_pearson_epsilon", "clustered_auc",
    "delong", "delong_interval", "delong_test", "effective_epsilon", "harmonic_mean", "holm", "jeffreys", "ks",
    "one_run_epsilon", "roc_curve", "tpr_at_fpr", "two_step_epsilon", "wilson",
]


class Interval(NamedTuple):
    """A closed interval of real numbers."""

    low: float
    high: float


class AucEstimate(NamedTuple):
    """An AUC with its variance."""

    auc: float
    variance: float


class DelongTest(NamedTuple):
    """The comparison of two AUCs of the same items."""

    auc_a: float
    auc_b: float
    difference: Interval  #: of auc_a - auc_b
    p_value: float | None  #: two-sided


class ClusteredAuc(NamedTuple):
    """An AUC of items in clusters."""

    auc: float
    variance: float
    degrees_of_freedom: float
    interval: Interval


class BootstrapEstimate(NamedTuple):
    """A statistic with its bootstrap interval."""

    estimate: float  #: the statistic of the data themselves
    interval: Interval
    undefined_resamples: int  #: resamples without a value, which are left out


class RocCurve(NamedTuple):
    """Points in the order of falling thresholds, from (0, 0) to (1, 1)."""

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    thresholds: NDArray[np.float64]


class TprAtFpr(NamedTuple):
    """A true positive rate at a chosen false positive rate."""

    tpr: float
    interval: Interval
    realized_fpr: float  #: among these negatives
    expected_fpr: float  #: on new negatives
    threshold: float


class BestThreshold(NamedTuple):
    """The best value over all thresholds, and where it is reached."""

    value: float
    threshold: float


class KsResult(NamedTuple):
    """The result of a Kolmogorov-Smirnov test."""

    statistic: float
    p_value: float
    method: str  #: "exact" or "asymp"


class Confusion(NamedTuple):
    """The four counts of a two-class decision."""

    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int


class EpsilonAtConfidence(NamedTuple):
    """Bounds on epsilon at one confidence level."""

    confidence: float
    epsilon: Interval
    at_delta: Interval


class TwoStepEpsilon(NamedTuple):
    """What was chosen on the validation part, and the bounds from the rest."""

    attack: int  #: position of the chosen attack
    threshold: float
    side: str  #: "positives" or "negatives"
    bounds: list[EpsilonAtConfidence]  #: one per confidence level


def delong(positives: ArrayLike, negatives: ArrayLike) -> AucEstimate | None:
    """The AUC with DeLong's variance; None if a class has fewer than two items."""
    found: Any = _core.delong(positives, negatives)
    return AucEstimate(*found) if found else None


def delong_interval(positives: ArrayLike, negatives: ArrayLike, confidence: float = 0.95) -> Interval | None:
    """DeLong's interval of the AUC on the logit scale."""
    found: Any = _core.delong_interval(positives, negatives, confidence)
    return Interval(*found) if found else None


def delong_test(a: tuple[ArrayLike, ArrayLike], b: tuple[ArrayLike, ArrayLike],
                confidence: float = 0.95) -> DelongTest | None:
    """Compares two scores of the same items in the same order. Each is a pair (positives, negatives)."""
    found: Any = _core.delong_test(*a, *b, confidence)
    return DelongTest(found[0], found[1], Interval(*found[2]), found[3]) if found else None


def clustered_auc(positives: ArrayLike, negatives: ArrayLike, positive_clusters: ArrayLike, negative_clusters: ArrayLike,
                  confidence: float = 0.95) -> ClusteredAuc | None:
    """The AUC of items that belong together in clusters (numbers from 0 on), by the delete-one-cluster jackknife."""
    found: Any = _core.clustered_auc(positives, negatives, positive_clusters, negative_clusters, confidence)
    return ClusteredAuc(found[0], found[1], found[2], Interval(*found[3])) if found else None


def bootstrap_auc(positives: ArrayLike, negatives: ArrayLike, *, resamples: int = 1000, confidence: float = 0.95,
                  method: Literal["bca", "percentile"] = "bca", seed: int = 0,
                  threads: int = 0) -> BootstrapEstimate | None:
    """The bootstrap of the AUC. The result depends on the seed, not on the number of threads (0: one per core)."""
    found: Any = _core.bootstrap_auc(positives, negatives, resamples, confidence, method, seed, threads)
    return BootstrapEstimate(found[0], Interval(*found[1]), found[2]) if found else None


def roc_curve(positives: ArrayLike, negatives: ArrayLike, *, drop_intermediate: bool = True) -> RocCurve | None:
    """The ROC curve. The points are those of scikit-learn's roc_curve."""
    found: Any = _core.roc_curve(positives, negatives, drop_intermediate)
    return RocCurve(*found) if found else None


def tpr_at_fpr(positives: ArrayLike, negatives: ArrayLike, fpr: float, confidence: float = 0.95) -> TprAtFpr | None:
    """The true positive rate at a false positive rate; None if there are fewer than 3/fpr negatives."""
    found: Any = _core.tpr_at_fpr(positives, negatives, fpr, confidence)
    return TprAtFpr(found[0], Interval(*found[1]), *found[2:]) if found else None


def advantage(positives: ArrayLike, negatives: ArrayLike) -> BestThreshold | None:
    """The largest TPR - FPR over all thresholds."""
    found: Any = _core.advantage(positives, negatives)
    return BestThreshold(*found) if found else None


def best_accuracy(positives: ArrayLike, negatives: ArrayLike) -> BestThreshold | None:
    """The largest share of correct decisions over all thresholds."""
    found: Any = _core.best_accuracy(positives, negatives)
    return BestThreshold(*found) if found else None


def effective_epsilon(positives: ArrayLike, negatives: ArrayLike) -> float | None:
    """TAPAS' effective epsilon of scores: a point estimate without any guarantee."""
    return _core.effective_epsilon(positives, negatives)


def two_step_epsilon(attacks: Sequence[tuple[ArrayLike, ArrayLike]], *, validation_split: float = 0.1,
                     confidence_levels: Sequence[float] = (0.9, 0.95, 0.99), heuristic: Literal["cp", "ratio"] = "cp",
                     split: Literal["stratified", "prefix"] = "stratified", seed: int = 0,
                     delta: float = 0.0) -> TwoStepEpsilon | None:
    """Bounds on epsilon: attack and threshold are chosen on one part of the data, the bounds come from the rest.

    Each attack is a pair (labels, scores) with label 1 for positives.
    """
    found: Any = _core.two_step_epsilon(list(attacks), validation_split, list(confidence_levels), heuristic, split, seed, delta)
    if not found:
        return None
    bounds = [EpsilonAtConfidence(level, Interval(*epsilon), Interval(*at)) for level, epsilon, at in found[3]]
    return TwoStepEpsilon(found[0], found[1], found[2], bounds)


def clopper_pearson_epsilon(counts: Sequence[int], alpha: float = 0.05, delta: float = 0.0) -> float | None:
    """A lower bound of epsilon that holds with probability 1 - alpha, from the counts of one decision (Confusion)."""
    return _core.clopper_pearson_epsilon(list(counts), alpha, delta)


def bayesian_epsilon(counts: Sequence[int], alpha: float = 0.05, delta: float = 0.0) -> Interval | None:
    """The credible interval of epsilon at level 1 - alpha, from the counts of one decision (Confusion)."""
    found: Any = _core.bayesian_epsilon(list(counts), alpha, delta)
    return Interval(*found) if found else None


def one_run_epsilon(canaries: int, guesses: int, right: int, alpha: float = 0.05, delta: float = 0.0) -> float:
    """A lower bound of epsilon from one training run whose canaries were included by independent coin flips."""
    return _core.one_run_epsilon(canaries, guesses, right, alpha, delta)


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The exact interval of a rate."""
    return Interval(*_core.clopper_pearson(successes, trials, confidence))


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The score interval of a rate."""
    return Interval(*_core.wilson(successes, trials, confidence))


def jeffreys(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The equal-tailed interval of a rate under Jeffreys' prior."""
    return Interval(*_core.jeffreys(successes, trials, confidence))


def ks(a: ArrayLike, b: ArrayLike, method: Literal["auto", "exact", "asymp"] = "auto") -> KsResult | None:
    """The two-sample Kolmogorov-Smirnov test, with the results of SciPy's ks_2samp."""
    found: Any = _core.ks(a, b, method)
    return KsResult(*found) if found else None


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """P-values adjusted for the probability of any false rejection."""
    adjusted: Any = _core.holm(p_values)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """P-values adjusted for the share of false rejections."""
    adjusted: Any = _core.benjamini_hochberg(p_values)
    return adjusted


def harmonic_mean(values: ArrayLike) -> float | None:
    """n / Σ 1/x; 0 if a value is 0, None if there are no values."""
    return _core.harmonic_mean(values)
