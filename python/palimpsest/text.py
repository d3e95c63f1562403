"""Texts: tokenizers, chat templates and ROUGE."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from palimpsest import _core

if TYPE_CHECKING:  # importing numpy takes longer than everything else here
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ChatTemplate", "RougeScore", "Tokenizer", "rouge"]

_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class Tokenizer:
    """The tokenizer of a checkpoint folder. It gives the ids and texts of transformers' fast tokenizers."""

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = pathlib.Path(folder)
        self._core = _core.load_tokenizer(self.folder)

    @property
    def vocab_size(self) -> int:
        """The number of tokens, with the added ones."""
        return self._core.vocab_size

    def encode(self, text: str, *, add_special_tokens: bool = True, max_length: int | None = None) -> NDArray[np.int64]:
        """The ids of a text."""
        ids: Any = self._core.encode(text, add_special_tokens, max_length)
        return ids

    def encode_batch(self, texts: Sequence[str], *, add_special_tokens: bool = True, max_length: int | None = None,
                     threads: int = 0) -> list[NDArray[np.int64]]:
        """The ids of several texts. The threads (0: one per core) change no result."""
        return self._core.encode_batch(list(texts), add_special_tokens, max_length, threads)

    def decode(self, ids: ArrayLike, *, skip_special_tokens: bool = False) -> str:
        """The text of ids."""
        return self._core.decode(ids, skip_special_tokens)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token; None if there is no such token."""
        return self._core.token_to_id(token)

    def id_to_token(self, token: int) -> str | None:
        """The token of an id; None if there is no such id."""
        return self._core.id_to_token(token)

    @property
    def special_tokens(self) -> dict[str, str]:
        """The special tokens by their names: bos_token, eos_token …"""
        found = {name: self._core.special_token(name) for name in _SPECIAL}
        return {name: token for name, token in found.items() if token is not None}

    def __reduce__(self):
        return Tokenizer, (str(self.folder),)


class ChatTemplate:
    """A chat template: Jinja2 as transformers sets it up, with limits on time and memory."""

    def __init__(self, text: str, *, special_tokens: Mapping[str, str] | None = None):
        self._text: str | None = text
        self._folder: str | None = None
        self._special_tokens = dict(special_tokens or {})
        self._core = _core.parse_chat_template(text, "the chat template")

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> ChatTemplate:
        """The template of a checkpoint folder, with the special tokens of its tokenizer."""
        self = cls.__new__(cls)
        self._text, self._folder = None, str(folder)
        self._special_tokens = Tokenizer(folder).special_tokens
        self._core = _core.load_chat_template(pathlib.Path(folder))
        return self

    def render(self, messages: Sequence[Mapping[str, Any]], *, add_generation_prompt: bool = False,
               **variables: Any) -> str:
        """The text of a conversation. The variables are those that the template knows."""
        return self._core.render(json.dumps(list(messages)), add_generation_prompt,
                                 {name: json.dumps(value) for name, value in variables.items()}, self._special_tokens)

    def __reduce__(self):
        if self._folder is not None:
            return ChatTemplate.load, (self._folder,)
        return _parsed, (self._text, self._special_tokens)


def _parsed(text: str, special_tokens: dict[str, str]) -> ChatTemplate:
    return ChatTemplate(text, special_tokens=special_tokens)


class RougeScore(NamedTuple):
    """How much two texts share: of the prediction, of the target, and their harmonic mean."""

    precision: float
    recall: float
    fmeasure: float


def rouge(target: str, prediction: str, types: Sequence[str] = ("rouge1", "rougeL"), *,
          use_stemmer: bool = False) -> dict[str, RougeScore]:
    """How much of the target the prediction repeats, with the numbers of Google's rouge_score.

        >>> rouge("the quick brown foxes", "a quick fox", use_stemmer=True)["rouge1"].recall
        0.5
    """
    return {name: RougeScore(*score) for name, score in _core.rouge(target, prediction, list(types), use_stemmer).items()}
