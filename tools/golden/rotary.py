#!/usr/bin/env python3
"""Makes tests/golden/model/rotary.json: the rotary frequencies that transformers' models use, bit for bit.

    python3 tools/golden/rotary.py
        Debian's python3-torch 1.13; pip install transformers==4.45.1 "numpy<2"
    python3 tools/golden/rotary.py --compare
        in any other environment: says by how many units in the last place its frequencies differ

A case is a config.json and, for some lengths, the frequencies that a sequence of so many tokens is rotated with and
the factor of cosine and sine. They are read off the model's own rotary module after it has seen such a sequence.
"""

import argparse
import json
import pathlib

import golden_file
import numpy as np
import torch
import transformers

OUT = pathlib.Path(__file__).parents[2] / "tests/golden/model/rotary.json"


def config(model_type, head_dim, **more):
    """One head and one layer: enough for the frequencies."""
    return dict(model_type=model_type, vocab_size=8, hidden_size=head_dim, num_attention_heads=1,
                num_key_value_heads=1, head_dim=head_dim, num_hidden_layers=1, intermediate_size=8,
                max_position_embeddings=2048, pad_token_id=0) | more


def llama3(factor, original=8192):
    return {"rope_type": "llama3", "factor": factor, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": original}


def longrope(dims):
    """Factors that grow as those of Phi-3 do."""
    return {"type": "longrope",
            "short_factor": [round(1 + 0.05 * i**0.9, 3) for i in range(dims // 2)],
            "long_factor": [round(1.03 * 1.085**i, 3) for i in range(dims // 2)]}


DYNAMIC = {"rope_type": "dynamic", "factor": 2.0}
CASES = {
    "plain": (config("llama", 64), (5,)),
    "large theta": (config("llama", 128, rope_theta=500000.0), (5,)),
    "theta of Qwen": (config("qwen2", 128, rope_theta=1000000.0), (5,)),
    "wide head of Gemma": (config("gemma", 256), (5,)),
    "Llama 3.1": (config("llama", 128, rope_theta=500000.0, max_position_embeddings=131072,
                         rope_scaling=llama3(8.0)), (5, 9000)),
    "Llama 3.2": (config("llama", 64, rope_theta=500000.0, max_position_embeddings=131072,
                         rope_scaling=llama3(32.0)), (5,)),
    "linear": (config("llama", 128, rope_scaling={"type": "linear", "factor": 4.0}), (5,)),
    "linear, odd factor": (config("llama", 32, rope_scaling={"rope_type": "linear", "factor": 2.7}), (5,)),
    "dynamic": (config("llama", 128, rope_scaling=DYNAMIC), (5, 2047, 2048, 2049, 3000, 5000)),
    "dynamic, odd factor": (config("llama", 12, max_position_embeddings=24,
                                   rope_scaling={"rope_type": "dynamic", "factor": 3.3}), (24, 25, 31, 100)),
    "Phi-2": (config("phi", 80, partial_rotary_factor=0.4), (5,)),
    "GPT-NeoX": (config("gpt_neox", 96, rotary_pct=0.25, rotary_emb_base=25000), (5,)),
    "Phi-3 long": (config("phi3", 96, max_position_embeddings=131072, original_max_position_embeddings=4096,
                          rope_scaling=longrope(96)), (5, 4096, 4097)),
    "Phi-3 long, not longer": (config("phi3", 32, max_position_embeddings=64, original_max_position_embeddings=64,
                                      rope_scaling=longrope(32)), (5, 64)),
}


def measure(settings, length):
    parsed = transformers.AutoConfig.for_model(**{k: (dict(v) if isinstance(v, dict) else v)
                                                  for k, v in settings.items()})
    model = transformers.AutoModelForCausalLM.from_config(parsed, attn_implementation="eager")
    module = next(m for m in model.modules() if type(m).__name__.endswith("RotaryEmbedding"))
    with torch.no_grad():
        cosine, _ = module(torch.zeros(1, length, 1), torch.arange(length)[None])
    return {"length": length, "frequencies": [float(x) for x in module.inv_freq],
            "attention_factor": float(cosine.flatten()[0])}


def compare(golden):
    worst = 0
    for case in golden["cases"]:
        for expected in case["lengths"]:
            found = measure(case["config"], expected["length"])
            a, b = (np.array(x["frequencies"], np.float32).view(np.int32) for x in (expected, found))
            ulp = int(np.abs(a.astype(np.int64) - b).max())
            worst = max(worst, ulp)
            print(f"{case['name']}, {expected['length']} tokens: {ulp} units in the last place, attention factor "
                  f"{expected['attention_factor'] - found['attention_factor']:+.1e}")
    print(f"largest difference: {worst}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", action="store_true")
    if parser.parse_args().compare:
        return compare(json.loads(OUT.read_text(encoding="utf-8")))
    golden_file.write(
        OUT, {"script": "tools/golden/rotary.py", "command": "python3 tools/golden/rotary.py", "seed": None,
              "packages": golden_file.versions("torch", "transformers", "numpy")},
        cases=[{"name": name, "config": settings, "lengths": [measure(settings, n) for n in lengths]}
               for name, (settings, lengths) in CASES.items()])


if __name__ == "__main__":
    main()
