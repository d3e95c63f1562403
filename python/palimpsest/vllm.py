"""Traces from vLLM: its prompt_logprobs, of a server or of `LLM.generate` in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from palimpsest.services import import_responses
from palimpsest.traces import Traces

__all__ = ["traces"]


def _response(output: Any) -> Any:
    """A RequestOutput of vLLM as the server would send it; everything else stays."""
    if isinstance(output, (str, bytes, Mapping)) or not hasattr(output, "prompt_token_ids"):
        return output
    entries = []
    for position in output.prompt_logprobs or []:
        entries.append(None if position is None else {
            str(token): {"logprob": found.logprob, "rank": getattr(found, "rank", None),
                         "decoded_token": getattr(found, "decoded_token", None)}
            for token, found in position.items()})
    return {"object": "text_completion", "model": "",
            "choices": [{"index": 0, "text": "", "prompt_logprobs": entries,
                         "prompt_token_ids": list(output.prompt_token_ids)}]}


def traces(responses: Iterable[Any], *, prompts: Iterable[str | None] | None = None, model: str = "",
           dataset: str = "") -> Traces:
    """Makes traces of responses with prompt_logprobs: dicts or JSON texts of a server, or RequestOutput of LLM.generate.

    prompts are the beginnings of the given texts, which are not scored.
    """
    return import_responses(map(_response, responses), format="vllm", prompts=prompts, model=model, dataset=dataset)
