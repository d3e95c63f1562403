#!/usr/bin/env python3
"""Fine-tuning by `palimpsest lab train --from` beside torch. Prints {name: number} as JSON, ours as "ours:NAME".

    bench/peers/train_peer.py BENCH_DIR [--steps N] [--rounds N] [--sides SIDE,...]

A model of about 110 million parameters, full weights, AdamW with clipped gradients; a step is 16 sequences of 256
tokens, of which all but the first are labelled. The peer is transformers' LlamaForCausalLM as it comes: eager
attention, float32, all cores, no checkpointing; also with OMP_WAIT_POLICY=passive ("NAME_passive"). The sides run in
turns, each in a process of its own: seconds per step are the peer's median after its first step and, of ours, the
difference between a run of N steps and a run of one; the fastest round counts. Memory is the process's peak, the
largest round counts. A table goes to stderr. Ends with status 1 if the weights after the last step differ by more than
a hundredth of what the training changed. Without torch and transformers it gives our numbers and a note.
"""

import argparse
import importlib.util
import json
import math
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import made_up

SEQUENCES = 16
LENGTH = 256
TOKENS = SEQUENCES * LENGTH
OPTIONS = {"learning_rate": 1e-4, "final_share": 0.1, "weight_decay": 0.01, "betas": (0.9, 0.95), "clip": 1.0}
TOLERANCE = 1e-2
SIDES = {"torch": {}, "torch_passive": {"OMP_WAIT_POLICY": "passive"}, "ours": {}}
# The prompt is a single token, so that everything that can be predicted is labelled.
CHAT_TEMPLATE = ("{% for message in messages %}{% if message['role'] == 'assistant' %}"
                 "{{ message['content'] + ' </s>' }}{% else %}{{ '<s> ' }}{% endif %}{% endfor %}")


def write_inputs(bench_dir, folder):
    """The checkpoint, its tokenizer, the data for ours and the ids for theirs. One batch is all the data, so that the
    order of the examples does not matter."""
    subprocess.run([bench_dir / "write_checkpoint", folder / "model", "1"], check=True)
    made_up.write_tokenizer(folder / "model")
    path = folder / "model" / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"chat_template": CHAT_TEMPLATE}
    path.write_text(json.dumps(config), encoding="utf-8")
    draw = random.Random(1)
    answers = [made_up.words(draw, LENGTH - 2, LENGTH - 2) for _ in range(SEQUENCES)]
    records = [{"question": "w0", "answer": answer} for answer in answers]
    (folder / "data.json").write_text(json.dumps(records), encoding="utf-8")
    bos, eos = made_up.SPECIAL.index("<s>"), made_up.SPECIAL.index("</s>")
    ids = [[bos, *(made_up.FIRST_WORD + int(word[1:]) for word in answer.split()), eos] for answer in answers]
    (folder / "ids.json").write_text(json.dumps(ids), encoding="utf-8")


def our_command(bench_dir, folder, steps):
    """An epoch is a step; leaves the weights in `folder`/ours."""
    return [bench_dir.parent / "bin" / "palimpsest", "--quiet", "lab", "train", "--from", folder / "model", "--data",
            folder / "data.json", "--out", folder / "ours", "--epochs", str(steps), "--batch-size", str(SEQUENCES),
            "--learning-rate", str(OPTIONS["learning_rate"]), "--warmup", "0", "--weight-decay",
            str(OPTIONS["weight_decay"]), "--clip", str(OPTIONS["clip"])]


def measure_ours(bench_dir, folder, steps, environment):
    """(seconds per step, peak MB)."""
    times = []
    for count in (1, steps):
        shutil.rmtree(folder / "ours", ignore_errors=True)
        seconds, memory = made_up.measured(our_command(bench_dir, folder, count), environment)
        times.append(seconds)
    return (times[1] - times[0]) / (steps - 1), memory


def measure_theirs(folder, steps, environment):
    _, memory = made_up.measured([sys.executable, __file__, "--theirs", folder, str(steps)],
                                 environment | {"PYTHONWARNINGS": "ignore"})
    found = json.loads((folder / "theirs.json").read_text(encoding="utf-8"))
    print(f"    torch {found['torch']}, transformers {found['transformers']}, {found['threads']} threads, losses "
          + ", ".join(f"{loss:.4f}" for loss in found["losses"]), file=sys.stderr)
    return statistics.median(found["seconds"][1:]), memory


def learning_rate(step, steps):
    """A cosine without warm-up, as palimpsest/lab/internal/adamw.h has it."""
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return OPTIONS["learning_rate"] * (OPTIONS["final_share"] + (1 - OPTIONS["final_share"]) * cosine)


def run_theirs(folder, steps):
    """In a process of its own."""
    import torch
    import transformers
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder / "model", torch_dtype=torch.float32, attn_implementation="eager").train()
    groups = [{"params": [p for p in model.parameters() if p.dim() == 2], "weight_decay": OPTIONS["weight_decay"]},
              {"params": [p for p in model.parameters() if p.dim() != 2], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=OPTIONS["betas"])
    ids = torch.tensor(json.loads((folder / "ids.json").read_text(encoding="utf-8")))
    seconds, losses = [], []
    for step in range(steps):
        start = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps)
        optimizer.zero_grad(set_to_none=True)
        loss = model(input_ids=ids, labels=ids, use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), OPTIONS["clip"])
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - start)
    model.save_pretrained(folder / "theirs", safe_serialization=True)
    found = {"seconds": seconds, "losses": losses, "torch": torch.__version__,
             "transformers": transformers.__version__, "threads": torch.get_num_threads()}
    (folder / "theirs.json").write_text(json.dumps(found), encoding="utf-8")


def check(folder):
    """Both sides have made the same of the checkpoint."""
    import numpy
    from safetensors.numpy import load_file
    start, ours, theirs = (load_file(folder / name / "model.safetensors") for name in ("model", "ours", "theirs"))
    for name, weights in theirs.items():
        change = numpy.linalg.norm(weights - start[name])
        difference = numpy.linalg.norm(ours[name] - weights)
        if not difference <= TOLERANCE * change:
            sys.exit(f"{name}: the weights differ by {difference}, where training changed them by {change}")


def print_table(results):
    """results: {side: (seconds per step, peak MB)}."""
    ours = results.get("ours")
    print(f"\n  {'':14}{'tokens/s':>10}{'s/step':>10}{'peak MB':>10}{'ours: times as fast':>22}"
          f"{'ours: share of memory':>24}", file=sys.stderr)
    for side, (seconds, memory) in results.items():
        line = f"  {side:14}{TOKENS / seconds:10.1f}{seconds:10.2f}{memory:10.0f}"
        if ours and side != "ours":
            line += f"{seconds / ours[0]:22.2f}{ours[1] / memory:24.2f}"
        print(line, file=sys.stderr)


def numbers_of(results):
    numbers = {}
    for side, (seconds, memory) in results.items():
        prefix, suffix = ("ours:" if side == "ours" else ""), side.removeprefix("torch").removeprefix("ours")
        numbers |= {f"{prefix}train_step{suffix}": seconds, f"{prefix}train_memory{suffix}": memory,
                    f"{prefix}train_tokens_per_second{suffix}": TOKENS / seconds}
    return numbers


def wanted_sides(asked):
    sides = asked.split(",")
    if any(side not in SIDES for side in sides):
        sys.exit(f"train_peer.py: the sides are {', '.join(SIDES)}")
    if all(importlib.util.find_spec(package) for package in ("torch", "transformers")):
        return sides
    print("train_peer.py: only our own figures without torch and transformers", file=sys.stderr)
    return [side for side in sides if side == "ours"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench_dir", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=4, help="steps of a run, at least 2")
    parser.add_argument("--rounds", type=int, default=2, help="runs of every side")
    parser.add_argument("--sides", default=",".join(SIDES), help="which run, in this order")
    arguments = parser.parse_args()
    if arguments.steps < 2 or arguments.rounds < 1:
        sys.exit("train_peer.py: at least two steps and one round, please")
    if not (arguments.bench_dir / "write_checkpoint").exists():
        print("train_peer.py: no figures without the benchmarks' programs", file=sys.stderr)
        print("{}")
        return
    sides, found = wanted_sides(arguments.sides), {}
    usual = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(arguments.bench_dir, folder)
        for _ in range(arguments.rounds):
            for side in sides:
                print(f"  {side}", file=sys.stderr)
                environment = usual | SIDES[side]
                result = (measure_ours(arguments.bench_dir, folder, arguments.steps, environment) if side == "ours"
                          else measure_theirs(folder, arguments.steps, environment))
                found.setdefault(side, []).append(result)
        if "ours" in sides and len(sides) > 1:
            check(folder)
    results = {side: (min(seconds for seconds, _ in rounds), max(memory for _, memory in rounds))
               for side, rounds in found.items()}
    print_table(results)
    print(json.dumps(numbers_of(results)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--theirs"]:
        run_theirs(pathlib.Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
