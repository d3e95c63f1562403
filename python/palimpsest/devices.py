"""Devices of the command line other than the CPU: `--device cuda` runs a model by PyTorch, and `--device torch` does so on
the CPU. torch is imported only when one of them is asked for."""

from __future__ import annotations

import importlib.util
import pathlib

from palimpsest._core import Error


def _torch_device(device: str) -> str:
    return "cpu" if device == "torch" else device


def check(device: str) -> None:
    """Raises Error unless models can run on the device."""
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        raise Error(f"the device {device} needs {' and '.join(missing)}; pip install palimpsest[hf]")
    if device.startswith("cuda"):
        import torch

        if not torch.cuda.is_available():
            raise Error(f"there is no device {device}: PyTorch finds no GPU")


def has_cuda() -> bool:
    """Whether PyTorch finds a GPU."""
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


def files(folder: pathlib.Path) -> list[pathlib.Path]:
    """The files that determine what the model computes."""
    found = sorted(path for pattern in ("config.json", "*.safetensors", "*.bin", "*.py") for path in folder.glob(pattern))
    if not found:
        raise Error(f"{folder}: there is no checkpoint")
    return found


def load(folder: pathlib.Path, device: str, dtype: str):
    """The model of a checkpoint folder on a device; dtype "auto" is the type in which it is stored."""
    check(device)
    from palimpsest import hf

    model = hf.Model.from_pretrained(str(folder), dtype=dtype)
    model.model.to(_torch_device(device))
    return hf.Model(model.model, model.tokenizer, name=str(folder))
