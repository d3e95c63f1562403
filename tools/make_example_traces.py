#!/usr/bin/env python3
"""Writes examples/traces/{forget,holdout}.jsonl: made-up traces of a model that still remembers a little.

The numbers are drawn from a seeded generator: nobody's model, nobody's data. Each token has a difficulty of its
own; on the forget set the imaginary model finds the hard tokens easier than it should.

    python3 tools/make_example_traces.py
"""

import json
import math
import pathlib
import random

WORDS = ("the author was born in a small town near the river and wrote about light stone winter "
         "letters maps islands her father a baker taught music prize novel first second award").split()


def trace(rng: random.Random, index: int, remembered: float) -> dict:
    tokens = [rng.choice(WORDS) for _ in range(rng.randint(10, 24))]
    logprob, mean, var = [], [], []
    for _ in tokens:
        entropy = rng.uniform(0.5, 4.0)
        spread = rng.uniform(0.8, 2.0)
        surprise = rng.gauss(0, 1) - remembered * rng.random()
        logprob.append(round(min(-1e-4, -entropy - spread * surprise), 4))
        mean.append(round(-entropy, 4))
        var.append(round(spread * spread, 4))
    loss = round(-math.fsum(logprob) / len(logprob), 6)
    return {"index": str(index), "text": " ".join(tokens), "num_labels": len(tokens), "avg_loss": loss,
            "logprob": logprob, "mean": mean, "var": var}


def main() -> None:
    folder = pathlib.Path(__file__).resolve().parent.parent / "examples" / "traces"
    for name, remembered, seed in (("forget", 0.6, 1), ("holdout", 0.0, 2)):
        rng = random.Random(seed)
        lines = [{"palimpsest_trace": 1, "model": "example-model", "dataset": name}]
        lines += [trace(rng, i, remembered) for i in range(120)]
        with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
