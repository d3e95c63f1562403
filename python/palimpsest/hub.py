"""Models and data of the Hugging Face hub. Needs huggingface_hub, and datasets for data (`pip install palimpsest[hf]`).

A model is named as on the hub ("org/name", or "org/name@revision"); data are named "hub:org/name[@revision][:config[:split]]".
Tokens, mirrors (HF_ENDPOINT) and the cache are those of huggingface_hub.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
from typing import Any

from palimpsest._core import Error

__all__ = ["is_data_name", "load_records", "model_folder"]

_NAME = re.compile(r"[\w.-]+/[\w.-]+(@[\w./-]+)?")
_DATA = re.compile(r"hub:(?P<name>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?(?::(?P<config>[^:]+)(?::(?P<split>[^:]+))?)?")
#: What a checkpoint is made of; weights in other forms are not downloaded.
_FILES = ["*.json", "*.safetensors", "*.jinja", "*.model", "*.txt"]


def model_folder(name: str) -> str:
    """The folder of a model of the hub, downloaded if it is not in the cache. Other names, such as paths, stay as they are."""
    if os.path.exists(name) or not _NAME.fullmatch(name) or importlib.util.find_spec("huggingface_hub") is None:
        return name
    import huggingface_hub

    repository, _, revision = name.partition("@")
    try:
        return huggingface_hub.snapshot_download(repository, revision=revision or None, allow_patterns=_FILES)
    except (huggingface_hub.errors.HfHubHTTPError, huggingface_hub.errors.LocalEntryNotFoundError, OSError) as error:
        first = str(error).strip().split("\n")[0]
        raise Error(f"{name}: it is neither a folder nor a model that the hub gives ({first})") from error


def is_data_name(name: Any) -> bool:
    """Whether it names data of the hub: "hub:…"."""
    return isinstance(name, str) and name.startswith("hub:")


def load_records(name: str) -> Any:
    """The records of a data set of the hub."""
    found = _DATA.fullmatch(name)
    if found is None:
        raise Error(f"{name}: data of the hub are named hub:org/name, hub:org/name:config or hub:org/name:config:split")
    if importlib.util.find_spec("datasets") is None:
        raise Error(f"{name}: data of the hub need the package datasets; pip install palimpsest[hf]")
    import datasets

    try:
        return datasets.load_dataset(found["name"], found["config"], split=found["split"] or "train",
                                     revision=found["revision"])
    except (OSError, RuntimeError, ValueError) as error:
        first = str(error).strip().split("\n")[0]
        raise Error(f"{name}: the data set cannot be had from the hub ({first})") from error


def localised(arguments: list[str], folder: pathlib.Path) -> list[str]:
    """The arguments of a command line with folders and files in place of names of the hub."""
    from palimpsest.data import records_file

    models, data = ("--model", "--reference", "--baseline"), ("--forget", "--holdout", "--data")
    given: list[str] = []
    for argument in arguments:
        option, _, value = argument.partition("=")
        joined = argument.startswith("--") and "=" in argument
        owner = option if joined else given[-1] if given else ""
        text = value if joined else argument
        if owner in models:
            text = model_folder(text)
        elif owner in data and is_data_name(text):
            # The name of the file is the name of the data set in results.
            subfolder = folder / owner.lstrip("-")
            subfolder.mkdir(exist_ok=True)
            text = str(records_file(load_records(text), re.sub(r"\W+", "_", text.removeprefix("hub:")), subfolder)[1])
        given.append(f"{option}={text}" if joined else text)
    return given
