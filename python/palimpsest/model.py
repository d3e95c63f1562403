"""The interface of a model, for models that are written in Python.

A model takes token ids and returns a few numbers per labelled token; no logits leave it. Any object with the attributes
and methods of `LanguageModel` can be audited and evaluated. `palimpsest.hf.Model` is one for PyTorch.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import uuid
from collections.abc import Callable, Sequence as Sequence_
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from palimpsest._core import Error

if TYPE_CHECKING:  # importing numpy takes longer than everything else here
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["IGNORED_LABEL", "GenerateOptions", "Generation", "LanguageModel", "Prompt", "ScoreOptions", "Sequence",
           "SequenceScores"]

#: The label of a position that is not scored.
IGNORED_LABEL = -100


class Sequence(NamedTuple):
    """A text to be scored. labels[t] is the token to predict for position t from ids[:t], or IGNORED_LABEL."""

    ids: NDArray[np.int64]
    labels: NDArray[np.int64]


class ScoreOptions(NamedTuple):
    """How texts are to be scored."""

    masked_token: int | None  #: tokens with this id are hidden from attention, but count as positions
    gradient_norms: list[str]  #: the orders p of the norms to compute: "1", "2", "inf"
    stop_requested: Callable[[], bool]  #: a long call asks it from time to time, and may then return or raise anything


class SequenceScores(NamedTuple):
    """Each array has one entry per labelled position t >= 1, in order."""

    logprob: ArrayLike  #: log p of the label
    mean: ArrayLike  #: sum over the vocabulary of p log p
    var: ArrayLike  #: sum over the vocabulary of p (log p)² minus mean²
    argmax: ArrayLike  #: the most likely token; among ties, the smallest id
    #: One per order that was asked for: the mean over the parameter tensors of the p-norm of the gradient of minus the mean
    #: of logprob without its last entry. Not needed where no entry is left.
    gradient_norms: ArrayLike = ()


class Prompt(NamedTuple):
    """A text to be continued."""

    ids: NDArray[np.int64]
    known: NDArray[np.int64]  #: the beginning of the greedy continuation, if it is known; counts as generated


@dataclasses.dataclass(frozen=True)
class GenerateOptions:
    """How prompts are to be continued."""

    max_new_tokens: int
    eos_ids: list[int]  #: generation ends after one of these; it is part of the result
    repetition_penalty: float
    masked_token: int | None  #: tokens of the prompt with this id are hidden and do not count as positions
    sample: bool  #: False: greedy, and the next four are ignored
    temperature: float
    top_k: int  #: 0: all tokens
    top_p: float
    seed: int
    max_batch: int
    stop_requested: Callable[[], bool]
    should_stop: Callable[[list[int]], bool] | None = None  #: asked after every new token, with all new ones
    on_finished: Callable[[int], None] | None = None  #: called with the number of prompts that were just finished


class Generation(NamedTuple):
    """The continuation of a prompt."""

    ids: ArrayLike  #: the new tokens, with the known ones
    stopped: bool = False  #: ended by eos_ids or should_stop, not by max_new_tokens
    forward_tokens: int = 0


@runtime_checkable
class LanguageModel(Protocol):
    """What `palimpsest.audit` and `palimpsest.evaluate` need of a model.

    Optional attributes: `max_positions` (the longest sequence), `has_gradients` (whether gradient norms can be computed),
    `eos_ids` (end tokens of the checkpoint's own settings), `device`, `dtype` and `software` (texts for the record), and
    `fingerprint()`, a text that identifies the weights. Without it, finished work is not taken up by a later call, and the
    evidence pack of an audit cannot say which weights were audited.
    """

    name: str
    vocab_size: int
    #: A folder with tokenizer.json, or an object with save_pretrained(folder) or save(file).
    tokenizer: Any

    def score(self, sequences: Sequence_[Sequence], options: ScoreOptions) -> Sequence_[SequenceScores]:
        """Runs the model over the sequences. Returns one result per sequence, in order."""
        ...

    def generate(self, prompts: Sequence_[Prompt], options: GenerateOptions) -> Sequence_[Generation]:
        """Continues the prompts. Returns one result per prompt, in order."""
        ...


def lay_down(model: LanguageModel, folder: pathlib.Path) -> pathlib.Path:
    """Makes the folder by which the library knows a Python model: its tokenizer, and a file that identifies it."""
    folder.mkdir(parents=True)
    tokenizer = model.tokenizer
    if isinstance(tokenizer, (str, os.PathLike)):
        for file in pathlib.Path(tokenizer).iterdir():
            if file.is_file() and file.suffix in (".json", ".jinja", ".model", ".txt"):
                (folder / file.name).symlink_to(file.resolve())
    elif hasattr(tokenizer, "save_pretrained"):
        tokenizer.save_pretrained(folder)
    elif hasattr(tokenizer, "save"):
        tokenizer.save(str(folder / "tokenizer.json"))
    else:
        raise Error(f"model.tokenizer: it is neither a folder nor a tokenizer that can be saved, but a "
                    f"{type(tokenizer).__name__}")
    if not (folder / "tokenizer.json").exists():
        raise Error("model.tokenizer: it has no tokenizer.json; a tokenizer of the tokenizers package is needed (a 'fast' "
                    "one, in transformers' words)")
    identity = model.fingerprint() if hasattr(model, "fingerprint") else uuid.uuid4().hex
    (folder / "model.identity").write_text(identity)
    return folder
