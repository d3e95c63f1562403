"""The command line of the package is that of the program."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest


def palimpsest(*arguments, command=("palimpsest",), **options):
    program = [str(pathlib.Path(sys.executable).parent / command[0]), *command[1:]]
    return subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, **options)


@pytest.mark.parametrize("command", [("palimpsest",), ("python", "-m", "palimpsest")])
def test_both_ways_run_it(command):
    done = palimpsest("--version", command=command)
    assert done.returncode == 0
    assert done.stdout.startswith("palimpsest ")


def test_an_audit_of_a_checkpoint_needs_nothing_else(examples, tmp_path):
    done = palimpsest("mia", "--model", examples / "tiny-model", "--forget", examples / "data/forget.jsonl",
                      "--holdout", examples / "data/holdout.jsonl", "--attacks", "loss", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "auc" in json.loads((tmp_path / "out/mia.json").read_text())["loss"]


def test_configurations_are_in_the_package(tmp_path):
    done = palimpsest("eval", "--cfg", "job", "experiment=eval/tofu/default", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "TOFU" in done.stdout


def test_a_mistake_is_one_sentence_and_status_2():
    done = palimpsest("mia", "--model", "nowhere", "--forget", "a", "--holdout", "b", "--out", "c")
    assert done.returncode == 2
    assert done.stderr.startswith("palimpsest: ") and "Traceback" not in done.stderr


def test_a_device_that_needs_torch_says_so(examples):
    done = palimpsest("mia", "--model", examples / "tiny-model", "--forget", examples / "data/forget.jsonl", "--holdout",
                      examples / "data/holdout.jsonl", "--device", "torch", "--out", "out")
    if importlib.util.find_spec("torch") is None:
        assert done.returncode == 2
        assert "needs torch and transformers; pip install palimpsest[hf]" in done.stderr
    else:
        assert done.returncode == 0
