#!/usr/bin/env python3
"""Measures what bench/scale_model.py computes with, and the runs that it is compared with. Writes bench/scale_runs.json.

    bench/scale_measure.py PROGRAM constants     two minutes
    bench/scale_measure.py PROGRAM runs          three minutes

The constants come from small models, the runs are those of a larger one: nothing is fitted to the runs that the formula
has to predict. Nothing else may run on the machine meanwhile. palimpsest-mpi must lie beside PROGRAM.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "peers")]

import made_up  # noqa: E402
import scale_model  # noqa: E402
from scale_model import CALIBRATION_MODEL, MEASURED_MODEL, Model, Work  # noqa: E402

QUESTION, ANSWER = 20, 79  # words; with the token that ends a text 100 tokens, of which 80 are labelled
TOKENS, LABELS = QUESTION + ANSWER + 1, ANSWER + 1
WORDS = 1900
TURNS = 3
SMALLEST = Model("smallest", 1, 16, 2, 2, 8, 32, 2000, True)  # its scoring takes next to no time
TAGS = ("--template", "tags", "--user-start-tag", "", "--user-end-tag", " ", "--asst-start-tag", "")
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Bench:
    """A folder with models and data, and the program that runs on them."""

    def __init__(self, program, folder):
        self.program, self.folder = pathlib.Path(program).resolve(), pathlib.Path(folder)

    def model(self, model):
        """The folder of a random checkpoint."""
        plain, out = self.folder / f"{model.name} plain", self.folder / model.name
        plain.mkdir()
        config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "bos_token_id": 1,
                  "eos_token_id": 2, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 2048,
                  "num_hidden_layers": model.layers, "hidden_size": model.hidden, "num_attention_heads": model.heads,
                  "num_key_value_heads": model.key_value_heads, "head_dim": model.head_size,
                  "intermediate_size": model.feed_forward, "vocab_size": model.vocabulary, "tie_word_embeddings": model.tied}
        (plain / "config.json").write_text(json.dumps(config), encoding="utf-8")
        made_up.write_tokenizer(plain, model.vocabulary)
        subprocess.run([self.program, "--quiet", "model", plain, "--random-init", out], check=True, stdout=subprocess.DEVNULL)
        return out

    def data(self, examples, seed=1):
        draw = random.Random(seed)

        def words(count):
            return " ".join(f"w{draw.randrange(WORDS)}" for _ in range(count))

        path = self.folder / f"data-{examples}-{seed}.json"
        path.write_text(json.dumps([{"question": words(QUESTION), "answer": words(ANSWER)} for _ in range(examples)]),
                        encoding="utf-8")
        return path

    def trace(self, model, data, out, *options):
        return [self.program, "--quiet", "trace", "--model", model, "--data", data, *TAGS, "--out", self.folder / out,
                *map(str, options)]

    def lines(self, out):
        with open(self.folder / out, "rb") as file:
            return sum(1 for _ in file) - 1


def slope(small, large):
    """Of y over x, and where the line begins."""
    (x0, y0), (x1, y1) = small, large
    rise = (y1 - y0) / (x1 - x0)
    return rise, y0 - rise * x0


def measure_rates(bench, model):
    """For 1 and 2 threads (operations per second and core, seconds before the first), from runs of two sizes. They run
    in turns, and of each the fastest counts: other programs can only slow a run down."""
    best = {}
    for turn in range(TURNS):
        for threads, examples in ((1, 20), (1, 140), (2, 20), (2, 140)):
            out = f"rate-{turn}-{threads}-{examples}.jsonl"
            seconds, _ = made_up.measured(bench.trace(model, bench.data(examples), out, "--threads", threads))
            best[threads, examples] = min(seconds, best.get((threads, examples), seconds))
    rates = []
    for threads in (1, 2):
        points = [(examples * CALIBRATION_MODEL.operations(TOKENS, LABELS), best[threads, examples]) for examples in (20, 140)]
        per_operation, start = slope(*points)
        rates.append((1 / (per_operation * threads), start))
    return rates


def measure_serial(bench):
    """Of a run without scoring: a shard that is finished makes the plan, and --no-run writes the results."""
    model = bench.model(SMALLEST)
    seen = {"plan": [], "output": []}
    for examples in (1000, 10000):
        data, out = bench.data(examples), f"serial-{examples}.jsonl"
        shard = bench.trace(model, data, out, "--shard", "1/1")
        made_up.measured(shard)
        seen["plan"].append((examples * TOKENS, *made_up.measured(shard)))
        seen["output"].append((examples * TOKENS, *made_up.measured(bench.trace(model, data, out, "--no-run"))))
    seconds = {name: slope(*((x, y) for x, y, _ in points))[0] for name, points in seen.items()}
    memory = {name: slope(*((x, z) for x, _, z in points))[0] * 2 ** 20 for name, points in seen.items()}
    return {"plan": seconds["plan"], "output": seconds["output"] - seconds["plan"], "plan_bytes": memory["plan"],
            "result_bytes": memory["output"] - memory["plan"]}


def measure_statistics(bench):
    """Seconds per example of `mia` over traces that are there."""
    model = bench.folder / SMALLEST.name
    points = []
    for examples in (500, 3000):
        names = [f"{kind}-{examples}.jsonl" for kind in ("forget", "holdout")]
        for seed, name in enumerate(names, 11):
            subprocess.run(bench.trace(model, bench.data(examples, seed), name), check=True, stdout=subprocess.DEVNULL)
        seconds, _ = made_up.measured([bench.program, "--quiet", "mia", "--forget-traces", bench.folder / names[0],
                                       "--holdout-traces", bench.folder / names[1], "--independent", "--out",
                                       bench.folder / f"mia-{examples}"])
        points.append((2 * examples, seconds))
    return slope(*points)[0]


def measure_constants(bench):
    model = bench.model(CALIBRATION_MODEL)
    rates = measure_rates(bench, model)
    start = min(seconds for _, seconds in rates) / (4 * CALIBRATION_MODEL.parameters)
    found = {"rate": [rate for rate, _ in rates], "start": max(start, 0.0)}
    return found | measure_serial(bench) | {"statistics": measure_statistics(bench)}


def run_shards(bench, model, data, count):
    """So many shards at once, of one thread each, and then the results. Seconds."""
    begin = time.perf_counter()
    commands = [bench.trace(model, data, "shards.jsonl", "--threads", 1, "--shard", f"{i}/{count}") for i in range(1, count + 1)]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    if any([process.wait() for process in processes]):
        sys.exit("a shard failed")
    subprocess.run(bench.trace(model, data, "shards.jsonl", "--no-run"), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def measure_runs(bench):
    model = bench.model(MEASURED_MODEL)
    runs = []

    def add(what, examples, cluster, seconds):
        runs.append({"what": what, "work": {"examples": examples, "tokens": TOKENS, "labels": LABELS}, "cluster": cluster,
                     "seconds": seconds})
        print(f"  {what}: {seconds:.1f} s", file=sys.stderr)

    for threads, examples in ((1, 60), (2, 120)):
        seconds, _ = made_up.measured(bench.trace(model, bench.data(examples), f"{threads}.jsonl", "--threads", threads))
        add(f"one process, {('one thread', 'two threads')[threads - 1]}", examples,
            {"ranks": 1, "threads": threads, "busy": threads}, seconds)
    mpirun = ["mpirun", "-n", "2", "--bind-to", "none"]
    for what, examples in (("two processes of MPI, one thread each", 320), ("the same, batches of 163 and 37 examples", 200)):
        seconds, _ = made_up.measured([*mpirun, *bench.trace(model, bench.data(examples), f"mpi-{examples}.jsonl", "--threads", 1)],
                                      os.environ | ROOT_MAY)
        if bench.lines(f"mpi-{examples}.jsonl") != examples:
            sys.exit("the ranks did not score every example")
        add(what, examples, {"ranks": 2, "threads": 1, "busy": 2}, seconds)
    add("two shards at once, one thread each", 320, {"ranks": 2, "threads": 1, "busy": 2},
        run_shards(bench, model, bench.data(320), 2))
    return runs


def main():
    measures = {"constants": measure_constants, "runs": measure_runs}
    if len(sys.argv) != 3 or sys.argv[2] not in measures:
        sys.exit("usage: bench/scale_measure.py PROGRAM constants | runs")
    kept = json.loads(scale_model.RUNS.read_text(encoding="utf-8")) if scale_model.RUNS.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        kept[sys.argv[2]] = measures[sys.argv[2]](Bench(sys.argv[1], folder))
    scale_model.RUNS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(scale_model.cost_table() if sys.argv[2] == "constants" else scale_model.measured_table())


if __name__ == "__main__":
    main()
