#!/usr/bin/env python3
"""What a call from Python costs beside the same work in C++. Prints {name: number} as JSON; times are in seconds.

    python bench/python/overheads.py

Runs with the installed package. The audit of 100,000 traces is `palimpsest.audit` on numpy arrays beside `palimpsest mia`
on the same traces as columns (.safetensors); both are whole processes without the interpreter's start, measured in turns,
and the smaller time of each counts. Ends with status 1 if their AUCs differ.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import timeit

import numpy as np

import palimpsest

TRACES = 50_000  # per set
TOKENS = 32
ATTACKS = "loss,min_k,min_k_plus_plus"
ROUNDS = 3

#: The audit in a process of its own, without the time of imports.
AUDIT = """
import json, resource, sys, time
import numpy as np
import palimpsest
columns = [{name: np.load(f"{sys.argv[1]}/{part}-{name}.npy") for name in ("logprob", "mean", "var", "offsets")}
           for part in ("forget", "holdout")]
used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
start, cpu = time.perf_counter(), used()
sets = [palimpsest.Traces.from_arrays(**part) for part in columns]
done = palimpsest.audit(forget=sets[0], holdout=sets[1], attacks=sys.argv[2], independent=True)
text = str(done)
print(json.dumps({"wall": time.perf_counter() - start, "cpu": used() - cpu, "aucs": done.aucs}))
"""
#: The program in a process of its own, likewise.
PROGRAM = """
import json, pathlib, resource, sys, time
from palimpsest import _core, devices
import palimpsest
configs = pathlib.Path(palimpsest.__file__).parent / "configs"
used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
start, cpu = time.perf_counter(), used()
status = _core.run_program(sys.argv[1:], configs, devices)
print(json.dumps({"wall": time.perf_counter() - start, "cpu": used() - cpu}), file=sys.stderr)
sys.exit(status)
"""


def write_traces(folder):
    random = np.random.default_rng(0)
    offsets = np.arange(0, (TRACES + 1) * TOKENS, TOKENS)
    for name, scale in (("forget", 1.0), ("holdout", 1.05)):
        logprob = -random.exponential(scale, TRACES * TOKENS).astype(np.float32).astype(np.float64)
        columns = {"logprob": logprob, "mean": np.full(logprob.size, -2.0), "var": np.full(logprob.size, 1.5),
                   "offsets": offsets}
        for column, values in columns.items():
            np.save(folder / f"{name}-{column}.npy", values)
        palimpsest.Traces.from_arrays(**columns).save(folder / f"{name}.safetensors")


def run(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done


def measure_audit(folder):
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(json.loads(run(AUDIT, folder, ATTACKS).stdout))
        done = run(PROGRAM, "--quiet", "mia", "--forget-traces", folder / "forget.safetensors", "--holdout-traces",
                   folder / "holdout.safetensors", "--attacks", ATTACKS, "--independent", "--json")
        theirs.append({**json.loads(done.stderr.splitlines()[-1]), "found": json.loads(done.stdout)})
    for attack, auc in ours[0]["aucs"].items():
        if theirs[0]["found"][attack]["auc"] != auc:
            sys.exit(f"{attack}: {auc} and {theirs[0]['found'][attack]['auc']}")
    numbers = {f"audit_100k_arrays_{kind}": min(one[kind] for one in ours) for kind in ("wall", "cpu")}
    numbers |= {f"audit_100k_program_{kind}": min(one[kind] for one in theirs) for kind in ("wall", "cpu")}
    return numbers | {f"audit_100k_ratio_{kind}": numbers[f"audit_100k_arrays_{kind}"] / numbers[f"audit_100k_program_{kind}"]
                      for kind in ("wall", "cpu")}


def measure_calls():
    random = np.random.default_rng(0)
    few = random.normal(size=(2, 5))
    many = random.normal(size=(2, 1_000_000))
    calls = 20_000
    numbers = {"auc_of_10_numbers": min(timeit.repeat(lambda: palimpsest.auc(*few), number=calls, repeat=5)) / calls}
    for name in ("auc", "delong", "ks", "effective_epsilon"):
        function = getattr(palimpsest, name)
        numbers[f"{name}_of_2e6_numbers"] = min(timeit.repeat(lambda: function(*many), number=1, repeat=3))
    return numbers


def import_time():
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import palimpsest"], check=True)
        with_package = time.perf_counter() - start
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        times.append(with_package - (time.perf_counter() - start))
    return {"import": min(times)}


def main():
    numbers = measure_calls() | import_time()
    with tempfile.TemporaryDirectory() as name:
        write_traces(pathlib.Path(name))
        numbers |= measure_audit(pathlib.Path(name))
    print(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
