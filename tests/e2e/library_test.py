#!/usr/bin/env python3
"""Follows docs/library.md: builds its programs against an installed library and compares what they print.

A block of C++ that opens with "// NAME.cc" is a program, the block of text after it its output; a line "..." there stands for any
lines. The page's CMakeLists.txt builds them. They run in a folder that holds the examples/ of the project.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from readme_test import ROOT, matches

PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def programs() -> dict[str, tuple[str, str]]:
    """Source and output by name."""
    found = re.findall(r"^```cpp\n(// (\w+)\.cc\n.*?)^```\n\n```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return {name: (source, output) for source, name, output in found}


def run(*command, cwd: pathlib.Path) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class LibraryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "examples").symlink_to(ROOT / "examples")
        (cls.folder / "CMakeLists.txt").write_text(blocks("cmake")[0], encoding="utf-8")
        for name, (source, _) in programs().items():
            (cls.folder / f"{name}.cc").write_text(source, encoding="utf-8")
        run("cmake", "--install", os.environ["PALIMPSEST_BUILD"], "--prefix", "prefix", cwd=cls.folder)
        run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={cls.folder / 'prefix'}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", cwd=cls.folder)
        run("cmake", "--build", "build", cwd=cls.folder)

    def test_every_block_of_code_is_a_program(self):
        self.assertEqual(len(blocks("cpp")), len(programs()))
        self.assertEqual(set(programs()), {"audit", "metric", "statistic", "attack", "report"})

    def test_programs_print_what_the_page_shows(self):
        for name, (_, output) in programs().items():
            with self.subTest(name):
                printed = run(self.folder / "build" / name, cwd=self.folder)
                self.assertTrue(matches(output.splitlines(), printed), f"{name} prints\n{printed}")

    def test_the_attack_stands_in_the_log(self):
        run(self.folder / "build" / "attack", cwd=self.folder)
        self.assertIn('"mia_least_likely"', (self.folder / "out" / "OWN_EVAL.json").read_text(encoding="utf-8"))

    def test_the_report_is_a_page(self):
        run(self.folder / "build" / "report", cwd=self.folder)
        self.assertIn("mine", (self.folder / "report.html").read_text(encoding="utf-8"))

    def test_the_audit_is_short(self):
        source, _ = programs()["audit"]
        self.assertLess(len(source.splitlines()), 25)


if __name__ == "__main__":
    unittest.main()
