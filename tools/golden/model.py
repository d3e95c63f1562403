#!/usr/bin/env python3
"""Makes tests/golden/model/: tiny random checkpoints and what transformers says about them.

Run once in each of two environments (venv: python3 -m venv --system-site-packages DIR on Debian 12):

    python3 tools/golden/model.py
        Debian's python3-torch 1.13; pip install transformers==4.45.1 "numpy<2" safetensors
        makes every case but those that are new to transformers
    python3 tools/golden/model.py --new
        pip install torch transformers==4.51.3 "numpy<2" safetensors
        makes qwen3, olmo2 and phi3_window
    python3 tools/golden/model.py --check
        reads everything back and checks it for completeness (no torch needed)

--only NAME,... makes the named cases alone, --out FOLDER puts them elsewhere. The layout and what the numbers
mean is in tests/golden/model/README.md. The same environment on the same kind of processor gives the same bytes.
"""

import argparse
import json
import pathlib
import shutil
import sys
import zlib

import golden_file
import model_check
from model_cases import ADAPTER_CASES, CASES

SEED = 20250611
PAD = 3  # masked where a golden says so; the config's own pad_token_id if it has one
MIN_EFFECT = 2e-4  # ten times the tolerance that engines are held to
MAX_GRADIENT_ERROR = 2e-5
GRADIENT_SEQUENCES = (2, 4, 5)

FULLY_MASKED = (
    "Position 0 is never masked here, so no query has all of its keys masked. If the first token "
    "were masked, eager attention would add the most negative float32 to every score of its row, "
    "which absorbs them: that query would attend evenly to keys that it must not see, later ones "
    "included (measured). Nobody attends to it, so only the prediction of the next token is "
    "affected. Not part of these goldens.")


def manifest(case, seed, **more):
    return {
        "script": "tools/golden/model.py", "case": case.name, "seed": seed,
        "command": "python3 tools/golden/model.py" + (" --new" if getattr(case, "new_transformers", False) else ""),
        "packages": golden_file.versions("torch", "transformers", "numpy", "safetensors"),
        "scores": "float32 forward pass on the CPU, eager attention, evaluation mode, no cache, one sequence at a "
                  "time on a fresh model; log-softmax and moments in float64 from the float32 logits",
        **more,
    }


def rng_for(name):
    import numpy as np
    return np.random.default_rng([SEED, zlib.crc32(name.encode())])


def feature_effects(case, model, items):
    """For every feature: by how much the log-probabilities change when it is switched off."""
    import model_expected as expected
    import model_weights as weights
    effects = {}
    for feature, settings in case.features.items():
        other = weights.empty_model(case, **settings).float()
        other.load_state_dict(model.state_dict(), strict=False)
        changes = [abs(a - b) for item in items
                   for a, b in zip(item["logprob"], expected.score(
                       expected.logits_of(other, item["ids"]), item["labels"])["logprob"])]
        effects[feature] = float(f"{max(changes):.3g}")
        assert effects[feature] > MIN_EFFECT, f"{case.name}: {feature} hardly matters: {effects}"
    return effects


def write_generation_config(case, folder, eos):
    if case.generation_config:
        content = {"_from_model_config": False, "bos_token_id": 1, "eos_token_id": eos, **case.generation_config}
        (folder / "generation_config.json").write_text(json.dumps(content, indent=2, sort_keys=True) + "\n")


def make_case(case, folder):
    import model_expected as expected
    import model_weights as weights
    rng = rng_for(case.name)
    weights.save_checkpoint(weights.random_model(case, rng), case, folder)
    model = weights.load_checkpoint(folder)
    pad = case.config.get("pad_token_id", PAD)
    scored = expected.sequences(model, rng, pad)
    masked = expected.masked_sequences(model, rng, pad) if case.masked else []
    score_error = max(error for _, error in scored + masked)
    items = [item for item, _ in scored]
    lists, eos = expected.greedy(model, rng, case, pad)
    write_generation_config(case, folder, eos)
    measured = [expected.gradient_norms(model, items[i], i) for i in GRADIENT_SEQUENCES]
    gradient_error = max(error for _, error in measured)
    assert gradient_error < MAX_GRADIENT_ERROR, f"{case.name}: {gradient_error}"
    head = manifest(
        case, SEED, dtype=case.dtype, pad_token_id=pad,
        eos_token_id=weights.load_checkpoint(folder).generation_config.eos_token_id,
        generation="generate() of one prompt, do_sample=False, use_cache=" + str(case.use_cache),
        gradients="float64 copy of the float32 model (rotary angles in float32)",
        effect_of_switching_off=feature_effects(case, model, items),
        largest_float32_error={"logprob": float(f"{score_error:.2g}"),
                               "gradient norm, relative": float(f"{gradient_error:.2g}")},
        **({"fully_masked_rows": FULLY_MASKED} if masked else {}))
    lists = {"sequences": items, **({"masked_sequences": [item for item, _ in masked]} if masked else {}),
             **lists, "gradients": [line for line, _ in measured]}
    golden_file.write(folder / "golden.json", head, **lists)


def make_adapter_case(adapter, folder):
    import model_expected as expected
    import model_weights as weights
    rng = rng_for(adapter.name)
    model = weights.load_checkpoint(folder.parent / adapter.base)
    base_case = next(case for case in CASES if case.name == adapter.base)
    weights.save_adapter(model, adapter, rng, folder)
    weights.merge_adapter(model, adapter, folder)
    scored = expected.sequences(model, rng, PAD)
    score_error = max(error for _, error in scored)
    lists, _ = expected.greedy(model, rng, base_case, PAD)
    head = manifest(adapter, SEED, base=adapter.base, scale=adapter.scale, pad_token_id=PAD,
                    merge="W + scale * B A, multiplied in float64 and rounded to float32 once",
                    largest_float32_error={"logprob": float(f"{score_error:.2g}")})
    golden_file.write(folder / "golden.json", head, sequences=[item for item, _ in scored],
                      greedy=lists["greedy"])


def wanted_cases(arguments):
    import transformers
    only = arguments.only.split(",") if arguments.only else None
    for case in CASES + ADAPTER_CASES:
        if only is not None:
            if case.name not in only:
                continue
        elif getattr(case, "new_transformers", False) != arguments.new:
            continue
        elif arguments.new and case in ADAPTER_CASES:
            continue
        if hasattr(case, "family") and not hasattr(transformers, case.family + "Config"):
            print(f"{case.name}: transformers {transformers.__version__} does not have it, left out")
            continue
        yield case


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=root / "tests" / "golden" / "model")
    parser.add_argument("--new", action="store_true", help="make the cases of the second environment")
    parser.add_argument("--only", help="make these cases alone, separated by commas")
    parser.add_argument("--check", action="store_true", help="check what is there, make nothing")
    arguments = parser.parse_args()
    if arguments.check:
        return model_check.check(arguments.out)
    import torch
    import transformers
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for case in wanted_cases(arguments):
        folder = arguments.out / case.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (make_case if case in CASES else make_adapter_case)(case, folder)
        print(case.name, sum(file.stat().st_size for file in folder.iterdir()), "bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
