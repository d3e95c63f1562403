"""Traces from completions with echo: a service that returns log-probabilities of the text that it was given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from palimpsest.services import import_responses
from palimpsest.traces import Traces

__all__ = ["score", "traces"]


def traces(responses: Iterable[Any], *, prompts: Iterable[str | None] | None = None, model: str = "",
           dataset: str = "") -> Traces:
    """Makes traces of responses of /v1/completions with echo=True and logprobs.

    The responses are dicts, JSON texts or objects of the openai package. prompts are beginnings that are not scored.
    """
    return import_responses(responses, format="openai-completions", prompts=prompts, model=model, dataset=dataset)


def score(client: Any, texts: Iterable[str], *, model: str, prompts: Iterable[str | None] | None = None,
          dataset: str = "", **arguments: Any) -> Traces:
    """Sends each text to a client of the openai package and makes traces of the responses.

    A text begins with its prompt, if there is one. The request asks for echo with one log-probability per token and for as
    few new tokens as the service allows; `arguments` go to client.completions.create().
    """
    given = list(texts)
    beginnings = [None] * len(given) if prompts is None else list(prompts)
    request = {"max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0, **arguments}
    responses = [{"request": {"prompt": text, **request},
                  "response": client.completions.create(model=model, prompt=text, **request)} for text in given]
    return traces(responses, prompts=beginnings, model=model, dataset=dataset)
