#!/usr/bin/env python3
"""Makes the golden data of the blind baseline: how well does a ridge regression in numpy tell made-up texts apart?

The texts are made here, from syllables. Features, ridge regression, ranks within folds and permutations within folds are
written again from what palimpsest/attack/internal/mia/blind_baseline.h and text_features.h say, the hashes included, with numpy's
solver. Two things are kept of each case:

- for one draw of the folds, the value that every text gets from the model fitted without its fold: to be met closely
- the AUC, and the central 95% of the AUCs with permuted labels, means over twenty draws of the folds: other draws are made
  in C++, so these are close, not equal

    pip install numpy==2.4.6
    python3 tools/golden/blind.py --out tests/golden/attack
"""

import argparse
import collections
import math
import pathlib
import random
import re

import golden_file
import numpy as np

SEED = 5
DRAWS = 20
PERMUTATIONS = 199
FOLDS = 5
PENALTY = 1.0
SIZE = 100
AUTHORS = 15
QUESTIONS = 8
MASK = 2**64 - 1


def make_words(rng, count):
    return ["".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(1, 4)))
            for _ in range(count)]


def make_text(rng, words, low, high):
    return " ".join(words[int(len(words) * rng.random() ** 2)] for _ in range(rng.randint(low, high)))


def make_cases(rng):
    """name -> texts of the forget set, of the holdout set, texts per cluster."""
    words = make_words(rng, 500)
    marks = make_words(rng, 5)

    def texts(marked=0.0, low=12, high=20, capital=0.0):
        result = []
        for _ in range(SIZE):
            text = make_text(rng, words, low, high)
            if rng.random() < marked:
                text += " " + rng.choice(marks)
            result.append(text.capitalize() if rng.random() < capital else text)
        return result

    def authors(marked=0.0):
        result = []
        for _ in range(AUTHORS):
            name = " ".join(make_words(rng, 3))
            for _ in range(QUESTIONS):
                text = f"{name} {make_text(rng, words, 6, 12)} {name}"
                result.append(text + " " + rng.choice(marks) if rng.random() < marked else text)
        return result

    return {
        "same source": (texts(), texts(), 1),
        "a few telling words": (texts(marked=0.5), texts(), 1),
        "many telling words": (texts(marked=0.9), texts(), 1),
        "longer": (texts(low=14, high=22), texts(), 1),
        "capital letters": (texts(capital=0.6), texts(capital=0.1), 1),
        "authors of one source": (authors(), authors(), QUESTIONS),
        "authors with telling words": (authors(), authors(marked=0.8), QUESTIONS),
    }


def column(seed, gram):
    """FNV-1a with a final mixing step, 18 bits."""
    state = (0xCBF29CE484222325 + seed) & MASK
    for byte in gram.encode():
        state = (state ^ byte) * 0x100000001B3 & MASK
    return ((state ^ (state >> 29)) * 0xBF58476D1CE4E5B9 & MASK) >> 46


def features(texts):
    """One row per text; only columns that some text has."""
    rows = []
    for text in texts:
        words = re.findall("[a-z0-9]+", text.lower())
        kinds = [words + [f"{a} {b}" for a, b in zip(words, words[1:])],
                 [text[i:i + n] for n in (3, 4, 5) for i in range(len(text) - n + 1)]]
        row = {}
        for kind, grams in enumerate(kinds, start=1):
            counts = collections.Counter((kind, column(kind, gram)) for gram in grams)
            values = {key: 1 + math.log(count) for key, count in counts.items()}
            norm = math.sqrt(sum(value**2 for value in values.values()))
            row.update({key: value / norm for key, value in values.items()})
        rows.append(row)
    numbers = {key: i for i, key in enumerate(sorted({key for row in rows for key in row}))}
    matrix = np.zeros((len(texts), len(numbers) + 2))
    for i, row in enumerate(rows):
        matrix[i, [numbers[key] for key in row]] = list(row.values())
    lengths = np.log1p([len(text.encode()) for text in texts])
    matrix[:, -2] = (lengths - lengths.mean()) / lengths.std()
    matrix[:, -1] = 1
    return matrix


def deal(labels, clusters, draw):
    """The fold of each text: clusters of each label in random order, one fold after the other."""
    rng = np.random.default_rng([SEED, draw])
    fold_of_cluster = {}
    for label in (-1, 1):
        for cluster in rng.permutation(np.unique(clusters[labels == label])):
            fold_of_cluster[cluster] = len(fold_of_cluster) % FOLDS
    return np.array([fold_of_cluster[cluster] for cluster in clusters])


def smoothers(gram, folds):
    """For each fold: the texts in it, the others, and the matrix that takes the others' labels to values."""
    result = []
    for fold in range(FOLDS):
        test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        system = gram[np.ix_(train, train)] + PENALTY * np.eye(len(train))
        result.append((test, train, np.linalg.solve(system, gram[np.ix_(train, test)]).T))
    return result


def values(parts, labels):
    result = np.zeros(len(labels))
    for test, train, smoother in parts:
        result[test] = smoother @ labels[train]
    return result


def ranks(scores):
    below = (scores[None, :] < scores[:, None]).sum(axis=1)
    ties = (scores[None, :] == scores[:, None]).sum(axis=1)
    return below + (ties + 1) / 2


def auc(parts, labels):
    scores = values(parts, labels)
    for test, _, _ in parts:
        scores[test] = ranks(scores[test]) / (len(test) + 1)
    positives = labels == 1
    rank_sum = ranks(scores)[positives].sum()
    m, n = positives.sum(), (~positives).sum()
    return (rank_sum - m * (m + 1) / 2) / (m * n)


def permuted(labels, clusters, folds, rng):
    result = labels.copy()
    for fold in range(FOLDS):
        names = np.unique(clusters[folds == fold])
        of_cluster = np.array([labels[clusters == name][0] for name in names])
        for name, label in zip(names, rng.permutation(of_cluster)):
            result[clusters == name] = label
    return result


def run(name, forget, holdout, size):
    labels = np.array([-1.0] * len(forget) + [1.0] * len(holdout))
    clusters = np.arange(len(labels)) // size
    rows = features(forget + holdout)
    gram = rows @ rows.T
    aucs, lows, highs = [], [], []
    for draw in range(DRAWS):
        folds = deal(labels, clusters, draw)
        parts = smoothers(gram, folds)
        if draw == 0:
            kept = {"folds": folds, "values": values(parts, labels)}
        rng = np.random.default_rng([SEED, draw, 1])
        null = sorted(auc(parts, permuted(labels, clusters, folds, rng)) for _ in range(PERMUTATIONS))
        beyond = (PERMUTATIONS + 1) * 25 // 1000
        aucs.append(auc(parts, labels))
        lows.append(null[beyond - 1])
        highs.append(null[-beyond])
    case = {"name": name, "cluster_size": size, "auc": float(np.mean(aucs)), "null_low": float(np.mean(lows)),
            "null_high": float(np.mean(highs)), **kept, "forget": forget, "holdout": holdout}
    print(f"{name:26} {case['auc']:.4f}, permuted {case['null_low']:.4f} to {case['null_high']:.4f}")
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    cases = [run(name, *case) for name, case in make_cases(random.Random(SEED)).items()]
    manifest = {"script": "tools/golden/blind.py", "seed": SEED, "draws": DRAWS, "permutations": PERMUTATIONS,
                "versions": golden_file.versions("numpy")}
    golden_file.write(folder / "blind_baseline.json", manifest, cases=cases)


if __name__ == "__main__":
    main()
