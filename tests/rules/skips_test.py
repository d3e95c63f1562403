#!/usr/bin/env python3
"""Checks that ctest lists every test that is skipped, and every part of one.

Tests of the program are marked with @runs_only_if (tests/cli/program.py), in files that ctest runs by palimpsest_python_test(). In
C++, CMake itself finds GTEST_SKIP in the bodies of tests.
"""

import ast
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
HERE = pathlib.Path(__file__).resolve()
SKIPS = re.compile(r"\bunittest\.skip|\bskipTest\(|\bSkipTest\b")
# What a machine has: a mark may ask for it, the body of a test may not.
ASKS_THE_MACHINE = ("which", "sched_getaffinity")


def modules():
    """Every Python file of the tests but this one, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(TESTS.rglob("*.py")) if path != HERE}


def methods(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.args.args and node.args.args[0].arg == "self"]


def statements(function):
    """The nodes of a function's body, without those of functions inside it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def is_marked(node):
    return any(isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "runs_only_if" for mark in node.decorator_list)


class SkipsTest(unittest.TestCase):
    def test_no_test_skips_without_the_mark(self):
        for path in TESTS.rglob("*.py"):
            if path != HERE and path.name != "program.py":
                self.assertNotRegex(path.read_text(encoding="utf-8"), SKIPS, path)

    def test_no_test_leaves_out_a_part_of_itself(self):
        for path, tree in modules().items():
            for test in methods(tree):
                if not test.name.startswith("test_"):
                    continue
                for node in statements(test):
                    place = f"{path}:{getattr(node, 'lineno', test.lineno)}: {test.name}"
                    self.assertNotIsInstance(node, ast.Return, f"{place} ends early; mark it with @runs_only_if")
                    called = getattr(node, "func", None)
                    name = getattr(called, "attr", getattr(called, "id", ""))
                    self.assertNotIn(name, ASKS_THE_MACHINE, f"{place}: ask in @runs_only_if")

    def test_classes_with_marks_have_no_subclasses(self):
        classes = [(path, node) for path, tree in modules().items() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        marked = {node.name for _, node in classes if is_marked(node) or any(is_marked(test) for test in methods(node))}
        self.assertTrue(marked)
        for path, node in classes:
            for base in node.bases:
                self.assertNotIn(getattr(base, "attr", getattr(base, "id", "")), marked, f"{path}: {node.name}")

    def test_files_with_marks_can_leave_marked_tests_out(self):
        marked = [path for path, tree in modules().items()
                  if any(is_marked(node) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef)))]
        self.assertTrue(marked)
        for path in marked:
            self.assertRegex(path.read_text(encoding="utf-8"), r"(?m)^    main\(\)$", path)
            name = path.stem.removesuffix("_test")
            lists = (path.parent / "CMakeLists.txt").read_text(encoding="utf-8")
            self.assertRegex(lists, rf"palimpsest_python_test\(\S+ {path.name}|foreach\(\w+ [^)]*\b{name}\b[^)]*\)\s+palimpsest_python_test\(", path)

    def test_a_call_that_runs_no_test_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "some_test.py"
            script.write_text(f"import sys, unittest\nsys.path.append({str(TESTS / 'cli')!r})\nfrom program import main, runs_only_if\n"
                              "@runs_only_if(False, 'never')\nclass T(unittest.TestCase):\n  def test_a(self): pass\nmain()\n",
                              encoding="utf-8")
            for arguments, status in (((), 77), (("T",), 77), (("--leave-out-marked",), 1)):
                done = subprocess.run([sys.executable, "-B", script, *arguments], capture_output=True, check=False)
                self.assertEqual(done.returncode, status, done.stderr)

    def test_in_cpp_only_the_body_of_a_test_skips(self):
        for path in [*TESTS.rglob("*.h"), *TESTS.rglob("*.cc")]:
            is_test = False
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if re.match(r"\S", line):  # a definition begins, or ends
                    is_test = re.match(r"(TYPED_)?TEST(_F|_P)?\(", line) is not None and path.name.endswith("_test.cc")
                self.assertTrue(is_test or "GTEST_SKIP" not in line, f"{path}:{number}: CMake does not find this GTEST_SKIP")


if __name__ == "__main__":
    unittest.main()
