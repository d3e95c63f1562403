#!/usr/bin/env python3
"""Checks that no line of C++ in FOLDERS has more than 100 columns.

clang-format keeps code to them (.clang-format), but leaves comments as they are (ReflowComments). A raw string is the one
thing that cannot be broken.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("palimpsest", "bench", "examples", "fuzz", "python", "tests")
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)


def limit() -> int:
    return int(re.search(r"^ColumnLimit: (\d+)$", (ROOT / ".clang-format").read_text(encoding="utf-8"), re.MULTILINE).group(1))


def too_long(path: pathlib.Path, columns: int) -> list[str]:
    """The lines of a file that are too long, as FILE:NUMBER, but for those with a part of a raw string."""
    text = path.read_text(encoding="utf-8")
    raw = {number for string in RAW_STRING.finditer(text)
           for number in range(text.count("\n", 0, string.start()), text.count("\n", 0, string.end()) + 1)}
    return [f"{path.relative_to(ROOT)}:{number + 1}" for number, line in enumerate(text.splitlines())
            if len(line) > columns and number not in raw]


class ColumnsTest(unittest.TestCase):
    def test_no_line_has_more_columns_than_the_limit(self):
        columns = limit()
        self.assertEqual(columns, 100)  # as CONTRIBUTING.md says
        long = [line for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cc")
                for line in too_long(path, columns)]
        self.assertEqual(long, [], f"more than {columns} columns")


if __name__ == "__main__":
    unittest.main()
