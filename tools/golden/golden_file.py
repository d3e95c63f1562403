"""The form that golden files share: a manifest that says how the file came about, then lists of cases.

JSON has no infinities and no NaN, so they are the strings "inf", "-inf" and "nan"; a call that raises is the
string "error: <type>: <first line>". All other numbers are written with repr, which loses nothing.
"""

import importlib.metadata
import json
import math
import pathlib
import platform
import warnings


def plain(value):
    """The value as JSON can hold it: numpy's types unpacked, special numbers as strings."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def attempt(function):
    """function(), or how it failed. Warnings are silenced: the goldens are full of edge cases."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function()
        except Exception as error:
            return f"error: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def versions(*packages):
    """The versions of the interpreter and the packages."""
    found = {package: importlib.metadata.version(package) for package in packages}
    return {"python": platform.python_version(), **found}


def write(path, manifest, **lists):
    """One case per line, so that a changed case is one changed line."""
    parts = [f' "manifest": {json.dumps(plain(manifest))}']
    for name, cases in lists.items():
        lines = ",\n".join("  " + json.dumps(plain(case), allow_nan=False) for case in cases)
        parts.append(f' "{name}": [\n{lines}\n ]')
    pathlib.Path(path).write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
