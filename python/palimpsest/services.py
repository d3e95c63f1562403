"""Logged responses of language model services as traces. Nothing here talks to a service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from palimpsest import _core
from palimpsest.traces import Traces

__all__ = ["import_responses"]


def _plain(value: Any) -> Any:
    """Objects of clients (pydantic models, dataclasses) as what they hold."""
    for method in ("model_dump", "to_dict", "dict"):
        if hasattr(value, method):
            return getattr(value, method)()
    return vars(value)


def import_responses(responses: Iterable[Any], *, format: str, prompts: Iterable[str | None] | None = None,
                     model: str = "", dataset: str = "") -> Traces:
    """Makes traces of responses: dicts, JSON texts or objects of a client.

    prompts are the beginnings of the given texts, which are not scored. format is openai-completions, vllm, llama.cpp or
    tgi. Responses that hold only log-probabilities of generated text are refused: a model finds its own words likely,
    whatever it was trained on.
    """
    parts = []
    given = list(responses)
    beginnings = [None] * len(given) if prompts is None else list(prompts)
    if len(beginnings) != len(given):
        raise _core.Error(f"prompts: there are {len(beginnings)} for {len(given)} responses")
    for i, (response, prompt) in enumerate(zip(given, beginnings)):
        if isinstance(response, (str, bytes)):
            response = json.loads(response)
        entry: dict[str, Any] = dict(response) if isinstance(response, Mapping) and "response" in response else {
            "response": response}
        entry.setdefault("id", str(i))
        if prompt is not None:
            entry["prompt"] = prompt
        parts.append(json.dumps(entry, default=_plain))
    return Traces(_core.import_log("\n".join(parts) + "\n", "responses", format, model, dataset))
