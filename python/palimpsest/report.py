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
    "AttackSummary", "BinaryLabelAttackReport", "BinaryLabelInferenceAttackSummary", "EffectiveEpsilonReport",
    "LabelInferenceAttackSummary", "MIAttackReport", "MIAttackSummary", "ROCReport", "Report",
]

_COLUMNS = ("dataset", "generator", "attack", "target_id")


def _frame(rows: list[dict[str, Any]]):
    try:
        import pandas
    except ImportError as error:
        raise Error("this needs pandas: pip install palimpsest[pandas]") from error
    return pandas.DataFrame(rows)


class AttackSummary:
    """What an attack did in one setting."""

    dataset = generator = attack = target_id = ""
    labels: np.ndarray
    predictions: np.ndarray
    scores: np.ndarray | None

    def _metrics(self) -> dict[str, Any]:
        raise NotImplementedError

    def get_metrics(self):
        """One row with all metrics, as a DataFrame."""
        return _frame([self._metrics()])


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
        return None if self.tp is None or self.fp is None else self.tp - self.fp

    @property
    def privacy_gain(self) -> float | None:
        return None if self.mia_advantage is None else 1 - self.mia_advantage

    @property
    def auc(self) -> float | None:
        return stat.auc(*self._classes())

    @property
    def effective_epsilon(self) -> float | None:
        return stat.effective_epsilon(*self._classes())

    def _metrics(self) -> dict[str, Any]:
        return {"accuracy": self.accuracy, "true_positive_rate": self.tp, "false_positive_rate": self.fp,
                "mia_advantage": self.mia_advantage, "privacy_gain": self.privacy_gain, "auc": self.auc,
                "effective_epsilon": self.effective_epsilon}


class MIAttackSummary(BinaryLabelInferenceAttackSummary):
    """A membership inference attack: label 1 (or True) is a member."""

    def __init__(self, labels: ArrayLike, predictions: ArrayLike, scores: ArrayLike | None = None, generator_info: str = "",
                 attack_info: str = "", dataset_info: str = "", target_id: str = ""):
        super().__init__(labels, predictions, scores, positive_label=True)
        self.generator = generator_info
        self.attack = attack_info
        self.dataset = dataset_info
        self.target_id = target_id

    def _metrics(self) -> dict[str, Any]:
        return {"dataset": self.dataset, "target_id": self.target_id, "generator": self.generator, "attack": self.attack,
                **super()._metrics()}


def _write_scores(summaries: Sequence[AttackSummary], path: pathlib.Path) -> None:
    if not summaries:
        raise Error("a report needs at least one summary")
    with_scores = [summary.scores is not None for summary in summaries]
    if any(with_scores) != all(with_scores):
        raise Error("some summaries have scores and others have none; report them apart")
    columns = ["label"] + (["score"] if all(with_scores) else []) + ["prediction", *_COLUMNS]
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        for number, summary in enumerate(summaries):
            # Summaries without names are told apart by their places.
            names = [str(getattr(summary, column)) for column in _COLUMNS]
            if not names[2]:
                names[2] = f"attack {number}"
            for i in range(len(summary.labels)):
                score = [repr(float(summary.scores[i]))] if summary.scores is not None else []
                rows.writerow([int(summary.labels[i]), *score, int(summary.predictions[i]), *names])


class Report:
    """A report on summaries of attacks."""

    def __init__(self, summaries: Iterable[AttackSummary], **arguments: Any):
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
        super().__init__(summaries, metrics=",".join(metrics) if metrics else "all", bootstrap=num_bootstrap or 0)
        self.metrics = list(metrics) if metrics else None

    @property
    def attacks_data(self):
        """One row per summary, as a DataFrame."""
        return _frame([summary._metrics() for summary in self.summaries])


class MIAttackReport(BinaryLabelAttackReport):
    """A report on membership inference attacks."""

    @classmethod
    def load_summary_statistics(cls, attacks: Iterable[Mapping[str, Any]],
                                metrics: Sequence[str] | None = None) -> MIAttackReport:
        """Makes the summaries of dicts with labels, predictions, scores, generator, attack, dataset and target_id."""
        return cls([MIAttackSummary(attack["labels"], attack["predictions"], attack.get("scores"), attack["generator"],
                                    attack["attack"], attack["dataset"], attack["target_id"]) for attack in attacks],
                   metrics)


class ROCReport(Report):
    """ROC curves of several attacks in one figure, or in one per value of disaggregate_by."""

    def __init__(self, attack_summaries: Iterable[AttackSummary], suffix: str = "", disaggregate_by: str | None = None,
                 curve_label: str = "attack", eff_epsilon: float | None = None, zooms: Sequence[float] = (1,)):
        super().__init__(attack_summaries, metrics="auc", title=suffix, disaggregate_by=disaggregate_by)
        self.curve_label, self.eff_epsilon, self.zooms = curve_label, eff_epsilon, list(zooms)


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
