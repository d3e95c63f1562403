#!/usr/bin/env python3
"""Makes tests/golden/formats/: the files of each version of Palimpsest's own formats.

    python3 tools/golden/formats.py PROGRAM

PROGRAM is the palimpsest that wrote the folder of the newest version; its README says which. Folders of older versions
are kept as they are, but for 0.1, which is made here as well: from the files of the newest version, by leaving out what
was added since and putting in what has gone, key by key as commit aae4ed6 wrote them. Their numbers are today's.
"""

import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests" / "golden" / "formats"
EVAL = ROOT / "tests" / "golden" / "eval"
EXAMPLES = 12  # of each set
QUESTIONS = 3
JOURNAL_HEAD = 53  # bytes before the first finished batch
# Every processor has this instruction set.
TRACE = ["--model", "../examples/tiny-model", "--data", "data.jsonl", "--isa", "baseline", "--out", "traces.jsonl"]
# What 0.1 did not write, or what holds the hashes of files that are not those of 0.1.
ADDED = ["*.safetensors", "plan.json", "provenance.json", "journal", "lab"]
METRICS = ["forget_Q_A_Prob", "forget_Q_A_ROUGE", "forget_truth_ratio", "mia_min_k"]


def lines_of(name):
    lines = (ROOT / "examples" / "traces" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(True)
    return "".join(lines[:1 + EXAMPLES])


def localised(value):
    if isinstance(value, dict):
        return {key: localised(item) for key, item in value.items()}
    if isinstance(value, list):
        return [localised(item) for item in value]
    return value.replace("@golden", "tests/golden/eval") if isinstance(value, str) else value


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")


def make_newest(program, folder):
    """What the program writes, without pages and figures. Runs in `folder`, so that the files name no other."""
    def run(*arguments):
        subprocess.run(["palimpsest", "--quiet", *arguments], executable=program, cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)

    for name in ("tests", "examples"):  # as if this were the repository
        (folder / name).symlink_to(ROOT / name)
    (folder / "traces").mkdir()
    for name in ("forget", "holdout"):
        (folder / "traces" / f"{name}.jsonl").write_text(lines_of(name), encoding="utf-8")
        run("convert", f"traces/{name}.jsonl", f"traces/{name}.safetensors")
    traces = ("--forget-traces", "traces/forget.jsonl", "--holdout-traces", "traces/holdout.jsonl")
    run("plan", *traces, "--attacks", "loss,min_k:k=0.3", "--cluster-size", "2", "--out", "plan.json")
    run("mia", *traces, "--plan", "plan.json", "--out", "mia")
    (folder / "plan.json").unlink()  # the audit keeps a copy
    run("metrics", "--data", "examples/metrics/client_a.jsonl", "--metric", "accuracy", "--out", "stats.json")
    config = localised(json.loads((EVAL / "tofu_tags.json").read_text(encoding="utf-8"))["config"])
    config.update(seed=0, data_dir="tests/golden/eval/data")
    tofu = config["eval"]["tofu"]
    tofu["output_dir"] = "eval"
    tofu["metrics"] = {name: tofu["metrics"][name] for name in METRICS}
    write(folder / "conf" / "eval.yaml", config)
    run("eval", "--config-dir", "conf")
    shutil.rmtree(folder / "conf")
    make_journal(program, folder / "journal")
    run("model", "examples/tiny-model", "--random-init", "lab")
    for path in (folder / "lab").iterdir():  # the model that it describes is not kept
        if path.name != "lab.json":
            path.unlink()
    for name in ("tests", "examples"):
        (folder / name).unlink()
    for path in [*folder.rglob("report.html"), *folder.rglob("figures")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def make_journal(program, folder):
    """A run of `trace` that was killed when all its work was done and its result was not yet written."""
    folder.mkdir()
    questions = (ROOT / "examples" / "data" / "questions.jsonl").read_text(encoding="utf-8").splitlines(True)[:QUESTIONS]
    (folder / "data.jsonl").write_text("".join(questions), encoding="utf-8")
    out = folder / "traces.jsonl"
    while True:
        with subprocess.Popen(["palimpsest", "--quiet", "trace", *TRACE], executable=program, cwd=folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not any(path.stat().st_size > JOURNAL_HEAD
                                                     for path in folder.glob("traces.jsonl.run/*.journal")):
                pass
            process.kill()
        if not out.exists() and any(folder.glob("traces.jsonl.run/*.journal")):
            break
        out.unlink(missing_ok=True)
    (folder / ".traces.jsonl.palimpsest.lock").unlink(missing_ok=True)


def older_audit(audit):
    """mia.json of 0.1: verdicts per attack and DeLong's intervals, no parameters, clusters or answer."""
    old = {}
    for name, entry in audit.items():
        if name == "audit":
            continue
        old[name] = {key: copy.deepcopy(entry[key]) for key in (
            "auc", "agg_value", "confidence", "auc_ci", "tpr_at_fpr", "advantage", "best_accuracy", "groups", "decision",
            "against_baseline", "recognised", "forget", "holdout")}
        old[name]["auc_ci_delong"] = entry["auc_ci"]
        old[name]["verdict"] = {"level": "unclear", "words": "cannot be told", "action": "collect more data"}
        old[name]["effective_epsilon"] = None
        for rate in old[name]["tpr_at_fpr"]:
            rate.pop("expected_fpr", None)
        for group in old[name]["groups"]:
            group["auc_ci_delong"] = group.pop("auc_ci")
    kept = ("model", "baseline_model", "forget", "holdout", "shared_texts", "highest_auc", "costs", "validation_split",
            "best_decision", "false_discovery_rate", "comparisons", "notes")
    old["audit"] = {key: audit["audit"][key] for key in kept}
    old["audit"]["groups"] = [{key: group[key] for key in ("by", "group", "meaning")}
                              for group in audit["audit"]["groups"]]
    old["audit"]["power"] = {"power": 0.8, "level": 0.05, "smallest_auc": 0.8, "auc": 0.6, "examples_of_each_set": 130}
    old["audit"]["blind_baseline"] = {"auc": 0.5, "auc_ci": [0.3, 0.7], "separates": False, "forget_texts": EXAMPLES,
                                      "holdout_texts": EXAMPLES}
    return old


def older_record(record):
    """NAME_RUN.json of 0.1."""
    kept = ("fingerprint", "handler", "requested", "agg_value", "interval", "examples", "seconds")
    old = {key: record[key] for key in
           ("palimpsest_run", "name", "complete", "versions", "model", "seed", "planned", "metrics", "passes")}
    old["palimpsest_run"] = 1
    old["metrics"] = {name: {key: metric[key] for key in kept} for name, metric in record["metrics"].items()}
    return old


def make_first(newest, folder):
    shutil.copytree(newest, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*ADDED))
    for name, older in (("mia/mia.json", older_audit), ("eval/TOFU_RUN.json", older_record)):
        write(folder / name, older(json.loads((newest / name).read_text(encoding="utf-8"))))


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        newest = pathlib.Path(temporary) / "newest"
        newest.mkdir()
        make_newest(program, newest)
        for version in ("0.1", "0.2"):
            shutil.rmtree(OUT / version, ignore_errors=True)
        make_first(newest, OUT / "0.1")
        shutil.copytree(newest, OUT / "0.2")


if __name__ == "__main__":
    main()
