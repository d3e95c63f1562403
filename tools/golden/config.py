#!/usr/bin/env python3
"""Makes tests/golden/config/*.json: what Hydra and OmegaConf make of configurations, overrides and YAML.

    python3 tools/golden/config.py [--out tests/golden/config]

Needs hydra-core==1.3.2 and omegaconf==2.3.0. The cases stand in config_cases.py. The outside world is fixed: the
environment variable PALIMPSEST_GOLDEN, the time, ${hydra:runtime.cwd}, ${hydra:runtime.output_dir} and ${hydra:job.name}.
The same versions give the same bytes; nothing is random.
"""

import argparse
import datetime
import json
import os
import pathlib
import tempfile
import warnings

import golden_file
import yaml
from hydra import compose, initialize_config_dir
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Glob, QuotedString, RangeSweep
from omegaconf import OmegaConf, open_dict

import config_cases

NOW = datetime.datetime(2024, 3, 9, 8, 7, 6)


def failure(error):
    return {"error": type(error).__name__}


def write_tree(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def compose_case(files, name, overrides):
    """The configuration as written and resolved, or how Hydra failed."""
    with tempfile.TemporaryDirectory() as folder:
        write_tree(folder, files)
        try:
            with initialize_config_dir(config_dir=folder, version_base=None, job_name="job"):
                OmegaConf.register_new_resolver("now", lambda pattern: NOW.strftime(pattern), replace=True)
                config = compose(name, overrides, return_hydra_config=True)
        except Exception as error:
            return failure(error)
        config.hydra.runtime.cwd = "/where"
        config.hydra.runtime.output_dir = "/out"
        HydraConfig.instance().set_config(config)
        with open_dict(config):
            del config["hydra"]
        result = {"yaml": OmegaConf.to_yaml(config)}
        try:
            result["resolved"] = OmegaConf.to_yaml(config, resolve=True)
        except Exception as error:
            result["resolved_error"] = type(error).__name__
        return result


def compositions():
    trees = []
    cases = []
    for name, files, config, overrides in config_cases.COMPOSITIONS:
        if files not in trees:
            trees.append(files)
        cases.append({"name": name, "tree": trees.index(files), "config": config, "overrides": overrides,
                      **compose_case(files, config, overrides)})
    return trees, cases


def typed(value):
    """JSON that tells whole numbers from real ones and texts from special numbers; keys are texts."""
    if isinstance(value, QuotedString):
        return typed(value.text)
    if isinstance(value, float):
        return {"real": repr(value)}
    if isinstance(value, dict):
        return {"map": [[key if isinstance(key, str) else json.loads(json.dumps({key: 0}).split(":")[0][1:] or '""'),
                         typed(item)] for key, item in value.items()]}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return value


def parse_override(parser, line):
    try:
        override = parser.parse_override(line)
        result = {"kind": override.type.name, "key": override.key_or_group, "package": override.package}
        value = override._value
        if isinstance(value, Glob):
            result["glob"] = [value.include, value.exclude]
        elif isinstance(value, (ChoiceSweep, RangeSweep)):
            result["sweep"] = [typed(item) for item in (value.range() if isinstance(value, RangeSweep) else value.list)]
        else:
            # OmegaConf has the last word on what a value may be.
            if isinstance(override.value(), (dict, list)):
                OmegaConf.create({"x": override.value()})
            result["value"] = typed(value)
        return {"line": line, **result}
    except Exception as error:
        return {"line": line, **failure(error)}


def overrides():
    parser = OverridesParser.create()
    return [parse_override(parser, line) for line in config_cases.OVERRIDES]


def sweeps():
    parser = OverridesParser.create()
    cases = []
    for lines in config_cases.SWEEPS:
        jobs = BasicSweeper.split_arguments(parser.parse_overrides(lines), None)[0]
        cases.append({"lines": lines, "jobs": [[parse_override(parser, line) for line in job] for job in jobs]})
    return cases


def load_case(text):
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.yaml"
            path.write_text(text, encoding="utf-8")
            config = OmegaConf.load(path)
        return {"text": text, "value": typed(OmegaConf.to_container(config))}
    except Exception as error:
        return {"text": text, **failure(error)}


def interpolations():
    cases = []
    context = yaml.safe_load(config_cases.CONTEXT)
    for text in config_cases.INTERPOLATIONS:
        case = {"it": text}
        try:
            config = OmegaConf.create(context)
            config.it = text
            node = config._get_node("it")._dereference_node()
            value = OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node._value()
            case["value"] = typed(value)
        except Exception as error:
            case.update(failure(error))
        cases.append(case)
    return cases


def texts():
    return [{"text": text, "yaml": OmegaConf.to_yaml(OmegaConf.create({"k": text, "l": [text], "m": {"n": [[text]]}})),
             "key_yaml": OmegaConf.to_yaml(OmegaConf.create({"o": {text: 1}, "p": [{text: [1, {}], "z": text}]}))}
            for text in config_cases.TEXTS if "${" not in text or "}" in text]


def numbers():
    values = [0.0, -0.0, 1.0, 0.1, 1e-5, 1e16, 1e15, 123456789.125, 1e22, 1.5e300, 5e-324, -2.5, 1e-4, 0.00001234, float("inf"),
              float("-inf"), float("nan"), 100000.0, 1e100]
    return [{"value": repr(value), "yaml": OmegaConf.to_yaml(OmegaConf.create({"k": value}))} for value in values]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="tests/golden/config")
    out = pathlib.Path(parser.parse_args().out)
    out.mkdir(parents=True, exist_ok=True)
    os.environ["PALIMPSEST_GOLDEN"] = "from the environment"
    os.environ.pop("PALIMPSEST_ABSENT", None)
    warnings.simplefilter("ignore")
    manifest = {"script": "tools/golden/config.py", "seed": None,
                **golden_file.versions("hydra-core", "omegaconf", "PyYAML")}
    trees, cases = compositions()
    golden_file.write(out / "compose.json", manifest, trees=trees, cases=cases)
    golden_file.write(out / "override.json", manifest, overrides=overrides(), sweeps=sweeps())
    golden_file.write(out / "yaml.json", manifest, scalars=[load_case(f"k: {text}") for text in config_cases.SCALARS],
                      documents=[load_case(text) for text in config_cases.DOCUMENTS], texts=texts(), numbers=numbers())
    golden_file.write(out / "interpolation.json", {**manifest, "context": config_cases.CONTEXT}, cases=interpolations())


if __name__ == "__main__":
    main()
