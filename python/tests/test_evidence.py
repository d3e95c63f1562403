"""Audit.save() writes the evidence pack that `palimpsest mia --out` writes, as far as a call in Python knows it."""

import hashlib
import json
import subprocess
import sys

import numpy as np
from test_audit import Recorder, files, records  # noqa: F401  (fixtures)

import palimpsest


def verify(folder):
    """What `palimpsest verify` finds, and its exit status."""
    done = subprocess.run([sys.executable, "-m", "palimpsest", "verify", folder, "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout), done.returncode


def provenance(folder):
    return json.loads((folder / "provenance.json").read_text())


def require_verified(folder):
    """The pack is as it was written, and the results follow from its traces."""
    found, status = verify(folder)
    assert status == 0 and found["matches"], found
    assert found["recomputed"] == [{"what": "mia.json", "equal": True}, {"what": "scores.csv", "equal": True}], found
    return provenance(folder)


def test_the_pack_is_that_of_the_program(examples, files, tmp_path):  # noqa: F811
    model = examples / "tiny-model"
    done = palimpsest.audit(model, **files, attacks="loss,min_k", k=0.3)
    ours = require_verified(done.save(tmp_path / "ours"))
    subprocess.run([sys.executable, "-m", "palimpsest", "--quiet", "mia", "--model", model, "--forget", files["forget"],
                    "--holdout", files["holdout"], "--attacks", "loss,min_k", "-k", "0.3", "--out", tmp_path / "theirs"],
                   check=True, capture_output=True)
    theirs = provenance(tmp_path / "theirs")
    for key in ("kind", "version", "commit", "computing", "left_out", "plan", "settings"):
        assert ours[key] == theirs[key], key
    hashes = [[(one["role"], one["sha256"], one["files"]) for one in pack["inputs"]] for pack in (ours, theirs)]
    assert hashes[0] == hashes[1]
    assert ours["command"] == list(sys.orig_argv)
    assert {one["name"] for one in ours["files"]} == {one["name"] for one in theirs["files"]}
    assert (tmp_path / "ours/scores.csv").read_bytes() == (tmp_path / "theirs/scores.csv").read_bytes()
    for name in ("traces/forget.jsonl", "traces/holdout.jsonl"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    shown = (tmp_path / "ours/report.html").read_text()
    assert 'id="provenance"' in shown and ours["inputs"][0]["sha256"] in shown


def test_records_and_models_in_memory_are_named_and_hashed(examples, records, tmp_path):  # noqa: F811
    done = palimpsest.audit(Recorder(examples / "tiny-tokenizer"), **records, attacks="loss,gradnorm")
    found = require_verified(done.save(tmp_path / "out"))
    by_role = {one["role"]: one for one in found["inputs"]}
    assert by_role["model"]["path"] == "recorder"
    assert by_role["model"]["sha256"] == hashlib.sha256(b"always the same").hexdigest()
    assert [by_role[role]["path"] for role in ("forget data", "holdout data")] == ["forget", "holdout"]
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records["forget"])
    assert by_role["forget data"]["sha256"] == hashlib.sha256(lines.encode()).hexdigest()
    assert found["computing"]["Python object"] == "test_audit.Recorder"
    assert "palimpsest-" not in (tmp_path / "out/provenance.json").read_text()  # no path of the scratch folder


def test_a_model_without_a_fingerprint_is_not_hashed(examples, records, tmp_path):  # noqa: F811
    class Nameless(Recorder):
        fingerprint = property()  # an AttributeError, as if it were not there

    done = palimpsest.audit(Nameless(examples / "tiny-tokenizer"), **records, attacks="loss")
    found = require_verified(done.save(tmp_path / "out"))
    assert "model" not in {one["role"] for one in found["inputs"]}
    assert found["computing"]["Python object"].endswith("which has no fingerprint")


def test_traces_in_memory_are_in_the_pack_and_files_are_named(examples, tmp_path):
    paths = [examples / "traces/forget.jsonl", examples / "traces/holdout.jsonl"]
    in_memory = palimpsest.audit(tuple(palimpsest.Traces.read(path) for path in paths)).save(tmp_path / "memory")
    found = require_verified(in_memory)
    assert found["inputs"] == [] and found["computing"] == {}
    assert "traces/forget.jsonl" in [one["name"] for one in found["files"]]
    in_files = palimpsest.audit(forget=paths[0], holdout=paths[1]).save(tmp_path / "files")
    found = require_verified(in_files)
    assert [one["path"] for one in found["inputs"]] == [str(path) for path in paths]
    assert not (in_files / "traces").exists()


def test_traces_that_are_kept_elsewhere_are_copied(examples, files, tmp_path):  # noqa: F811
    done = palimpsest.audit(examples / "tiny-model", **files, attacks="loss", traces_folder=tmp_path / "kept")
    folder = done.save(tmp_path / "out")
    require_verified(folder)
    assert (folder / "traces/forget.jsonl").read_bytes() == (tmp_path / "kept/forget.jsonl").read_bytes()
    inside = palimpsest.audit(examples / "tiny-model", **files, attacks="loss", traces_folder=tmp_path / "in/traces")
    require_verified(inside.save(tmp_path / "in"))


def test_warnings_are_in_the_pack(examples, files, tmp_path):  # noqa: F811
    done = palimpsest.audit(examples / "tiny-model", **files, attacks="loss")
    folder = done.save(tmp_path / "out")
    require_verified(folder)
    warnings = json.loads((folder / "mia.json").read_text())["audit"]["warnings"]
    for name in ("forget.jsonl", "holdout.jsonl"):
        assert any(warning.startswith(f"{name}: ") and "labelled tokens are '<unk>'" in warning for warning in warnings)
    assert len(done.notes) >= len(warnings)
    assert "labelled tokens are '" in (folder / "report.html").read_text()


def test_an_attack_of_ones_own_is_checked_by_hashes_only(examples, tmp_path):
    paths = {"forget": examples / "traces/forget.jsonl", "holdout": examples / "traces/holdout.jsonl"}
    own = palimpsest.Attack("least_likely", lambda trace: float(-np.min(trace["logprob"])))
    found, status = verify(palimpsest.audit(**paths, attacks=["loss", own]).save(tmp_path / "out"))
    assert status == 0 and found["recomputed"] == []
    assert any("does not have the attack least_likely" in line for line in found["not_recomputed"])


def test_a_changed_pack_is_found(examples, tmp_path):
    paths = {"forget": examples / "traces/forget.jsonl", "holdout": examples / "traces/holdout.jsonl"}
    folder = palimpsest.audit(**paths, attacks="loss").save(tmp_path / "out")
    text = (folder / "mia.json").read_text()
    (folder / "mia.json").write_text(text.replace("0.", "1.", 1))
    found, status = verify(folder)
    assert status == 1 and found["changed"] == ["mia.json"]


def test_the_same_audit_keeps_its_time(examples, tmp_path):
    paths = {"forget": examples / "traces/forget.jsonl", "holdout": examples / "traces/holdout.jsonl"}
    done = palimpsest.audit(**paths, attacks="loss")
    done.save(tmp_path / "out")
    page = (tmp_path / "out/report.html").read_bytes()
    palimpsest.audit(**paths, attacks="loss").save(tmp_path / "out")
    assert (tmp_path / "out/report.html").read_bytes() == page
