"""What differs between releases of transformers and ways to load a model, kept apart from running it. Needs torch."""

from __future__ import annotations

import hashlib
from typing import Any

import torch
import transformers


def fingerprint(model: Any) -> str:
    """A hash of the configuration and of all weights, wherever they are."""
    digest = hashlib.blake2b(str(model.config.to_json_string()).encode())
    offloaded = _offloaded(model)
    for name, tensor in model.state_dict().items():
        if tensor.device.type == "meta":
            tensor = offloaded[name]
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def known_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the installed transformers names them: before 4.56, dtype was torch_dtype."""
    release = tuple(int(part) for part in transformers.__version__.split(".")[:2])
    if "dtype" not in arguments or release >= (4, 56):
        return arguments
    given = dict(arguments)
    dtype = given.pop("dtype")
    given["torch_dtype"] = getattr(torch, dtype) if isinstance(dtype, str) and dtype != "auto" else dtype
    return given


def _offloaded(model: Any) -> dict[str, torch.Tensor]:
    """The weights that accelerate keeps elsewhere (device_map with the disk), by their names in the state dict."""
    found: dict[str, torch.Tensor] = {}
    for prefix, module in model.named_modules():
        hook = getattr(module, "_hf_hook", None)
        for one in getattr(hook, "hooks", (hook,)):
            weights = getattr(one, "weights_map", None)
            if weights is None:
                continue
            for name, tensor in module.named_parameters(recurse=False):
                if tensor.device.type == "meta":
                    found[f"{prefix}.{name}" if prefix else name] = weights[name]
    return found


def rope_types(config: Any) -> set[str]:
    """The kinds of rotary embeddings that a configuration names; layers of one model may have different ones."""
    found = set()
    for name in ("rope_parameters", "rope_scaling"):
        parameters = getattr(config, name, None) or {}
        for part in (parameters, *(value for value in parameters.values() if isinstance(value, dict))):
            found |= {part[key] for key in ("rope_type", "type") if isinstance(part.get(key), str)}
    return found
