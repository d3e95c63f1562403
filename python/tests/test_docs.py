"""Runs the examples of docs/python.md, and those in the docstrings of the package."""

import ast
import contextlib
import doctest
import importlib
import importlib.util
import io
import re

import pytest

import palimpsest

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


def test_every_public_name_has_a_docstring_and_is_in_the_reference(source):
    specification = importlib.util.spec_from_file_location("python_api", source / "docs/reference/python_api.py")
    api = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(api)
    page = api.page()  # raises for a name without one
    for module in api.MODULES:
        if module in ("hf",):  # it imports torch
            continue
        for name in importlib.import_module(f"palimpsest.{module}").__all__:
            assert f"### {name}\n" in page, f"{module}.{name}"
    documented = {f"palimpsest.{name}" for name in api.MODULES}
    for name in palimpsest.__all__:
        thing = getattr(palimpsest, name)
        assert name == "__version__" or thing.__module__ in documented | {"palimpsest", "palimpsest._core"}, name
        assert name == "__version__" or thing.__doc__, name


def test_a_public_name_without_a_docstring_is_found(source):
    specification = importlib.util.spec_from_file_location("python_api", source / "docs/reference/python_api.py")
    api = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(api)
    silent = ast.parse("def silent():\n    pass\n").body[0]
    with pytest.raises(api.MissingDocstring, match="silent has no docstring"):
        api.docstring(silent, "silent")
