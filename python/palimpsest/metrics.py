"""Metrics as mergeable statistics, under the names that fedjax.metrics gives them.

    >>> metric = Accuracy()
    >>> stat = metric.zero()
    >>> for example, prediction in [({"y": 1}, [0.0, 1.0]), ({"y": 0}, [1.0, 0.0]), ({"y": 1}, [1.0, 0.0])]:
    ...     stat = stat.merge(metric.evaluate_example(example, prediction))
    >>> round(float(stat.result()), 4)
    0.6667

Two things differ from fedjax on purpose: the mean of nothing is undefined (NaN) instead of 0, and a token is out of the
vocabulary if it equals ANY of the given values. All objects can be pickled, so that parts that were computed elsewhere can
be merged.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from palimpsest import _core
from palimpsest._core import Error

if TYPE_CHECKING:  # numpy takes long to import it
    from numpy.typing import ArrayLike

__all__ = [
    "Accuracy", "ConfusionMatrix", "CrossEntropyLoss", "MeanStat", "Metric", "Model", "PerDomainMetric", "SequenceCount",
    "SequenceCrossEntropyLoss", "SequenceLength", "SequenceTokenAccuracy", "SequenceTokenCount",
    "SequenceTokenCrossEntropyLoss", "SequenceTokenOOVRate", "SequenceTokenTopKAccuracy", "SequenceTruncationRate", "Stat",
    "SumStat", "TopKAccuracy", "evaluate_batch", "evaluate_model", "unreduced_cross_entropy_loss",
]

#: The key of a batch that says which of its examples count; fedjax pads batches so.
MASK_KEY = "__mask__"


class Stat(metaclass=abc.ABCMeta):
    """A statistic of a set of examples, which can be merged with those of other sets.

    merge is associative and commutative. A statistic of your own derives from this class.
    """

    @abc.abstractmethod
    def merge(self, other: Any) -> Any:
        """The statistic of both sets together."""

    @abc.abstractmethod
    def reduce(self, axis: int | None = 0) -> Any:
        """Merges the statistics along an axis of the arrays; None: all of them."""

    @abc.abstractmethod
    def result(self) -> Any:
        """The value of the metric."""


class _LibraryStat(Stat):
    """A statistic of the library."""

    _fields: tuple[str, ...] = ()

    def __init__(self, core: _core.Stat):
        self._core = core

    def merge(self, other):
        if type(other) is not type(self):
            raise Error(f"a {type(self).__name__} cannot be merged with a {type(other).__name__}")
        return type(self)(self._core.merge(other._core))

    def reduce(self, axis: int | None = 0):
        if axis is not None:
            return type(self)(self._core.reduce(axis))
        reduced = self._core
        for _ in range(np.ndim(self._values()[0])):
            reduced = reduced.reduce(0)
        return type(self)(reduced)

    def result(self):
        return self._core.result()

    def _values(self) -> list[Any]:
        return [value for _, value in self._core.fields()]

    @property
    def accum(self):
        """The sum of values."""
        return self._values()[0]

    def __reduce__(self):
        return type(self).new, tuple(self._values())

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and all(
            np.array_equal(a, b) for a, b in zip(self._values(), other._values()))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={_shown(value)}" for name, value in zip(self._fields, self._values()))
        return f"{type(self).__name__}({fields}) => {_shown(self.result())}"


def _shown(value: Any) -> str:
    return f"{value:g}" if np.ndim(value) == 0 else str(value)


class MeanStat(_LibraryStat):
    """A weighted mean: the sum of values and the sum of weights. Elements whose weight is not positive count as nothing.

        >>> MeanStat.new(1, 2).merge(MeanStat.new(2, 3))
        MeanStat(accum=3, weight=5) => 0.6
    """

    _fields = ("accum", "weight")

    @classmethod
    def new(cls, accum: ArrayLike, weight: ArrayLike) -> MeanStat:
        """The statistic with these sums, of any shape."""
        accum, weight = np.broadcast_arrays(accum, weight)
        return cls(_core.mean_stat(accum, weight))

    @property
    def weight(self):
        """The sum of weights."""
        return self._values()[1]


class SumStat(_LibraryStat):
    """A sum.

        >>> SumStat.new([1, 2, 1]).reduce()
        SumStat(accum=4) => 4
    """

    _fields = ("accum",)

    @classmethod
    def new(cls, accum: ArrayLike) -> SumStat:
        """The statistic with this sum, of any shape."""
        return cls(_core.sum_stat(accum))


_STATS = {"mean": MeanStat, "sum": SumStat}


def _stat(core: _core.Stat) -> _LibraryStat:
    return _STATS[core.type](core)


class Metric(metaclass=abc.ABCMeta):
    """A function from an example and its prediction to a statistic. A metric of your own derives from this class."""

    @abc.abstractmethod
    def zero(self) -> Any:
        """The statistic of no examples."""

    @abc.abstractmethod
    def evaluate_example(self, example: Mapping[str, ArrayLike], prediction: Any) -> Any:
        """The statistic of one example."""


@functools.lru_cache(maxsize=256)
def _made(spec: str) -> _core.Metric:
    return _core.make_metric(spec)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list, np.ndarray)):
        return "[" + ",".join(_text(item) for item in value) + "]"
    if isinstance(value, float):
        return "-inf" if value == -np.inf else repr(value)
    return str(value)


class _LibraryMetric(Metric):
    """A metric of the library: a frozen dataclass, whose fields are its arguments."""

    _name = ""

    def _metric(self) -> _core.Metric:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        arguments = [f"{field.name}={_text(getattr(self, field.name))}" for field in fields
                     if getattr(self, field.name) is not None]
        return _made(f"{self._name}:{','.join(arguments)}" if arguments else self._name)

    def zero(self):
        return _stat(self._metric().zero())

    def evaluate_example(self, example, prediction):
        return _stat(self._metric().evaluate_example(dict(example), prediction))


@dataclasses.dataclass(frozen=True)
class CrossEntropyLoss(_LibraryMetric):
    """The cross-entropy of a class, from logits."""

    target_key: str = "y"
    pred_key: str | None = None
    _name = "cross_entropy_loss"


@dataclasses.dataclass(frozen=True)
class Accuracy(_LibraryMetric):
    """The share of examples whose greatest logit is the target's."""

    target_key: str = "y"
    pred_key: str | None = None
    _name = "accuracy"


@dataclasses.dataclass(frozen=True)
class TopKAccuracy(_LibraryMetric):
    """The share of examples whose target is among the k greatest logits."""

    k: int
    target_key: str = "y"
    pred_key: str | None = None
    _name = "top_k_accuracy"


@dataclasses.dataclass(frozen=True)
class ConfusionMatrix(_LibraryMetric):
    """Counts of examples by target (rows) and predicted class (columns)."""

    num_classes: int
    target_key: str = "y"
    pred_key: str | None = None
    _name = "confusion_matrix"


@dataclasses.dataclass(frozen=True)
class SequenceTokenCrossEntropyLoss(_LibraryMetric):
    """The cross-entropy of a token, over the tokens of sequences."""

    target_key: str = "y"
    pred_key: str | None = None
    masked_target_values: tuple[int, ...] = (0,)
    per_position: bool = False
    _name = "sequence_token_cross_entropy_loss"


@dataclasses.dataclass(frozen=True)
class SequenceCrossEntropyLoss(_LibraryMetric):
    """The cross-entropy of a sequence, summed over its tokens."""

    target_key: str = "y"
    pred_key: str | None = None
    masked_target_values: tuple[int, ...] = (0,)
    _name = "sequence_cross_entropy_loss"


@dataclasses.dataclass(frozen=True)
class SequenceTokenAccuracy(_LibraryMetric):
    """The share of tokens whose greatest logit is the target's."""

    target_key: str = "y"
    pred_key: str | None = None
    masked_target_values: tuple[int, ...] = (0,)
    logits_mask: tuple[float, ...] | None = None
    per_position: bool = False
    _name = "sequence_token_accuracy"


@dataclasses.dataclass(frozen=True)
class SequenceTokenTopKAccuracy(_LibraryMetric):
    """The share of tokens whose target is among the k greatest logits."""

    k: int
    target_key: str = "y"
    pred_key: str | None = None
    masked_target_values: tuple[int, ...] = (0,)
    logits_mask: tuple[float, ...] | None = None
    per_position: bool = False
    _name = "sequence_token_top_k_accuracy"


@dataclasses.dataclass(frozen=True)
class SequenceTokenCount(_LibraryMetric):
    """The number of tokens."""

    target_key: str = "y"
    masked_target_values: tuple[int, ...] = (0,)
    _name = "sequence_token_count"


@dataclasses.dataclass(frozen=True)
class SequenceCount(_LibraryMetric):
    """The number of sequences that have a token."""

    target_key: str = "y"
    masked_target_values: tuple[int, ...] = (0,)
    _name = "sequence_count"


@dataclasses.dataclass(frozen=True)
class SequenceTruncationRate(_LibraryMetric):
    """The share of sequences without the end-of-sequence target."""

    eos_target_value: int
    target_key: str = "y"
    masked_target_values: tuple[int, ...] = (0,)
    _name = "sequence_truncation_rate"


@dataclasses.dataclass(frozen=True)
class SequenceTokenOOVRate(_LibraryMetric):
    """The share of tokens that are out of the vocabulary."""

    oov_target_values: tuple[int, ...]
    target_key: str = "y"
    masked_target_values: tuple[int, ...] = (0,)
    per_position: bool = False
    _name = "sequence_token_oov_rate"


@dataclasses.dataclass(frozen=True)
class SequenceLength(_LibraryMetric):
    """The number of tokens of a sequence."""

    target_key: str = "y"
    masked_target_values: tuple[int, ...] = (0,)
    _name = "sequence_length"


@dataclasses.dataclass(frozen=True)
class PerDomainMetric(_LibraryMetric):
    """A metric of the library for each domain: the result has one more axis, in front. Domains are numbered from 0."""

    base: Metric
    num_domains: int
    domain_id_key: str = "domain_id"

    def _metric(self) -> _core.Metric:
        if not isinstance(self.base, _LibraryMetric):
            raise Error(f"{type(self.base).__name__} is written in Python; PerDomainMetric takes metrics of the library")
        return _core.per_domain_metric(self.base._metric(), self.num_domains, self.domain_id_key)


def _row(value: Any, i: int) -> Any:
    if isinstance(value, Mapping):
        return {key: _row(part, i) for key, part in value.items()}
    return None if value is None else np.asarray(value)[i]


def evaluate_batch(metric: Metric, batch_example: Mapping[str, ArrayLike], batch_prediction: Any,
                   batch_mask: ArrayLike | None = None) -> Any:
    """The statistic of a batch. Every array has one more axis, in front. Examples whose mask is 0 do not count."""
    if isinstance(metric, _LibraryMetric):
        return _stat(metric._metric().evaluate_batch(dict(batch_example), batch_prediction, batch_mask))
    size = len(np.asarray(next(iter(batch_example.values()))))
    stat = metric.zero()
    for i in range(size):
        if batch_mask is None or np.asarray(batch_mask)[i]:
            stat = stat.merge(metric.evaluate_example(_row(batch_example, i), _row(batch_prediction, i)))
    return stat


@dataclasses.dataclass(frozen=True)
class Model:
    """What evaluate_model() needs of fedjax's Model; the rest is taken and not used."""

    apply_for_eval: Callable[[Any, Mapping[str, Any]], Any]
    eval_metrics: Mapping[str, Metric]
    init: Any = None
    apply_for_train: Any = None
    train_loss: Any = None

    @classmethod
    def new(cls, init=None, apply_for_train=None, apply_for_eval=None, train_loss=None, eval_metrics=None) -> Model:
        """The model with these functions, in the order of fedjax."""
        return cls(apply_for_eval, dict(eval_metrics or {}), init, apply_for_train, train_loss)


def evaluate_model(model: Model, params: Any, batches: Iterable[Mapping[str, ArrayLike]]) -> dict[str, Any]:
    """The result of each of the model's metrics over all batches, in one pass."""
    stats = {name: metric.zero() for name, metric in model.eval_metrics.items()}
    for batch in batches:
        prediction = model.apply_for_eval(params, batch)
        examples = {key: value for key, value in batch.items() if key != MASK_KEY}
        for name, metric in model.eval_metrics.items():
            stats[name] = stats[name].merge(evaluate_batch(metric, examples, prediction, batch.get(MASK_KEY)))
    return {name: stat.result() for name, stat in stats.items()}


def unreduced_cross_entropy_loss(targets: ArrayLike, preds: ArrayLike, is_sparse_targets: bool = True) -> np.ndarray:
    """The cross-entropy of each target, from logits. Targets are class numbers or, if not sparse, probabilities."""
    preds = np.asarray(preds, dtype=np.float64)
    highest = preds.max(axis=-1, keepdims=True)
    logprobs = preds - highest - np.log(np.exp(preds - highest).sum(axis=-1, keepdims=True))
    targets = np.asarray(targets)
    if is_sparse_targets:
        return -np.take_along_axis(logprobs, targets[..., None], axis=-1)[..., 0]
    return -(targets * logprobs).sum(axis=-1)
