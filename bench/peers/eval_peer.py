#!/usr/bin/env python3
"""The TOFU suite by `palimpsest eval` beside open-unlearning's. Prints {name: seconds} as JSON, ours as "ours:NAME".

    OPEN_UNLEARNING=CHECKOUT bench/peers/eval_peer.py BENCH_DIR

Both run the checkout's own configuration on a model of about 100 million parameters and data of TOFU's shapes, a FIFTH of
its size (80 forget, 80 holdout, 80 retain, 20 + 23 utility questions).

- tofu_suite: experiment=eval/tofu/default (seven metrics with everything that they pre-compute), its chat template and
  system prompt, random weights. Ours is the whole process, theirs what runs after its imports.
- rouge_memorised: a model that has memorised the forget set, without a template; the time that ROUGE adds where the answers'
  probabilities are asked for too, theirs in its rouge handler, ours what the run record says of generations and ROUGE (the
  texts are read off the traces that the probabilities need).

Ends with status 1 if a result differs. Without a checkout there is a note instead.
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
SHARE = 5
SIZES = {"forget10_perturbed": 400, "holdout10": 400, "retain_perturbed": 400, "real_authors_perturbed": 100,
         "world_facts_perturbed": 117}
TOLERANCE = 1e-4
TAGS = ["model.template_args.apply_chat_template=false", "model.template_args.system_prompt_with_special_tokens=null",
        "model.template_args.user_start_tag=''", "model.template_args.user_end_tag=' '",
        "model.template_args.asst_start_tag=''", "model.template_args.asst_end_tag=' '"]
LEFT_OUT = ["forget_truth_ratio", "forget_quality", "model_utility", "privleak", "extraction_strength"]


def write_data(folder):
    draw = random.Random(1)
    folder.mkdir()
    for name, size in SIZES.items():
        records = [made_up.tofu_record(draw, size == 400) for _ in range(size // SHARE)]
        (folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")


def write_memorised_data(folder):
    """Only a forget set, every word once."""
    draw = random.Random(2)
    fresh = iter(range(200, made_up.VOCABULARY - made_up.FIRST_WORD))
    folder.mkdir()
    sentence = lambda low, high: " ".join(f"w{next(fresh)}" for _ in range(draw.randint(low, high)))
    records = [{"question": sentence(8, 24), "answer": sentence(24, 52)} for _ in range(400 // SHARE)]
    (folder / "forget10_perturbed.json").write_text(json.dumps(records), encoding="utf-8")
    return records


def overrides(folder, model, output, *more):
    return ["experiment=eval/tofu/default", "model=Llama-3.2-1B-Instruct", "task_name=bench",
            f"paths.output_dir={output}", f"model.model_args.pretrained_model_name_or_path={folder / model}",
            f"model.tokenizer_args.pretrained_model_name_or_path={folder / model}", "model.model_args.device_map=cpu",
            "model.model_args.attn_implementation=eager", "model.model_args.torch_dtype=float32", *more]


# What the two comparisons add to the configuration: model, data folder, overrides.
RUNS = {"tofu_suite": ("model", "TOFU", [f"model.template_args.system_prompt={made_up.SYSTEM_PROMPT!r}"]),
        "rouge_memorised": ("memorised", "memorised_data/TOFU",
                            [*TAGS, *(f"~eval.tofu.metrics.{name}" for name in LEFT_OUT)])}


def run_theirs(checkout, folder, name):
    """In a process of its own."""
    sys.path.insert(0, str(ROOT / "tools" / "golden"))
    import open_unlearning
    open_unlearning.prepare(checkout)
    import datasets
    import hydra
    from omegaconf import OmegaConf
    model_name, data, more = RUNS[name]

    def load_dataset(path, name=None, split=None, **_):
        return datasets.Dataset.from_list(json.loads((folder / data / f"{name}.json").read_text(encoding="utf-8")))

    datasets.load_dataset = load_dataset
    from evals import get_evaluators
    from evals.metrics import METRICS_REGISTRY
    from model import get_model
    spent = {}

    def timed(handler, function):
        def run(*arguments, **named):
            start = time.perf_counter()
            result = function(*arguments, **named)
            spent[handler] = spent.get(handler, 0) + time.perf_counter() - start
            return result
        return run

    for handler, metric in METRICS_REGISTRY.items():
        metric._metric_fn = timed(handler, metric._metric_fn)
    with hydra.initialize_config_dir(version_base=None, config_dir=str(pathlib.Path(checkout) / "configs")):
        configuration = hydra.compose("eval.yaml", overrides=overrides(folder, model_name, folder / f"theirs_{name}", *more))
    OmegaConf.set_struct(configuration, False)
    start = time.perf_counter()
    model, tokenizer = get_model(configuration.model)
    for evaluator in get_evaluators(configuration.eval).values():
        evaluator.evaluate(model=model, tokenizer=tokenizer, template_args=configuration.model.template_args)
    spent["all"] = time.perf_counter() - start
    (folder / f"{name}.json").write_text(json.dumps(spent), encoding="utf-8")


def run_ours(bench_dir, checkout, folder, name):
    model, data, more = RUNS[name]
    output = folder / f"ours_{name}"
    seconds, _ = made_up.measured([bench_dir.parent / "bin" / "palimpsest", "--quiet", "eval", "--config-dir",
                                   pathlib.Path(checkout) / "configs", *overrides(folder, model, output, *more),
                                   f"paths.data_dir={(folder / data).parent}"])
    record = json.loads((output / "TOFU_RUN.json").read_text(encoding="utf-8"))
    rouge = sum(one["seconds"] for one in record["passes"] if one["kind"] == "generations")
    rouge += sum(metric["seconds"] for metric in record["metrics"].values() if metric["handler"] == "rouge")
    return seconds, rouge


def check(folder, name):
    ours, theirs = (json.loads((folder / f"{side}_{name}" / "TOFU_SUMMARY.json").read_text(encoding="utf-8"))
                    for side in ("ours", "theirs"))
    for metric, value in theirs.items():
        if value is None:
            continue
        # A random model's two best tokens are often almost equally likely, so that its texts may part.
        parts = name == "tofu_suite" and metric in ("forget_Q_A_ROUGE", "model_utility")
        allowed = 0.05 if parts else TOLERANCE * (1 + abs(value))
        if not abs(ours[metric] - value) <= allowed:
            sys.exit(f"{name}: {metric}: {ours[metric]} and {value}")
    if name == "rouge_memorised" and ours["forget_Q_A_ROUGE"] != 1:
        sys.exit(f"the model that has memorised the answers gives others: ROUGE {ours['forget_Q_A_ROUGE']}")


def main():
    bench_dir = pathlib.Path(sys.argv[1])
    checkout = os.environ.get("OPEN_UNLEARNING")
    if not checkout or not (bench_dir / "write_checkpoint").exists():
        print("eval_peer.py: no figures without OPEN_UNLEARNING, the path of a checkout", file=sys.stderr)
        print("{}")
        return
    numbers = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model in ("model", "memorised"):
            made_up.measured([bench_dir / "write_checkpoint", folder / model, "1"])
            made_up.write_tokenizer(folder / model)
        write_data(folder / "TOFU")
        (folder / "memorised_data").mkdir()
        made_up.memorise(folder / "memorised", write_memorised_data(folder / "memorised_data" / "TOFU"))
        for name in RUNS:
            print(f"  {name}: ours", file=sys.stderr)
            seconds, rouge = run_ours(bench_dir, checkout, folder, name)
            print(f"  {name}: open-unlearning", file=sys.stderr)
            made_up.measured([sys.executable, __file__, "--theirs", checkout, folder, name],
                             os.environ | {"PYTHONWARNINGS": "ignore"})
            check(folder, name)
            spent = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            whole = name == "tofu_suite"
            numbers |= {f"ours:{name}": seconds if whole else rouge, name: spent["all" if whole else "rouge"]}
            print(f"  {name}: ours {seconds:.1f} s, {rouge:.1f} s of it ROUGE; theirs {spent}", file=sys.stderr)
    print(json.dumps(numbers))


if __name__ == "__main__":
    if sys.argv[1] == "--theirs":
        run_theirs(sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4])
    else:
        main()
