#!/usr/bin/env python3
"""Checks that `palimpsest eval --cfg job` prints what Hydra composes from a checkout of open-unlearning.

    python3 tools/golden/open_unlearning_configs.py CHECKOUT [--program build/palimpsest]

Needs hydra-core==1.3.2, hydra-colorlog==1.2.0 and the program; nothing is downloaded and nothing is written. Every experiment under
configs/experiment/eval is composed, bare and with overrides, as written and resolved, and so is every model, every
evaluation and every metric of the checkout. The node hydra is left out. Exit status 1 if anything differs.
"""

import argparse
import difflib
import pathlib
import subprocess
import sys
import warnings

from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from omegaconf import OmegaConf, open_dict


def with_hydra(configs, name, overrides, resolve):
    try:
        with initialize_config_dir(config_dir=str(configs), version_base=None, job_name="eval"):
            config = compose(name, overrides, return_hydra_config=True)
        HydraConfig.instance().set_config(config)
        with open_dict(config):
            del config["hydra"]
        return OmegaConf.to_yaml(config, resolve=resolve)
    except Exception as error:
        return f"error: {type(error).__name__}"


def with_ours(program, configs, name, overrides, resolve):
    done = subprocess.run(
        [program, "eval", "--config-dir", configs, "--config-name", name, "--cfg", "job",
         *(["--resolve"] if resolve else []), *overrides], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else f"error: {done.stderr}"


def option_names(folder):
    return sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.yaml"))


def cases(configs):
    given = ["task_name=check"]
    for experiment in option_names(configs / "experiment" / "eval"):
        chosen = f"experiment=eval/{experiment}"
        yield "eval.yaml", [chosen]
        yield "eval.yaml", [chosen, *given]
        yield "eval.yaml", [chosen, *given, "model=phi-1_5", "seed=7", "+eval.extra.list=[1,{a:b}]", "~model.template_args"]
        yield "eval.yaml", [chosen, *given, "paths.output_dir=out", "model.model_args.device_map=cpu"]
    for model in option_names(configs / "model"):
        yield "eval.yaml", [f"model={model}", *given]
    for suite in sorted(path.stem for path in (configs / "eval").glob("*.yaml")):
        yield "eval.yaml", [f"eval={suite}", *given]
    for metrics in sorted((configs / "eval").glob("*_metrics")):
        for metric in option_names(metrics):
            suite = metrics.name.removesuffix("_metrics")
            yield "eval.yaml", [f"eval={suite}", f"eval/{metrics.name}@eval.{suite}.{metrics.name}=[{metric}]", *given]
    for name in ("train.yaml", "unlearn.yaml"):
        yield name, given
        yield name, ["trainer=NPO", *given]
    for kind in ("finetune", "unlearn"):
        for experiment in option_names(configs / "experiment" / kind):
            name = "unlearn.yaml" if kind == "unlearn" else "train.yaml"
            yield name, [f"experiment={kind}/{experiment}", *given]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--program", default="build/palimpsest")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    configs = (args.checkout / "configs").resolve()
    counts = {"equal": 0, "both refused": 0, "different": 0}
    for name, overrides in cases(configs):
        for resolve in (False, True):
            expected = with_hydra(configs, name, overrides, resolve)
            found = with_ours(args.program, configs, name, overrides, resolve)
            if expected.startswith("error: ") and found.startswith("error: "):
                counts["both refused"] += 1
            elif expected == found:
                counts["equal"] += 1
            else:
                counts["different"] += 1
                print(f"{name} {' '.join(overrides)} (resolved: {resolve})")
                print("\n".join(difflib.unified_diff(expected.splitlines(), found.splitlines(), "hydra", "palimpsest", "", "", 1, "")))
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(1 if counts["different"] else 0)


if __name__ == "__main__":
    main()
