#!/usr/bin/env python3
"""Makes the golden data of the blind baseline: how well does scikit-learn tell made-up texts apart?

The texts are made here, from syllables. The classifier is put together from scikit-learn's parts to be the one that
palimpsest/attack/blind_baseline.h describes: hashed word and character n-grams, logarithmic counts, rows of length 1,
the standardised length, logistic regression with C = 1. Folds and hashes are others, so the AUCs are close, not equal;
each is the mean over folds and over twenty draws of the folds.

    pip install scikit-learn==1.5.2
    python3 tools/golden/blind.py --out tests/golden/attack
"""

import argparse
import pathlib
import random

import golden_file
import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

SEED = 5
DRAWS = 20
SIZE = 100


def make_words(rng, count):
    return ["".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(1, 4)))
            for _ in range(count)]


def make_text(rng, words, low, high):
    return " ".join(words[int(len(words) * rng.random() ** 2)] for _ in range(rng.randint(low, high)))


def make_cases(rng):
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

    return {
        "same source": (texts(), texts()),
        "a few telling words": (texts(marked=0.5), texts()),
        "many telling words": (texts(marked=0.9), texts()),
        "longer": (texts(low=14, high=22), texts()),
        "capital letters": (texts(capital=0.6), texts(capital=0.1)),
    }


def features(texts):
    blocks = []
    for analyzer, ngrams, lowercase in (("word", (1, 2), True), ("char", (3, 5), False)):
        pattern = {"token_pattern": r"[a-zA-Z0-9]+"} if analyzer == "word" else {}
        counts = HashingVectorizer(analyzer=analyzer, ngram_range=ngrams, lowercase=lowercase, n_features=2**18, norm=None,
                                   alternate_sign=False, **pattern).transform(texts)
        blocks.append(TfidfTransformer(use_idf=False, sublinear_tf=True, norm="l2").fit_transform(counts))
    lengths = np.log1p([len(text.encode()) for text in texts])
    lengths = (lengths - lengths.mean()) / lengths.std()
    return hstack([*blocks, csr_matrix(np.stack([lengths, np.ones(len(texts))], axis=1))]).tocsr()


def mean_auc(forget, holdout):
    rows = features(forget + holdout)
    rows = rows[:, np.unique(rows.indices)]  # columns that nobody uses only cost time
    labels = np.array([0] * len(forget) + [1] * len(holdout))
    aucs = []
    for draw in range(DRAWS):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=draw).split(rows, labels):
            model = LogisticRegression(C=1.0, fit_intercept=False, solver="liblinear", dual=True, max_iter=10000)
            model.fit(rows[train], labels[train])
            aucs.append(roc_auc_score(labels[test], model.decision_function(rows[test])))
    return float(np.mean(aucs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    cases = [{"name": name, "auc": mean_auc(forget, holdout), "forget": forget, "holdout": holdout}
             for name, (forget, holdout) in make_cases(random.Random(SEED)).items()]
    for case in cases:
        print(f"{case['name']:20} {case['auc']:.4f}")
    manifest = {"script": "tools/golden/blind.py", "seed": SEED, "draws": DRAWS,
                "versions": golden_file.versions("scikit-learn", "numpy", "scipy")}
    golden_file.write(folder / "blind_baseline.json", manifest, cases=cases)


if __name__ == "__main__":
    main()
