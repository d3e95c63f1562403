#!/usr/bin/env python3
"""The six attacks by `palimpsest mia` beside open-unlearning's. Prints {name: number} as JSON, ours as "ours:NAME".

    OPEN_UNLEARNING=CHECKOUT bench/peers/mia_peer.py BENCH_DIR

A model of about 100 million parameters and a reference, 200 forget and 200 holdout examples of about 100 tokens. Ours
is the whole process, from its start to its files; theirs is what runs after its imports. Their time is measured on
every fifth example and scaled, as it is the same for each; their memory is that of its process. It runs twice: as it
comes, and with OMP_WAIT_POLICY=passive. Ends with status 1 if a score differs by more than 1e-4 + 1e-4 of itself.
Without a checkout, torch or transformers it gives our numbers and a note.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import made_up

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = 200
STEP = 5
BATCH = 32  # open-unlearning's own; gradnorm's loss is of one example
TAGS = {"apply_chat_template": False, "user_start_tag": "", "user_end_tag": " ", "asst_start_tag": "",
        "asst_end_tag": " "}
ATTACKS = "loss,min_k,min_k_plus_plus,zlib,gradnorm,reference"
TOLERANCE = 1e-4


def write_data(path, seed):
    draw = random.Random(seed)
    records = [{"question": made_up.words(draw, 10, 30), "answer": made_up.words(draw, 60, 100)}
               for _ in range(EXAMPLES)]
    path.write_text(json.dumps(records), encoding="utf-8")
    path.with_name("few_" + path.name).write_text(json.dumps(records[::STEP]), encoding="utf-8")


def run_ours(bench_dir, folder):
    program = bench_dir.parent / "bin" / "palimpsest"
    return made_up.measured([program, "--quiet", "mia", "--model", folder / "model", "--reference", folder / "other",
                     "--forget", folder / "forget.json", "--holdout", folder / "holdout.json", "--template", "tags",
                     "--user-start-tag", "", "--user-end-tag", " ", "--asst-start-tag", "", "--attacks", ATTACKS,
                     "--no-blind-baseline", "--out", folder / "out"])


def run_theirs(checkout, folder):
    """In a process of its own: the attacks on every fifth example, checked against ours."""
    sys.path.insert(0, str(ROOT / "tools" / "golden"))
    import open_unlearning
    import torch
    import transformers
    data, attacks = open_unlearning.import_attacks(checkout)
    transformers.logging.set_verbosity_error()
    start = time.perf_counter()
    load = lambda name: transformers.AutoModelForCausalLM.from_pretrained(
        folder / name, torch_dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "model")
    tokenizer.pad_token = tokenizer.eos_token
    sets = {name: data.QADataset({"path": "json", "data_files": str(folder / f"few_{name}.json"), "split": "train"},
                                 TAGS, tokenizer, max_length=512) for name in ("forget", "holdout")}
    collator = data.DataCollatorForSupervisedDataset(tokenizer, index="index")
    model, reference = load("model"), load("other")
    asked = {"loss": (attacks.LOSSAttack, {}), "min_k": (attacks.MinKProbAttack, {"k": 0.2}),
             "min_k_plus_plus": (attacks.MinKPlusPlusAttack, {"k": 0.2}),
             "zlib": (attacks.ZLIBAttack, {"tokenizer": tokenizer}),
             "reference": (attacks.ReferenceAttack, {"reference_model": reference}),
             "gradnorm": (attacks.GradNormAttack, {"p": 2})}
    outputs = {name: attacks.mia_auc(attack, model, sets, collator, 1 if name == "gradnorm" else BATCH, **arguments)
               for name, (attack, arguments) in asked.items()}
    took = time.perf_counter() - start
    ours = json.loads((folder / "out" / "mia.json").read_text(encoding="utf-8"))
    for name, output in outputs.items():
        # float32 sums over an embedding's 25 million numbers are themselves 3e-4 off.
        relative = 5e-4 if name == "gradnorm" else TOLERANCE
        for part in ("forget", "holdout"):
            for index, value in output[part]["value_by_index"].items():
                found = ours[name][part]["value_by_index"][str(int(index) * STEP)]["score"]
                if not abs(found - value["score"]) <= TOLERANCE + relative * abs(value["score"]):
                    sys.exit(f"{name} {part} {index}: {found} and {value['score']}")
    (folder / "seconds").write_text(str(took * STEP), encoding="utf-8")


def main():
    bench_dir = pathlib.Path(sys.argv[1])
    if not (bench_dir / "write_checkpoint").exists():
        print("mia_peer.py: no figures without the benchmarks' programs", file=sys.stderr)
        print("{}")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model, seed in (("model", 1), ("other", 2)):
            subprocess.run([bench_dir / "write_checkpoint", folder / model, str(seed)], check=True)
            made_up.write_tokenizer(folder / model)
        write_data(folder / "forget.json", 1)
        write_data(folder / "holdout.json", 2)
        print("  ours", file=sys.stderr)
        seconds, memory = run_ours(bench_dir, folder)
        numbers = {"ours:mia_six_attacks": seconds, "ours:mia_six_attacks_memory": memory}
        checkout = os.environ.get("OPEN_UNLEARNING")
        if not checkout:
            print("mia_peer.py: no peer without OPEN_UNLEARNING, the path of a checkout", file=sys.stderr)
        else:
            for suffix, more in (("", {}), ("_passive", {"OMP_WAIT_POLICY": "passive"})):
                print(f"  open-unlearning {' '.join(more)}", file=sys.stderr)
                _, memory = made_up.measured([sys.executable, __file__, "--theirs", checkout, folder],
                                     os.environ | more | {"PYTHONWARNINGS": "ignore"})
                numbers["mia_six_attacks" + suffix] = float((folder / "seconds").read_text(encoding="utf-8"))
                numbers["mia_six_attacks_memory"] = memory
        print(json.dumps(numbers))


if __name__ == "__main__":
    if sys.argv[1] == "--theirs":
        run_theirs(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        main()
