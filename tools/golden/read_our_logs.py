#!/usr/bin/env python3
"""Whether open-unlearning reads our evaluation log as its reference_logs: read_our_logs.py CHECKOUT TOFU_EVAL.json

Gives its own ks_test and privleak the log that `palimpsest eval` wrote, through its own reader, both as the model's
result and as the retrained model's, and compares with what palimpsest would say of a model against itself: a p-value
of 1 and no leak. Prints the two numbers; ends with status 1 if they differ.
"""

import json
import sys

import open_unlearning


def main():
    checkout, log = sys.argv[1:]
    open_unlearning.prepare(checkout)
    from evals.metrics import METRICS_REGISTRY
    ours = json.load(open(log, encoding="utf-8"))
    found = {}
    for metric, needed, options in (("ks_test", "forget_truth_ratio", {}), ("privleak", "mia_min_k", {"ref_value": 0.5})):
        reference_logs = {"retain_model_logs": {"path": log, "include": {needed: {"access_key": "retain"}}}}
        handler = METRICS_REGISTRY[metric]
        kwargs = handler.prepare_kwargs_evaluate_metric(None, metric, {}, reference_logs=reference_logs)
        kwargs["pre_compute"] = {"forget": ours[needed]}
        found[metric] = handler.evaluate_metric(None, metric, **kwargs, **options)["agg_value"]
    print(found)
    sys.exit(0 if found["ks_test"] == 1 and abs(found["privleak"]) < 1e-6 else 1)


if __name__ == "__main__":
    main()
