"""Random weights and the checkpoints that hold them, as transformers and PEFT write them.

The draws come from numpy, tensor by tensor in the order of their names, so that they do not depend on torch's
version. Scales are chosen so that attention and the distribution of the next token are neither even nor
nearly certain, and so that float32 errors are not amplified: logits have a standard deviation near 2.
"""

import copy
import json

import numpy as np
import safetensors.torch
import torch
import transformers

BARE_PREFIX = "transformer."

# By part of the parameter's name: the standard deviation is this over the root of the inputs' number.
GAINS = {"embed": 1.8, "wte": 1.8, "lm_head": 1.8, "q_proj": 1.3, "k_proj": 1.3, "qkv": 1.3, "query_key_value": 1.3,
         "c_attn": 1.3}
FINAL_NORMS = ("model.norm.weight", "transformer.ln_f.weight")


def config_of(case, **changes):
    settings = {**case.config, **changes}
    return getattr(transformers, case.family + "Config")(**copy.deepcopy(settings))


def empty_model(case, **changes):
    config = config_of(case, **changes)
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()


def draw(rng, name, shape, case, tied):
    """A tensor for the parameter of this name. With tied embeddings the final norm makes the logits large, as
    large embeddings would make the model repeat its input; Gemma scales them up once more."""
    gemma = case.family.startswith("Gemma")
    shrink = 0.25 if gemma else 1.0
    values = rng.standard_normal(shape)
    if "norm" in name or ".ln_" in name:
        if name.endswith("bias"):
            return 0.1 * values
        if "q_norm" in name or "k_norm" in name:
            return 1.5 + 0.3 * values
        centre = 2.0 / shrink if name in FINAL_NORMS and tied else 1.0
        return centre - (1.0 if gemma else 0.0) + 0.2 * values
    if name.endswith("bias"):
        return 0.15 * values
    if "wpe" in name:
        return 0.3 * values
    fan_in = shape[0] if case.family == "GPT2" and ".h." in name else shape[1]
    gain = next((gain for part, gain in GAINS.items() if part in name), 1.0)
    gain = shrink if tied and ("embed" in name or "wte" in name) else gain
    return gain * values / fan_in**0.5


def random_model(case, rng):
    model = empty_model(case)
    tied = model.config.tie_word_embeddings
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            parameter.copy_(torch.from_numpy(draw(rng, name, tuple(parameter.shape), case, tied)).float())
    return model.to(getattr(torch, case.dtype))


def old_buffers(case):
    """What older releases of transformers stored beside the weights: masks and rotary frequencies."""
    buffers = {}
    for layer in range(case.config.get("num_hidden_layers", case.config.get("n_layer"))):
        if case.family == "Llama":
            buffers[f"model.layers.{layer}.self_attn.rotary_emb.inv_freq"] = torch.ones(4)
        else:
            size = case.config.get("n_positions", case.config.get("max_position_embeddings"))
            prefix = f"h.{layer}.attn" if case.family == "GPT2" else f"gpt_neox.layers.{layer}.attention"
            dtype = torch.float32 if case.family == "GPT2" else torch.uint8
            size = min(size, 32)  # the values are never read
            buffers[f"{prefix}.bias"] = torch.tril(torch.ones(1, 1, size, size)).to(dtype)
            buffers[f"{prefix}.masked_bias"] = torch.tensor(-1e9)
    return buffers


def save_checkpoint(model, case, folder):
    model.save_pretrained(folder, max_shard_size=case.shard_size, safe_serialization=True)
    (folder / "generation_config.json").unlink(missing_ok=True)  # model.py writes those that matter
    if case.bare_names or case.old_buffers:
        path = folder / "model.safetensors"
        tensors = safetensors.torch.load_file(path)
        if case.bare_names:
            tensors = {name[len(BARE_PREFIX):]: tensor for name, tensor in tensors.items()}
        tensors.update(old_buffers(case) if case.old_buffers else {})
        safetensors.torch.save_file(tensors, path, metadata={"format": "pt"})
    if case.config_edit:
        path = folder / "config.json"
        config = json.loads(path.read_text()) | case.config_edit
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def load_checkpoint(folder):
    """The model as the world will read it: from the files, widened to float32."""
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, torch_dtype=torch.float32, attn_implementation="eager")
    return model.eval()


def adapter_targets(model, adapter):
    """(name, module) of every adapted linear layer."""
    return [(name, module) for name, module in model.named_modules()
            if name.split(".")[-1] in adapter.target_modules]


def save_adapter(model, adapter, rng, folder):
    """Draws A (r x in) and B (out x r) for every target and writes them as PEFT does."""
    tensors = {}
    for name, module in adapter_targets(model, adapter):
        shape = tuple(module.weight.shape)
        fan_out, fan_in = shape[::-1] if adapter.fan_in_fan_out else shape
        a = rng.standard_normal((adapter.r, fan_in)) / fan_in**0.5
        b = rng.standard_normal((fan_out, adapter.r)) * 0.3
        tensors[f"base_model.model.{name}.lora_A.weight"] = torch.from_numpy(a).float()
        tensors[f"base_model.model.{name}.lora_B.weight"] = torch.from_numpy(b).float()
    safetensors.torch.save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    config = {
        "alpha_pattern": {}, "auto_mapping": None, "base_model_name_or_path": f"../{adapter.base}",
        "bias": "none", "fan_in_fan_out": adapter.fan_in_fan_out, "inference_mode": True,
        "init_lora_weights": True, "layers_pattern": None, "layers_to_transform": None,
        "lora_alpha": adapter.lora_alpha, "lora_dropout": 0.05, "modules_to_save": None,
        "peft_type": "LORA", "r": adapter.r, "rank_pattern": {}, "revision": None,
        "target_modules": list(adapter.target_modules), "task_type": "CAUSAL_LM", "use_dora": False,
        "use_rslora": adapter.use_rslora,
    }
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n")


def merge_adapter(model, adapter, folder):
    """W + scale * B A in place, from the adapter's file; multiplied in float64, rounded once."""
    tensors = safetensors.torch.load_file(folder / "adapter_model.safetensors")
    for name, module in adapter_targets(model, adapter):
        a = tensors[f"base_model.model.{name}.lora_A.weight"].numpy().astype(np.float64)
        b = tensors[f"base_model.model.{name}.lora_B.weight"].numpy().astype(np.float64)
        delta = adapter.scale * (b @ a)
        weight = module.weight.detach().numpy().astype(np.float64)
        merged = weight + (delta.T if adapter.fan_in_fan_out else delta)
        with torch.no_grad():
            module.weight.copy_(torch.from_numpy(merged.astype(np.float32)))
