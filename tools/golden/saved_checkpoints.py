#!/usr/bin/env python3
"""Makes tests/golden/model/saved_again.json: the checkpoints of tests/golden/model as a newer transformers saves them.

    python3 tools/golden/saved_checkpoints.py
        pip install torch "transformers>=5" safetensors

Each checkpoint is loaded, saved and described: config.json as it was written, and the names, types and shapes of the
tensors. The weights stay what they were (that is asserted), so that they need not be stored again. `disagreement` is by
how much this transformers' log-probabilities differ from golden.json, which an older one made: where releases disagree
with each other, README.md of the folder says which is right.
"""

import json
import pathlib
import tempfile

import safetensors.torch
import torch
import transformers

import golden_file
import model_expected as expected

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "model"


def weights_in(folder):
    tensors = {}
    for file in sorted(folder.glob("*.safetensors")):
        tensors.update(safetensors.torch.load_file(file))
    return tensors


def disagreement(folder):
    """The largest difference between log-probabilities: golden.json's and this release's."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    worst = 0.0
    for item in json.loads((folder / "golden.json").read_text())["sequences"]:
        found = expected.score(expected.logits_of(model, item["ids"]), item["labels"])["logprob"]
        worst = max([worst, *(abs(a - b) for a, b in zip(found, item["logprob"]))])
    return float(f"{worst:.2g}")


def saved_again(folder):
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place)
        transformers.AutoModelForCausalLM.from_pretrained(folder, dtype="auto").save_pretrained(out)
        before, after = weights_in(folder), weights_in(out)
        inner = transformers.AutoModelForCausalLM.from_config(transformers.AutoConfig.from_pretrained(folder)).base_model_prefix
        for name, tensor in after.items():
            old = before.get(name, before.get(name.removeprefix(inner + ".")))
            assert old is not None and torch.equal(old, tensor), f"{folder.name}: {name} is not what it was"
        return {"name": folder.name, "config": json.loads((out / "config.json").read_text()),
                "tensors": sorted(after), "disagreement": disagreement(folder)}


def main():
    cases = [saved_again(folder) for folder in sorted(FOLDER.iterdir()) if (folder / "config.json").exists()]
    golden_file.write(FOLDER / "saved_again.json", {
        "script": "tools/golden/saved_checkpoints.py", "command": "python3 tools/golden/saved_checkpoints.py", "seed": None,
        "packages": golden_file.versions("torch", "transformers", "safetensors")}, cases=cases)
    for case in cases:
        print(f"{case['name']:24} {case['disagreement']}")


if __name__ == "__main__":
    main()
