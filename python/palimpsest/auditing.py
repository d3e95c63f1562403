"""Audits: can the forget set still be told from unseen text?"""

from __future__ import annotations

import html
import json
import logging
import os
import pathlib
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from palimpsest import _core, data, hub
from palimpsest._core import Error
from palimpsest.model import lay_down
from palimpsest.traces import Traces

if TYPE_CHECKING:  # importing numpy takes longer than everything else here
    import numpy as np

__all__ = ["Attack", "Audit", "audit"]

_LOG = logging.getLogger("palimpsest")
_TAGS = ("user_start_tag", "user_end_tag", "asst_start_tag", "asst_end_tag")


class Attack(NamedTuple):
    """An attack of your own: a function of a trace (a dict, see Traces) that gives the example a score.

    A higher score means LESS likely a member. None means that the score is undefined.
    """

    name: str
    score: Callable[[dict[str, Any]], float | None]
    measures: str = "an attack that is written in Python"


def _table(rows: list[dict[str, Any]]):
    """A DataFrame where pandas is installed, else the rows."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


class Audit:
    """The result of an audit. Printing it shows what `palimpsest mia` prints; a notebook shows tables and charts."""

    def __init__(self, core: _core.AuditResult, notes: list[str]):
        self._core = core
        #: Warnings that a reader of the results should see.
        self.notes = notes

    @property
    def answer(self) -> str:
        """The whole answer in one or two sentences."""
        return self._core.sentence

    @property
    def verdict(self) -> str:
        """remembered, over_forgotten, detectable_within_margin, equivalent, not_decided or void."""
        return self._core.verdict

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Pairs of a code and a text."""
        return self._core.reasons

    @property
    def aucs(self) -> dict[str, float | None]:
        """The AUC of each attack."""
        return {outcome["attack"]: outcome["auc"] for outcome in self._core.outcomes()}

    @property
    def traces(self) -> dict[str, tuple[Traces | pathlib.Path, Traces | pathlib.Path]]:
        """The traces of the forget and the holdout set, by the model's role: audited, reference, baseline."""
        def shown(traces: Any) -> Traces | pathlib.Path:
            return traces if isinstance(traces, pathlib.Path) else Traces(traces)

        return {role: (shown(forget), shown(holdout)) for role, (forget, holdout) in self._core.traces.items()}

    def scores(self, attack: str) -> tuple[np.ndarray, np.ndarray]:
        """The scores of the forget and of the holdout set under an attack; NaN where a score is undefined."""
        for outcome in self._core.outcomes():
            if outcome["attack"] == attack:
                return outcome["forget"], outcome["holdout"]
        raise Error(f"there is no attack '{attack}' in this audit (expected {', '.join(self.aucs)})")

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for outcome in self._core.outcomes():
            low, high = outcome["auc_ci"] or (None, None)
            rows.append({"attack": outcome["title"], "auc": outcome["auc"], "auc_low": low, "auc_high": high,
                         "advantage": outcome["advantage"]})
        return rows

    def table(self):
        """One row per attack, as a DataFrame if pandas is installed, else as a list of dicts."""
        return _table(self._rows())

    def records(self):
        """One row per example, with its score under each attack; a DataFrame if pandas is installed."""
        outcomes = self._core.outcomes()
        rows = []
        for name in ("forget", "holdout"):
            for i, key in enumerate(getattr(self._core, name)):
                scores = {outcome["attack"]: float(outcome[name][i]) for outcome in outcomes}
                rows.append({"set": name, "index": key, **scores})
        return _table(rows)

    def to_dict(self) -> dict[str, Any]:
        """What mia.json holds (docs/formats.md)."""
        return json.loads(self._core.json())

    def page(self, title: str = "") -> str:
        """The report page as HTML: one file that needs nothing else."""
        return self._core.page(title)

    def save(self, folder: str | os.PathLike[str], title: str = "") -> pathlib.Path:
        """Writes the evidence pack of the audit, as `palimpsest mia --out` does (docs/evidence.md), and returns the folder.

        It holds report.html, mia.json, scores.csv, figures, the traces unless they were given as files, and
        provenance.json, which says where the results come from. `palimpsest verify` checks it.
        """
        folder = pathlib.Path(folder)
        self._core.save(folder, title)
        return folder

    def __str__(self) -> str:
        return self._core.text()

    def __repr__(self) -> str:
        return self._core.text().rstrip("\n")

    def _repr_html_(self) -> str:
        def shown(value):
            return "n/a" if value is None else f"{value:.3f}" if isinstance(value, float) else html.escape(str(value))

        rows = self._rows()
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in rows[0]) if rows else ""
        body = "".join("<tr>" + "".join(f"<td>{shown(value)}</td>" for value in row.values()) + "</tr>" for row in rows)
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        charts = "".join(f'<div style="display:inline-block;vertical-align:top;width:400px;margin:4px">{svg}</div>'
                         for _, svg in self._core.charts()[:4])
        return (f"<p><b>{html.escape(self.answer)}</b></p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
                f"<div>{charts}</div>" + (f"<ul>{notes}</ul>" if notes else ""))


def _is_traces(given: Any) -> bool:
    return isinstance(given, Traces) or (isinstance(given, (list, tuple)) and len(given) > 0 and
                                         isinstance(given[0], Mapping) and "num_labels" in given[0])


def _trace_input(given: Any) -> Any:
    if isinstance(given, Traces):
        return given._core
    if isinstance(given, (str, os.PathLike)):
        return pathlib.Path(given)
    return Traces.from_records(given)._core


def _pair(given: Any, role: str) -> tuple[Any, Any]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Error(f"{role}: traces come as a pair: those of the forget set and those of the holdout set")
    return _trace_input(given[0]), _trace_input(given[1])


def _given_model(model: Any, tokenizer: Any) -> Any:
    """A model of transformers becomes one of ours; everything else stays."""
    if isinstance(model, (str, os.PathLike)):
        return model
    if hasattr(model, "score"):
        for name in ("name", "vocab_size", "tokenizer", "generate"):
            if not hasattr(model, name):
                raise Error(f"model: it has no '{name}', which a model needs (found a {type(model).__name__}); "
                            "see palimpsest.model.LanguageModel")
        return model
    if hasattr(model, "config") and hasattr(model, "generate"):
        from palimpsest import hf

        if tokenizer is None:
            raise Error("tokenizer: a model of transformers needs its tokenizer; give tokenizer=…")
        return hf.Model(model, tokenizer)
    raise Error(f"model: it is neither a folder, a hub id, nor a model (found a {type(model).__name__}); "
                "see palimpsest.model.LanguageModel")


def computing_of(model: Any) -> list[tuple[str, str]]:
    """What provenance.json says of how a model in Python is run."""
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    known = [(name, getattr(model, attribute, None)) for name, attribute in
             (("device", "device"), ("type", "dtype"), ("software", "software"))]
    return [("Python object", kind if hasattr(model, "fingerprint") else f"{kind}, which has no fingerprint"),
            *((name, str(value)) for name, value in known if value is not None), ("Python", platform.python_version())]


def origin_of(names: Mapping[pathlib.Path | str, str], objects: Mapping[pathlib.Path, Any]) -> dict[str, Any]:
    """What provenance.json calls the models that are Python objects, and which of them cannot be told from others."""
    return {"names": {str(path): names[path] for path in objects},
            "unidentified": [str(path) for path, model in objects.items() if not hasattr(model, "fingerprint")]}


def _models(given: dict[str, Any], tokenizer: Any, folder: pathlib.Path) -> tuple[dict[str, tuple[str, pathlib.Path | str]], dict[pathlib.Path, Any]]:
    models: dict[str, tuple[str, pathlib.Path | str]] = {}  # names and folders; without a folder, it is found by the name
    objects: dict[pathlib.Path, Any] = {}
    for role, model in given.items():
        if model is None:
            continue
        model = _given_model(model, tokenizer)
        if isinstance(model, (str, os.PathLike)):
            path = pathlib.Path(hub.model_folder(os.fspath(model)))
            models[role] = (str(model), path if path.is_dir() else "")
        else:
            path = lay_down(model, folder / role)
            models[role] = (str(model.name), path)
            objects[path] = model
    # A folder is called by its last part or, where two would be called the same, by as many as tell them apart. A model of
    # the hub keeps its own name.
    roles = [role for role, (_, path) in models.items() if path]
    for role, name in zip(roles, _core.model_names([models[role][0] for role in roles])):
        models[role] = (name, models[role][1])
    # Different objects of one name, such as a model before and after unlearning, are told apart by their roles.
    for role, (name, path) in list(models.items()):
        if role != "audited" and path in objects and any(
                models[other][0] == name and given[other] is not given[role] for other in models if other != role):
            models[role] = (f"{name} ({role})", path)
    return models, objects


def _add_models(arguments: dict[str, Any], given: dict[str, Any], tokenizer: Any, sets: dict[str, Any],
                folder: pathlib.Path) -> dict[pathlib.Path, Any]:
    """Adds models and data to the arguments, with what provenance.json says of those that are in memory.

    Returns the models that are Python objects, by their folders.
    """
    arguments["models"], objects = _models(given, tokenizer, folder)
    for name, records in sets.items():
        title, path, first = data.records_file(records, name, folder)
        arguments[name] = (title, path)
        if path.is_relative_to(folder):
            arguments["names"][str(path)] = title
        arguments.update(data.keys_of(first, arguments))
    origin = origin_of({path: name for name, path in arguments["models"].values()}, objects)
    arguments["names"] |= origin["names"]
    arguments["unidentified"] = origin["unidentified"]
    audited = arguments["models"]["audited"][1]
    if audited in objects:
        arguments["computing"] = computing_of(objects[audited])
    return objects


def audit(model: Any = None, forget: Any = None, holdout: Any = None, *, reference: Any = None, baseline: Any = None,
          tokenizer: Any = None, attacks: str | Attack | Sequence[str | Attack] = "all", k: float | None = None,
          p: float | None = None, traces_folder: str | os.PathLike[str] | None = None,
          journal: str | os.PathLike[str] | None = None, progress: Callable[[str, int, int], None] | None = None,
          dataset: str | None = None, question_key: str | None = None, answer_key: str | None = None,
          text_key: str | None = None, prefix_key: str | None = None, template: str | None = None,
          tags: Mapping[str, str] | None = None, system_prompt: str | None = None,
          template_variables: Mapping[str, str] | None = None, few_shot: str | os.PathLike[str] | None = None,
          max_length: int | None = None, insert_space: bool = False, attention_mask: str | None = None,
          labels: str | None = None, cluster_key: str | None = None, cluster_size: int | None = None, independent: bool = False, group_keys: Sequence[str] = (),
          margin: float | None = None, primary: str | None = None, confidence: float | None = None,
          bootstrap: int | None = None, seed: int | None = None, fprs: Sequence[float] | None = None,
          allow_overlap: bool = False, blind_baseline: bool = True, cost_fp: float | None = None,
          cost_fn: float | None = None, validation_split: float | None = None,
          false_discovery_rate: float | None = None, dtype: str | None = None, memory_limit: int | None = None,
          threads: int = 0) -> Audit:
    """Audits a model: does it still treat the forget set differently from the holdout set, which it never saw?

    model is a checkpoint folder or a hub id in the local cache (run on the CPU engine), a model of transformers (with
    `tokenizer`), or any `palimpsest.model.LanguageModel`. reference and baseline are further models of these kinds. forget
    and holdout are files (.json, .jsonl, .csv), lists of dicts or texts, a datasets.Dataset or a DataFrame.

    Without a model, forget and holdout are traces: `Traces`, trace files, or lists of dicts. reference and baseline are then
    pairs of such. A pair in place of the model means the same.

    The other arguments are the options of `palimpsest mia`, with its defaults; `tags` has the four texts around questions and
    answers, keyed user_start_tag, user_end_tag, asst_start_tag and asst_end_tag. `traces_folder` keeps the traces of models in
    files, and a later call with the same input takes them from there; `journal` keeps only unfinished work. Messages go to
    the logger "palimpsest".
    """
    chosen = [attacks] if isinstance(attacks, (str, Attack)) else list(attacks)
    own = [attack for attack in chosen if isinstance(attack, Attack)]
    for name in tags or {}:
        if name not in _TAGS:
            raise Error(f"tags: there is no '{name}' (expected {', '.join(_TAGS)})")
    arguments: dict[str, Any] = {
        "attacks": ",".join(attack.name if isinstance(attack, Attack) else attack for attack in chosen),
        "own_attacks": own,
        "parameters": [(name, float(value)) for name, value in (("k", k), ("p", p)) if value is not None],
        "traces_folder": pathlib.Path(traces_folder) if traces_folder is not None else None,
        "journal": pathlib.Path(journal) if journal is not None else None,
        "dataset": dataset, "question_key": question_key, "answer_key": answer_key, "text_key": text_key,
        "prefix_key": prefix_key, "template": template, "system_prompt": system_prompt,
        "template_variables": dict(template_variables or {}), "few_shot": pathlib.Path(few_shot) if few_shot else None,
        "max_length": max_length, "insert_space": insert_space, "attention_mask": attention_mask, "labels": labels,
        "cluster_key": cluster_key, "cluster_size": cluster_size, "independent": independent,
        "group_keys": list(group_keys), "margin": margin, "primary": primary, "confidence": confidence,
        "bootstrap": bootstrap, "seed": seed, "fprs": None if fprs is None else list(fprs),
        "allow_overlap": allow_overlap, "blind_baseline": blind_baseline, "cost_fp": cost_fp, "cost_fn": cost_fn,
        "validation_split": validation_split, "false_discovery_rate": false_discovery_rate, "dtype": dtype,
        "memory_limit": memory_limit, "threads": threads,
        **(tags or {}), "command": list(sys.orig_argv), "names": {},
    }
    if isinstance(model, (tuple, list)):
        if forget is not None or holdout is not None:
            raise Error("model: it is a pair of traces, so that there is no forget and no holdout set beside it")
        forget, holdout = model if len(model) == 2 else (None, None)
        model = None
    if forget is None or holdout is None:
        raise Error("an audit needs a forget set and a holdout set")
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as scratch:
        folder = pathlib.Path(scratch)
        objects: dict[pathlib.Path, Any] = {}
        if model is None:
            given = {"audited": (forget, holdout), "reference": reference, "baseline": baseline}
            arguments["traces"] = {role: _pair(sets, role) for role, sets in given.items() if sets is not None}
        elif _is_traces(forget) or _is_traces(holdout):
            raise Error("forget: traces are given beside a model; leave the model out")
        else:
            given = {"audited": model, "reference": reference, "baseline": baseline}
            objects = _add_models(arguments, given, tokenizer, {"forget": forget, "holdout": holdout}, folder)
        with data.without_folder(folder) as shown:
            done = _core.audit(arguments, objects, lambda level, text: _LOG.log(level, "%s", shown(text)), progress)
            return Audit(done, [shown(note) for note in done.notes])
