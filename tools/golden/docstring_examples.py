#!/usr/bin/env python3
"""Runs the examples of fedjax.metrics' and tapas.report's documentation on this package, after changing their imports.

    python tools/golden/docstring_examples.py --fedjax CHECKOUT --tapas CHECKOUT

The examples are read from the checkouts and not kept here. An example is a literal block ("Example::") of a docstring. Its
code runs with numpy under the name jnp and with palimpsest.metrics in place of fedjax.metrics. Where a comment after a
print says what is printed, its numbers are compared. TAPAS has no examples in docstrings: its example file
examples/reporting.py, which is about tapas.report, runs instead, with the import changed. Ends with status 1 if an example
does not run, or prints other numbers than the table of differences says.
"""

import argparse
import ast
import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import textwrap
import types

import numpy as np

from palimpsest import metrics

TOLERANCE = 1e-5
#: Names in the examples that their own library does not have.
MISSPELT = {"PerDomain": metrics.PerDomainMetric}
#: Examples that print something else here, with the reason (docs/definitions.md).
DIFFERENT = {name: "the mean of nothing is undefined (nan) instead of 0"
             for name in ("SequenceTokenCrossEntropyLoss", "SequenceTokenAccuracy", "SequenceTokenTopKAccuracy",
                          "SequenceTokenOOVRate")}
NUMBER = re.compile(r"nan|-?\d+\.?\d*(?:e[+-]?\d+)?", re.IGNORECASE)


def literal_blocks(text):
    """The indented blocks after lines that end with "::"."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not line.rstrip().endswith("::") or line.lstrip().startswith(".."):
            continue
        indent = len(line) - len(line.lstrip())
        block = []
        for later in lines[i + 1:]:
            if later.strip() and len(later) - len(later.lstrip()) <= indent:
                break
            block.append(later)
        yield textwrap.dedent("\n".join(block)).strip() + "\n"


def examples_of(files):
    """Pairs of a name and the code of an example. Blocks that are no Python are left out."""
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                continue
            for block in literal_blocks(ast.get_docstring(node) or ""):
                with contextlib.suppress(SyntaxError):
                    ast.parse(block)
                    yield getattr(node, "name", file.stem), block


def expected_after(lines, statement):
    """The comment right after a statement, or None."""
    comment = []
    for line in lines[statement.end_lineno:]:
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# "))
    return "\n".join(comment) or None


def numbers_in(text):
    return [float(number) for number in NUMBER.findall(re.sub(r"dtype=\w+", "", text))]


def run_example(code, names):
    """What the example prints, as pairs of the printed numbers and those that its comments promise."""
    found = []
    lines = code.split("\n")
    for statement in ast.parse(code).body:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module([statement], []), "example", "exec"), names)
        expected = expected_after(lines, statement)
        if printed.getvalue() and expected:
            found.append((numbers_in(printed.getvalue()), numbers_in(expected)))
    return found


def agrees(printed, expected):
    """fedjax leaves the result out of some comments, so that the printed numbers may go on."""
    return len(printed) >= len(expected) > 0 and all(
        abs(a - b) <= TOLERANCE * max(1, abs(b)) for a, b in zip(printed, expected))


def differs_as_said(printed, expected):
    return len(printed) == len(expected) and all(
        a != a and b == 0 or abs(a - b) <= TOLERANCE * max(1, abs(b)) for a, b in zip(printed, expected))


def run_fedjax(checkout):
    jnp = types.SimpleNamespace(**{name: getattr(np, name) for name in dir(np) if not name.startswith("__")})
    jnp.NINF = -np.inf
    run = same = total = 0
    for name, code in examples_of([checkout / "fedjax/core/metrics.py"]):
        total += 1
        names = {**{part: getattr(metrics, part) for part in metrics.__all__}, "metrics": metrics, "jnp": jnp, "np": np,
                 **MISSPELT}
        try:
            found = run_example(code, names)
        except Exception as error:  # whatever an example of others does
            print(f"fedjax {name}: {type(error).__name__}: {error}")
            continue
        run += 1
        if found and all(agrees(*pair) for pair in found):
            same += 1
        elif name in DIFFERENT and all(agrees(*pair) or differs_as_said(*pair) for pair in found):
            print(f"fedjax {name}: {DIFFERENT[name]}")
            same += 1
        else:
            print(f"fedjax {name}: other numbers: {found}")
    print(f"fedjax.metrics: {run} of {total} examples of docstrings run, {same} with the promised numbers")
    return total > 0 and same == total


def run_tapas(checkout):
    in_docstrings = list(examples_of(sorted((checkout / "tapas/report").glob("*.py"))))
    prompts = sum(file.read_text(encoding="utf-8").count(">>>") for file in (checkout / "tapas/report").glob("*.py"))
    print(f"tapas.report: {len(in_docstrings) + prompts} examples in docstrings")
    example = checkout / "examples/reporting.py"
    code, changed = re.subn(r"\btapas\.report\b", "palimpsest.report", example.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        np.random.seed(0)
        before = os.getcwd()
        os.chdir(folder)
        try:
            exec(compile(code, str(example), "exec"), {"__name__": "__main__"})
        finally:
            os.chdir(before)
        files = sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if path.is_file())
    published = {file.split("/")[1] for file in files}
    print(f"tapas examples/reporting.py: runs; {len(published)} folders with {len(files)} files")
    return changed > 0 and not in_docstrings and published == {*"012345", "effeps"}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--fedjax", type=pathlib.Path, required=True)
    arguments.add_argument("--tapas", type=pathlib.Path, required=True)
    given = arguments.parse_args()
    done = [run_fedjax(given.fedjax), run_tapas(given.tapas)]
    sys.exit(0 if all(done) else 1)


if __name__ == "__main__":
    main()
