#!/usr/bin/env python3
"""Checks that no line of the library's C++ has more than 100 columns.

clang-format keeps code to them (.clang-format), but leaves comments as they are (ReflowComments). A raw string is the one
thing that cannot be broken.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def limit() -> int:
    return int(re.search(r"^ColumnLimit: (\d+)$", (ROOT / ".clang-format").read_text(encoding="utf-8"), re.MULTILINE).group(1))


def is_unbreakable(line: str) -> bool:
    return re.fullmatch(r'\s*R"\w*\(.*', line) is not None


class ColumnsTest(unittest.TestCase):
    def test_no_line_has_more_columns_than_the_limit(self):
        columns = limit()
        self.assertEqual(columns, 100)  # as CONTRIBUTING.md says
        long = [f"{path.relative_to(ROOT)}:{number}"
                for path in sorted((ROOT / "palimpsest").rglob("*")) if path.suffix in (".h", ".cc")
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
                if len(line) > columns and not is_unbreakable(line)]
        self.assertEqual(long, [], f"more than {columns} columns")


if __name__ == "__main__":
    unittest.main()
