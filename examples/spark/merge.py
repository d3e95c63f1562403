"""Merges statistics over the partitions of a Spark data frame, and audits traces that Spark holds.

    python examples/spark/merge.py     # needs pyspark and Java

Every partition evaluates its own examples and returns one pickled statistic per metric. Merging is associative and
commutative, so that Spark may combine them in any order.
"""

import os
import pickle
import sys

import numpy as np
from pyspark.sql import SparkSession

import palimpsest
from palimpsest import metrics

METRICS = {"accuracy": metrics.Accuracy(), "loss": metrics.CrossEntropyLoss()}


def evaluate_partition(rows):
    stats = {name: metric.zero() for name, metric in METRICS.items()}
    for row in rows:
        for name, metric in METRICS.items():
            stats[name] = stats[name].merge(metric.evaluate_example({"y": np.array(row.y)}, np.array(row.logits)))
    yield pickle.dumps(stats)


def merge(a, b):
    first, second = pickle.loads(a), pickle.loads(b)
    return pickle.dumps({name: first[name].merge(second[name]) for name in first})


def main():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers need the package, too
    spark = SparkSession.builder.master("local[2]").appName("palimpsest").config("spark.ui.enabled", False).getOrCreate()
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 1000)
    logits = random.normal(size=(1000, 3)) + np.eye(3)[labels]
    rows = [(int(y), [float(x) for x in row]) for y, row in zip(labels, logits)]
    frame = spark.createDataFrame(rows, ["y", "logits"]).repartition(8)
    merged = pickle.loads(frame.rdd.mapPartitions(evaluate_partition).reduce(merge))
    whole = metrics.evaluate_batch(metrics.Accuracy(), {"y": labels}, logits)
    print("accuracy over partitions:", merged["accuracy"].result(), "at once:", whole.result())
    assert merged["accuracy"] == whole

    traces = spark.createDataFrame(
        [(name, str(i), [float(x) for x in -random.exponential(mean, 20)])
         for name, mean in (("forget", 1.0), ("holdout", 1.4)) for i in range(200)], ["set", "index", "logprob"])
    sets = {}
    for name in ("forget", "holdout"):
        found = traces.where(traces.set == name).collect()
        sets[name] = palimpsest.Traces.from_arrays(index=[row["index"] for row in found],
                                                   logprob=[row["logprob"] for row in found])
    print(palimpsest.audit(**sets, attacks="loss", independent=True).answer)
    spark.stop()


if __name__ == "__main__":
    main()
