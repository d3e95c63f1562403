"""Models of transformers, on whatever device they are: `palimpsest.hf.Model(model, tokenizer)`.

Needs torch and transformers (`pip install palimpsest[hf]`). Works for causal language models: mixtures of experts, models
over several devices (device_map), quantised ones and adapters of PEFT that are not merged.
"""

from __future__ import annotations

import contextlib
import inspect
import logging
from collections.abc import Iterator, Sequence as Sequence_
from typing import Any

import numpy as np
import torch
import transformers
from torch.utils.checkpoint import checkpoint

from palimpsest import checkpoints
from palimpsest._core import Error
from palimpsest.logits import label_logprobs, reduce_rows
from palimpsest.model import (
    IGNORED_LABEL,
    GenerateOptions,
    Generation,
    Prompt,
    ScoreOptions,
    Sequence,
    SequenceScores,
)

__all__ = ["Model"]

_LOG = logging.getLogger("palimpsest")

#: Numbers of a tile of logits: rows times vocabulary. A few copies of it exist at a time.
_TILE = 2**23
#: How far logits may differ, relative to the largest, before the head is called something else than the model's.
_SAME_LOGITS = {torch.float32: 1e-4, torch.float64: 1e-4}
_SAME_16_BIT_LOGITS = 3e-2
#: Kinds of rotary embeddings whose angles depend on the length of the whole text, so that no longer text may stand beside it.
_LENGTH_DEPENDENT = {"dynamic", "longrope", "su"}
#: Tokens of the text on which the two ways to logits are compared.
_COMPARED_TOKENS = 64


class _Interrupted(Exception):
    """A stop was requested; the caller knows."""


class Model:
    """A causal language model of transformers as a `palimpsest.model.LanguageModel`.

    The vocabulary is reduced on the model's device, a few rows of logits at a time: no block of [tokens × vocabulary] exists.
    For this, the model's output layer is called apart from the rest of the model. On the first text, the result is compared
    with the model's own logits; if they differ, because the model does more than that with its logits, the model's own
    logits are used, which needs more memory (`tiled` is then False).

    Gradient norms are computed by autograd, one example at a time, over the parameters that require a gradient. The same
    pass gives the other numbers of the example.
    """

    def __init__(self, model: Any, tokenizer: Any, *, name: str | None = None, batch_tokens: int = 4096):
        self.model = model
        self.tokenizer = tokenizer
        config = model.config.get_text_config() if hasattr(model.config, "get_text_config") else model.config
        self.name = name or getattr(model.config, "_name_or_path", "") or type(model).__name__
        self.batch_tokens = batch_tokens
        self.vocab_size = int(config.vocab_size)
        limit = getattr(config, "max_position_embeddings", None)
        self.max_positions = int(limit) if isinstance(limit, int) and limit > 0 else None
        self.device = str(self._input_device())
        self.dtype = str(next(model.parameters()).dtype).removeprefix("torch.")
        self.software = f"torch {torch.__version__}, transformers {transformers.__version__}"
        self.num_parameters = sum(parameter.numel() for parameter in model.parameters())
        self.has_gradients = any(parameter.requires_grad for parameter in model.parameters())
        ends = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
        self.eos_ids = [] if ends is None else [ends] if isinstance(ends, int) else list(ends)
        #: Whether the vocabulary is reduced in tiles; None until the first text.
        self.tiled: bool | None = None
        self._config = config
        self._length_matters = bool(checkpoints.rope_types(config) & _LENGTH_DEPENDENT)
        self._takes = set(inspect.signature(model.forward).parameters)

    @classmethod
    def from_pretrained(cls, name: str, *, tokenizer: str | None = None, **arguments: Any) -> Model:
        """Loads model and tokenizer by transformers' Auto classes, to which the arguments go (dtype, device_map …)."""
        model = transformers.AutoModelForCausalLM.from_pretrained(name, **checkpoints.known_arguments(arguments))
        return cls(model, transformers.AutoTokenizer.from_pretrained(tokenizer or name), name=str(name))

    def fingerprint(self) -> str:
        """A hash of all weights."""
        self._require_open()
        return checkpoints.fingerprint(self.model)

    def close(self) -> None:
        """Lets go of the model; every later call raises Error."""
        self.model = None

    # Scoring

    def score(self, sequences: Sequence_[Sequence], options: ScoreOptions) -> list[SequenceScores]:
        """What `LanguageModel.score` promises. With gradient norms, each sequence runs alone, forwards and back."""
        results: list[Any] = [None] * len(sequences)
        with self._evaluating(), torch.set_grad_enabled(bool(options.gradient_norms)):
            if self.tiled is None and len(sequences) > 0:
                with torch.no_grad():
                    self.tiled = self._head_is_all(sequences[0].ids)
            lengths = [len(sequence.ids) for sequence in sequences]
            for batch in [[i] for i in range(len(sequences))] if options.gradient_norms else self._batches(lengths):
                if options.stop_requested():
                    raise _Interrupted
                for i, scores in zip(batch, self._score_batch([sequences[i] for i in batch], options)):
                    results[i] = scores
        return results

    def _batches(self, lengths: list[int]) -> Iterator[list[int]]:
        """Positions of sequences of similar lengths, so that few tokens are padding."""
        limit = self.batch_tokens if self.tiled else max(1, self.batch_tokens // 4)
        batch: list[int] = []
        for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
            full = batch and lengths[batch[0]] * (len(batch) + 1) > limit
            if full or (batch and self._length_matters and lengths[i] != lengths[batch[0]]):
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _score_batch(self, sequences: list[Sequence], options: ScoreOptions) -> list[SequenceScores]:
        inputs, rows, targets, counts = self._inputs(sequences, options.masked_token)
        states = self._states(inputs, rows) if self.tiled else self._plain_logits(inputs, rows)
        # Allocated once: small tensors that stay between the large ones of the tiles would keep the heap from shrinking.
        columns: list[np.ndarray] = [np.empty(len(rows), dtype=dtype) for dtype in (np.float64, np.float64, np.float64, np.int64)]
        logprobs = [self._reduce_tile(states[tile:tile + self._rows_per_tile()], targets, columns, tile)
                    for tile in range(0, len(rows), self._rows_per_tile())]
        if options.gradient_norms:
            norms = self._gradient_norms(logprobs, options)
            return [SequenceScores(*columns)._replace(gradient_norms=norms)]
        results, start = [], 0
        for count in counts:
            results.append(SequenceScores(*(column[start:start + count] for column in columns)))
            start += count
        return results

    def _reduce_tile(self, states: torch.Tensor, targets: torch.Tensor, columns: list[np.ndarray],
                     start: int) -> torch.Tensor | None:
        """Fills the tile's part of the columns. Returns log p of the labels if gradients are wanted."""
        end = start + len(states)
        filled = False

        def logprobs(part: torch.Tensor) -> torch.Tensor:
            logits = self._logits(part) if self.tiled else part.float()
            labels = targets[start:end].to(logits.device)
            nonlocal filled
            if not filled:  # else the tile is computed again on the way back
                with torch.no_grad():
                    for column, values in zip(columns, reduce_rows(logits, labels)):
                        column[start:end] = values.cpu().numpy()
                filled = True
            return label_logprobs(logits, labels) if torch.is_grad_enabled() else labels

        if not torch.is_grad_enabled():
            logprobs(states)
            return None
        if not self.tiled or len(targets) <= self._rows_per_tile():
            return logprobs(states)
        # The logits are computed again on the way back instead of being kept.
        return checkpoint(logprobs, states, use_reentrant=False)

    def _inputs(self, sequences: list[Sequence], masked_token: int | None):
        """The batch as the model takes it, padded on the right; which rows predict labels, and the labels."""
        length = max(len(sequence.ids) for sequence in sequences)
        ids: np.ndarray = np.zeros((len(sequences), length), dtype=np.int64)
        mask = np.zeros_like(ids)
        rows: list[np.ndarray] = []
        targets: list[np.ndarray] = []
        counts: list[int] = []
        for i, sequence in enumerate(sequences):
            ids[i, :len(sequence.ids)] = sequence.ids
            mask[i, :len(sequence.ids)] = 1 if masked_token is None else sequence.ids != masked_token
            labelled = np.flatnonzero(sequence.labels[1:] != IGNORED_LABEL)  # t - 1 of every labelled t >= 1
            rows.append(i * length + labelled)
            targets.append(sequence.labels[1:][labelled])
            counts.append(len(labelled))
        device = self._input_device()
        inputs = {"input_ids": torch.from_numpy(ids).to(device), "attention_mask": torch.from_numpy(mask).to(device)}
        if "position_ids" in self._takes:  # hidden tokens count as positions
            inputs["position_ids"] = torch.arange(length, device=device).expand(len(sequences), -1)
        return inputs, torch.from_numpy(np.concatenate(rows)), torch.from_numpy(np.concatenate(targets)), counts

    def _forward(self, inputs: dict[str, torch.Tensor]):
        plain = {"use_cache": False} if "use_cache" in self._takes else {}
        if self._length_matters:
            for module in self.model.modules():
                if hasattr(module, "max_seq_len_cached"):  # else the longest text so far would count
                    module.max_seq_len_cached = 0
        return self.model(**inputs, **plain)

    def _states(self, inputs: dict[str, torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
        """What the output layer gets, in the given rows of all tokens of the batch. The layer itself sees one row."""
        caught = []

        def catch(_module, arguments):
            caught.append(arguments[0])
            return (arguments[0][:, :1], *arguments[1:])

        hook = self.model.get_output_embeddings().register_forward_pre_hook(catch)
        try:
            self._forward(inputs)
        finally:
            hook.remove()
        states = caught[0]
        return states.reshape(-1, states.shape[-1])[rows.to(states.device)]

    def _plain_logits(self, inputs: dict[str, torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
        logits = self._forward(inputs).logits
        return logits.reshape(-1, logits.shape[-1])[rows.to(logits.device)]

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        """The output layer, and what the known configurations say is done to its result."""
        logits = self.model.get_output_embeddings()(states).float()
        if getattr(self._config, "logits_scaling", None):  # Granite divides
            logits = logits / self._config.logits_scaling
        if isinstance(getattr(self._config, "logit_scale", None), (int, float)):  # Cohere multiplies
            logits = logits * self._config.logit_scale
        cap = getattr(self._config, "final_logit_softcapping", None)  # Gemma 2
        return torch.tanh(logits / cap) * cap if cap else logits

    def _rows_per_tile(self) -> int:
        return max(1, _TILE // self.vocab_size)

    def _head_is_all(self, ids: np.ndarray) -> bool:
        """Whether the output layer gives the model's logits."""
        if not hasattr(self.model, "get_output_embeddings") or self.model.get_output_embeddings() is None:
            self._say("it has no output layer that can be called alone")
            return False
        text = np.asarray(ids[:_COMPARED_TOKENS])
        inputs, _, _, _ = self._inputs([Sequence(text, text)], None)
        rows = torch.arange(len(text))
        try:
            tiled = self._logits(self._states(inputs, rows))
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            self._say(f"its output layer cannot be called alone ({error})")
            return False
        plain = self._plain_logits(inputs, rows)
        tolerance = _SAME_LOGITS.get(plain.dtype, _SAME_16_BIT_LOGITS)
        if tiled.shape != plain.shape:
            self._say("its logits have another shape than its output layer's")
            return False
        plain = plain.float().to(tiled.device)
        difference = float((tiled - plain).abs().max() / plain.abs().max().clamp(min=1e-6))
        if not difference <= tolerance:
            self._say(f"its logits differ from its output layer's by {difference:.1e} of the largest")
            return False
        return True

    def _say(self, why: str) -> None:
        _LOG.warning("%s: logits are taken from the model as a whole, which needs more memory: %s", self.name, why)

    def _gradient_norms(self, logprobs: list[Any], options: ScoreOptions) -> list[float]:
        """The mean over the parameter tensors of the norms of the loss' gradient."""
        labels = torch.cat(logprobs)[:-1] if logprobs else torch.empty(0)  # the last one predicts the end
        if len(labels) == 0:
            return []
        parameters = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        gradients = torch.autograd.grad(-labels.mean(), parameters, allow_unused=True)
        norms = []
        for order in options.gradient_norms:
            values = [float(torch.linalg.vector_norm(gradient.float(), ord=float(order)))
                      for gradient in gradients if gradient is not None]
            norms.append(float(np.mean(values)))
        return norms

    # Generation

    def generate(self, prompts: Sequence_[Prompt], options: GenerateOptions) -> list[Generation]:
        """What `LanguageModel.generate` promises, by transformers' generate()."""
        results: list[Any] = [None] * len(prompts)
        # A penalty would also count padding as a repetition.
        size = 1 if options.repetition_penalty != 1 else max(1, options.max_batch)
        order = sorted(range(len(prompts)), key=lambda i: (-len(prompts[i].ids) - len(prompts[i].known), i))
        with self._evaluating(), torch.no_grad(), torch.random.fork_rng(enabled=options.sample):
            if options.sample:
                torch.manual_seed(options.seed)
            for start in range(0, len(order), size):
                if options.stop_requested():
                    raise _Interrupted
                batch = order[start:start + size]
                for i, generation in zip(batch, self._generate_batch([prompts[i] for i in batch], options)):
                    results[i] = generation
                if options.on_finished:
                    options.on_finished(len(batch))
        return results

    def _generate_batch(self, prompts: list[Prompt], options: GenerateOptions) -> list[Generation]:
        begun = [list(map(int, prompt.known)) for prompt in prompts]
        ends = set(options.eos_ids)
        room = [options.max_new_tokens - len(known) for known in begun]
        width = max(len(prompt.ids) + len(known) for prompt, known in zip(prompts, begun))
        ids: np.ndarray = np.full((len(prompts), width), self._pad_id(), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, (prompt, known) in enumerate(zip(prompts, begun)):
            first = width - len(prompt.ids) - len(known)
            ids[i, first:] = np.concatenate([prompt.ids, np.asarray(known, dtype=np.int64)])
            mask[i, first:] = 1
            if options.masked_token is not None:
                mask[i, first:first + len(prompt.ids)] = prompt.ids != options.masked_token
        if max(room) <= 0:
            return [_ended(known, ends, options) for known in begun]
        stopping = _Stopping(options, width, begun)
        config = transformers.GenerationConfig(
            max_new_tokens=max(room), num_beams=1, do_sample=options.sample, eos_token_id=list(options.eos_ids) or [-1],
            pad_token_id=self._pad_id(), repetition_penalty=options.repetition_penalty,
            **({"temperature": options.temperature, "top_k": options.top_k, "top_p": options.top_p}
               if options.sample else {}))
        device = self._input_device()
        output = self.model.generate(
            input_ids=torch.from_numpy(ids).to(device), attention_mask=torch.from_numpy(mask).to(device),
            generation_config=config, stopping_criteria=transformers.StoppingCriteriaList([stopping]))
        new = output[:, width:].tolist()
        return [_ended(known + row[:max(0, space)], ends, options)
                for known, row, space in zip(begun, new, room)]

    def _pad_id(self) -> int:
        pad = getattr(self.tokenizer, "pad_token_id", None)
        return int(pad) if pad is not None else 0

    # The model as a whole

    def _input_device(self) -> torch.device:
        device = getattr(self.model, "device", None)
        if isinstance(device, torch.device) and device.type != "meta":
            return device
        for parameter in self.model.parameters():
            if parameter.device.type != "meta":
                return parameter.device
        return torch.device("cpu")

    def _require_open(self) -> None:
        if self.model is None:
            raise Error("the model was closed")

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Without dropout, and as before afterwards."""
        self._require_open()
        training = self.model.training
        self.model.eval()
        try:
            yield
        finally:
            self.model.train(training)


def _ended(ids: list[int], ends: set[int], options: GenerateOptions) -> Generation:
    """The tokens up to the first end, whichever comes first."""
    for i, token in enumerate(ids[:options.max_new_tokens]):
        if token in ends or (options.should_stop and options.should_stop(ids[:i + 1])):
            return Generation(ids[:i + 1], True)
    return Generation(ids[:options.max_new_tokens], False)


class _Stopping:
    """Tells transformers which rows are finished by should_stop."""

    def __init__(self, options: GenerateOptions, width: int, begun: list[list[int]]):
        self._options = options
        self._width = width
        self._begun = begun
        self._done = [False] * len(begun)

    def __call__(self, input_ids: torch.Tensor, _scores, **_arguments) -> torch.Tensor:
        if self._options.stop_requested():
            raise _Interrupted
        if self._options.should_stop:
            for i, row in enumerate(input_ids[:, self._width:].tolist()):
                self._done[i] = self._done[i] or self._options.should_stop(self._begun[i] + row)
        return torch.tensor(self._done, dtype=torch.bool, device=input_ids.device)
