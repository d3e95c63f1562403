#!/usr/bin/env python3
"""Makes tests/golden/gradients/: the gradient of every parameter of the checkpoints in tests/golden/model.

Run once in each of the two environments of model.py:

    python3 tools/golden/gradients.py
        Debian's python3-torch 1.13; pip install transformers==4.45.1 "numpy<2" safetensors
    python3 tools/golden/gradients.py --new
        pip install torch transformers==4.51.3 "numpy<2" safetensors
        makes qwen3, olmo2 and phi3_window

--only NAME,... makes the named cases alone, --out FOLDER puts them elsewhere. The layout and what the numbers mean is
in tests/golden/gradients/README.md. Every number is measured in float32 too: the file says how far that is off.
"""

import argparse
import copy
import json
import pathlib
import zlib

import golden_file
import golden_tensors
import model_expected as expected
import model_weights as weights
import numpy as np
import torch
import transformers
from model_cases import CASES

SEED = 20250612
SEQUENCES = (2, 4, 5)  # of golden.json: a masked prompt, everything labelled, gaps and pad tokens
WEIGHT_STEP = 1 / 1024  # so that weights are the same number in every type
MAX_ERROR = 2e-5  # of a float32 gradient, relative to the tensor's norm; engines are held to 1e-4
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests" / "golden" / "model"


def token_losses(model, ids, labels):
    """-log p of the labels at the labelled positions t >= 1, in the model's own precision."""
    positions = expected.labelled(labels)
    logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
    log_p = torch.log_softmax(logits[[t - 1 for t in positions]], dim=-1)
    return -log_p[range(len(positions)), [labels[t] for t in positions]]


def sequences_of(name):
    return json.loads((MODELS / name / "golden.json").read_text(encoding="utf-8"))["sequences"]


def draw_weights(rng, labels):
    """A weight per token, of either sign; 0 where nothing is labelled. Never 0 where something is."""
    limit = int(1 / WEIGHT_STEP)
    drawn = rng.integers(1, limit + 1, len(labels)) * rng.choice([-1, 1], len(labels))
    scored = set(expected.labelled(labels))
    return [int(value) * WEIGHT_STEP if t in scored else 0.0 for t, value in enumerate(drawn)]


def weighted_loss(model, item):
    """The loss of one sequence; leaves its gradient in the model's parameters."""
    factors = [item["weights"][t] for t in expected.labelled(item["labels"])]
    losses = token_losses(model, item["ids"], item["labels"])
    loss = (torch.tensor(factors, dtype=losses.dtype) * losses).sum()
    loss.backward()
    return loss.item()


def accumulate(total, model):
    for name, parameter in model.named_parameters():
        gradient = parameter.grad.double().numpy()
        total[name] = total[name] + gradient if name in total else gradient


def gradients_of(model, batch, exact):
    """(losses, {parameter: float64 array}) over the batch, every sequence on a fresh model."""
    losses, total = [], {}
    for item in batch:
        if exact:
            with expected.float64_copy(model, methods=True) as one:
                losses.append(weighted_loss(one, item))
        else:
            one = copy.deepcopy(model)
            losses.append(weighted_loss(one, item))
        accumulate(total, one)
    return losses, total


def tensor_line(name, exact, plain):
    """What the json file says of a tensor. `float32_error` is relative to the norm."""
    norm = float(np.linalg.norm(exact))
    error = float(np.linalg.norm(plain - exact)) / norm
    assert np.isfinite(norm) and norm > 0 and error < MAX_ERROR, f"{name}: norm {norm}, error {error}"
    return {"name": name, "shape": list(exact.shape), "norm": float(f"{norm:.9g}"),
            "float32_error": float(f"{error:.2g}")}


def make_case(case, out):
    model = weights.load_checkpoint(MODELS / case.name)
    rng = np.random.default_rng([SEED, zlib.crc32(case.name.encode())])
    known = sequences_of(case.name)
    batch = [{"sequence": i, "ids": known[i]["ids"], "labels": known[i]["labels"],
              "weights": draw_weights(rng, known[i]["labels"])} for i in SEQUENCES]
    losses, exact = gradients_of(model, batch, exact=True)
    plain_losses, plain = gradients_of(model, batch, exact=False)
    lines = [tensor_line(name, exact[name], plain[name]) for name in exact]
    head = {
        "script": "tools/golden/gradients.py", "case": case.name, "checkpoint": f"tests/golden/model/{case.name}",
        "seed": SEED, "command": "python3 tools/golden/gradients.py" + (" --new" if case.new_transformers else ""),
        "packages": golden_file.versions("torch", "transformers", "numpy", "safetensors"),
        "loss": "the sum over sequences and their labelled tokens t >= 1 of weights[t] * -log p(labels[t])",
        "gradients": "torch autograd on a float64 copy of the float32 model (rotary angles in float32), eager "
                     "attention, evaluation mode, nothing masked, one sequence at a time; stored as float32 with a "
                     "significand of 16 bits",
        "largest_float32_error": {
            "loss": float(f"{abs(sum(plain_losses) - sum(losses)):.2g}"),
            "gradient, relative to the tensor's norm": max(line["float32_error"] for line in lines)},
    }
    for item, loss in zip(batch, losses):
        item["loss"] = float(f"{loss:.12g}")
    norm = float(np.sqrt(sum(np.sum(gradient**2) for gradient in exact.values())))
    golden_file.write(out / f"{case.name}.json", head,
                      batches=[{"loss": float(f"{sum(losses):.12g}"), "gradient_norm": float(f"{norm:.9g}"),
                                "sequences": batch}],
                      tensors=lines)
    path = out / f"{case.name}.safetensors.gz"
    golden_tensors.write(path, {name: golden_tensors.shortened(gradient) for name, gradient in exact.items()})
    print(case.name, head["largest_float32_error"], path.stat().st_size, "bytes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "tests" / "golden" / "gradients")
    parser.add_argument("--new", action="store_true", help="make the cases of the second environment")
    parser.add_argument("--only", help="make these cases alone, separated by commas")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    arguments.out.mkdir(parents=True, exist_ok=True)
    only = arguments.only.split(",") if arguments.only else None
    for case in CASES:
        if case.name in only if only else case.new_transformers == arguments.new:
            make_case(case, arguments.out)


if __name__ == "__main__":
    main()
