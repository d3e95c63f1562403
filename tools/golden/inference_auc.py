#!/usr/bin/env python3
"""Makes tests/golden/stat/inference_auc.json: the AUC over clusters, by brute force.

    python3 tools/golden/inference_auc.py [--out tests/golden/stat/inference_auc.json]

Nothing is shared with the library's algorithm: the AUC is the mean over all pairs, and the jackknife deletes
each cluster from the data and counts the pairs again. Quantiles of t and chi-square are SciPy's. The numbers
that max-|t| draws are in the file, so that the quantile can be compared. Needs numpy and scipy; the same
versions and seed give the same bytes.
"""

import argparse
import math
import pathlib

import numpy as np
import scipy.stats

import golden_file

SEED = 20250703
CONFIDENCES = [0.9, 0.95, 0.97]
STRATA = ["positives", "negatives", "both"]


def auc(positives, negatives):
    difference = positives[:, None] - negatives[None, :]
    return np.mean((difference > 0) + 0.5 * (difference == 0))


def strata_of(clusters_positive, clusters_negative):
    """{cluster: stratum} of the clusters that have items."""
    in_positives, in_negatives = set(clusters_positive), set(clusters_negative)
    return {
        g: "both" if g in in_positives and g in in_negatives else "positives" if g in in_positives else "negatives"
        for g in in_positives | in_negatives
    }


def jackknife(positives, negatives, clusters_positive, clusters_negative):
    """(AUC, ψ per cluster number, stratum of each cluster)."""
    whole = auc(positives, negatives)
    strata = strata_of(clusters_positive, clusters_negative)
    counts = {s: list(strata.values()).count(s) for s in STRATA}
    psi = np.zeros(max(strata) + 1)
    for g, stratum in strata.items():
        without = auc(positives[clusters_positive != g], negatives[clusters_negative != g])
        factor = math.sqrt((counts[stratum] - 1) / counts[stratum]) if counts[stratum] > 1 else 1
        psi[g] = factor * (without - whole)
    return whole, psi, strata


def variance_of(psi, strata):
    """(V, df, V of each stratum)."""
    parts, squares = {}, 0
    for s in STRATA:
        members = [g for g, stratum in strata.items() if stratum == s]
        parts[s] = sum(psi[g] ** 2 for g in members)
        squares += parts[s] ** 2 / max(len(members) - 1, 1)
    total = sum(parts.values())
    return total, total**2 / squares, parts


def interval(area, variance, df, confidence):
    t = scipy.stats.t.ppf((1 + confidence) / 2, df)
    half = t * math.sqrt(variance) / (area * (1 - area))
    center = math.log(area / (1 - area))
    return [1 / (1 + math.exp(half - center)), 1 / (1 + math.exp(-half - center))]


def delong_variance(positives, negatives):
    difference = positives[:, None] - negatives[None, :]
    wins = (difference > 0) + 0.5 * (difference == 0)
    return np.var(wins.mean(axis=1), ddof=1) / len(positives) + np.var(wins.mean(axis=0), ddof=1) / len(negatives)


def rank_icc(positives, negatives, clusters_positive, clusters_negative):
    """The one-way estimator on pooled midranks, classes centred separately; None where it is undefined."""
    ranks = scipy.stats.rankdata(np.concatenate([positives, negatives]))
    classes = [(ranks[: len(positives)], clusters_positive), (ranks[len(positives) :], clusters_negative)]
    between = within = size = 0.0
    between_df = within_df = 0
    for values, numbers in classes:
        groups = [values[numbers == g] for g in np.unique(numbers)]
        between += sum(len(v) * (v.mean() - values.mean()) ** 2 for v in groups)
        within += sum(((v - v.mean()) ** 2).sum() for v in groups)
        size += len(values) - sum(len(v) ** 2 for v in groups) / len(values)
        between_df += len(groups) - 1
        within_df += len(values) - len(groups)
    if within_df == 0:
        return None
    msb, msw = between / between_df, within / within_df
    return max((msb - msw) / (msb + (size / between_df - 1) * msw), 0)


def sizes_of(kind, count, rng):
    if kind == "equal":
        return [6] * count
    if kind == "singletons":
        return [1] * count
    if kind == "one big":
        return [3 * (count - 1)] + [3] * (count - 1)
    return np.maximum(1, np.round(rng.lognormal(1.2, 1, count)).astype(int)).tolist()


def draw_class(rng, numbers, sizes, effects, shift, attacks):
    """Scores [attack][item] and the items' clusters, in an order that does not follow the clusters."""
    clusters = np.repeat(numbers, sizes)
    rng.shuffle(clusters)
    common = rng.normal(size=clusters.size)
    scores = [
        shift * (1 + 0.3 * k) + 0.6 * effects[k][clusters] + 0.5 * common + 0.6 * rng.normal(size=clusters.size)
        for k in range(attacks)
    ]
    return np.array(scores), clusters


def data_sets(rng):
    """(name, scores of positives, of negatives, their clusters, attacks)."""
    for name, kind, positives, negatives, shared, shift, digits in [
        ("equal clusters", "equal", 6, 8, 0, 0.6, 6),
        ("equal clusters, two", "equal", 2, 2, 0, 0.2, 6),
        ("unequal clusters", "unequal", 9, 7, 0, 0.4, 6),
        ("unequal clusters, high AUC", "unequal", 12, 12, 0, 1.8, 6),
        ("unequal clusters, AUC below one half", "unequal", 8, 10, 0, -0.9, 6),
        ("clusters in both classes", "unequal", 7, 7, 7, 0.5, 6),
        ("some clusters in both classes", "unequal", 8, 9, 4, 0.7, 6),
        ("one cluster in both classes", "equal", 5, 6, 1, 0.3, 6),
        ("ties", "unequal", 8, 8, 0, 0.5, 0),
        ("ties, clusters in both classes", "equal", 6, 5, 3, 0.5, 0),
        ("singletons", "singletons", 25, 18, 0, 0.8, 6),
        ("singletons, ties", "singletons", 30, 30, 0, 0.5, 1),
        ("pairs across the classes", "singletons", 15, 15, 15, 0.5, 6),
        ("one big cluster", "one big", 7, 9, 0, 0.5, 6),
        ("one big cluster in both classes", "one big", 6, 6, 6, 0.5, 1),
    ]:
        # Numbers of the negatives start where the shared ones begin; one number in between is empty.
        first = positives - shared + (1 if shared == 0 else 0)
        effects = rng.normal(size=(3, first + negatives))
        p, cp = draw_class(rng, np.arange(positives), sizes_of(kind, positives, rng), effects, shift, 3)
        n, cn = draw_class(rng, first + np.arange(negatives), sizes_of(kind, negatives, rng), effects, 0, 3)
        yield name, np.round(p, digits), np.round(n, digits), cp, cn


def estimates(p, n, cp, cn):
    for positives, negatives in zip(p, n):
        area, psi, strata = jackknife(positives, negatives, cp, cn)
        variance, df, parts = variance_of(psi, strata)
        yield {
            "auc": area, "influence": psi, "variance": variance, "df": df,
            "variance_positives": parts["positives"] + parts["both"] / 2,
            "variance_negatives": parts["negatives"] + parts["both"] / 2,
            "intervals": [interval(area, variance, df, c) for c in CONFIDENCES],
            "design_effect": variance / delong_variance(positives, negatives),
            "rank_icc": rank_icc(positives, negatives, cp, cn),
        }


def difference(a, b, strata):
    psi = a["influence"] - b["influence"]
    variance, df, _ = variance_of(psi, strata)
    center, se = a["auc"] - b["auc"], math.sqrt(variance)
    ends = [[center - t * se, center + t * se] for t in scipy.stats.t.ppf([(1 + c) / 2 for c in CONFIDENCES], df)]
    return {"variance": variance, "df": df, "intervals": np.clip(ends, -1, 1),
            "p_value": 2 * scipy.stats.t.sf(abs(center) / se, df)}


def max_t(found, rng):
    """Draws, rounded so that the file stays small, and the quantiles of max |t|."""
    psi = np.array([one["influence"] for one in found])
    df = min(one["df"] for one in found)
    normals = np.round(rng.normal(size=(60, psi.shape[1])), 4)
    chi_squares = scipy.stats.chi2.ppf(rng.uniform(size=60), df)
    t = np.abs(normals @ psi.T) / np.sqrt((psi**2).sum(axis=1)) / np.sqrt(chi_squares / df)[:, None]
    ordered = np.sort(t.max(axis=1))
    ranks = [min(math.ceil(61 * c), 60) - 1 for c in CONFIDENCES]
    return {"normals": normals, "chi_squares": chi_squares, "multiples": ordered[ranks]}


def cases(rng):
    for name, p, n, cp, cn in data_sets(rng):
        found = list(estimates(p, n, cp, cn))
        yield {
            "name": name, "positives": p, "negatives": n, "clusters_positives": cp, "clusters_negatives": cn,
            "confidences": CONFIDENCES, "estimates": found,
            "difference": difference(found[0], found[1], strata_of(cp, cn)), "max_t": max_t(found, rng),
        }


def quantile_cases():
    for df in [1, 1.5, 2, 3.7, 8, 25.25, 300, 1e5]:
        for p in [0.001, 0.3, 0.8, 0.9, 0.95, 0.985, 0.9999]:
            yield {"p": p, "df": df, "quantile": scipy.stats.t.ppf(p, df)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/stat/inference_auc.json"
    parser.add_argument("--out", default=default)
    out = parser.parse_args().out
    manifest = {"script": "tools/golden/inference_auc.py", "seed": SEED,
                "packages": golden_file.versions("numpy", "scipy")}
    golden_file.write(out, manifest, cases=cases(np.random.default_rng(SEED)), student_t=quantile_cases())


if __name__ == "__main__":
    main()
