"""palimpsest.evaluate: configurations through the composer, with handlers in Python."""

import json
import time

import golden_evaluation
import numpy as np
import pytest
from test_audit import Recorder

import palimpsest


def beginning(examples):
    """What a configuration of the evaluator `own` begins with."""
    return f"""\
model:
  model_args: {{pretrained_model_name_or_path: {examples / 'tiny-model'}}}
  tokenizer_args: {{pretrained_model_name_or_path: {examples / 'tiny-model'}}}
  template_args: {{apply_chat_template: true}}
seed: 0
eval:
  own:
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory, examples):
    """A configuration with one metric of our own, over the example data."""
    folder = tmp_path_factory.mktemp("configs")

    def make(handler, dataset="QADataset", more="", arguments=None, evaluator="OwnEvaluator"):
        arguments = arguments or f"hf_args: {{path: {examples / 'data/forget.jsonl'}}}"
        (folder / "main.yaml").write_text(f"""\
{beginning(examples)}    handler: {evaluator}
    output_dir: out
    overwrite: true
    independent: true
    metrics:
      ours:
        handler: {handler}
        {more}
        datasets:
          data:
            handler: {dataset}
            args:
              {arguments}
              question_key: question
              answer_key: answer
              max_length: 64
""")
        return {"config_dir": folder, "config_name": "main.yaml", "evaluators": {"OwnEvaluator": "OWN"}}

    return make


@palimpsest.unlearning_metric(name="mean_logprob", traces=True)
def mean_logprob(inputs, *, scale=1.0):
    """The mean log-probability of a token."""
    values = {trace["index"]: {"score": scale * float(np.mean(trace["logprob"]))} for trace in inputs.traces()}
    return {"agg_value": float(np.mean([value["score"] for value in values.values()])), "value_by_index": values}


def test_a_handler_gets_traces_and_parameters(config, tmp_path):
    done, = palimpsest.evaluate(**config("mean_logprob", more="scale: 2.0"), handlers=[mean_logprob], out=tmp_path)
    half, = palimpsest.evaluate(**config("mean_logprob"), handlers=[mean_logprob], out=tmp_path / "half")
    assert done["ours"] == pytest.approx(2 * half["ours"])
    assert done.log == tmp_path / "OWN_EVAL.json"
    assert json.loads(done.log.read_text())["ours"]["agg_value"] == done["ours"]
    assert "ours" in repr(done) and list(done.table()["metric"]) == ["ours"]
    assert (tmp_path / "report.html").is_file()


@palimpsest.unlearning_metric(name="python_exact_memorization", traces=True)
def python_exact_memorization(inputs):
    """Share of the tokens that are the most likely ones, without the last token of each example."""
    values = {}
    for trace in inputs.traces():
        right = (trace["argmax"] == trace["label"])[:-1]
        values[trace["index"]] = {"score": float(right.mean()) if right.size else None}
    scores = [value["score"] for value in values.values() if value["score"] is not None]
    return {"agg_value": float(np.mean(scores)), "value_by_index": values}


@pytest.mark.parametrize("name", golden_evaluation.RUNS)
def test_published_evaluations_with_a_handler_in_python(source, tmp_path, name):
    golden = golden_evaluation.read(source, name)
    done = golden_evaluation.run(source, name, tmp_path / "run", handlers=[python_exact_memorization],
                                 rename={"exact_memorization": "python_exact_memorization"})
    golden_evaluation.require_same(done.to_dict(), golden["log"])


def test_a_python_handler_equals_the_library_s(config, tmp_path):
    @palimpsest.unlearning_metric(name="own_probability", traces=True)
    def own_probability(inputs):
        values = {}
        for trace in inputs.traces():
            loss = -float(np.sum(trace["logprob"])) / trace["num_labels"]
            values[trace["index"]] = {"prob": float(np.exp(-loss)), "avg_loss": loss}
        return {"agg_value": float(np.mean([v["prob"] for v in values.values()])), "value_by_index": values}

    ours, = palimpsest.evaluate(**config("own_probability"), handlers=[own_probability], out=tmp_path / "a")
    library, = palimpsest.evaluate(**config("probability"), out=tmp_path / "b")
    assert ours["ours"] == pytest.approx(library["ours"], rel=1e-9)
    theirs = library.to_dict()["ours"]["value_by_index"]
    for index, value in ours.to_dict()["ours"]["value_by_index"].items():
        assert value["prob"] == pytest.approx(theirs[index]["prob"], rel=1e-9)


def test_an_attack_in_python_is_a_metric(tmp_path, examples):
    """It gives what the attack of the library gives that computes the same."""
    data = "\n".join(f"""\
          {name}:
            handler: QADataset
            access_key: {name}
            args: {{hf_args: {{path: {examples / "data" / name}.jsonl}}, question_key: question, answer_key: answer, max_length: 64}}"""
                     for name in ("forget", "holdout"))
    metrics = "".join(f"""\
      mia_{name}:
        handler: mia_{name}
        batch_size: 8
        datasets:
{data}
""" for name in ("loss", "own_loss"))
    (tmp_path / "main.yaml").write_text(f"""\
{beginning(examples)}    handler: OwnEvaluator
    output_dir: out
    overwrite: true
    independent: true
    metrics:
{metrics}""")
    own = palimpsest.Attack("own_loss", lambda trace: -float(np.mean(trace["logprob"])))
    done, = palimpsest.evaluate(config_dir=tmp_path, config_name="main.yaml", evaluators={"OwnEvaluator": "OWN"},
                                attacks=[own], out=tmp_path / "out")
    assert done["mia_own_loss"] == pytest.approx(done["mia_loss"])
    assert "own_loss" in (tmp_path / "out" / "report.html").read_text()


def test_a_handler_gets_texts(config, tmp_path):
    @palimpsest.unlearning_metric(name="length", generates=True)
    def length(inputs):
        values = {text["index"]: {"length": len(text["generation"])} for text in inputs.generations()}
        return {"agg_value": float(np.mean([v["length"] for v in values.values()])), "value_by_index": values}

    done, = palimpsest.evaluate(**config("length", more="generation_args: {max_new_tokens: 3, do_sample: false}"),
                                handlers=[length], out=tmp_path)
    assert done["ours"] > 0


def test_a_data_set_in_python(config, tmp_path, examples):
    records = [json.loads(line) for line in (examples / "data/forget.jsonl").read_text().splitlines()]

    @palimpsest.records_handler(name="OwnRecords")
    def own_records(first):
        return records[:first]

    done, = palimpsest.evaluate(**config("probability", dataset="OwnRecords", arguments="first: 5"),
                                datasets=[own_records], out=tmp_path / "a")
    assert done.table()["examples"][0] == 5


def test_a_model_in_python_is_known_by_its_name(config, tmp_path, examples):
    model = Recorder(examples / "tiny-tokenizer")
    arguments = {**config("probability"), "model": model, "out": tmp_path}
    arguments["overrides"] = ["eval.own.overwrite=false"]
    done, = palimpsest.evaluate(**arguments)
    assert json.loads((tmp_path / "OWN_RUN.json").read_text())["model"]["name"] == "recorder"
    provenance = (tmp_path / "provenance.json").read_text()
    by_role = {one["role"]: one for one in json.loads(provenance)["inputs"]}
    assert by_role["model"]["path"] == "recorder" and by_role["data data"]["path"] == str(examples / "data/forget.jsonl")
    assert json.loads(provenance)["computing"]["Python object"] == "test_audit.Recorder"
    for file in tmp_path.iterdir():
        assert not file.is_file() or "palimpsest-" not in file.read_text(), file  # no path of the scratch folder
    # The same again: nothing is computed, and the provenance is that of the first call.
    calls = model.calls
    again, = palimpsest.evaluate(**arguments)
    assert model.calls == calls and again["ours"] == done["ours"]
    assert (tmp_path / "provenance.json").read_text() == provenance


def test_progress_is_told_to_the_caller(config, tmp_path, examples):
    class Slow(Recorder):
        def score(self, sequences, options):
            time.sleep(0.3)  # what is shorter than 0.2 s is not told
            return super().score(sequences, options)

    told = []
    palimpsest.evaluate(**config("probability"), model=Slow(examples / "tiny-tokenizer"), out=tmp_path,
                        progress=lambda *state: told.append(state))
    assert any(label == "tokens through recorder" and 0 < done <= total for label, done, total in told)


def test_an_exception_of_a_handler_reaches_the_caller(config, tmp_path):
    @palimpsest.unlearning_metric(name="broken", traces=True)
    def broken(inputs):
        raise LookupError("not here")

    with pytest.raises(LookupError, match="not here") as caught:
        palimpsest.evaluate(**config("broken"), handlers=[broken], out=tmp_path)
    assert any(entry.name == "broken" for entry in caught.traceback)


@pytest.mark.parametrize("result, said", [
    (None, "returned no result"),
    ({"value": 1}, "no agg_value"),
    ({"agg_value": "high"}, "not a number"),
    ({"agg_value": 1.0, "value_by_index": [1]}, "value_by_index is no dict"),
])
def test_a_wrong_result_of_a_handler_is_refused(config, tmp_path, result, said):
    handler = palimpsest.unlearning_metric(name="wrong", traces=True)(lambda inputs: result)
    with pytest.raises(palimpsest.Error, match=said):
        palimpsest.evaluate(**config("wrong"), handlers=[handler], out=tmp_path)


def test_an_unknown_handler_is_refused(config, tmp_path):
    with pytest.raises(palimpsest.Error, match="unknown_handler"):
        palimpsest.evaluate(**config("unknown_handler"), out=tmp_path)
