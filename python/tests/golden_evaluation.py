"""Evaluations whose logs open-unlearning wrote (tests/golden/eval), for comparison."""

import json
import math

import palimpsest

RUNS = ("tofu_chat", "tofu_tags", "muse")


def read(source, name):
    return json.loads((source / f"tests/golden/eval/{name}.json").read_text())


def localised(value, source, out):
    """The configuration with the golden data's folder and the output folder in place of their marks."""
    if isinstance(value, dict):
        return {key: localised(part, source, out) for key, part in value.items()}
    if isinstance(value, list):
        return [localised(part, source, out) for part in value]
    if isinstance(value, str):
        return value.replace("@golden", str(source / "tests/golden/eval")).replace("@out", str(out))
    return value


def run(source, name, folder, rename=None, **arguments):
    """Evaluates the golden file's configuration. `rename` gives handlers other names."""
    text = json.dumps(localised(read(source, name)["config"], source, folder / "out"))
    for handler, other in (rename or {}).items():
        text = text.replace(f'"handler": "{handler}"', f'"handler": "{other}"')
    config = {**json.loads(text), "seed": 0, "data_dir": str(source / "tests/golden/eval/data")}
    folder.mkdir(exist_ok=True)
    (folder / "main.yaml").write_text(json.dumps(config))
    done, = palimpsest.evaluate(config_dir=folder, config_name="main.yaml", out=folder / "out", **arguments)
    return done


def require_same(ours, theirs, where=""):
    """Texts are equal, numbers within 1e-4, whatever the nesting."""
    if theirs == "nan":
        assert ours is None, where
    elif isinstance(theirs, dict):
        for key, value in theirs.items():
            require_same(ours[key], value, f"{where}.{key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for i, value in enumerate(theirs):
            require_same(ours[i], value, f"{where}[{i}]")
    elif isinstance(theirs, float):
        assert math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-4), (where, ours, theirs)
    else:
        assert ours == theirs, where
