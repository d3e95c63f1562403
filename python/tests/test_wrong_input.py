"""Wrong input, broken code of users and interruptions, in Python's terms: what is wrong, where, and nothing is lost."""

import os
import signal
import threading

import numpy as np
import pytest
from test_audit import Recorder, many  # noqa: F401  (a fixture)
from test_evaluate import config, mean_logprob  # noqa: F401  (a fixture)

import palimpsest
from palimpsest import engine, stat

TRACES = {"offsets": np.array([0, 2, 3]), "logprob": np.array([-1.0, -2.0, -0.5])}


@pytest.mark.parametrize("change, said", [
    ({"logprob": np.array([-1.0, np.nan, -0.5])}, "logprob"),
    ({"logprob": np.array([-1.0, -np.inf, -0.5])}, "logprob"),
    ({"logprob": np.array([-1.0, -2.0, 0.5])}, "logprob"),
    ({"logprob": np.array([-1j, -2.0, -0.5])}, "logprob: the array has the wrong type"),
    ({"logprob": np.array(["a", "b", "c"])}, "logprob: the array has the wrong type"),
    ({"logprob": np.array([[-1.0, -2.0, -0.5]])}, "logprob: the array has the wrong number of dimensions"),
    ({"logprob": [[-1.0], [-2.0, -0.5]]}, "logprob: it is not an array of numbers"),
    ({"label": np.array([1.5, 2.0, 3.0])}, r"label: the array has the wrong type \(expected whole numbers"),
    ({"offsets": np.array([0.0, 2.0, 3.0])}, "offsets: the array has the wrong type"),
    ({"offsets": np.array([0, 3, 2])}, "offsets"),
    ({"num_labels": [2]}, "num_labels: the array has the wrong length"),
    ({"offsets": None}, "logprob: without offsets it has one array of numbers per trace"),
])
def test_wrong_arrays_of_traces(change, said):
    with pytest.raises(palimpsest.Error, match=said):
        palimpsest.Traces.from_arrays(**{**TRACES, **change})


@pytest.mark.parametrize("function", [stat.auc, stat.delong, stat.ks, stat.effective_epsilon, stat.roc_curve,
                                      stat.bootstrap_auc, stat.advantage])
@pytest.mark.parametrize("wrong", [[np.nan, 1.0], [[1.0], [1.0, 2.0]], ["a"], np.array([1j]), None, {"a": 1}])
def test_wrong_scores(function, wrong):
    with pytest.raises(palimpsest.Error):
        function(wrong, [0.5, 0.7])
    with pytest.raises(palimpsest.Error):
        function([0.5, 0.7], wrong)


@pytest.mark.parametrize("score, said", [
    (lambda trace: "high", "least: the attack returned something else than a score"),
    (lambda trace: float("nan"), "a finite number, or None where it is undefined, found nan"),
    (lambda trace: [1.0], "least"),
])
def test_an_attack_that_returns_no_score(examples, score, said):
    with pytest.raises(palimpsest.Error, match=said):
        palimpsest.audit(forget=examples / "traces/forget.jsonl", holdout=examples / "traces/holdout.jsonl",
                         attacks=["loss", palimpsest.Attack("least", score)])


def test_an_exception_of_an_attack_reaches_the_caller(examples):
    def broken(trace):
        return trace["no such column"]

    with pytest.raises(KeyError, match="no such column") as caught:
        palimpsest.audit(forget=examples / "traces/forget.jsonl", holdout=examples / "traces/holdout.jsonl",
                         attacks=[palimpsest.Attack("broken", broken)])
    assert any(entry.name == "broken" for entry in caught.traceback)


def test_a_model_that_lacks_something(examples):
    with engine.Model(examples / "tiny-model") as model, pytest.raises(palimpsest.Error, match="it has no 'tokenizer'"):
        palimpsest.audit(model, ["a"], ["b"])


def test_tags(examples):
    with pytest.raises(palimpsest.Error, match="tags: there is no 'start'"):
        palimpsest.audit(examples / "tiny-model", ["a"], ["b"], tags={"start": "x"})


def test_work_that_was_finished_before_a_handler_failed_is_kept(config, examples, tmp_path):  # noqa: F811
    @palimpsest.unlearning_metric(name="mean_logprob", traces=True)
    def broken(inputs):
        raise LookupError("not yet")

    first, second = Recorder(examples / "tiny-tokenizer"), Recorder(examples / "tiny-tokenizer")
    with pytest.raises(LookupError):
        palimpsest.evaluate(**config("mean_logprob"), handlers=[broken], model=first, out=tmp_path)
    done, = palimpsest.evaluate(**config("mean_logprob"), handlers=[mean_logprob], model=second, out=tmp_path)
    assert first.calls > 0 and second.calls == 0
    assert done["ours"] < 0


def test_ctrl_c_during_an_evaluation_leaves_no_results_and_can_be_continued(config, examples, many,  # noqa: F811
                                                                             tmp_path):
    @palimpsest.records_handler(name="Many")
    def records(first):
        return many["forget"][:first]

    def evaluate(model, out):
        return palimpsest.evaluate(**config("mean_logprob", dataset="Many", arguments="first: 1000"), out=out,
                                   handlers=[mean_logprob], datasets=[records], model=model)

    stopped = threading.Event()

    class Slow(Recorder):
        def score(self, sequences, options):
            if self.calls == 1:
                os.kill(os.getpid(), signal.SIGINT)
                stopped.wait(10)
            return super().score(sequences, options)

    earlier = signal.signal(signal.SIGINT, lambda *_: (stopped.set(), signal.default_int_handler(*_)))
    try:
        with pytest.raises(KeyboardInterrupt):
            evaluate(Slow(examples / "tiny-tokenizer"), tmp_path / "out")
    finally:
        signal.signal(signal.SIGINT, earlier)
    assert not (tmp_path / "out/OWN_EVAL.json").exists()
    rest, whole = Recorder(examples / "tiny-tokenizer"), Recorder(examples / "tiny-tokenizer")
    continued, = evaluate(rest, tmp_path / "out")
    expected, = evaluate(whole, tmp_path / "whole")
    assert continued["ours"] == expected["ours"]
    assert 0 < rest.calls < whole.calls


def test_ctrl_c_stops_the_engine(examples):
    with engine.Model(examples / "tiny-model") as model:
        ids = [np.arange(60) % model.vocab_size] * 2000
        stopped = threading.Event()

        def interrupt():
            # Again, if need be: Python loses an interruption that comes while it runs a callback of its garbage collector.
            while not stopped.wait(0.5):
                os.kill(os.getpid(), signal.SIGINT)

        # What a shell starts in the background ignores the signal.
        earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                while True:
                    model.score(ids)
        finally:
            stopped.set()
            thread.join()
            signal.signal(signal.SIGINT, earlier)
        assert len(model.score(ids[:1])) == 1
