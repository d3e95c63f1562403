"""Checkpoints on the CPU engine that is part of the package. `palimpsest.audit` needs only a checkpoint's folder; this is for
programs that want the numbers themselves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from palimpsest import _core
from palimpsest.model import SequenceScores

if TYPE_CHECKING:  # importing numpy takes longer than everything else here
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Model"]


class Model:
    """A checkpoint folder, or a hub id in the local cache.

        with Model("checkpoint") as model:
            scores = model.score([ids], [labels])

    A model must be used by one thread at a time. After close(), or at the end of a `with`, its memory is free and every call
    raises Error.
    """

    def __init__(self, name: str | os.PathLike[str], *, dtype: str = "float32", threads: int = 0, memory_limit: int = 0):
        self._core = _core.load_model(os.fspath(name), {"dtype": dtype, "threads": threads, "memory_limit": memory_limit})

    @property
    def name(self) -> str:
        """The name by which the model was given."""
        return self._core.name

    @property
    def vocab_size(self) -> int:
        """The number of logits; ids are below it."""
        return self._core.vocab_size

    @property
    def max_positions(self) -> int | None:
        """The longest sequence, if there is a limit."""
        return self._core.max_positions

    @property
    def eos_ids(self) -> list[int]:
        """The end tokens of the checkpoint's own settings."""
        return self._core.eos_ids

    @property
    def num_parameters(self) -> int:
        """The number of weights."""
        return self._core.num_parameters

    def score(self, ids: Sequence[ArrayLike], labels: Sequence[ArrayLike] | None = None, *,
              masked_token: int | None = None, gradient_norms: Sequence[str] = ()) -> list[SequenceScores]:
        """Scores texts. labels[t] is the token to predict for position t, or -100; without labels, every token counts.

        gradient_norms are orders of norms: "1", "2", "inf".
        """
        return self._core.score(list(ids), list(ids if labels is None else labels), masked_token, list(gradient_norms))

    def generate(self, prompts: Sequence[ArrayLike], *, max_new_tokens: int = 200, **options: Any) -> list[NDArray[np.int64]]:
        """Continues prompts, greedily unless sample=True (then temperature, top_k, top_p and seed count).

        Further options: eos_ids, repetition_penalty, masked_token.
        """
        return self._core.generate(list(prompts), {"eos_ids": self.eos_ids, "max_new_tokens": max_new_tokens, **options})

    def close(self) -> None:
        """Frees the memory; every later call raises Error."""
        self._core.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
