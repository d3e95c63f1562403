#!/usr/bin/env python3
"""Makes tests/golden/attack/scores.json: SURP, WBC and EZ-MIA of random pairs of traces, written from the papers.

    python3 tools/golden/attack.py [--out tests/golden/attack]

Needs numpy. The scores stand there as the papers orient them (higher = a member); the test turns them around. The
papers are arXiv 2407.21248 (SURP), 2601.02751 (WBC) and 2601.12104 (EZ-MIA). Each trace's last token is left out before
anything is computed, as Palimpsest does for token-wise scores. The same version and seed give the same bytes.
"""

import argparse
import pathlib

import numpy as np

import golden_file

SEED = 20260712
PAIRS = 200
WINDOWS = [2, 3, 4, 6, 9, 13, 18, 25, 32, 40]
SURP = [(0.4, 2.0), (0.2, 1.0), (1.0, 3.0)]


def random_pair(rng, case):
    """Two models' log-probabilities of one text, with the entropy and first choice of the first model."""
    length = int(np.exp(rng.uniform(np.log(2), np.log(80))))
    label = rng.integers(0, 50, length)
    entropy = rng.uniform(0, 6, length)
    logprob = -rng.exponential(1 + entropy / 2)
    lift = rng.normal(0.3 if case % 2 else 0.0, 1, length)
    reference = np.minimum(logprob - lift, -1e-6)
    right = rng.uniform(size=length) < np.exp(logprob) ** 0.5
    argmax = np.where(right, label, (label + 1 + rng.integers(0, 48, length)) % 50)
    if case % 20 == 7:  # no error at all
        argmax = label.copy()
    if case % 20 == 13:  # every shift upwards
        reference = logprob - np.abs(lift) - 1e-3
    return {
        "logprob": np.round(logprob, 6) + 0.0,
        "reference": np.round(reference, 6) + 0.0,
        "mean": np.round(-entropy, 6) + 0.0,
        "argmax": argmax,
        "label": label,
    }


def surp(logprob, entropy, k, bound):
    """The mean over S, or None for an empty S, and the mean over the k lowest whatever their entropy."""
    lowest = np.argsort(logprob, kind="stable")[:max(1, int(k * len(logprob)))]
    chosen = lowest[entropy[lowest] < bound]
    return {
        "k": k,
        "entropy": bound,
        "score": logprob[chosen].mean() if len(chosen) else None,
        "lowest": logprob[lowest].mean(),
    }


def wbc(logprob, reference):
    """The mean over window sizes of the share of windows in which the reference model loses more."""
    shares = []
    for window in WINDOWS:
        width = min(window, len(logprob))
        ones = np.ones(width)
        shares.append(np.mean(np.convolve(-reference, ones, "valid") > np.convolve(-logprob, ones, "valid")))
    return np.mean(shares)


def ez_mia(logprob, reference, argmax, label):
    """Upward and downward shift over the error zone; the paper's score is up / down."""
    shift = (logprob - reference)[argmax != label]
    return {"errors": len(shift), "up": shift[shift > 0].sum(), "down": -shift[shift < 0].sum()}


def golden_case(rng, number):
    pair = random_pair(rng, number)
    logprob, reference = pair["logprob"][:-1], pair["reference"][:-1]
    return pair | {
        "surp": [surp(logprob, -pair["mean"][:-1], k, bound) for k, bound in SURP],
        "wbc": wbc(logprob, reference),
        "ez_mia": ez_mia(logprob, reference, pair["argmax"][:-1], pair["label"][:-1]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tests/golden/attack"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    cases = [golden_case(rng, number) for number in range(PAIRS)]
    manifest = {"script": "tools/golden/attack.py", "seed": SEED, "versions": golden_file.versions("numpy")}
    golden_file.write(out / "scores.json", manifest, cases=cases)


if __name__ == "__main__":
    main()
