#!/usr/bin/env python3
"""Makes tests/golden/stat/inference_tail.json: the tail of low false positive rates, by definition.

    python3 tools/golden/inference_tail.py [--out tests/golden/stat]

Needs numpy and scipy. Nothing is shared with the program: distributions are scipy's, the jackknife leaves out
one cluster after the other, permutations are enumerated. The same versions and seed give the same bytes.
"""

import argparse
import fractions
import itertools
import math
import pathlib

import numpy as np
import scipy.optimize
import scipy.stats

import golden_file

SEED = 20260101


def hypergeometric_cases():
    for population, marked, drawn in [(1, 1, 1), (10, 4, 3), (20, 10, 10), (50, 5, 45), (800, 400, 12),
                                      (800, 400, 44), (1200, 1000, 60), (20000, 10000, 150), (200000, 100000, 2100)]:
        low, high = max(0, drawn - (population - marked)), min(marked, drawn)
        mean = drawn * marked / population
        counts = {low, high, high - 1, *(round(mean + step * math.sqrt(mean + 1)) for step in (-4, -1, 0, 1, 4))}
        for count in sorted(c for c in counts if low <= c <= high):
            yield {"population": population, "marked": marked, "drawn": drawn, "count": count,
                   "cdf": scipy.stats.hypergeom.cdf(count, population, marked, drawn)}


def beyond_threshold(positives, negatives, order):
    """Positives strictly above the order-th highest negative."""
    if order <= 0:
        return 0
    if order > len(negatives):
        return len(positives)
    return int(np.sum(positives > np.sort(negatives)[::-1][order - 1]))


def allowed(n, fpr):
    return math.floor(n * fpr + 1e-9)


def tail_p_value(positives, negatives, fpr):
    """P(X >= x) of the negative hypergeometric X: positives drawn before the (k+1)-th negative."""
    m, n = len(positives), len(negatives)
    k = allowed(n, fpr)
    if m == 0 or k < 1:
        return 1.0
    x = beyond_threshold(positives, negatives, k + 1)
    return float(scipy.stats.nhypergeom.sf(x - 1, m + n, m, k + 1)) if x > 0 else 1.0


def tail_in_integers(m, n, k, x):
    """The same to full precision: X = j if j positives and k negatives come before the (k+1)-th negative."""
    ways = sum(math.comb(j + k, j) * math.comb(m + n - j - k - 1, m - j) for j in range(x, m + 1))
    return float(fractions.Fraction(ways, math.comb(m + n, m)))


def tail_by_enumeration(m, n, k, x):
    """The same from all orders of m positives and n negatives."""
    orders = list(itertools.combinations(range(m + n), m))
    reached = 0
    for positives in orders:
        labels = np.zeros(m + n, dtype=int)
        labels[list(positives)] = 1
        last = np.flatnonzero(labels == 0)[k]
        reached += int(labels[:last].sum() >= x)
    return reached / len(orders)


def tail_cases(rng):
    for m, n, fpr, remembered, digits in [
        (5, 6, 0.2, 0, 17), (6, 5, 0.4, 2, 17), (6, 6, 0.34, 3, 1), (400, 400, 0.01, 0, 17), (400, 400, 0.01, 12, 17),
        (100, 1000, 0.05, 5, 2), (1000, 300, 0.1, 40, 1), (400, 400, 0.01, 400, 17), (3000, 3000, 0.001, 9, 17),
    ]:
        positives, negatives = rng.normal(size=m), rng.normal(size=n)
        positives[:remembered] += 4
        positives, negatives = np.round(positives, digits), np.round(negatives, digits)
        k = allowed(n, fpr)
        x = beyond_threshold(positives, negatives, k + 1)
        p = tail_in_integers(m, n, k, x)
        assert abs(tail_p_value(positives, negatives, fpr) - p) < 1e-9
        assert m + n > 12 or abs(tail_by_enumeration(m, n, k, x) - p) < 1e-12
        yield {"positives": positives, "negatives": negatives, "fpr": fpr, "p_value": p}


def design_effect(scores, clusters, threshold):
    """Variance of the share beyond the threshold, by leaving out clusters, over its binomial variance."""
    above = scores > threshold
    share, names = above.mean(), np.unique(clusters)
    if share in (0, 1):
        return None
    if len(names) == 1:
        return float(len(scores))
    without = np.array([above[clusters != name].mean() for name in names])
    variance = (len(names) - 1) / len(names) * np.sum((without - share) ** 2)
    effect = variance / (share * (1 - share) / (len(scores) - 1))
    return max(1.0, effect)


def beta_cdf(t, x, m):
    """F_Beta(x, m - x + 1)(t), linear in x between whole numbers."""
    def whole(count):
        if count <= 0:
            return 1.0
        return scipy.stats.beta.cdf(t, count, m - count + 1) if count <= m else 0.0

    low = math.floor(x)
    return whole(low) + (x - low) * (whole(low + 1) - whole(low))


def tpr_interval(positives, negatives, groups, fpr, confidence):
    m, n = len(positives), len(negatives)
    threshold = np.sort(negatives)[::-1][allowed(n, fpr)]
    effects = [design_effect(scores, clusters, threshold)
               for scores, clusters in zip((positives, negatives), groups)]
    effects = [own or other or 1.0 for own, other in (effects, effects[::-1])]
    m_eff, n_eff = (max(1, math.floor(count / effect + 1e-6)) for count, effect in zip((m, n), effects))
    terms = []
    for k in range(n_eff + 1):
        weight = scipy.stats.binom.pmf(k, n_eff, fpr)
        if weight < 1e-16:
            continue
        low, high = math.floor(k * n / n_eff + 1e-9), math.ceil((k + 1) * n / n_eff - 1e-9)
        terms.append((weight, beyond_threshold(positives, negatives, low) * m_eff / m,
                      beyond_threshold(positives, negatives, high) * m_eff / m + 1))

    def mixture(t):
        return 0.5 * sum(weight * (beta_cdf(t, low, m_eff) + beta_cdf(t, high, m_eff)) for weight, low, high in terms)

    def quantile(level):
        if mixture(1e-15) >= level:
            return 0.0
        if mixture(1 - 1e-15) <= level:
            return 1.0
        return scipy.optimize.brentq(lambda t: mixture(t) - level, 1e-15, 1 - 1e-15, xtol=1e-14, rtol=1e-13)

    tail = (1 - confidence) / 2
    return {"low": quantile(tail), "high": quantile(1 - tail), "effective": [m_eff, n_eff]}


def clustered_scores(rng, count, size, icc, shift, digits):
    clusters = np.arange(count) // size
    effects = rng.normal(size=clusters[-1] + 1)
    scores = np.sqrt(icc) * effects[clusters] + np.sqrt(1 - icc) * rng.normal(size=count) + shift
    return np.round(scores, digits), clusters


def interval_cases(rng):
    for m, n, fpr, size, icc, shift, digits, confidence in [
        (1, 30, 0.1, 1, 0, 0, 17, 0.95), (40, 30, 0.1, 1, 0, 1, 17, 0.95), (60, 60, 0.1, 1, 0, 0, 1, 0.95),
        (200, 300, 0.01, 1, 0, 1.5, 17, 0.9), (300, 300, 0.01, 1, 0, 5, 17, 0.95), (50, 400, 0.01, 1, 0, -5, 17, 0.95),
        (200, 200, 0.1, 10, 0.3, 0.5, 17, 0.95), (120, 160, 0.1, 20, 0.6, 1, 17, 0.99), (100, 90, 0.1, 10, 0.2, -9, 17, 0.95),
        (60, 60, 0.1, 60, 0.2, 0.5, 17, 0.95), (90, 40, 0.3, 7, 0.4, 0.5, 1, 0.95),
    ]:
        positives, positive_clusters = clustered_scores(rng, m, size, icc, shift, digits)
        negatives, negative_clusters = clustered_scores(rng, n, size, icc, 0, digits)
        negative_clusters = negative_clusters + positive_clusters[-1] + 1
        yield {"positives": positives, "negatives": negatives, "positive_clusters": positive_clusters,
               "negative_clusters": negative_clusters, "fpr": fpr, "confidence": confidence,
               **tpr_interval(positives, negatives, (positive_clusters, negative_clusters), fpr, confidence)}


def labellings(labels, clusters):
    """Every way to label the items: clusters in one class exchange labels, those in both within themselves."""
    single = [g for g in np.unique(clusters) if len(set(labels[clusters == g])) == 1]
    mixed = [g for g in np.unique(clusters) if g not in single]
    wanted = sum(int(labels[clusters == g][0]) for g in single)
    choices = [[("single", chosen) for chosen in itertools.combinations(single, wanted)]]
    for g in mixed:
        items = np.flatnonzero(clusters == g)
        choices.append([("items", (items, chosen))
                        for chosen in itertools.combinations(items, int(labels[items].sum()))])
    for combination in itertools.product(*choices):
        drawn = np.zeros_like(labels)
        for kind, chosen in combination:
            if kind == "single":
                drawn[np.isin(clusters, chosen)] = 1
            else:
                drawn[list(chosen[1])] = 1
        yield drawn


def family_p_values(scores, labels, clusters, fpr):
    """scores: [attack, item]. The exact shares over all labellings, ours among them."""
    centred, tails = [], []
    for drawn in [labels, *labellings(labels, clusters)]:
        row, ps = [], []
        for column in scores:
            positives, negatives = column[drawn == 1], column[drawn == 0]
            psi = (1 + np.sign(positives[:, None] - negatives[None, :])) / 2
            row.append(psi.mean() - 0.5)
            ps.append(tail_p_value(positives, negatives, fpr))
        centred.append(row)
        tails.append(min(ps))
    centred, tails = np.abs(np.array(centred)), np.array(tails)
    sd = np.sqrt(np.mean(centred[1:] ** 2, axis=0))
    largest = np.max(centred / sd, axis=1)
    return {"p_value": np.mean(largest[1:] >= largest[0] * (1 - 1e-9)),
            "tail_p_value": np.mean(tails[1:] <= tails[0] * (1 + 1e-9)), "labellings": len(tails) - 1}


def family_cases(rng):
    for name, sizes, labels, attacks, shift in [
        ("equal clusters", [3] * 10, [1] * 5 + [0] * 5, 2, 0.8),
        ("unequal clusters", [1, 2, 3, 4, 6, 1, 2, 3, 4, 6], [1] * 5 + [0] * 5, 3, 0.8),
        ("more negatives", [2] * 11, [1] * 3 + [0] * 8, 1, 0.5),
        ("independent items", [1] * 12, [1] * 6 + [0] * 6, 2, 1.0),
    ]:
        clusters = np.repeat(np.arange(len(sizes)), sizes)
        items = np.repeat(labels, sizes)
        yield name, clusters, items, attacks, shift
    clusters = np.repeat(np.arange(7), [2, 2, 2, 2, 2, 4, 4])
    yield "clusters in both classes", clusters, np.array([1] * 4 + [0] * 6 + [1, 0, 0, 0] + [1, 1, 0, 0]), 2, 1.0


def permutation_cases(rng):
    for name, clusters, labels, attacks, shift in family_cases(rng):
        common = rng.normal(size=labels.size)
        scores = np.array([0.7 * common + 0.7 * rng.normal(size=labels.size) + shift * labels for _ in range(attacks)])
        fpr = 0.25
        yield {"name": name, "labels": labels, "clusters": clusters, "scores": scores, "fpr": fpr,
               **family_p_values(scores, labels, clusters, fpr)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tests/golden/stat"))
    arguments = parser.parse_args()
    manifest = {"script": "tools/golden/inference_tail.py", "seed": SEED,
                "packages": golden_file.versions("numpy", "scipy")}
    rngs = [np.random.default_rng([SEED, part]) for part in range(3)]
    golden_file.write(arguments.out / "inference_tail.json", manifest, hypergeometric=list(hypergeometric_cases()),
                      tails=list(tail_cases(rngs[0])), tpr_intervals=list(interval_cases(rngs[1])),
                      permutations=list(permutation_cases(rngs[2])))


if __name__ == "__main__":
    main()
