#!/usr/bin/env python3
"""Writes fuzz/corpus/engine: the configurations of fuzz/corpus/config_json with sizes as small as can be, whose weights
engine_fuzz makes itself, and a few checkpoints as they are stored. engine_fuzz.cc says what an input looks like."""

import json
import pathlib
import random
import struct

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus"
MADE, HEADER, FILE = b"\1", b"\2", b"\3"

SMALL = {
    "hidden_size": 8, "n_embd": 8, "intermediate_size": 8, "n_inner": 8, "vocab_size": 16, "head_dim": 4,
    "num_attention_heads": 2, "n_head": 2, "num_key_value_heads": 1, "num_hidden_layers": 1, "n_layer": 1,
    "max_position_embeddings": 16, "n_positions": 16, "sliding_window": 3, "rotary_pct": 0.5,
    "partial_rotary_factor": 0.5, "max_window_layers": 0, "use_sliding_window": True,
    "original_max_position_embeddings": 6,
}  # fmt: skip
# What the default says already, or nobody reads.
UNNEEDED = {"torch_dtype", "cache_implementation", "rms_norm_eps", "reorder_and_upcast_attn", "qk_layernorm"}


def small(config):
    result = {}
    for key, value in config.items():
        if isinstance(value, dict):
            value = small(value)
        elif key in SMALL and value is not None:
            value = SMALL[key]
        elif isinstance(value, list):
            value = value[-SMALL["num_hidden_layers"] :] if key == "layer_types" else value[:2]
        if key not in UNNEEDED and value is not None:
            result[key] = value
    if config.get("model_type") == "phi3":
        result.pop("partial_rotary_factor", None)
    return result


def linear(name, outputs, inputs):
    return [(name + ".weight", [outputs, inputs]), (name + ".bias", [outputs])]


def norm(name, width):
    return [(name + ".weight", [width]), (name + ".bias", [width])]


def llama(width, vocabulary):
    layer = "model.layers.0."
    square = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"]
    square += ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"]
    return [
        ("model.embed_tokens.weight", [vocabulary, width]),
        (layer + "input_layernorm.weight", [width]),
        *((layer + name + ".weight", [width, width]) for name in square),
        (layer + "post_attention_layernorm.weight", [width]),
        ("model.norm.weight", [width]),
    ]


def gpt2(width, vocabulary, positions):
    layer = "h.0."
    maps = [("attn.c_attn", 3), ("attn.c_proj", 1), ("mlp.c_fc", 1), ("mlp.c_proj", 1)]
    tensors = [("wte.weight", [vocabulary, width]), ("wpe.weight", [positions, width])]
    for name, times in maps:
        tensors += [(layer + name + ".weight", [width, times * width]), (layer + name + ".bias", [times * width])]
    return tensors + norm(layer + "ln_1", width) + norm(layer + "ln_2", width) + norm("ln_f", width)


def gpt_neox(width, vocabulary):
    layer = "gpt_neox.layers.0."
    return [
        ("gpt_neox.embed_in.weight", [vocabulary, width]),
        *norm(layer + "input_layernorm", width),
        *linear(layer + "attention.query_key_value", 3 * width, width),
        *linear(layer + "attention.dense", width, width),
        *norm(layer + "post_attention_layernorm", width),
        *linear(layer + "mlp.dense_h_to_4h", width, width),
        *linear(layer + "mlp.dense_4h_to_h", width, width),
        *norm("gpt_neox.final_layer_norm", width),
        ("embed_out.weight", [vocabulary, width]),
    ]


def numbers(dtype, count, rng):
    values = [rng.randint(-64, 64) / 64 for _ in range(count)]
    if dtype == "BF16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{count}{'e' if dtype == 'F16' else 'f'}", *values)


def checkpoint(tensors, dtype, rng):
    """Header and data."""
    header, data = {}, b""
    for name, shape in tensors:
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        begin = len(data)
        data += numbers(dtype, count, rng)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(data)]}
    return compact(header), data


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def main():
    rng = random.Random(1)
    out = FOLDER / "engine"
    out.mkdir(exist_ok=True)
    for number, path in enumerate(sorted((FOLDER / "config_json").iterdir())):
        weights = bytes([number % 4] + [rng.randint(90, 160) for _ in range(31)])
        (out / path.name).write_bytes(compact(small(json.loads(path.read_text()))) + MADE + weights)

    sizes = {"vocab_size": 8, "hidden_size": 4, "intermediate_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = compact({"model_type": "llama", **sizes, "tie_word_embeddings": True})
    header, data = checkpoint(llama(4, 8), "F32", rng)
    (out / "stored_llama").write_bytes(config + HEADER + header + data)
    (out / "stored_llama_file").write_bytes(config + FILE + struct.pack("<Q", len(header)) + header + data)
    config = compact({"model_type": "gpt_neox", **sizes, "rotary_pct": 1})
    header, data = checkpoint(gpt_neox(4, 8), "F16", rng)
    (out / "stored_gpt_neox").write_bytes(config + HEADER + header + data)
    sizes = {"vocab_size": 8, "n_embd": 4, "n_inner": 4, "n_layer": 1, "n_head": 1, "n_positions": 12}
    config = compact({"model_type": "gpt2", **sizes})
    header, data = checkpoint(gpt2(4, 8, 12), "BF16", rng)
    (out / "stored_gpt2").write_bytes(config + HEADER + header + data)


main()
