#!/usr/bin/env python3
"""The TOFU suite by `palimpsest eval` beside open-unlearning's. Prints {name: seconds} as JSON, ours as "ours:NAME".

    OPEN_UNLEARNING=CHECKOUT bench/peers/eval_peer.py BENCH_DIR

Both run the checkout's own configuration (experiment=eval/tofu/default: seven metrics with everything that they
pre-compute) on a model of about 100 million parameters and data of TOFU's shapes, one FORTIETH of its size (10 forget,
10 holdout, 10 retain, 2 + 3 utility questions; paraphrased and five perturbed answers). Ours is the whole process,
theirs what runs after its imports. Ends with status 1 if a result differs. Without a checkout, torch or transformers
it gives our time and a note.
"""

import json
import os
import pathlib
import random
import sys
import tempfile
import time

import made_up

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORTIETH = 40
SIZES = {"forget10_perturbed": 400, "holdout10": 400, "retain_perturbed": 400, "real_authors_perturbed": 100,
         "world_facts_perturbed": 117}
TOLERANCE = 1e-4


def write_data(folder):
    draw = random.Random(1)
    folder.mkdir()
    for name, size in SIZES.items():
        records = [{"question": made_up.words(draw, 10, 25), "answer": made_up.words(draw, 25, 60),
                    "paraphrased_answer": made_up.words(draw, 25, 60),
                    "perturbed_answer": [made_up.words(draw, 25, 60) for _ in range(5)]}
                   for _ in range(size // FORTIETH)]
        (folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")


def overrides(folder, output):
    return ["experiment=eval/tofu/default", "model=Llama-3.2-1B-Instruct", "task_name=bench",
            f"paths.output_dir={output}", f"model.model_args.pretrained_model_name_or_path={folder / 'model'}",
            f"model.tokenizer_args.pretrained_model_name_or_path={folder / 'model'}", "model.model_args.device_map=cpu",
            "model.model_args.attn_implementation=eager", "model.model_args.torch_dtype=float32",
            "model.template_args.apply_chat_template=false",
            "model.template_args.system_prompt_with_special_tokens=null", "model.template_args.user_start_tag=''",
            "model.template_args.user_end_tag=' '", "model.template_args.asst_start_tag=''",
            "model.template_args.asst_end_tag=' '"]


def run_theirs(checkout, folder):
    """In a process of its own."""
    sys.path.insert(0, str(ROOT / "tools" / "golden"))
    import open_unlearning
    open_unlearning.prepare(checkout)
    import datasets
    import hydra
    from omegaconf import OmegaConf

    def load_dataset(path, name=None, split=None, **_):
        return datasets.Dataset.from_list(json.loads((folder / "TOFU" / f"{name}.json").read_text(encoding="utf-8")))

    datasets.load_dataset = load_dataset
    from evals import get_evaluators
    from model import get_model
    with hydra.initialize_config_dir(version_base=None, config_dir=str(pathlib.Path(checkout) / "configs")):
        configuration = hydra.compose("eval.yaml", overrides=overrides(folder, folder / "theirs"))
    OmegaConf.set_struct(configuration, False)
    start = time.perf_counter()
    model, tokenizer = get_model(configuration.model)
    for evaluator in get_evaluators(configuration.eval).values():
        evaluator.evaluate(model=model, tokenizer=tokenizer, template_args=configuration.model.template_args)
    (folder / "seconds").write_text(str(time.perf_counter() - start), encoding="utf-8")


def check(folder):
    ours, theirs = (json.loads((folder / side / "TOFU_SUMMARY.json").read_text(encoding="utf-8"))
                    for side in ("ours", "theirs"))
    for name, value in theirs.items():
        # A random model's two best tokens are often almost equally likely, so that its texts may part.
        allowed = 0.05 if name in ("forget_Q_A_ROUGE", "model_utility") else TOLERANCE * (1 + abs(value))
        if value is not None and not abs(ours[name] - value) <= allowed:
            sys.exit(f"{name}: {ours[name]} and {value}")


def main():
    bench_dir = pathlib.Path(sys.argv[1])
    checkout = os.environ.get("OPEN_UNLEARNING")
    if not checkout or not (bench_dir / "write_checkpoint").exists():
        print("eval_peer.py: no figures without libtorch and OPEN_UNLEARNING, the path of a checkout", file=sys.stderr)
        print("{}")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made_up.measured([bench_dir / "write_checkpoint", folder / "model", "1"])
        made_up.write_tokenizer(folder / "model")
        write_data(folder / "TOFU")
        print("  ours", file=sys.stderr)
        seconds, _ = made_up.measured([bench_dir.parent / "bin" / "palimpsest", "--quiet", "eval", "--config-dir",
                                       pathlib.Path(checkout) / "configs", *overrides(folder, folder / "ours"),
                                       f"paths.data_dir={folder}"])
        print("  open-unlearning", file=sys.stderr)
        made_up.measured([sys.executable, __file__, "--theirs", checkout, folder],
                         os.environ | {"PYTHONWARNINGS": "ignore"})
        check(folder)
        print(json.dumps({"ours:tofu_suite": seconds,
                          "tofu_suite": float((folder / "seconds").read_text(encoding="utf-8"))}))


if __name__ == "__main__":
    if sys.argv[1] == "--theirs":
        run_theirs(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        main()
