"""Evaluations by configuration, with metric handlers, data set handlers and evaluators written in Python."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palimpsest import _core, data, hub
from palimpsest._core import Error
from palimpsest.auditing import Attack, _given_model, _table, computing_of, origin_of
from palimpsest.model import lay_down

__all__ = ["DatasetHandler", "Evaluation", "Inputs", "MetricHandler", "evaluate", "records_handler", "unlearning_metric"]

_CONFIGS = pathlib.Path(__file__).parent / "configs"
#: The access key of a metric's only data set.
_ONLY = ""


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What a metric is computed from, keyed by the access keys of its data sets and of the metrics that it needs."""

    _traces: dict[str, list[dict[str, Any]]]
    _generations: dict[str, list[dict[str, str]]]
    #: Results of the metrics in pre_compute: {"agg_value": …, "value_by_index": …}.
    pre_compute: dict[str, dict[str, Any]]

    def traces(self, key: str = _ONLY) -> list[dict[str, Any]]:
        """The traces of a data set, as dicts with numpy arrays (see palimpsest.Traces)."""
        return self._traces[key]

    def generations(self, key: str = _ONLY) -> list[dict[str, str]]:
        """The model's own texts for a data set: dicts with index, input, ground_truth and generation."""
        return self._generations[key]


@dataclasses.dataclass(frozen=True)
class MetricHandler:
    """A kind of metric. `unlearning_metric` makes one of a function."""

    name: str
    function: Callable[..., dict[str, Any]]
    data: tuple[str, ...]
    traces: bool
    generates: bool
    gradient_norms: tuple[str, ...]
    measures: str
    orientation: str
    keys: tuple[str, ...]

    def compute(self, inputs: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
        """Calls the function as an evaluation does."""
        known = {key: value for key, value in parameters.items() if key in self._arguments()}
        return self.function(Inputs(inputs["traces"], inputs["generations"], inputs["pre_compute"]), **known)

    def _arguments(self) -> list[str]:
        return [key for key in self.keys if key != "generation_args" or key in _own_arguments(self.function)]

    def __call__(self, *arguments: Any, **keywords: Any) -> dict[str, Any]:
        return self.function(*arguments, **keywords)


def _own_arguments(function: Callable[..., Any]) -> list[str]:
    """The arguments by name after the first, which configurations may set."""
    return [name for name, parameter in list(inspect.signature(function).parameters.items())[1:]
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)]


def unlearning_metric(*, name: str, data: Sequence[str] | None = None, traces: bool = False, generates: bool = False,
                      gradient_norms: Sequence[str] = (), measures: str = "", orientation: str = ""):
    """Makes a metric handler of a function, as open-unlearning's decorator of that name does.

        @unlearning_metric(name="mean_logprob", traces=True)
        def mean_logprob(inputs):
            values = {trace["index"]: {"score": float(trace["logprob"].mean())} for trace in inputs.traces()}
            return {"agg_value": sum(v["score"] for v in values.values()) / len(values), "value_by_index": values}

    The function gets `Inputs`; its further arguments are parameters that a configuration may set. It returns
    {"agg_value": number or None, "value_by_index": {index: {name: value}}}. `traces` and `generates` say what it needs of
    the model: traces, or texts (configured by generation_args). `data` are the access keys of its data sets, for metrics
    that have several or none.
    """

    def make(function: Callable[..., dict[str, Any]]) -> MetricHandler:
        keys = _own_arguments(function) + (["generation_args"] if generates else [])
        needed = [_ONLY] if data is None and (traces or generates) else list(data or [])
        doc = (inspect.getdoc(function) or "").split("\n")[0]
        return MetricHandler(name, function, tuple(needed), traces, generates, tuple(gradient_norms),
                             measures or doc or "a metric that is written in Python", orientation,
                             tuple(dict.fromkeys(keys)))

    return make


@dataclasses.dataclass(frozen=True)
class DatasetHandler:
    """A kind of data set whose records come from a function. `records_handler` makes one."""

    name: str
    function: Callable[..., data.Records]
    like: str
    makes: str
    keys: tuple[str, ...]
    _folder: list[pathlib.Path] = dataclasses.field(default_factory=list)

    def write(self, arguments: dict[str, Any]) -> str:
        """Writes the records that the function returns to a file, and returns its path."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self._folder[-1]))
        _, path, _ = data.records_file(self.function(**arguments), self.name, folder)
        return str(path)


def records_handler(*, name: str, like: str = "QADataset"):
    """Makes a data set handler of a function that returns records.

    The function's arguments are arguments of the data set in the configuration. The records become examples as those of the
    handler `like` do.
    """

    def make(function: Callable[..., data.Records]) -> DatasetHandler:
        keys = tuple(inspect.signature(function).parameters)
        doc = (inspect.getdoc(function) or "").split("\n")[0]
        return DatasetHandler(name, function, like, doc or "records that come from Python", keys)

    return make


class Evaluation:
    """The result of one evaluator. Printing it shows what `palimpsest eval` prints."""

    def __init__(self, result: dict[str, Any]):
        self._result = result
        self.name: str = result["name"]
        #: NAME_EVAL.json; the other files lie beside it.
        self.log: pathlib.Path = result["log"]
        self.answer: str | None = result["answer"]
        self.notes: list[str] = result["notes"]

    def __getitem__(self, metric: str) -> float | None:
        """The value of a metric."""
        for row in self._result["rows"]:
            if row["metric"] == metric:
                return row["value"]
        raise KeyError(metric)

    def table(self):
        """One row per metric, as a DataFrame if pandas is installed, else as a list of dicts."""
        return _table(self._result["rows"])

    def to_dict(self) -> dict[str, Any]:
        """What NAME_EVAL.json holds: all metrics with the values of single examples."""
        return json.loads(self.log.read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        return "\n".join(text for text in (self._result["text"], self._result["conclusions"]) if text)


def evaluate(experiment: str | None = None, *, overrides: Sequence[str] = (), model: Any = None, tokenizer: Any = None,
             out: str | os.PathLike[str] | None = None, handlers: Sequence[MetricHandler] = (),
             datasets: Sequence[DatasetHandler] = (), evaluators: Mapping[str, str] | None = None,
             attacks: Sequence[Attack] = (), config_dir: str | os.PathLike[str] | None = None, config_name: str = "eval.yaml",
             progress: Callable[[str, int, int], None] | None = None, threads: int = 0) -> list[Evaluation]:
    """Evaluates a model as `palimpsest eval experiment=EXPERIMENT OVERRIDES` does, and returns one result per evaluator.

        palimpsest.evaluate("eval/tofu/default", overrides=["model=Llama-3.2-1B-Instruct"], model="checkpoint", out="out")

    `model` takes the place of the model that the configuration names: a folder, a hub id, a model of transformers (with
    `tokenizer`), or any `palimpsest.model.LanguageModel`. How questions become prompts stays with the configuration. `out`
    takes the place of the output folder. `handlers` and `datasets` add handlers that configurations may name; an attack NAME
    of `attacks` adds the metric handler mia_NAME; `evaluators` adds evaluators: names in the configuration, with the prefix
    of their files. `progress` is called with a label, the work done and the whole work. The files are those of `palimpsest eval`; a
    second call with the same input computes only what is missing.
    """
    chosen = ([f"experiment={experiment}"] if experiment else []) + list(overrides)
    if out is not None and not any(override.lstrip("+").startswith("task_name=") for override in chosen):
        chosen.append("++task_name=python")  # it would name the output folder
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as scratch:
        folder = pathlib.Path(scratch)
        objects: dict[pathlib.Path, Any] = {}
        name = None
        origin: dict[str, Any] = {}
        if model is not None:
            model = _given_model(model, tokenizer)
            if isinstance(model, (str, os.PathLike)):
                name = hub.model_folder(os.fspath(model))
            else:
                name = str(model.name)
                path = lay_down(model, folder / "model")
                objects[path] = model
                origin = origin_of({path: name}, objects) | {"model_folder": path, "computing": computing_of(model)}
        for dataset in datasets:
            dataset._folder.append(folder)
        try:
            arguments = {
                "configs": _CONFIGS,
                "config_dir": pathlib.Path(config_dir) if config_dir is not None else None,
                "config_name": config_name,
                "overrides": chosen,
                "model": name,
                "command": list(sys.orig_argv),
                **origin,
                "out": pathlib.Path(out) if out is not None else None,
                "handlers": list(handlers),
                "own_attacks": list(attacks),
                "datasets": list(datasets),
                "evaluators": list((evaluators or {}).items()),
                "threads": threads,
            }
            with data.without_folder(folder):
                return [Evaluation(result) for result in _core.evaluate(arguments, objects, progress)]
        finally:
            for dataset in datasets:
                dataset._folder.pop()
