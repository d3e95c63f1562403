"""Metrics under fedjax's names, reports under TAPAS' names. The examples are those of their documentation, worked out anew
where a definition differs."""

import pickle

import numpy as np
import pytest

import palimpsest
from palimpsest import metrics, report


def close(stat, *expected):
    for value, wanted in zip(stat._values(), expected):
        np.testing.assert_allclose(value, wanted, rtol=1e-6)


LOGITS = np.array([[1.2, 0.4], [2.3, 0.1], [0.3, 3.2]])
TARGETS = {"y": np.array([1, 0, 1])}
TOKENS = {"y": np.array([1, 2, 2, 1, 3, 0])}
ONE_HOT = np.eye(4)[[1, 0, 2, 1, 3, 0]]
MASK = (0.0, 0.0, 0.0, -np.inf)


@pytest.mark.parametrize("metric, example, prediction, expected", [
    (metrics.CrossEntropyLoss(), {"y": np.array(1)}, np.array([1.2, 0.4]), (1.1711007, 1)),
    (metrics.Accuracy(), {"y": np.array(2)}, np.array([0, 0, 1]), (1, 1)),
    (metrics.TopKAccuracy(k=2), {"y": np.array(2)}, np.array([0, 0.5, 0.2]), (1, 1)),
    (metrics.SequenceTokenCrossEntropyLoss(), TARGETS, LOGITS, (1.2246635, 2)),
    (metrics.SequenceTokenCrossEntropyLoss(per_position=True), TARGETS, LOGITS, ([1.1711007, 0, 0.05356275], [1, 0, 1])),
    (metrics.SequenceCrossEntropyLoss(), TARGETS, LOGITS, (1.2246635, 1)),
    (metrics.SequenceTokenAccuracy(logits_mask=MASK), TOKENS, ONE_HOT, (3, 5)),
    (metrics.SequenceTokenAccuracy(logits_mask=MASK, per_position=True), TOKENS, ONE_HOT,
     ([1, 0, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0])),
    (metrics.SequenceTokenTopKAccuracy(k=2, logits_mask=MASK), TOKENS,
     np.array([[0, 1, 0.5, 0], [1, 0.5, 0, 0], [0.8, 0, 0.7, 0], [0.5, 1, 0, 0], [0, 0.5, 0, 1], [0.5, 0, 0.9, 0]]),
     (3, 5)),
    (metrics.SequenceTokenCount(masked_target_values=(0, 2)), {"y": np.array([1, 2, 2, 3, 4, 0, 0])}, np.array([]), (3,)),
    (metrics.SequenceCount(masked_target_values=(0, 2)), {"y": np.array([1, 2, 2, 3, 4, 0, 0])}, np.array([]), (1,)),
    (metrics.SequenceCount(masked_target_values=(0, 2)), {"y": np.zeros(7, dtype=int)}, np.array([]), (0,)),
    (metrics.SequenceTruncationRate(eos_target_value=4), {"y": np.array([1, 2, 2, 3, 3, 3, 4])}, np.array([]), (0, 1)),
    (metrics.SequenceTruncationRate(eos_target_value=4), {"y": np.array([1, 2, 2, 3, 3, 3, 3])}, np.array([]), (1, 1)),
    (metrics.SequenceTokenOOVRate(oov_target_values=(2,)), {"y": np.array([1, 2, 2, 3, 4, 0, 0])}, np.array([]), (2, 5)),
    (metrics.SequenceTokenOOVRate(oov_target_values=(2,), per_position=True), {"y": np.array([1, 2, 2, 3, 4, 0, 0])},
     np.array([]), ([0, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0, 0])),
    (metrics.SequenceLength(), {"y": np.array([1, 2, 3, 4, 0, 0])}, np.array([]), (4, 1)),
])
def test_examples(metric, example, prediction, expected):
    found = metric.evaluate_example(example, prediction)
    close(found, *expected)
    assert found == metric.zero().merge(found)
    assert pickle.loads(pickle.dumps(metric)) == metric and hash(metric) == hash(pickle.loads(pickle.dumps(metric)))
    assert pickle.loads(pickle.dumps(found)) == found


def test_statistics_merge_and_reduce():
    assert repr(metrics.MeanStat.new(1, 2).merge(metrics.MeanStat.new(2, 3))) == "MeanStat(accum=3, weight=5) => 0.6"
    close(metrics.MeanStat.new(np.array([1, 2, 4]), np.array([1, 1, 0])).reduce(), 3, 2)
    close(metrics.SumStat.new(np.array([1, 2, 1])).reduce(), 4)
    close(metrics.SumStat.new(np.ones((2, 3))).reduce(axis=None), 6)
    assert np.isnan(metrics.MeanStat.new(0, 0).result())
    with pytest.raises(palimpsest.Error):
        metrics.MeanStat.new(1, 2).merge(metrics.SumStat.new(1))


def test_batches_masks_and_domains():
    examples = {"y": np.array([1, 0, 1, 0])}
    predictions = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    assert metrics.evaluate_batch(metrics.Accuracy(), examples, predictions).result() == 0.75
    assert metrics.evaluate_batch(metrics.Accuracy(), examples, predictions, [1, 1, 0, 0]).result() == 1
    per_domain = metrics.PerDomainMetric(metrics.Accuracy(), num_domains=3)
    found = metrics.evaluate_batch(per_domain, {"domain_id": np.array([0, 0, 1, 2]), "y": np.array([0, 1, 0, 1])},
                                   np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]))
    np.testing.assert_array_equal(found.result(), [0.5, 0, 1])
    assert pickle.loads(pickle.dumps(per_domain)) == per_domain


def test_a_model_is_evaluated_in_one_pass():
    model = metrics.Model.new(apply_for_eval=lambda _, batch: batch.get("pred"), eval_metrics={"accuracy": metrics.Accuracy()})
    batches = [{"y": np.array([1, 0]), "pred": np.array([[1.2, 0.4], [2.3, 0.1]])},
               {"y": np.array([1, 1]), "pred": np.array([[0.3, 3.2], [2.1, 4.3]])}]
    assert metrics.evaluate_model(model, None, batches) == {"accuracy": 0.75}


class Largest(metrics.Stat):
    def __init__(self, value):
        self.value = value

    def merge(self, other):
        return Largest(max(self.value, other.value))

    def reduce(self, axis=0):
        return self

    def result(self):
        return self.value


class Longest(metrics.Metric):
    def zero(self):
        return Largest(0)

    def evaluate_example(self, example, prediction):
        return Largest(int((example["y"] != 0).sum()))


def test_a_metric_and_a_statistic_of_ones_own():
    found = metrics.evaluate_batch(Longest(), {"y": np.array([[1, 2, 0], [1, 0, 0]])}, None)
    assert found.result() == 2


def test_wrong_input_is_refused():
    with pytest.raises(palimpsest.Error):
        metrics.Accuracy().evaluate_example({"x": 1}, [0.0, 1.0])
    with pytest.raises(palimpsest.Error):
        metrics.Accuracy().evaluate_example({"y": 5}, [0.0, 1.0])
    with pytest.raises(palimpsest.Error):
        metrics.Accuracy().evaluate_example({"y": "one"}, [0.0, 1.0])


@pytest.fixture
def summary():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 400)
    scores = labels + random.normal(0, 0.7, 400)
    return report.MIAttackSummary(labels, scores > 0.5, scores, "Random", "Example", "Test", "Target")


def test_summaries(summary):
    row = summary.get_metrics().iloc[0]
    assert row["true_positive_rate"] == np.mean(summary.predictions[summary.labels == 1])
    assert row["mia_advantage"] == pytest.approx(row["true_positive_rate"] - row["false_positive_rate"])
    assert row["auc"] == palimpsest.auc(summary.scores[summary.labels == 1], summary.scores[summary.labels == 0])
    assert row["accuracy"] == np.mean(summary.predictions == summary.labels)
    assert pickle.loads(pickle.dumps(summary)).auc == summary.auc


def test_reports_are_published(summary, tmp_path):
    report.MIAttackReport([summary], num_bootstrap=100, metrics=["accuracy", "auc"]).publish(tmp_path / "a")
    text = (tmp_path / "a/metrics.csv").read_text()
    assert "auc" in text and f"{summary.auc:.4f}"[:5] in text
    assert (tmp_path / "a/report.html").is_file() and list((tmp_path / "a/figures").glob("*.svg"))
    report.ROCReport([summary]).publish(tmp_path / "b")
    assert list((tmp_path / "b/figures").glob("*roc*.svg"))
    epsilon = report.EffectiveEpsilonReport([summary]).publish(tmp_path / "c")
    assert epsilon.shape == (3, 3)
    assert (tmp_path / "c/effective_epsilon.csv").is_file()
    loaded = report.MIAttackReport.load_summary_statistics(
        [{"labels": [0, 1], "predictions": [0, 1], "scores": [0.1, 0.9], "generator": "g", "attack": "a", "dataset": "d",
          "target_id": "t"}])
    assert list(loaded.attacks_data["accuracy"]) == [1.0]


def test_wrong_summaries_are_refused():
    with pytest.raises(palimpsest.Error, match="scores: the array has another shape"):
        report.MIAttackSummary([0, 1], [0, 1], [0.5])
    with pytest.raises(palimpsest.Error, match="at least one summary"):
        report.MIAttackReport([]).publish("nowhere")
