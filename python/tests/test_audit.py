"""palimpsest.audit: the same audit as the program's, from whatever Python has."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas
import pytest

import palimpsest
from palimpsest.model import Generation, SequenceScores


@pytest.fixture(scope="module")
def files(examples):
    return {"forget": examples / "data/forget.jsonl", "holdout": examples / "data/holdout.jsonl"}


@pytest.fixture(scope="module")
def records(files):
    return {name: [json.loads(line) for line in path.read_text().splitlines()] for name, path in files.items()}


@pytest.fixture(scope="module")
def many():
    """Enough different records for several batches."""
    random = np.random.default_rng(0)
    words = np.array("a author born near river rivers small the town was".split())
    return {name: [{"question": "Where was the author born?", "answer": " ".join(random.choice(words, 30))}
                   for _ in range(1000)] for name in ("forget", "holdout")}


@pytest.fixture(scope="module")
def from_files(examples, files):
    return palimpsest.audit(examples / "tiny-model", **files, attacks="loss,min_k")


class Recorder:
    """A model in Python that says of every token what the engine would say of the tiny model: nothing in particular."""

    name = "recorder"
    vocab_size = 4096
    has_gradients = True

    def __init__(self, tokenizer, fail_after=None):
        self.tokenizer = tokenizer
        self.fail_after = fail_after
        self.calls = 0

    def score(self, sequences, options):
        self.calls += 1
        if self.fail_after is not None and self.calls > self.fail_after:
            raise RuntimeError("the model broke")
        results = []
        for sequence in sequences:
            labels = sequence.labels[1:][sequence.labels[1:] != -100]
            logprob = -1.0 - (labels % 7)
            zero = np.zeros(len(labels))
            results.append(SequenceScores(logprob, zero - 2, zero + 1, labels, [1.0] * len(options.gradient_norms)))
        return results

    def generate(self, prompts, options):
        return [Generation([0]) for _ in prompts]

    def fingerprint(self):
        return "always the same"


def test_the_text_is_that_of_the_program(from_files, examples, files):
    done = subprocess.run([sys.executable, "-m", "palimpsest", "--quiet", "mia", "--model", examples / "tiny-model",
                           "--forget", files["forget"], "--holdout", files["holdout"], "--attacks", "loss,min_k",
                           "--out", "out"], capture_output=True, text=True, check=True)
    assert str(from_files) == done.stdout


def test_a_model_in_the_hubs_cache_is_called_by_its_name(examples, tmp_path, files):
    folder = tmp_path / "models--lab--small" / "snapshots" / "a39f3"
    shutil.copytree(examples / "tiny-model", folder)
    done = palimpsest.audit(folder, **files, attacks="loss")
    found = done.to_dict()
    assert "small, fingerprint" in found["audit"]["record"]
    assert "a39f3" not in json.dumps(found)


def test_two_revisions_of_a_model_are_two_models(examples, tmp_path, files):
    folders = [tmp_path / "models--lab--small" / "snapshots" / revision for revision in ("a39f3", "b4711")]
    for folder in folders:
        shutil.copytree(examples / "tiny-model", folder)
    done = palimpsest.audit(folders[0], baseline=folders[1], **files, attacks="loss")
    record = done.to_dict()["audit"]["record"]
    assert "a39f3/lab/small, fingerprint" in record and "b4711/lab/small, fingerprint" in record
    assert not any("the audited model itself" in note for note in done.notes)


def test_two_objects_of_one_name_are_two_models(examples, records):
    before, after = (Recorder(examples / "tiny-tokenizer") for _ in range(2))
    before.fingerprint, after.fingerprint = (lambda: "1"), (lambda: "2")
    done = palimpsest.audit(after, baseline=before, **records, attacks="loss")
    record = done.to_dict()["audit"]["record"]
    assert "recorder, fingerprint" in record and "recorder (baseline), fingerprint" in record
    assert not any("the audited model itself" in note for note in done.notes)
    same = palimpsest.audit(after, baseline=after, **records, attacks="loss")
    assert any("the audited model itself" in note for note in same.notes)


def test_an_exception_of_the_progress_callback_reaches_the_caller(examples, records):
    class Slow(Recorder):
        def score(self, sequences, options):
            time.sleep(0.3)  # what is shorter than 0.2 s is not told
            return super().score(sequences, options)

    def show(label, done, total):
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        palimpsest.audit(Slow(examples / "tiny-tokenizer"), **records, attacks="loss", progress=show)


def test_lists_frames_and_files_give_the_same_audit(from_files, examples, records):
    options = {"attacks": "loss,min_k"}
    lists = palimpsest.audit(examples / "tiny-model", **records, **options)
    frames = palimpsest.audit(str(examples / "tiny-model"),
                              **{name: pandas.DataFrame(rows) for name, rows in records.items()}, **options)
    for other in (lists, frames):
        assert other.aucs == from_files.aucs
        assert other.notes == [note.replace(f"{examples / 'data'}{os.sep}", "") for note in from_files.notes]
        np.testing.assert_array_equal(other.scores("loss")[0], from_files.scores("loss")[0])


def test_texts_are_completed(examples, records):
    done = palimpsest.audit(examples / "tiny-model", [r["answer"] for r in records["forget"]],
                            [r["answer"] for r in records["holdout"]], attacks="loss")
    assert set(done.aucs) == {"loss"}


def test_the_result_in_all_its_forms(from_files, tmp_path):
    table = from_files.table()
    assert list(table["attack"]) == ["loss", "min_k"]
    assert from_files.answer.startswith(str(from_files).split(".")[0][:10]) or from_files.answer
    assert from_files.verdict in ("remembered", "over_forgotten", "detectable_within_margin", "equivalent",
                                  "not_decided", "void")
    records = from_files.records()
    assert len(records) == sum(len(scores) for scores in from_files.scores("loss"))
    assert set(records.columns) == {"set", "index", "loss", "min_k"}
    found = from_files.to_dict()
    assert found["loss"]["auc"] == from_files.aucs["loss"]
    shown = from_files._repr_html_()
    assert "<table>" in shown and "<svg" in shown
    assert from_files.page("Case 7").startswith("<!doctype html>") or "<html" in from_files.page("Case 7")[:200]
    folder = from_files.save(tmp_path / "out")
    assert {path.name for path in folder.iterdir()} == {"mia.json", "scores.csv", "report.html", "figures", "traces",
                                                        "provenance.json"}
    again = palimpsest.audit(forget=folder / "traces/forget.jsonl", holdout=folder / "traces/holdout.jsonl",
                             attacks="loss,min_k")
    assert again.aucs == from_files.aucs


def test_traces_in_every_form_give_the_same_audit(examples):
    paths = [examples / "traces/forget.jsonl", examples / "traces/holdout.jsonl"]
    of_files = palimpsest.audit(forget=paths[0], holdout=paths[1])
    sets = [palimpsest.Traces.read(path) for path in paths]
    arrays = []
    for traces in sets:
        columns = {name: column for name, column in traces.arrays().items() if column is not None}
        for name in ("groups", "grad_norm"):
            columns.pop(name)
        arrays.append(palimpsest.Traces.from_arrays(**columns))
    rows = [list(traces) for traces in sets]
    for pair in (sets, arrays, rows, [pickle.loads(pickle.dumps(traces)) for traces in sets]):
        done = palimpsest.audit(tuple(pair))
        assert done.aucs == of_files.aucs
        assert done.answer == of_files.answer


def test_an_attack_of_ones_own(examples):
    def least_likely(trace):
        return float(-trace["logprob"].min())

    paths = {"forget": examples / "traces/forget.jsonl", "holdout": examples / "traces/holdout.jsonl"}
    done = palimpsest.audit(**paths, attacks=["loss", palimpsest.Attack("least_likely", least_likely)])
    traces = palimpsest.Traces.read(paths["forget"])
    assert done.scores("least_likely")[0] == pytest.approx([least_likely(trace) for trace in traces])


def test_a_model_in_python(examples, records):
    model = Recorder(examples / "tiny-tokenizer")
    done = palimpsest.audit(model, **records, attacks="loss,gradnorm")
    assert model.calls > 0
    assert set(done.aucs) == {"loss", "gradnorm"}
    traces = done.traces["audited"][0]
    assert traces.model == "recorder"
    assert traces[0]["logprob"] == pytest.approx(-1.0 - traces[0]["label"] % 7)


def test_an_exception_of_a_model_reaches_the_caller_and_finished_work_is_kept(examples, many, tmp_path):
    tokenizer = examples / "tiny-tokenizer"
    broken = Recorder(tokenizer, fail_after=1)
    with pytest.raises(RuntimeError, match="the model broke") as caught:
        palimpsest.audit(broken, **many, attacks="loss", journal=tmp_path / "journal")
    assert any(entry.name == "score" for entry in caught.traceback)
    whole, rest = Recorder(tokenizer), Recorder(tokenizer)
    expected = palimpsest.audit(whole, **many, attacks="loss")
    done = palimpsest.audit(rest, **many, attacks="loss", journal=tmp_path / "journal")
    assert done.aucs == expected.aucs
    assert 0 < rest.calls < whole.calls


def test_ctrl_c_stops_and_a_later_call_goes_on(examples, many, tmp_path):
    class Slow(Recorder):
        def score(self, sequences, options):
            if self.calls == 1:
                os.kill(os.getpid(), signal.SIGINT)
                stopped.wait(10)
            return super().score(sequences, options)

    stopped = threading.Event()
    earlier = signal.signal(signal.SIGINT, lambda *_: (stopped.set(), signal.default_int_handler(*_)))
    try:
        with pytest.raises(KeyboardInterrupt):
            palimpsest.audit(Slow(examples / "tiny-tokenizer"), **many, attacks="loss", journal=tmp_path)
    finally:
        signal.signal(signal.SIGINT, earlier)
    rest = Recorder(examples / "tiny-tokenizer")
    whole = Recorder(examples / "tiny-tokenizer")
    palimpsest.audit(whole, **many, attacks="loss")
    palimpsest.audit(rest, **many, attacks="loss", journal=tmp_path)
    assert 0 < rest.calls < whole.calls


def test_messages_go_to_the_log(examples, files, caplog):
    with caplog.at_level("INFO", logger="palimpsest"):
        palimpsest.audit(examples / "tiny-model", **files, attacks="loss")
    assert any("an audit detects an AUC" in message for message in caplog.messages)


@pytest.mark.parametrize("arguments, said", [
    ({"forget": "a"}, "needs a forget set and a holdout set"),
    ({"model": 3, "forget": [{"text": "a"}], "holdout": [{"text": "b"}]}, "neither a folder, a hub id, nor a model"),
    ({"model": "nowhere", "forget": [{"text": "a"}], "holdout": [{"text": "b"}]}, "nowhere: .*no such"),
    ({"model": "m", "forget": [], "holdout": [{"text": "b"}]}, "forget: there are no records"),
    ({"model": "m", "forget": [1], "holdout": [{"text": "b"}]}, r"forget\[0\]: it is neither a dict nor a text"),
    ({"model": "m", "forget": {"text": "a"}, "holdout": [{"text": "b"}]}, "forget: records are needed"),
    ({"model": "m", "forget": [{"a": object()}], "holdout": ["b"]}, r"forget\[0\]: the record cannot be written"),
    ({"forget": "nowhere.jsonl", "holdout": "nowhere.jsonl"}, "nowhere.jsonl"),
    ({"forget": "a", "holdout": "b", "reference": "c"}, "reference: traces come as a pair"),
    ({"forget": "a", "holdout": "b", "attacks": "unknown"}, "unknown"),
    ({"forget": "a", "holdout": "b", "margin": "wide"}, "margin: the argument has the wrong type"),
])
def test_wrong_calls_say_what_is_wrong(arguments, said):
    with pytest.raises(palimpsest.Error, match=said):
        palimpsest.audit(**arguments)


@pytest.mark.parametrize("change, said", [
    (lambda scores: scores._replace(logprob=scores.logprob[:-1]), "logprob: the model returned an array of the wrong length"),
    (lambda scores: scores._replace(mean=scores.mean * np.nan), "mean: the model returned a number that is not finite"),
    (lambda scores: scores._replace(argmax=scores.argmax + 0.5), "argmax: the array has the wrong type"),
    (lambda scores: scores._replace(var=["a"] * len(scores.var)), "var: the array has the wrong type"),
])
def test_wrong_results_of_a_model_are_refused(examples, records, change, said):
    class Wrong(Recorder):
        def score(self, sequences, options):
            return [change(scores) for scores in super().score(sequences, options)]

    with pytest.raises(palimpsest.Error, match=said):
        palimpsest.audit(Wrong(examples / "tiny-tokenizer"), **records, attacks="loss")


@pytest.mark.parametrize("columns, said", [
    ({}, "traces need at least one of"),
    ({"logprob": [[-1.0], [0.5]]}, "logprob"),
    ({"logprob": [[-1.0]], "mean": [[-1.0, -2.0]]}, "mean: its arrays have other lengths"),
    ({"logprob": [-1.0, -2.0], "offsets": [0, 3]}, "logprob: the array has the wrong length"),
    ({"logprob": [-1.0, -2.0], "offsets": [1, 2]}, "offsets"),
    ({"logprob": [["a"]]}, "logprob"),
    ({"logprob": [[-1.0]], "text": ["a", "b"]}, "text: the array has the wrong length"),
    ({"unknown": [[-1.0]]}, "traces have no such column"),
])
def test_wrong_traces_are_refused(columns, said):
    with pytest.raises(palimpsest.Error, match=said):
        palimpsest.Traces.from_arrays(**columns)
