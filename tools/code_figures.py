#!/usr/bin/env python3
"""Size and structure of the code at some revisions of the repository, as one table.

    tools/code_figures.py REVISION...

Lines are those of the sources and headers (.cc, .h) under palimpsest/. A public header is one outside internal/, in
a module that is installed (not cli, not torch). An edge of the include graph leads from a module to another one that
it includes headers of.
"""

import argparse
import collections
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_INSTALLED = {"cli", "torch"}


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def read_files(revision: str) -> dict[str, list[str]]:
    """The lines of each source and header under palimpsest/."""
    files: dict[str, list[str]] = collections.defaultdict(list)
    text = git("grep", "--full-name", "-I", "-e", "", revision, "--", "palimpsest/*.cc", "palimpsest/*.h")
    for line in text.split("\n")[:-1]:
        _, path, content = line.split(":", 2)
        files[path].append(content)
    return files


def module_of(path: str) -> str:
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else ""


def figures(revision: str) -> dict[str, str]:
    files = read_files(revision)
    lines: dict[str, int] = collections.Counter()
    headers = 0
    public = 0
    public_lines = 0
    edges = set()
    for path, content in files.items():
        module = module_of(path)
        lines[module] += len(content)
        if path.endswith(".h"):
            headers += 1
            if "/internal/" not in path and module not in NOT_INSTALLED:
                public += 1
                public_lines += len(content)
        for line in content:
            if match := re.match(r'#include "palimpsest/(\w+)/', line):
                edges.add((module, match[1]))
    edges = {(user, used) for user, used in edges if user != used}
    rows = {f"lines of {module}": f"{count:,}" for module, count in sorted(lines.items()) if module}
    rows["lines of palimpsest/"] = f"{sum(lines.values()):,}"
    rows["headers"] = str(headers)
    rows["public headers"] = str(public)
    rows["lines of public headers"] = f"{public_lines:,}"
    rows["edges of the include graph"] = str(len(edges))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="size and structure of the code at some revisions")
    parser.add_argument("revisions", nargs="+", metavar="REVISION")
    revisions = parser.parse_args().revisions
    columns = [figures(revision) for revision in revisions]
    names = list(dict.fromkeys(name for column in columns for name in column))
    names.sort(key=lambda name: not re.match(r"lines of \w+$", name))
    print("| |", " | ".join(revisions), "|")
    print("|---|" + "---:|" * len(columns))
    for name in names:
        print(f"| {name} |", " | ".join(column.get(name, "") for column in columns), "|")


if __name__ == "__main__":
    main()
