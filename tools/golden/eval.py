#!/usr/bin/env python3
"""Makes tests/golden/eval/: what open-unlearning's own evaluators say about tiny checkpoints.

    python3 tools/golden/eval.py CHECKOUT

CHECKOUT is a clone of locuslab/open-unlearning. Environment (Debian 12, python3-torch 1.13):

    python3 -m venv --system-site-packages DIR
    DIR/bin/pip install transformers==4.45.1 "numpy<2" "datasets<4" "pyarrow<21" accelerate==0.34.2 \
        hydra-core==1.3 hydra-colorlog rouge-score "scikit-learn<1.7" "scipy<1.16" safetensors jinja2

Its configurations are composed by Hydra, its evaluators run as they are; only where the data come from (files
made here instead of the hub) and a package that it imports without need here (lm_eval) are replaced.
Each golden file holds the resolved configuration with paths relative to its folder, and the log that came of it.
The same environment on the same kind of processor gives the same bytes.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile

import eval_data
import golden_file
import open_unlearning

SEED = 20251116
OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "eval"
# Beside those that the suites ask for by default.
TOFU = ["forget_Q_A_PARA_ROUGE", "forget_Q_A_PERT_ROUGE", "exact_memorization", "mia_min_k_plus_plus", "mia_min_k",
        "mia_loss", "mia_zlib", "mia_gradnorm", "mia_reference"]
MUSE = ["exact_memorization", "mia_min_k_plus_plus", "mia_min_k", "mia_loss", "mia_reference", "mia_zlib",
        "mia_gradnorm"]
TAGS = ["model.template_args.apply_chat_template=false", "model.template_args.system_prompt_with_special_tokens=null",
        "model.template_args.user_start_tag='Question: '", r'model.template_args.user_end_tag="\n"',
        "model.template_args.asst_start_tag='Answer: '", r'model.template_args.asst_end_tag="\n\n"']


def import_open_unlearning(checkout, data):
    open_unlearning.prepare(checkout)
    import datasets

    def load_dataset(path, name=None, split=None, **_):
        folder = path.split("/")[-1]
        key = f"{folder}/{name}" if folder == "TOFU" else f"{folder}/{name}/{split}"
        return datasets.Dataset.from_list(data[key])

    datasets.load_dataset = load_dataset


def compose(checkout, overrides):
    import hydra
    from omegaconf import OmegaConf
    with hydra.initialize_config_dir(version_base=None, config_dir=str(checkout / "configs")):
        cfg = hydra.compose("eval.yaml", overrides=overrides)
    OmegaConf.set_struct(cfg, False)
    return cfg


def training_sequences(data, files, tokenizer, config):
    """Questions and answers in both forms, and the news."""
    from data.utils import preprocess_chat_instance, preprocess_pretraining_instance
    tags = {"apply_chat_template": False, "user_start_tag": "Question: ", "user_end_tag": "\n",
            "asst_start_tag": "Answer: ", "asst_end_tag": "\n\n"}
    sequences = []
    for name in files:
        for record in data[name]:
            if "question" in record:
                items = [preprocess_chat_instance(tokenizer, template, [record["question"]], [record["answer"]], 512)
                         for template in (config, tags)]
            else:
                text = record.get("text") or f"{record['prompt']} {record['gt']}"
                items = [preprocess_pretraining_instance(tokenizer, "", text, 512)]
            sequences += [(item["input_ids"].tolist(), item["labels"].tolist()) for item in items]
    return sequences


def evaluate(cfg):
    """One evaluator's log, as open-unlearning's program makes it."""
    from evals import get_evaluators
    from model import get_model
    from omegaconf import OmegaConf
    resolved = {key: OmegaConf.to_container(cfg[key], resolve=True) for key in ("model", "eval")}
    model, tokenizer = get_model(cfg.model)
    for evaluator in get_evaluators(cfg.eval).values():
        evaluator.evaluate(model=model, tokenizer=tokenizer, template_args=cfg.model.template_args)
        folder = pathlib.Path(evaluator.eval_cfg.output_dir)
        return resolved, *(json.loads((folder / f"{evaluator.name}_{kind}.json").read_text())
                           for kind in ("EVAL", "SUMMARY"))


def portable(value, replacements):
    """Paths of this machine out of a configuration."""
    if isinstance(value, dict):
        return {key: portable(item, replacements) for key, item in value.items()}
    if isinstance(value, list):
        return [portable(item, replacements) for item in value]
    if isinstance(value, str):
        for path, name in replacements:
            value = value.replace(str(path), name)
    return value


def overrides_for(experiment, suite, metrics, checkpoint, output, extra):
    return [f"experiment=eval/{experiment}/default", "model=Llama-3.2-1B-Instruct",
            f"+eval/{suite}=[{','.join(metrics)}]", "task_name=golden", f"paths.output_dir={output}",
            f"model.model_args.pretrained_model_name_or_path={checkpoint}",
            f"model.tokenizer_args.pretrained_model_name_or_path={OUT / 'target'}",
            "model.model_args.device_map=cpu", "model.model_args.attn_implementation=eager",
            "model.model_args.torch_dtype=float32", *extra]


def make_inputs(files):
    from transformers import AutoTokenizer
    eval_data.make_tokenizer(files, OUT / "target")
    tokenizer = AutoTokenizer.from_pretrained(OUT / "target")
    tokenizer.pad_token = tokenizer.eos_token
    template = {"apply_chat_template": True, "system_prompt": "You are a helpful assistant.",
                "date_string": "10 Apr 2025"}
    # A few holdout records were seen after all, so that no attack is perfect.
    data = files | {name: records[:3] for name, records in files.items() if "holdout" in name}
    everything = list(data)
    retained = [name for name in everything if "forget" not in name and "holdout" not in name]
    losses = {}
    for folder, names, steps in (("target", everything, 400), ("retain", retained, 240)):
        losses[folder] = eval_data.make_checkpoint(
            OUT / folder, tokenizer, training_sequences(data, names, tokenizer, template), SEED, steps)
    for name, records in files.items():
        path = OUT / "data" / (name + ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n")
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=pathlib.Path)
    checkout = parser.parse_args().checkout.resolve()
    if OUT.exists():
        shutil.rmtree(OUT)
    data = eval_data.make_data(SEED)
    import_open_unlearning(checkout, data)
    import torch
    torch.set_num_threads(1)
    losses = make_inputs(data)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        replacements = [(OUT, "@golden"), (scratch, "@out")]
        manifest = {"script": "tools/golden/eval.py", "seed": SEED, "last_training_losses": losses,
                    "packages": golden_file.versions("torch", "transformers", "datasets", "numpy", "scipy",
                                                     "scikit-learn", "rouge-score", "hydra-core", "safetensors")}
        reference = f"eval.{{}}.metrics.mia_reference.reference_model_path={OUT / 'retain'}"

        def run(name, experiment, checkpoint, metrics, extra, keep=None):
            suite = f"{experiment}_metrics"
            cfg = compose(checkout, overrides_for(experiment, suite, metrics, checkpoint, scratch / name, extra))
            config, log, summary = evaluate(cfg)
            if keep:
                (OUT / f"{name}.json").write_text(json.dumps({key: log[key] for key in keep}) + "\n")
                return
            text = json.dumps(golden_file.plain({
                "manifest": manifest, "config": portable(config, replacements), "log": log, "summary": summary}))
            (OUT / f"{name}.json").write_text(text + "\n")

        run("retain_tofu_log", "tofu", OUT / "retain", ["mia_min_k"], [],
            keep=["forget_truth_ratio", "mia_min_k"])
        logs = f"retain_logs_path={OUT / 'retain_tofu_log.json'}"
        run("tofu_chat", "tofu", OUT / "target", TOFU, [logs, reference.format("tofu")])
        run("tofu_tags", "tofu", OUT / "target", TOFU, [
            *TAGS, reference.format("tofu"), "eval.tofu.question_key=paraphrased_question",
            "eval.tofu.metrics.forget_truth_ratio.aggregator=prob_mean", "eval.tofu.metrics.mia_gradnorm.p=1"])
        run("muse", "muse", OUT / "target", MUSE, [*TAGS, reference.format("muse")])


if __name__ == "__main__":
    main()
