#!/usr/bin/env python3
"""Checks the modules: who may include whom, and that libtorch stays in its own.

- A file of palimpsest/X includes palimpsest/Y only if X's CMakeLists.txt names Y under DEPENDS (or Y is X).
- A module depends only on modules that stand above it in the root CMakeLists.txt.
- Only torch/ includes libtorch.
- Every header has #pragma once and opens with a comment that says what it is.
- Every source is listed in its module's CMakeLists.txt.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "palimpsest"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
TORCH_MODULES = {"torch"}


def modules_in_order() -> list[str]:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^\s*add_subdirectory\(palimpsest/(\w+)\)", text, re.MULTILINE)


def declared_dependencies(module: str) -> set[str]:
    text = (LIBRARY / module / "CMakeLists.txt").read_text(encoding="utf-8")
    if module == "cli":
        return set(re.findall(r"palimpsest::(\w+)", text))
    found = re.search(r"\bDEPENDS\b([\w\s]*?)(?:\b(?:PUBLIC|PRIVATE|NO_UNITY)\b|\))", text)
    return set(found.group(1).split()) if found else set()


def files_of(module: str) -> list[pathlib.Path]:
    return sorted(p for p in (LIBRARY / module).rglob("*") if p.suffix in (".h", ".cc"))


class ModulesTest(unittest.TestCase):
    def test_every_folder_is_a_module_of_the_build(self):
        folders = {p.name for p in LIBRARY.iterdir() if p.is_dir()}
        self.assertEqual(folders, set(modules_in_order()))

    def test_modules_depend_only_on_modules_above(self):
        order = modules_in_order()
        self.assertIn("base", order)
        for place, module in enumerate(order):
            for other in declared_dependencies(module):
                self.assertIn(other, order[:place], f"{module} depends on {other}, which does not stand above it")

    def test_includes_match_the_declared_dependencies(self):
        for module in modules_in_order():
            allowed = declared_dependencies(module) | {module}
            # What a dependency declares is visible through it, but must still be declared to be included.
            for path in files_of(module):
                for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                    if include.startswith("palimpsest/"):
                        other = include.split("/")[1]
                        self.assertIn(other, allowed, f"{path.relative_to(ROOT)} includes {include}")

    def test_libtorch_stays_in_its_modules(self):
        for module in set(modules_in_order()) - TORCH_MODULES:
            for path in files_of(module):
                for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                    self.assertIsNone(TORCH.match(include), f"{path.relative_to(ROOT)} includes {include}")

    def test_headers_open_with_a_paragraph(self):
        for module in modules_in_order():
            for path in files_of(module):
                if path.suffix != ".h":
                    continue
                text = path.read_text(encoding="utf-8")
                self.assertTrue(text.startswith("// "), f"{path.relative_to(ROOT)} does not say what it is")
                self.assertIn("#pragma once", text, str(path.relative_to(ROOT)))

    def test_every_source_is_listed(self):
        for module in modules_in_order():
            listed = (LIBRARY / module / "CMakeLists.txt").read_text(encoding="utf-8")
            for path in files_of(module):
                if path.suffix == ".cc":
                    name = re.escape(str(path.relative_to(LIBRARY / module)))
                    self.assertRegex(listed, rf"(?m)^\s*{name}\)?\s*$", str(path.relative_to(ROOT)))


if __name__ == "__main__":
    unittest.main()
