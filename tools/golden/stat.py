#!/usr/bin/env python3
"""Makes tests/golden/stat/*.json: what the statistics must equal, from scikit-learn, SciPy, TAPAS and mpmath.

    python3 tools/golden/stat.py --tapas DIR [--out tests/golden/stat] [--only NAME,…]

DIR is a checkout of TAPAS (alan-turing-institute/tapas); only its report modules are read. Needs numpy,
scipy, scikit-learn, pandas and mpmath. The same versions and seed give the same bytes.
"""

import argparse
import fractions
import pathlib

import mpmath
import numpy as np
import scipy.special
import scipy.stats
import sklearn.metrics

import golden_file
import stat_privacy
import stat_tapas
from golden_file import attempt

SEED = 20240517


def score_sets(rng):
    """(name, labels, scores) for everything that takes labels and scores."""
    yield "one item", [1], [0.5]
    yield "two items in order", [0, 1], [0.1, 0.9]
    yield "two items in reverse", [0, 1], [0.9, 0.1]
    yield "two items tied", [0, 1], [0.5, 0.5]
    yield "positives only", [1, 1, 1, 1], [0.1, 0.4, 0.4, 0.9]
    yield "negatives only", [0, 0, 0], [0.3, -2.0, 7.0]
    yield "constant", [0, 1, 1, 0, 1], [2.0] * 5
    yield "textbook", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    yield "both zeros are one value", [1, 0, 1, 0], [0.0, -0.0, 1.0, -1.0]
    yield "extremes", [0, 1, 0, 1, 0, 1], [-1.7e308, 1.7e308, 5e-324, 0.0, 1e-300, 1.0]
    yield "next to each other", [0, 1, 0, 1], [1.0, 1.0 + 2**-52, 1.0 - 2**-53, 1.0]
    yield "perfect", [0] * 20 + [1] * 30, list(range(50))
    yield "perfectly wrong", [1] * 20 + [0] * 30, list(range(50))
    yield "separated by a tie", [0] * 10 + [1] * 10, list(range(10)) + list(range(9, 19))
    yield "yes or no", [0] * 30 + [1] * 30, [0] * 22 + [1] * 8 + [0] * 11 + [1] * 19
    for positives, negatives, digits, shift in [
        (1, 99, 2, 1.0), (99, 1, 2, 0.5), (3, 4, 1, 0.0), (10, 10, 0, 0.3), (25, 60, 1, 1.0),
        (50, 50, 1, 2.0), (80, 40, 0, -0.5), (5, 120, 17, 1.5), (100, 100, 17, 0.0),
        (150, 50, 2, 0.2), (200, 200, 3, 0.7), (200, 200, 1, 4.0),
    ]:
        labels = np.array([1] * positives + [0] * negatives)
        scores = np.round(rng.normal(size=labels.size) + shift * labels, digits)
        order = rng.permutation(labels.size)
        name = f"normal {positives}/{negatives} shift {shift} digits {digits}"
        yield name, labels[order], scores[order]


def auc_cases(rng):
    for name, labels, scores in score_sets(rng):
        auc = attempt(lambda: sklearn.metrics.roc_auc_score(labels, scores))
        yield {"name": name, "labels": labels, "scores": scores, "auc": auc}


def roc_cases(rng):
    for name, labels, scores in score_sets(rng):
        case = {"name": name, "labels": labels, "scores": scores}
        for key, drop in [("all", False), ("dropped", True)]:
            curve = attempt(lambda: sklearn.metrics.roc_curve(labels, scores, drop_intermediate=drop))
            case[key] = dict(zip(("fpr", "tpr", "thresholds"), curve))
        yield case


def beta_quantile(q, a, b):
    """To full double precision, whatever the tail."""
    start = float(scipy.special.betaincinv(a, b, q))
    return float(stat_privacy.beta_quantile(mpmath.mpf(q), a, b, start))


def binomial_cases(_):
    counts = [(0, 1), (1, 1), (0, 2), (1, 2), (0, 10), (3, 10), (10, 10), (1, 100), (50, 100),
              (99, 100), (0, 400), (7, 400), (393, 400), (400, 400), (1, 10000), (5000, 10000),
              (9999, 10000), (12, 1000000)]
    for k, n in counts:
        for confidence in [0.5, 0.9, 0.95, 0.99, 0.9999]:
            test = scipy.stats.binomtest(k, n)
            exact = test.proportion_ci(confidence, method="exact")
            wilson = test.proportion_ci(confidence, method="wilson")
            tail = (1 - confidence) / 2
            posterior = scipy.stats.beta(k + 0.5, n - k + 0.5)
            yield {
                "k": k, "n": n, "confidence": confidence,
                "clopper_pearson_scipy": [exact.low, exact.high],
                "clopper_pearson": [beta_quantile(tail, k, n - k + 1) if k > 0 else 0.0,
                                    beta_quantile(1 - tail, k + 1, n - k) if k < n else 1.0],
                "wilson": [wilson.low, wilson.high],
                "jeffreys": [posterior.ppf(tail) if k > 0 else 0.0,
                             posterior.ppf(1 - tail) if k < n else 1.0],
            }


def placements(positives, negatives):
    """psi(x, y) = 1, 1/2 or 0 as x is above, at or below y, for all pairs. [m, n]"""
    difference = np.sign(positives[:, None] - negatives[None, :])
    return (1 + difference) / 2


def covariance(u, v):
    """The sample covariance; undefined for fewer than two values."""
    return np.sum((u - u.mean()) * (v - v.mean())) / (len(u) - 1) if len(u) > 1 else float("nan")


def delong(labels, first, second):
    """DeLong, DeLong and Clarke-Pearson (1988), from the definition, in O(m n)."""
    positive = labels == 1
    m, n = int(positive.sum()), int((~positive).sum())
    psi = [placements(scores[positive], scores[~positive]) for scores in (first, second)]
    v10, v01 = [p.mean(axis=1) for p in psi], [p.mean(axis=0) for p in psi]
    auc = [p.mean() for p in psi]

    def cell(r, s):
        return covariance(v10[r], v10[s]) / m + covariance(v01[r], v01[s]) / n

    variance = cell(0, 0) + cell(1, 1) - 2 * cell(0, 1)
    z = np.float64(auc[0] - auc[1]) / np.sqrt(np.float64(variance))
    result = {"auc": auc, "variance": [cell(0, 0), cell(1, 1)], "covariance": cell(0, 1),
              "z": z, "p_value": 2 * scipy.stats.norm.sf(abs(z))}
    quantile = scipy.stats.norm.ppf(0.975)
    result["logit_interval_95"] = []
    for a, v in zip(auc, result["variance"]):
        centre, width = np.log(a / (1 - a)), quantile * np.sqrt(v) / (a * (1 - a))
        ends = 1 / (1 + np.exp(-np.array([centre - width, centre + width])))
        result["logit_interval_95"].append(ends)
    return result


def delong_sets(rng):
    yield "one of each", [0, 1], [0.1, 0.9], [0.9, 0.1]
    yield "one positive", [0, 0, 0, 1], [0.1, 0.2, 0.3, 0.25], [0.4, 0.1, 0.2, 0.3]
    yield "constant against perfect", [0, 0, 1, 1], [1.0] * 4, [1.0, 2.0, 3.0, 4.0]
    yield "textbook", [0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.7], [0.3, 0.2, 0.1, 0.6, 0.9]
    for m, n, digits, shifts, rho in [
        (2, 2, 17, (0, 0), 0), (5, 7, 1, (1, 0), 0.5), (10, 10, 0, (1, 1), 0.2), (30, 20, 17, (0.5, 1), 0.8),
        (40, 40, 1, (0, 2), 0), (1, 60, 2, (1, 0), 0.3), (60, 2, 2, (1, 0), 0.3), (50, 50, 17, (4, 5), 0.1),
        (100, 100, 2, (1, 1), 0.9), (20, 180, 17, (1.5, 0.5), -0.5), (150, 150, 1, (-1, 1), 0.0),
        (200, 200, 17, (0.1, 0.1), 0.99),
    ]:
        labels = np.array([1] * m + [0] * n)
        common = rng.normal(size=labels.size)
        noise = rng.normal(size=labels.size)
        first = common + shifts[0] * labels
        second = rho * common + np.sqrt(1 - rho**2) * noise + shifts[1] * labels
        name = f"normal {m}/{n} shifts {shifts} correlation {rho} digits {digits}"
        yield name, labels, np.round(first, digits), np.round(second, digits)
    yield "the same attack twice", [0, 1, 0, 1, 1], [0.2, 0.3, 0.4, 0.5, 0.1], [0.2, 0.3, 0.4, 0.5, 0.1]
    yield "the same order", [0, 1, 0, 1, 1], [0.2, 0.3, 0.4, 0.5, 0.1], [2.0, 3.0, 4.0, 5.0, 1.0]


def delong_cases(rng):
    for name, *columns in delong_sets(rng):
        labels, first, second = (np.array(column) for column in columns)
        result = attempt(lambda: delong(labels, first, second))
        yield {"name": name, "labels": labels, "scores": [first, second], **result}


def ks_exact(m, n, reach):
    """P(max |i n - j m| >= reach) over random lattice paths, with integers; rounded once, at the end."""
    inside = [0] * (n + 1)
    for i in range(m + 1):
        for j in range(n + 1):
            before = (inside[j] if i > 0 else 0) + (inside[j - 1] if j > 0 else 0)
            inside[j] = (before if i + j > 0 else 1) if abs(i * n - j * m) < reach else 0
    paths = int(scipy.special.comb(m + n, n, exact=True))
    return float(fractions.Fraction(paths - inside[n], paths))


def ks_sets(rng):
    yield "one and one", [1.0], [2.0]
    yield "one and one, equal", [1.0], [1.0]
    yield "one and many", [0.5], rng.normal(size=30)
    yield "equal samples", [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]
    yield "far apart", range(20), range(100, 130)
    yield "far apart, equal sizes", range(25), range(25, 50)
    yield "both zeros are one value", [0.0, 1.0], [-0.0, 2.0, 3.0]
    for m, n, digits, shift in [
        (3, 5, 17, 0), (7, 7, 1, 1), (10, 20, 0, 0.5), (40, 40, 17, 0.4), (50, 35, 1, 0.8), (64, 96, 17, 0.1),
        (100, 100, 17, 1.5), (97, 101, 17, 0.3), (200, 150, 2, 0.25), (150, 300, 17, 0.9), (300, 299, 17, 2.0),
        (400, 400, 17, 0.05), (400, 380, 1, 0.15), (400, 20, 2, 1.0),
    ]:
        name = f"normal {m}/{n} shift {shift} digits {digits}"
        yield name, np.round(rng.normal(size=m), digits), np.round(rng.normal(size=n) + shift, digits)


def ks_cases(rng):
    for name, *samples in ks_sets(rng):
        a, b = (np.array(sample, dtype=float) for sample in samples)
        case = {"name": name, "a": a, "b": b}
        for method in ["auto", "exact", "asymp"]:
            found = attempt(lambda: scipy.stats.ks_2samp(a, b, method=method))
            case[method] = {"statistic": found.statistic, "p_value": found.pvalue}
        reach = round(float(case["exact"]["statistic"]) * len(a) * len(b))
        case["exact_p_value"] = ks_exact(len(a), len(b), reach)
        yield case


def ks_large_cases(_):
    """Samples too large to write out: a_i = i and b_i = scale i + shift, exact in doubles."""
    for m, n, scale, shift in [
        (10000, 9999, 1.0, 300.25), (10000, 10000, 1.0, 800.5), (7777, 5000, 1.5, 100.0), (10000, 100, 64.0, 0.5),
        (9000, 8999, 1.0, 2000.0), (10001, 50, 256.0, 0.25), (20000, 10, 1024.0, 5.0), (12000, 11000, 1.0, 400.5),
        (30000, 40000, 0.75, 77.0), (30000, 40000, 0.75, 5000.0), (50000, 50000, 1.0, 100.0),
        (200000, 320000, 0.625, 700.0),
    ]:
        a, b = np.arange(m, dtype=float), np.arange(n) * scale + shift
        found = scipy.stats.ks_2samp(a, b)
        yield {"m": m, "n": n, "scale": scale, "shift": shift, "statistic": found.statistic, "p_value": found.pvalue,
               "exact": max(m, n) <= 10000}


def kolmogorov_cases(rng):
    """P(D_n >= d), the one-sample two-sided distribution behind the asymptotic p-value."""
    for n in [1, 2, 3, 5, 10, 33, 100, 140, 141, 200, 500, 1000, 4999, 20000, 99999, 100001, 1000000, 1000001,
              50000000]:
        distances = [0.3 / n, 0.7 / n, 1.0 / n, 1.3 / n, 0.49, 0.5, 0.7, 1 - 0.5 / n, 1.0]
        distances += list(np.array([0.2, 0.3, 0.5, 0.8, 1, 1.2, 1.4, 1.6, 2, 3, 5, 10, 18]) / np.sqrt(n))
        for d in sorted(set(float(d) for d in distances if d <= 1)):
            yield {"n": n, "d": d, "survival": scipy.stats.kstwo.sf(d, n)}


def hmean_cases(rng):
    samples = [[], [3.0], [1.0, 4.0], [0.0, 2.0], [0.0, 0.0], [1e308, 1e308], [1e-308, 1.0], [5e-324, 1.0],
               [0.25] * 7, [1.0, -1.0], rng.uniform(size=9), rng.uniform(size=100),
               np.exp(5 * rng.normal(size=300))]
    for values in samples:
        yield {"values": values, "hmean": attempt(lambda: scipy.stats.hmean(values))}


FILES = {"auc": auc_cases, "roc": roc_cases, "binomial": binomial_cases, "delong": delong_cases,
         "ks": ks_cases, "ks_large": ks_large_cases,
         "kolmogorov": kolmogorov_cases, "hmean": hmean_cases}
PRIVACY_FILES = {"clopper_pearson_epsilon": stat_privacy.clopper_pearson_cases,
                 "one_run": stat_privacy.one_run_cases, "one_run_fdp": stat_privacy.one_run_fdp_cases,
                 "gdp": stat_privacy.gdp_cases, "bayes": stat_privacy.bayes_cases}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tapas", type=pathlib.Path, help="a checkout of TAPAS; needed for tapas.json")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tests/golden/stat"))
    parser.add_argument("--only", help="names of files to make, without .json, separated by commas")
    arguments = parser.parse_args()
    wanted = set(arguments.only.split(",") if arguments.only else [*FILES, *PRIVACY_FILES, "tapas"])
    arguments.out.mkdir(parents=True, exist_ok=True)
    manifest = {"script": "tools/golden/stat.py", "seed": SEED,
                "packages": golden_file.versions("numpy", "scipy", "scikit-learn", "mpmath")}
    for name, cases in {**FILES, **PRIVACY_FILES}.items():
        if name in wanted:
            # Each file has its own generator, so that --only makes the same bytes.
            found = list(cases(np.random.default_rng([SEED, sum(name.encode())])))
            golden_file.write(arguments.out / f"{name}.json", manifest, cases=found)
    if "tapas" in wanted:
        if arguments.tapas is None:
            parser.error("tapas.json needs --tapas DIR")
        tapas = stat_tapas.Tapas(arguments.tapas)
        manifest["tapas"] = tapas.origin
        manifest["packages"] |= golden_file.versions("pandas")
        rng = np.random.default_rng([SEED, 1])
        golden_file.write(arguments.out / "tapas.json", manifest,
                          summaries=stat_tapas.summary_cases(tapas, rng),
                          reports=stat_tapas.report_cases(tapas, rng))


if __name__ == "__main__":
    main()
