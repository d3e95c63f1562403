#!/usr/bin/env python3
"""Turns a service's answers into a trace file: to_traces.py [--model NAME] ANSWERS.jsonl > TRACES.jsonl

An answer: {"id": …, "tokens": ["The", " sea", …], "token_logprobs": [null, -2.1, …]}. The first token has no
log-probability, as nothing stands before it.
"""

import argparse
import json

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--model", default="")
parser.add_argument("answers")
arguments = parser.parse_args()

print(json.dumps({"palimpsest_trace": 1, "model": arguments.model, "dataset": arguments.answers}))
with open(arguments.answers, encoding="utf-8") as lines:
    for line in lines:
        answer = json.loads(line)
        known = [(t, p) for t, p in zip(answer["tokens"], answer["token_logprobs"]) if p is not None]
        print(json.dumps({"index": str(answer["id"]), "text": "".join(answer["tokens"]), "num_labels": len(known),
                          "logprob": [p for _, p in known], "tokens": [t for t, _ in known]}))
