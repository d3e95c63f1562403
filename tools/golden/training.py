#!/usr/bin/env python3
"""Makes tests/golden/training/: five steps of AdamW by torch on three checkpoints of tests/golden/model.

    python3 tools/golden/training.py
        Debian's python3-torch 1.13; pip install transformers==4.45.1 "numpy<2" safetensors

--out FOLDER puts them elsewhere. torch.optim.AdamW in float64 makes the steps; the learning rate's course and the
clipping are those of palimpsest/lab/internal/adamw.h. The layout and what the numbers mean is in
tests/golden/training/README.md. Everything runs in float32 too: the file says how far that is off.
"""

import argparse
import copy
import dataclasses
import math
import pathlib

import golden_file
import golden_tensors
import gradients
import model_expected as expected
import model_weights as weights
import numpy as np
import torch
import transformers

MAX_ERROR = 1e-3  # of a tensor's change in float32, relative to the change's norm


@dataclasses.dataclass
class Options:
    """AdamWOptions of palimpsest/lab/training.h, with its defaults but for the warm-up, which shall take two steps."""
    learning_rate: float = 3e-3
    final_share: float = 0.1
    warmup_share: float = 0.4
    weight_decay: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.95
    epsilon: float = 1e-8
    max_gradient_norm: float = 1.0


@dataclasses.dataclass
class Case:
    name: str  # of the checkpoint
    options: Options
    batches: tuple  # the sequences of golden.json that each step sees


CASES = [
    Case("llama", Options(), ((2, 4), (5, 6), (1, 3, 4), (2, 5, 6), (4, 3))),
    # The gradient of the biases of keys is zero but for rounding, which a small epsilon would blow up. Only the first
    # two gradients are long enough to be clipped.
    Case("gpt2", Options(epsilon=1e-5, weight_decay=0.1, max_gradient_norm=4.2),
         ((2, 4), (5, 6), (1, 3, 4), (2, 5, 6), (4, 3))),
    Case("gemma2", Options(learning_rate=1e-3), ((4,), (1, 5), (6, 2), (3, 4, 5), (6, 2, 3))),
]


def learning_rate(options, step, steps):
    warmup = math.floor(options.warmup_share * steps + 0.5)
    if step < warmup:
        return options.learning_rate * (step + 1) / warmup
    progress = (step - warmup) / max(1, steps - warmup)
    cosine = 0.5 * (1 + math.cos(math.pi * progress))
    return options.learning_rate * (options.final_share + (1 - options.final_share) * cosine)


def optimizer_of(model, options):
    """Matrices decay, vectors (norms and biases) do not."""
    parameters = list(model.parameters())
    groups = [{"params": [p for p in parameters if p.dim() == 2], "weight_decay": options.weight_decay},
              {"params": [p for p in parameters if p.dim() != 2], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(options.beta1, options.beta2), eps=options.epsilon)


def backward(model, batch):
    """The mean of -log p over the batch's labelled tokens; leaves its gradient in the parameters."""
    count = sum(len(expected.labelled(item["labels"])) for item in batch)
    total = 0.0
    for item in batch:
        loss = gradients.token_losses(model, item["ids"], item["labels"]).sum() / count
        loss.backward()
        total += loss.item()
    return total


def clip(model, longest):
    """The gradient's norm before it is clipped. torch.nn.utils.clip_grad_norm_ would add 1e-6 to it."""
    norm = math.sqrt(sum(p.grad.double().square().sum().item() for p in model.parameters()))
    if 0 < longest < norm:
        for p in model.parameters():
            p.grad.mul_(longest / norm)
    return norm


def train(model, batches, options):
    """A line per step; moves the model."""
    optimizer = optimizer_of(model, options)
    lines = []
    for step, batch in enumerate(batches):
        rate = learning_rate(options, step, len(batches))
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad(set_to_none=True)
        loss = backward(model, batch)
        norm = clip(model, options.max_gradient_norm)
        optimizer.step()
        lines.append({"learning_rate": rate, "loss": loss, "gradient_norm": norm})
    return lines


def arrays_of(model):
    return {name: parameter.detach().double().numpy() for name, parameter in model.named_parameters()}


def tensor_line(name, start, exact, plain):
    """What the json file says of a tensor. `float32_error` is relative to the norm of the change."""
    change = float(np.linalg.norm(exact - start))
    error = float(np.linalg.norm(plain - exact)) / change
    assert np.isfinite(change) and change > 0 and error < MAX_ERROR, f"{name}: change {change}, error {error}"
    return {"name": name, "shape": list(exact.shape), "change": float(f"{change:.9g}"),
            "float32_error": float(f"{error:.2g}")}


def largest_difference(lines, others, key):
    return float(f"{max(abs(a[key] - b[key]) for a, b in zip(lines, others)):.2g}")


def make_case(case, out):
    model = weights.load_checkpoint(gradients.MODELS / case.name)
    known = gradients.sequences_of(case.name)
    batches = [[{"sequence": i, "ids": known[i]["ids"], "labels": known[i]["labels"]} for i in step]
               for step in case.batches]
    start = arrays_of(model)
    with expected.float64_copy(model, methods=True) as exact_model:
        lines = train(exact_model, batches, case.options)
    plain_model = copy.deepcopy(model)
    plain_lines = train(plain_model, batches, case.options)
    exact, plain = arrays_of(exact_model), arrays_of(plain_model)
    tensors = [tensor_line(name, start[name], exact[name], plain[name]) for name in exact]
    head = {
        "script": "tools/golden/training.py", "case": case.name, "checkpoint": f"tests/golden/model/{case.name}",
        "command": "python3 tools/golden/training.py", "options": dataclasses.asdict(case.options),
        "seed": "none: nothing is drawn",
        "packages": golden_file.versions("torch", "transformers", "numpy", "safetensors"),
        "loss": "the mean of -log p(labels[t]) over all labelled tokens t >= 1 of the step's sequences",
        "steps": "torch.optim.AdamW and autograd on a float64 copy of the float32 model (rotary angles in float32), "
                 "eager attention, evaluation mode, nothing masked, one sequence at a time",
        "largest_float32_error": {
            "loss": largest_difference(lines, plain_lines, "loss"),
            "gradient norm": largest_difference(lines, plain_lines, "gradient_norm"),
            "tensor, relative to the norm of its change": max(line["float32_error"] for line in tensors)},
    }
    steps = [{key: float(f"{value:.12g}") for key, value in line.items()} | {"sequences": batch}
             for line, batch in zip(lines, batches)]
    golden_file.write(out / f"{case.name}.json", head, steps=steps, tensors=tensors)
    path = out / f"{case.name}.safetensors.gz"
    golden_tensors.write(path, exact)
    print(case.name, head["largest_float32_error"], path.stat().st_size, "bytes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=gradients.ROOT / "tests" / "golden" / "training")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        make_case(case, arguments.out)


if __name__ == "__main__":
    main()
