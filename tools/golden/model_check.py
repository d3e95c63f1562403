"""model.py --check: reads tests/golden/model/ back and verifies that it is complete and consistent.

Plain Python without torch, so that it runs anywhere: sizes, counts, positions, the safetensors headers.
"""

import json
import math
import struct

from model_cases import ADAPTER_CASES, CASES

MAX_TOTAL = 4_000_000  # bytes
MAX_CASE = 260_000
BYTES = {"F32": 4, "F16": 2, "BF16": 2, "U8": 1}
STORED = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}
NEW_TOKENS = 64


def require(condition, message):
    if not condition:
        raise SystemExit(f"golden data: {message}")


def tensors_of(path):
    """{name: (dtype, shape)} of a safetensors file; its extents must cover the file without a gap."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    end = 0
    for name, tensor in sorted(header.items(), key=lambda entry: entry[1]["data_offsets"]):
        start, stop = tensor["data_offsets"]
        require(start == end, f"{path}: {name} does not begin where the last tensor ends")
        require(stop - start == math.prod(tensor["shape"]) * BYTES[tensor["dtype"]], f"{path}: {name}: size")
        end = stop
    require(8 + size + end == len(data), f"{path}: length")
    return {name: (tensor["dtype"], tensor["shape"]) for name, tensor in header.items()}


def checkpoint_tensors(folder):
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return tensors_of(folder / "model.safetensors")
    weight_map = json.loads(index.read_text())["weight_map"]
    shards = {shard: tensors_of(folder / shard) for shard in sorted(set(weight_map.values()))}
    require(len(shards) in (2, 3), f"{folder.name}: {len(shards)} shards")
    require(all(name in shards[shard] for name, shard in weight_map.items()), f"{folder.name}: index")
    return {name: tensor for shard in shards.values() for name, tensor in shard.items()}


def check_sequence(where, item, vocabulary, pad=None):
    ids, labels, positions = item["ids"], item["labels"], item["positions"]
    require(len(ids) == len(labels) and all(0 <= v < vocabulary for v in ids), f"{where}: ids")
    require(all(label in (-100, v) for v, label in zip(ids, labels)), f"{where}: labels")
    require(positions == [t for t in range(1, len(ids)) if labels[t] != -100], f"{where}: positions")
    for column in ("logprob", "mean", "var", "argmax"):
        require(len(item[column]) == len(positions), f"{where}: {column}")
    require(all(math.isfinite(v) and v < 0 for v in item["logprob"] + item["mean"]), f"{where}: log p")
    require(all(math.isfinite(v) and v > 0 for v in item["var"]), f"{where}: var")
    require(pad is None or (pad in ids and ids[0] != pad), f"{where}: pad tokens")


def check_greedy(where, golden, vocabulary):
    require(len(golden["greedy"]) == 4, f"{where}: prompts")
    for name in [name for name in golden if name.startswith("greedy")]:
        for item in golden[name]:
            new, eos = item["new"], item.get("eos", [])
            require(all(0 <= v < vocabulary for v in item["prompt"] + new), f"{where}: {name}: ids")
            require(len(new) == NEW_TOKENS or (new[-1] in eos), f"{where}: {name}: length")
            require(not any(v in eos for v in new[:-1]), f"{where}: {name}: eos inside")
    stopped = [len(item["new"]) < NEW_TOKENS for item in golden.get("greedy_eos", [])]
    require(not stopped or any(stopped), f"{where}: no output stops early")
    for name in ("greedy_eos", "greedy_penalty"):
        for plain, item in zip(golden["greedy"], golden.get(name, [])):
            require(plain["prompt"] == item["prompt"], f"{where}: {name}: prompts")
    for plain, item in zip(golden["greedy"], golden.get("greedy_eos", [])):
        require(plain["new"][:len(item["new"])] == item["new"], f"{where}: greedy_eos is not a prefix")


def check_gradients(where, golden, tensors):
    require(len(golden["gradients"]) == 3, f"{where}: gradients")
    for line in golden["gradients"]:
        sizes = {name: math.prod(shape) for name, (_, shape) in tensors.items()}
        for name, values in line["tensors"].items():
            stored = name if name in sizes else name.removeprefix("transformer.")
            require(stored in sizes, f"{where}: a gradient of {name}, which is not stored")
            one, two, most = (values[p] for p in ("1", "2", "inf"))
            bounds = most <= two * 1.000001 <= one * 1.000002 <= two * sizes[stored]**0.5 * 1.000003
            require(0 < most and bounds, f"{where}: norms of {name}")
        for p, score in line["score"].items():
            mean = math.fsum(values[p] for values in line["tensors"].values()) / len(line["tensors"])
            require(math.isclose(mean, score, rel_tol=1e-7), f"{where}: score {p}")


def check_case(case, folder):
    golden = json.loads((folder / "golden.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    vocabulary, pad = config["vocab_size"], golden["manifest"]["pad_token_id"]
    tensors = checkpoint_tensors(folder)
    dtypes = {dtype for name, (dtype, _) in tensors.items() if name.endswith("weight")}
    require(dtypes == {STORED[case.dtype]}, f"{case.name}: stored as {dtypes}")
    require(len(golden["sequences"]) == 7, f"{case.name}: sequences")
    for item in golden["sequences"]:
        check_sequence(f"{case.name}: {item['name']}", item, vocabulary)
    require(len(golden.get("masked_sequences", [])) == 2 * case.masked, f"{case.name}: masked sequences")
    for item in golden.get("masked_sequences", []):
        check_sequence(f"{case.name}: {item['name']}", item, vocabulary, pad)
    require(("greedy_masked" in golden) == case.masked, f"{case.name}: greedy_masked")
    require(("greedy_without_cache" in golden) == case.cache_matters, f"{case.name}: greedy_without_cache")
    require(len(golden["greedy_eos"]) == len(golden["greedy_penalty"]) == 4, f"{case.name}: greedy lists")
    check_greedy(case.name, golden, vocabulary)
    check_gradients(case.name, golden, tensors)
    generation = folder / "generation_config.json"
    require(generation.exists() == bool(case.generation_config), f"{case.name}: generation_config.json")
    if generation.exists():
        eos = json.loads(generation.read_text())["eos_token_id"]
        require(eos == golden["manifest"]["eos_token_id"] == golden["greedy_eos"][0]["eos"], f"{case.name}: eos")


def check_adapter(adapter, folder):
    golden = json.loads((folder / "golden.json").read_text())
    base = folder.parent / adapter.base
    vocabulary = json.loads((base / "config.json").read_text())["vocab_size"]
    stored = checkpoint_tensors(base)
    pairs = tensors_of(folder / "adapter_model.safetensors")
    for name in [name for name in pairs if name.endswith("lora_A.weight")]:
        b_shape = pairs[name.replace("lora_A", "lora_B")][1]
        shape = stored[name.removeprefix("base_model.model.").replace("lora_A.", "")][1]
        delta = [b_shape[0], pairs[name][1][1]]
        require(pairs[name][1][0] == b_shape[1] == adapter.r, f"{adapter.name}: {name}: rank")
        require(shape == (delta[::-1] if adapter.fan_in_fan_out else delta), f"{adapter.name}: {name}: shape")
    require(len(golden["sequences"]) == 7, f"{adapter.name}: sequences")
    for item in golden["sequences"]:
        check_sequence(f"{adapter.name}: {item['name']}", item, vocabulary)
    check_greedy(adapter.name, golden, vocabulary)


def check(folder):
    """0 if everything is there; otherwise ends with a sentence that says what is not."""
    expected = {case.name for case in CASES + ADAPTER_CASES}
    present = {entry.name for entry in folder.iterdir() if entry.is_dir()}
    require(expected == present, f"missing {sorted(expected - present)}, unknown {sorted(present - expected)}")
    total = 0
    for case in CASES + ADAPTER_CASES:
        (check_case if case in CASES else check_adapter)(case, folder / case.name)
        size = sum(file.stat().st_size for file in (folder / case.name).iterdir())
        require(size < MAX_CASE, f"{case.name}: {size} bytes")
        total += size
    require(total < MAX_TOTAL, f"{total} bytes in total")
    print(f"{len(expected)} cases, {total} bytes: complete")
    return 0
