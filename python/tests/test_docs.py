"""Runs the examples of docs/python.md, and those in the docstrings of the package."""

import contextlib
import doctest
import importlib
import io
import re

import pytest

BLOCK = re.compile(r"^(<!-- not run -->\n)?```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page(source, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(source / "examples")
    monkeypatch.chdir(tmp_path)
    run = 0
    for skipped, code, expected in BLOCK.findall((source / "docs/python.md").read_text()):
        if skipped:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/python.md", "exec"), {"__name__": "docs"})
        if expected:
            assert printed.getvalue() == expected
        run += 1
    assert run >= 9


@pytest.mark.parametrize("name", ["stat", "metrics", "text", "traces"])
def test_the_examples_of_docstrings(name):
    found = doctest.testmod(importlib.import_module(f"palimpsest.{name}"))
    assert found.attempted > 0 and found.failed == 0
