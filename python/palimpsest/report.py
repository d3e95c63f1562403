"""Reports on attacks, under the names that tapas.report gives them: a thin layer over the library's report.

    summary = MIAttackSummary(labels, predictions, scores, "generator", "attack", "data", "target")
    MIAttackReport([summary], num_bootstrap=1000).publish("out")

publish() writes report.html, metrics.csv, effective_epsilon.csv and the figures into a folder. A number that is undefined is
None. Two definitions differ from TAPAS' on purpose (docs/definitions.md): the false positive rate is the share of negatives
that the attack calls positive, and the validation part of EffectiveEpsilonReport is drawn by chance from each class.
"""

from __future__ import annotations

import csv
import os
import pathlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from palimpsest import _core, stat
from palimpsest._core import Error

if TYPE_CHECKING:  # numpy takes long to import it
    from numpy.typing import ArrayLike

__all__ = [
    "ALL_METRICS", "AIAttackReport", "AIAttackSummary", "AttackSummary", "BinaryAIAttackReport", "BinaryAIAttackSummary",
    "BinaryLabelAttackReport", "BinaryLabelInferenceAttackSummary", "DEFAULT_METRICS", "EffectiveEpsilonReport",
    "LabelInferenceAttackSummary", "MIAttackReport", "MIAttackSummary", "ROCReport", "Report",
]

#: The metrics that a report may have.
ALL_METRICS = ["accuracy", "true_positive_rate", "false_positive_rate", "mia_advantage", "privacy_gain", "auc",
               "effective_epsilon"]
#: The metrics of a report that names none.
DEFAULT_METRICS = ["accuracy", "privacy_gain", "auc"]

_COLUMNS = ("dataset", "generator", "attack", "target_id", "sensitive_attribute")


def _frame(rows: list[dict[str, Any]]):
    try:
        import pandas
    except ImportError as error:
        raise Error("this needs pandas: pip install palimpsest[pandas]") from error
    return pandas.DataFrame(rows)


class AttackSummary:
    """What an attack did in one setting."""

    dataset = generator = attack = target_id = sensitive_attribute = ""
    _kind = "attack"
    labels: np.ndarray
    predictions: np.ndarray
    scores: np.ndarray | None

    def _metrics(self) -> dict[str, Any]:
        raise NotImplementedError

    def _header(self) -> dict[str, Any]:
        return {}

    def get_metrics(self):
        """One row with the names of the setting and all metrics, as a DataFrame."""
        return _frame([{**self._header(), **self._metrics()}])

    def get_metric_filename(self, postfix: str = "") -> str:
        """The name of the file that write_metrics() writes."""
        names = [str(getattr(self, name)) for name in ("dataset", "attack", "generator")]
        more = [self.sensitive_attribute] if self.sensitive_attribute else []
        return "_".join(["result", self._kind, *names, f"Target{self.target_id}", *more, f"{postfix}.csv"])

    def write_metrics(self, output_path: str | os.PathLike[str], postfix: str = "") -> None:
        """Writes get_metrics() as a .csv file into a folder."""
        self.get_metrics().to_csv(pathlib.Path(output_path) / self.get_metric_filename(postfix), index=False)


class LabelInferenceAttackSummary(AttackSummary):
    """True labels and predicted ones, of any number of classes."""

    def __init__(self, labels: ArrayLike, predictions: ArrayLike, scores: ArrayLike | None = None):
        self.labels = np.asarray(labels)
        self.predictions = np.asarray(predictions)
        self.scores = None if scores is None else np.asarray(scores, dtype=np.float64)
        for name in ("predictions", "scores"):
            values = getattr(self, name)
            if values is not None and values.shape != self.labels.shape:
                raise Error(f"{name}: the array has another shape than the labels ({values.shape}, {self.labels.shape})")

    @property
    def accuracy(self) -> float | None:
        """The share of right predictions."""
        return float(np.mean(self.predictions == self.labels)) if self.labels.size else None

    def _metrics(self) -> dict[str, Any]:
        return {"accuracy": self.accuracy}


class BinaryLabelInferenceAttackSummary(LabelInferenceAttackSummary):
    """Two classes: labels that equal positive_label, and all others. A higher score means more likely positive."""

    def __init__(self, labels: ArrayLike, predictions: ArrayLike, scores: ArrayLike | None = None, positive_label: Any = 1):
        super().__init__((np.asarray(labels) == positive_label).astype(np.int64),
                         (np.asarray(predictions) == positive_label).astype(np.int64), scores)

    def _rate(self, label: int) -> float | None:
        chosen = self.predictions[self.labels == label]
        return float(np.mean(chosen)) if chosen.size else None

    def _classes(self) -> tuple[np.ndarray, np.ndarray]:
        scores = self.predictions.astype(np.float64) if self.scores is None else self.scores
        return scores[self.labels == 1], scores[self.labels == 0]

    @property
    def tp(self) -> float | None:
        """The true positive rate."""
        return self._rate(1)

    @property
    def fp(self) -> float | None:
        """The false positive rate."""
        return self._rate(0)

    @property
    def mia_advantage(self) -> float | None:
        """The true positive rate minus the false positive rate."""
        return None if self.tp is None or self.fp is None else self.tp - self.fp

    @property
    def privacy_gain(self) -> float | None:
        """1 minus the advantage."""
        return None if self.mia_advantage is None else 1 - self.mia_advantage

    @property
    def auc(self) -> float | None:
        """The area under the ROC curve of the scores; of the predictions if there are no scores."""
        return stat.auc(*self._classes())

    @property
    def effective_epsilon(self) -> float | None:
        """A point estimate of epsilon over the thresholds of the scores, without any guarantee."""
        return stat.effective_epsilon(*self._classes())

    def _metrics(self) -> dict[str, Any]:
        return {"accuracy": self.accuracy, "true_positive_rate": self.tp, "false_positive_rate": self.fp,
                "mia_advantage": self.mia_advantage, "privacy_gain": self.privacy_gain, "auc": self.auc,
                "effective_epsilon": self.effective_epsilon}


class _NamedSummary(AttackSummary):
    """A summary that says in which setting the attack was made."""

    def _name(self, generator_info: str, attack_info: str, dataset_info: str, target_id: str) -> None:
        self.generator, self.attack, self.dataset, self.target_id = generator_info, attack_info, dataset_info, target_id

    def _header(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("dataset", "target_id", "generator", "attack")}

    def get_header(self):
        """One row with the names of the setting, as a DataFrame."""
        return _frame([self._header()])


class MIAttackSummary(_NamedSummary, BinaryLabelInferenceAttackSummary):
    """A membership inference attack: label 1 (or True) is a member."""

    _kind = "mia"

    def __init__(self, labels: ArrayLike, predictions: ArrayLike, scores: ArrayLike | None = None, generator_info: str = "",
                 attack_info: str = "", dataset_info: str = "", target_id: str = ""):
        super().__init__(labels, predictions, scores, positive_label=True)
        self._name(generator_info, attack_info, dataset_info, target_id)


class AIAttackSummary(_NamedSummary, LabelInferenceAttackSummary):
    """An attribute inference attack: labels and predictions are values of the sensitive attribute."""

    _kind = "aia"

    def __init__(self, labels: ArrayLike, predictions: ArrayLike, scores: ArrayLike | None = None, generator_info: str = "",
                 attack_info: str = "", dataset_info: str = "", target_id: str = "", sensitive_attribute: str = "",
                 **arguments: Any):
        super().__init__(labels, predictions, scores, **arguments)
        self._name(generator_info, attack_info, dataset_info, target_id)
        self.sensitive_attribute = sensitive_attribute

    def _header(self) -> dict[str, Any]:
        return {**super()._header(), "sensitive_attribute": self.sensitive_attribute}


class BinaryAIAttackSummary(AIAttackSummary, BinaryLabelInferenceAttackSummary):
    """An attribute inference attack on one value of the attribute, against all others."""

    def __init__(self, labels: ArrayLike, predictions: ArrayLike, scores: ArrayLike | None = None, generator_info: str = "",
                 attack_info: str = "", dataset_info: str = "", target_id: str = "", sensitive_attribute: str = "",
                 positive_value: Any = 1):
        super().__init__(labels, predictions, scores, generator_info, attack_info, dataset_info, target_id,
                         sensitive_attribute, positive_label=positive_value)


def _write_scores(summaries: Sequence[AttackSummary], path: pathlib.Path) -> None:
    if not summaries:
        raise Error("a report needs at least one summary")
    with_scores = [summary.scores is not None for summary in summaries]
    if any(with_scores) != all(with_scores):
        raise Error("some summaries have scores and others have none; report them apart")
    settings = [column for column in _COLUMNS
                if column != "sensitive_attribute" or any(summary.sensitive_attribute for summary in summaries)]
    columns = ["label"] + (["score"] if all(with_scores) else []) + ["prediction", *settings]
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        for number, summary in enumerate(summaries):
            # Summaries without names are told apart by their places.
            names = [str(getattr(summary, column)) for column in settings]
            if not names[2]:
                names[2] = f"attack {number}"
            for i in range(len(summary.labels)):
                score = [repr(float(summary.scores[i]))] if summary.scores is not None else []
                rows.writerow([summary.labels[i], *score, summary.predictions[i], *names])


class Report:
    """A report on summaries of attacks."""

    def __init__(self, summaries: Iterable[AttackSummary], **arguments: Any):
        if hasattr(summaries, "columns"):
            raise Error("summaries: a table of metrics cannot be reported; give the summaries themselves")
        self.summaries = list(summaries)
        self._arguments = arguments

    def publish(self, filepath: str | os.PathLike[str]) -> Any:
        """Writes the report into a folder, which is made if it does not exist."""
        folder = pathlib.Path(filepath)
        with tempfile.TemporaryDirectory(prefix="palimpsest-") as scratch:
            scores = pathlib.Path(scratch) / "scores.csv"
            _write_scores(self.summaries, scores)
            _core.publish_report(scores, folder, self._arguments)
        return None


class BinaryLabelAttackReport(Report):
    """All metrics of two-class attacks, compared across data sets, generators, targets and attacks."""

    def __init__(self, summaries: Iterable[AttackSummary], metrics: Sequence[str] | None = None,
                 num_bootstrap: int | None = None):
        self.metrics = list(metrics or DEFAULT_METRICS)
        super().__init__(summaries, metrics=",".join(self.metrics), bootstrap=num_bootstrap or 0)

    @property
    def attacks_data(self):
        """One row per summary, as a DataFrame."""
        return _frame([{**summary._header(), **summary._metrics()} for summary in self.summaries])


class MIAttackReport(BinaryLabelAttackReport):
    """A report on membership inference attacks."""

    @classmethod
    def load_summary_statistics(cls, attacks: Iterable[Mapping[str, Any]],
                                metrics: Sequence[str] | None = None) -> MIAttackReport:
        """Makes the summaries of dicts with labels, predictions, scores, generator, attack, dataset and target_id."""
        return cls([MIAttackSummary(attack["labels"], attack["predictions"], attack.get("scores"), attack["generator"],
                                    attack["attack"], attack["dataset"], attack["target_id"]) for attack in attacks],
                   metrics)


class BinaryAIAttackReport(MIAttackReport):
    """A report on attribute inference attacks on one value of the attribute."""


#: Another name of the same report, which TAPAS' documentation uses.
AIAttackReport = BinaryAIAttackReport


class ROCReport(Report):
    """ROC curves of several attacks in one figure, or in one per value of disaggregate_by."""

    def __init__(self, attack_summaries: Iterable[AttackSummary], suffix: str = "", disaggregate_by: str | None = None,
                 curve_label: str = "attack", eff_epsilon: float | None = None, zooms: Sequence[float] = (1,)):
        super().__init__(attack_summaries, metrics="auc", title=suffix, disaggregate_by=disaggregate_by,
                         curve_label=curve_label, epsilons=[] if eff_epsilon is None else [float(eff_epsilon)],
                         zooms=[float(zoom) for zoom in zooms])


class EffectiveEpsilonReport(Report):
    """Bounds on the epsilon of a mechanism: attack and threshold are chosen on one part of the outcomes, and the bounds come
    from the rest. All attacks must have been run in the same setting."""

    def __init__(self, attack_summaries: Iterable[AttackSummary], validation_split: float = 0.1,
                 confidence_levels: float | Sequence[float] = (0.9, 0.95, 0.99),
                 heuristic: Literal["cp", "ratio"] = "cp",
                 suffix: str | None = None):
        super().__init__(attack_summaries)
        self.validation_split = validation_split
        self.confidence_levels = [confidence_levels] if isinstance(confidence_levels, float) else list(confidence_levels)
        self.heuristic = heuristic
        self.suffix = f"_{suffix}" if suffix else ""

    def publish(self, filepath: str | os.PathLike[str]):
        """Writes effective_epsilon.csv into the folder and returns it as a DataFrame."""
        attacks = [(summary.labels, summary.predictions if summary.scores is None else summary.scores)
                   for summary in self.summaries]
        found = stat.two_step_epsilon(attacks, validation_split=self.validation_split,
                                      confidence_levels=self.confidence_levels, heuristic=self.heuristic)
        rows = [{"confidence": bound.confidence, "epsilon_low": bound.epsilon.low, "epsilon_high": bound.epsilon.high}
                for bound in (found.bounds if found else [])]
        folder = pathlib.Path(filepath)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"effective_epsilon{self.suffix}.csv").open("w", newline="", encoding="utf-8") as file:
            lines = csv.DictWriter(file, ["confidence", "epsilon_low", "epsilon_high"])
            lines.writeheader()
            lines.writerows(rows)
        return _frame(rows)
