#!/usr/bin/env python3
"""Checks that ctest lists every test of the program that is skipped: tests are marked with @runs_only_if (tests/cli/program.py), in
files that ctest runs by palimpsest_python_test(). In C++, CMake itself finds GTEST_SKIP."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve()
SKIPS = re.compile(r"\bunittest\.skip|\bskipTest\(|\bSkipTest\b")


class SkipsTest(unittest.TestCase):
    def test_no_test_skips_without_the_mark(self):
        for path in (ROOT / "tests").rglob("*.py"):
            if path != HERE and path.name != "program.py":
                self.assertNotRegex(path.read_text(encoding="utf-8"), SKIPS, path)

    def test_files_with_marks_can_leave_marked_tests_out(self):
        marked = [path for path in (ROOT / "tests").rglob("*.py") if "\n@runs_only_if(" in re.sub(r"\n +", "\n", path.read_text())]
        self.assertTrue(marked)
        for path in marked:
            self.assertRegex(path.read_text(encoding="utf-8"), r"(?m)^    main\(\)$", path)
            name = path.stem.removesuffix("_test")
            lists = (path.parent / "CMakeLists.txt").read_text(encoding="utf-8")
            self.assertRegex(lists, rf"palimpsest_python_test\(\S+ {path.name}|foreach\(command [^)]*\b{name}\b[^)]*\)\s+palimpsest_python_test\(", path)


if __name__ == "__main__":
    unittest.main()
