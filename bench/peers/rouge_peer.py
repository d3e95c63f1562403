#!/usr/bin/env python3
"""Google's rouge_score over the golden pairs, for comparison with bench/rouge_bench. Prints {name: seconds} as JSON.

    pip install rouge_score==0.1.2
    python3 bench/peers/rouge_peer.py

Without rouge_score it prints {} and a note, and exits with 0.
"""

import gzip
import json
import pathlib
import sys
import time

try:
    from rouge_score import rouge_scorer
except ImportError as error:
    print(f"rouge_peer.py: {error}; no figures without rouge_score", file=sys.stderr)
    print("{}")
    sys.exit(0)


def main():
    path = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "text" / "rouge.json.gz"
    golden = json.loads(gzip.decompress(path.read_bytes()))
    times = {}
    for use_stemmer in (False, True):
        scorer = rouge_scorer.RougeScorer(golden["types"], use_stemmer=use_stemmer)
        start = time.perf_counter()
        total = sum(
            value
            for target, prediction, *_ in golden["pairs"]
            for score in scorer.score(target, prediction).values()
            for value in score
        )
        seconds = time.perf_counter() - start
        expected = sum(value for pair in golden["pairs"] for value in pair[3 if use_stemmer else 2])
        if abs(total - expected) > 1e-8:
            raise SystemExit("the scores are not those of the golden file")
        times[f"score_golden_pairs/stemmer:{int(use_stemmer)}"] = seconds
    print(json.dumps(times))


if __name__ == "__main__":
    main()
