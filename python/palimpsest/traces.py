"""Traces: a few numbers per labelled token, from which every attack is computed without the model."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palimpsest import _core
from palimpsest._core import Error

if TYPE_CHECKING:  # importing numpy takes longer than everything else here
    import numpy as np
    from numpy.typing import ArrayLike

__all__ = ["Traces"]

_PER_TOKEN = ("logprob", "mean", "var", "argmax", "label")
_PER_TRACE = ("index", "alternative", "num_labels", "avg_loss", "text", "prompt")


def _joined(name: str, rows: Sequence[ArrayLike]) -> np.ndarray:
    import numpy as np

    try:
        arrays = [np.asarray(row) for row in rows]
        if any(array.ndim != 1 for array in arrays):
            raise ValueError("an entry is not one-dimensional")
        return np.concatenate(arrays) if arrays else np.zeros(0)
    except (TypeError, ValueError) as error:
        raise Error(f"{name}: it is not one array of numbers per trace ({error})") from error


def _lengths(name: str, rows: Any) -> list[int]:
    try:
        return [len(row) for row in rows]
    except TypeError as error:
        raise Error(f"{name}: without offsets it has one array of numbers per trace ({error})") from error


class Traces(Sequence[dict[str, Any]]):
    """The traces of a data set under a model. traces[i] is a dict with numpy arrays.

        >>> traces = Traces.from_arrays(logprob=[[-0.1, -2.0], [-0.5]], text=["first", "second"])
        >>> len(traces)
        2
    """

    def __init__(self, core: _core.TraceSet):
        self._core = core

    @classmethod
    def from_arrays(cls, *, offsets: ArrayLike | None = None, model: str = "", dataset: str = "",
                    groups: Mapping[str, Sequence[str]] | None = None, grad_norm: Mapping[str, ArrayLike] | None = None,
                    **columns: Any) -> Traces:
        """Makes traces of arrays.

        logprob, mean, var, argmax and label have one number per labelled token: either as one array per trace, or as one
        array for all of them, with `offsets` (from 0 on, one more than there are traces) saying where each begins. index,
        text and prompt are lists with one text per trace; num_labels, alternative and avg_loss are arrays with one number
        per trace. grad_norm is keyed by the order of the norm ("1", "2", "inf").
        """
        for name in columns:
            if name not in _PER_TOKEN + _PER_TRACE:
                raise Error(f"{name}: traces have no such column (expected {', '.join(_PER_TOKEN + _PER_TRACE)})")
        given = {name: column for name, column in columns.items() if column is not None}
        per_token = {name: given[name] for name in _PER_TOKEN if name in given}
        if not per_token:
            raise Error("traces need at least one of " + ", ".join(_PER_TOKEN))
        if offsets is None:
            import numpy as np

            first = next(iter(per_token))
            lengths = _lengths(first, per_token[first])
            for name, rows in per_token.items():
                if _lengths(name, rows) != lengths:
                    raise Error(f"{name}: its arrays have other lengths than those of {first}")
                given[name] = _joined(name, rows)
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        if groups:
            given["groups"] = {key: [str(value) for value in values] for key, values in groups.items()}
        if grad_norm:
            given["grad_norm"] = dict(grad_norm)
        for name in ("index", "text", "prompt"):
            if name in given:
                given[name] = [str(value) for value in given[name]]
        return cls(_core.traces_of_arrays(offsets, given, model, dataset))

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], *, model: str = "", dataset: str = "") -> Traces:
        """Makes traces of dicts with the keys of a trace file (docs/formats.md). All must have the same keys."""
        rows = [dict(record) for record in records]
        if not rows:
            raise Error("there are no traces")
        columns: dict[str, Any] = {}
        for name in _PER_TOKEN + _PER_TRACE + ("groups", "grad_norm"):
            having = [name in row for row in rows]
            if not any(having):
                continue
            if not all(having):
                raise Error(f"traces[{having.index(False)}]: it has no '{name}', which others have")
            columns[name] = [row[name] for row in rows]
        for name in ("groups", "grad_norm"):
            if name in columns:
                parts = columns.pop(name)
                keys = list(parts[0])
                if any(set(part) != set(keys) for part in parts):
                    raise Error(f"{name}: the traces have different keys")
                columns[name] = {key: [part[key] for part in parts] for key in keys}
        return cls.from_arrays(model=model, dataset=dataset, **columns)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Traces:
        """Reads a trace file."""
        return cls(_core.read_traces(pathlib.Path(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a trace file."""
        self._core.save(pathlib.Path(path))

    @property
    def model(self) -> str:
        """The name of the model; empty if it is unknown."""
        return self._core.model

    @property
    def dataset(self) -> str:
        """The name of the data set; empty if it is unknown."""
        return self._core.dataset

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self._core[j] for j in range(*i.indices(len(self)))]
        return self._core[i]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._core[i] for i in range(len(self)))

    def arrays(self) -> dict[str, Any]:
        """All columns: numbers per token joined, with `offsets`. A column that some trace lacks is None."""
        return self._core.arrays()

    def to_pandas(self):
        """A DataFrame with one row per trace. Needs pandas."""
        import pandas

        return pandas.DataFrame(list(self))

    def __reduce__(self):
        return Traces._from_pickle, (self.model, self.dataset, list(self))

    @staticmethod
    def _from_pickle(model: str, dataset: str, rows: list[dict[str, Any]]) -> Traces:
        return Traces.from_records(rows, model=model, dataset=dataset)

    def __repr__(self) -> str:
        of = f" of {self.model}" if self.model else ""
        return f"Traces({len(self)} examples{of})"
