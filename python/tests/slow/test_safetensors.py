"""Traces as columns are a safetensors file that the package of that name reads (docs/formats.md)."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

FLOATS = ("logprob", "mean", "var")
IDS = ("argmax", "label")


def palimpsest(*arguments):
    program = pathlib.Path(sys.executable).parent / "palimpsest"
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def lines_of(path):
    header, *traces = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return header, traces


def texts_of(columns, name):
    starts = columns[f"{name}.offsets"]
    whole = columns[name].tobytes()
    return [whole[begin:end].decode() for begin, end in zip(starts, starts[1:])]


@pytest.fixture(name="traces")
def _traces(examples, tmp_path):
    palimpsest("--quiet", "trace", "--model", examples / "tiny-model", "--data", examples / "data/questions.jsonl",
               "--grad-norm", "2", "--group-key", "topic", "--out", tmp_path / "traces.jsonl")
    palimpsest("convert", tmp_path / "traces.jsonl", tmp_path / "traces.safetensors")
    return tmp_path


def test_names_shapes_and_types(traces):
    header, lines = lines_of(traces / "traces.jsonl")
    count = len(lines)
    total = sum(len(line["logprob"]) for line in lines)
    with safe_open(traces / "traces.safetensors", framework="np") as file:
        assert file.metadata() == {"palimpsest_trace": "1", "model": header["model"], "dataset": header["dataset"],
                                   "fingerprint": header["fingerprint"]}
        columns = {name: file.get_tensor(name) for name in file.keys()}
    expected = {"num_labels": (np.int64, count), "avg_loss": (np.float64, count), "offsets": (np.int64, count + 1),
                "alternative": (np.int64, count), "grad_norm.2": (np.float32, count)}
    expected |= {name: (np.float32, total) for name in FLOATS}
    expected |= {name: (np.uint16, total) for name in (*IDS, "tokens")}
    expected["token_texts.offsets"] = (np.int64, len({token for line in lines for token in line["tokens"]}) + 1)
    expected["token_texts"] = (np.uint8, columns["token_texts.offsets"][-1])
    for name in ("index", "text", "prompt", "groups"):
        expected[f"{name}.offsets"] = (np.int64, count + 1)
        expected[name] = (np.uint8, columns[f"{name}.offsets"][-1])
    assert {name: (column.dtype.type, *column.shape) for name, column in columns.items()} == expected


def test_values(traces):
    _, lines = lines_of(traces / "traces.jsonl")
    columns = load_file(traces / "traces.safetensors")
    assert texts_of(columns, "index") == [str(line["index"]) for line in lines]
    for name in ("text", "prompt"):
        assert texts_of(columns, name) == [line[name] for line in lines]
    assert [json.loads(text) for text in texts_of(columns, "groups")] == [line["groups"] for line in lines]
    assert columns["alternative"].tolist() == [line.get("alternative", 0) for line in lines]
    assert columns["num_labels"].tolist() == [line["num_labels"] for line in lines]
    assert columns["avg_loss"].tolist() == [line["avg_loss"] for line in lines]
    assert columns["grad_norm.2"].tolist() == [np.float32(line["grad_norm"]["2"]) for line in lines]
    words = texts_of(columns, "token_texts")
    for i, line in enumerate(lines):
        part = slice(columns["offsets"][i], columns["offsets"][i + 1])
        for name in FLOATS:
            assert columns[name][part].tolist() == np.array(line[name], np.float32).tolist(), name
        for name in IDS:
            assert columns[name][part].tolist() == line[name], name
        assert [words[number] for number in columns["tokens"][part]] == line["tokens"]


def test_a_file_that_the_package_wrote_is_read(traces):
    with safe_open(traces / "traces.safetensors", framework="np") as file:
        metadata = file.metadata()
    save_file(load_file(traces / "traces.safetensors"), traces / "again.safetensors", metadata=metadata)
    palimpsest("convert", traces / "again.safetensors", traces / "again.jsonl")
    assert (traces / "again.jsonl").read_bytes() == (traces / "traces.jsonl").read_bytes()
