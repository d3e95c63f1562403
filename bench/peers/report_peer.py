#!/usr/bin/env python3
"""How long TAPAS takes for what bench/report_bench.cc measures. Prints {name: seconds} as JSON.

    TAPAS=CHECKOUT python3 bench/peers/report_peer.py

CHECKOUT is a checkout of TAPAS (alan-turing-institute/tapas). Ten resamples of one summary of 10,000 scores are
measured; 100 summaries with 1,000 resamples would take 10,000 times as long, so that is what is said. Without the
checkout, or without numpy, scipy, scikit-learn and pandas, it prints {} and a note, and exits with 0.
"""

import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools" / "golden")]
SCORES, RESAMPLES, SUMMARIES, WANTED_RESAMPLES = 10_000, 10, 100, 1_000


def main():
    try:
        import stat_peer
        import stat_tapas
        tapas = stat_tapas.Tapas(os.environ["TAPAS"])
    except (ImportError, KeyError, OSError) as error:
        print(f"report_peer.py: {error!r}; no figure without TAPAS and what it needs", file=sys.stderr)
        print("{}")
        return
    labels, scores = stat_peer.labelled_scores(SCORES)
    summary = tapas.summary(labels, (scores > 0.5).astype(int), scores)
    start = time.perf_counter()
    tapas.report.BinaryLabelAttackReport([summary], num_bootstrap=RESAMPLES)
    seconds = (time.perf_counter() - start) / RESAMPLES
    print(json.dumps({"report_100_summaries": seconds * SUMMARIES * WANTED_RESAMPLES}))


if __name__ == "__main__":
    main()
