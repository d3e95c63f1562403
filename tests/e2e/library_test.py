#!/usr/bin/env python3
"""Follows docs/library.md: builds its programs against an installed library and compares what they print.

A block of C++ that opens with "// NAME.cc" is a program, the block of text after it its output; a line "..." there stands for any
lines. The page's CMakeLists.txt builds them. They run in a folder that holds the examples/ of the project. The indented blocks are
parts of programs: each becomes the body of a function in a program that links only the module named before it.
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


PART_BEGINS = "static void part(const std::vector<palimpsest::model::Sequence>& sequences) {"
PART_ENDS = """}

int main() { part({{.ids = {1, 2, 3}, .labels = {1, 2, 3}}}); }"""


def parts() -> dict[str, str]:
    """Programs made of the indented blocks, by the module that they link."""
    found = {}
    for module, block in re.findall(r"\b[Ll]inks? `palimpsest::(\w+)`[^\n]*:\n\n((?:(?:    .*)?\n)+)", PAGE):
        lines = [line.removeprefix("    ") for line in block.splitlines()]
        includes = [line for line in lines if line.startswith("#include")]
        body = [line for line in lines if not line.startswith("#include")]
        takes_sequences = any("sequences" in line for line in body)
        head, tail = (PART_BEGINS, PART_ENDS) if takes_sequences else ("int main() {", "}")
        found[module] = "\n".join([*includes, head, *body, tail, ""])
    return found


def build_programs(folder: pathlib.Path, prefix: pathlib.Path) -> None:
    """Builds the page's programs and parts below the folder, against the library installed in `prefix`."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "checkpoint").symlink_to(ROOT / "examples" / "tiny-model")
    lists = [blocks("cmake")[0]]
    for module, source in parts().items():
        (folder / f"part_{module}.cc").write_text(source, encoding="utf-8")
        lists.append(f"add_executable(part_{module} part_{module}.cc)\n"
                     f"target_link_libraries(part_{module} PRIVATE palimpsest::{module})\n")
    (folder / "CMakeLists.txt").write_text("\n".join(lists), encoding="utf-8")
    for name, (source, _) in programs().items():
        (folder / f"{name}.cc").write_text(source, encoding="utf-8")
    run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", cwd=folder)
    run("cmake", "--build", "build", cwd=folder)


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
        run("cmake", "--install", os.environ["PALIMPSEST_BUILD"], "--prefix", "prefix", cwd=cls.folder)
        build_programs(cls.folder, cls.folder / "prefix")

    def test_every_block_of_code_is_a_program(self):
        self.assertEqual(len(blocks("cpp")), len(programs()))
        self.assertEqual(set(programs()), {"audit", "metric", "statistic", "attack", "report"})

    def test_every_indented_block_is_a_part_that_runs(self):
        self.assertEqual(set(parts()), {"stat", "engine"})
        without_fences = re.sub(r"^```.*?^```", "", PAGE, flags=re.MULTILINE | re.DOTALL)
        for line in re.findall(r"(?m)^    (\S.*)$", without_fences):
            self.assertTrue(any(line in source for source in parts().values()), line)
        for module in parts():
            run(self.folder / "build" / f"part_{module}", cwd=self.folder)

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
