#!/usr/bin/env python3
"""The reference of the Python package from its docstrings, as a page of the site.

    docs/reference/python_api.py    prints the page

`make docs` makes docs/python-api.md of it (site.py). Reads the sources of python/palimpsest and imports nothing. Public are the names in `__all__` of each module, with the
public methods, properties and fields of classes. A public name without a docstring is an error.
"""

import ast
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "palimpsest"
#: The modules of the page in its order; those without `__all__` are the package's own business.
MODULES = ("auditing", "evaluation", "traces", "stat", "metrics", "report", "text", "model", "hf", "engine", "openai", "vllm",
           "services", "hub")
#: Modules whose names users import from the package itself.
AT_THE_TOP = {"auditing", "evaluation", "traces", "text"}
#: Classes whose objects come from functions of the package.
NOT_MADE_BY_USERS = {"Audit", "Evaluation", "Traces"}
HEAD = """# The Python package: reference

This page is made from the docstrings of the package by `docs/reference/python_api.py`. [python.md](python.md) explains the
package by its tasks.

"""


class MissingDocstring(Exception):
    """A public name says nothing about itself."""


def docstring(node, name):
    found = ast.get_docstring(node)
    if not found:
        raise MissingDocstring(f"{name} has no docstring")
    return found


def signature(node, skip_first):
    """The arguments as they are written, in one line."""
    arguments = ast.unparse(node.args)
    if skip_first:
        arguments = arguments.split(",", 1)[1].strip() if "," in arguments else ""
        arguments = arguments.removeprefix("/, ")
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({arguments}){returns}"


def code(text):
    """A long line of code as a block, wrapped."""
    wrapped = textwrap.fill(text, 100, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return f"```python\n{wrapped}\n```\n\n"


def decorators(node):
    return {ast.unparse(decorator) for decorator in node.decorator_list}


def public(node):
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")


def block(text):
    """A docstring as Markdown: its indented parts are code already, and stay so."""
    return text.strip() + "\n"


def comment_of(lines, node):
    """The remark beside a field or before it ("#: …")."""
    after = lines[node.end_lineno - 1].partition("  #: ")[2]
    before = []
    for line in reversed(lines[:node.lineno - 1]):
        if not line.strip().startswith("#: "):
            break
        before.insert(0, line.strip().removeprefix("#: "))
    return after or " ".join(before)


def fields_of(node, lines):
    """Rows of the fields of a named tuple or a dataclass."""
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and not part.target.id.startswith("_"):
            default = f" = {ast.unparse(part.value)}" if part.value is not None else ""
            comment = comment_of(lines, part)
            yield f"- `{part.target.id}: {ast.unparse(part.annotation)}{default}`" + (f": {comment}" if comment else "")


def class_text(node, module, lines):
    name = f"{module}.{node.name}"
    init = next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
    text = f"### {node.name}\n\n"
    if init is not None and node.name not in NOT_MADE_BY_USERS:
        text += code(node.name + signature(init, True))
    text += block(docstring(node, name)) + "\n"
    fields = list(fields_of(node, lines))
    if fields:
        text += "\n".join(fields) + "\n\n"
    for part in node.body:
        if not public(part) or isinstance(part, ast.ClassDef):
            continue
        kinds = decorators(part)
        if "property" in kinds:
            returns = f": {ast.unparse(part.returns)}" if part.returns else ""
            title = f"{part.name}{returns}"
        else:
            title = part.name + signature(part, "staticmethod" not in kinds)
            title = f"{node.name}.{title}" if "classmethod" in kinds or "staticmethod" in kinds else title
        text += f"**`{title}`**\n\n{block(docstring(part, f'{name}.{part.name}'))}\n"
    return text


def names_of(tree):
    """What `__all__` lists."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return []


def module_text(module):
    source = (PACKAGE / f"{module}.py").read_text(encoding="utf-8")
    lines = source.split("\n")
    tree = ast.parse(source)
    shown = f"palimpsest.{module}"
    text = f"## {shown}\n\n{block(docstring(tree, shown))}\n"
    if module in AT_THE_TOP:
        text += "The most common names are in `palimpsest` itself, too.\n\n"
    known = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    values = {ast.unparse(node.targets[0]): node for node in tree.body if isinstance(node, ast.Assign)}
    for name in sorted(names_of(tree), key=str.lower):
        if name in known and isinstance(known[name], ast.ClassDef):
            text += class_text(known[name], shown, lines)
        elif name in known:
            text += f"### {name}\n\n{code(name + signature(known[name], False))}{block(docstring(known[name], name))}\n"
        elif name in values and comment_of(lines, values[name]):
            text += f"### {name}\n\n{code(ast.unparse(values[name]))}{comment_of(lines, values[name])}\n\n"
        elif name == "auc":  # a function of the extension module, documented there
            text += "### auc\n\n" + code("auc(positives: ArrayLike, negatives: ArrayLike) -> float | None")
            text += ("The probability that a positive scores higher than a negative, ties counted half; None unless both classes have items.\n\n")
        else:
            raise MissingDocstring(f"{shown}.{name} has neither a docstring nor a remark")
    return text


def page():
    contents = "".join(f"- [palimpsest.{module}](#palimpsest{module})\n" for module in MODULES)
    return (HEAD + contents + "\n" + "".join(module_text(module) for module in MODULES)).rstrip() + "\n"


if __name__ == "__main__":
    try:
        print(page(), end="")
    except MissingDocstring as missing:
        sys.exit(f"python_api.py: {missing}")
