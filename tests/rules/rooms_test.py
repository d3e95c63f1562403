#!/usr/bin/env python3
"""Checks the rooms: who may include whom, and that libtorch stays behind its door.

- A file of palimpsest/X includes palimpsest/Y only if X's CMakeLists.txt names Y under DEPENDS (or Y is X).
- A room depends only on rooms that stand above it in the root CMakeLists.txt.
- Only torch/ includes libtorch.
- Every header has #pragma once and opens with a comment that says what it is.
- Every source is listed in its room's CMakeLists.txt.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "palimpsest"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
TORCH_ROOMS = {"torch"}


def rooms_in_order() -> list[str]:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^\s*add_subdirectory\(palimpsest/(\w+)\)", text, re.MULTILINE)


def declared_dependencies(room: str) -> set[str]:
    text = (LIBRARY / room / "CMakeLists.txt").read_text(encoding="utf-8")
    if room == "cli":
        return set(re.findall(r"palimpsest::(\w+)", text))
    found = re.search(r"\bDEPENDS\b([\w\s]*?)(?:\bPUBLIC\b|\bPRIVATE\b|\))", text)
    return set(found.group(1).split()) if found else set()


def files_of(room: str) -> list[pathlib.Path]:
    return sorted(p for p in (LIBRARY / room).rglob("*") if p.suffix in (".h", ".cc"))


class RoomsTest(unittest.TestCase):
    def test_every_folder_is_a_room_of_the_build(self):
        folders = {p.name for p in LIBRARY.iterdir() if p.is_dir()}
        self.assertEqual(folders, set(rooms_in_order()))

    def test_rooms_depend_only_on_rooms_below(self):
        order = rooms_in_order()
        self.assertIn("base", order)
        for place, room in enumerate(order):
            for other in declared_dependencies(room):
                self.assertIn(other, order[:place], f"{room} depends on {other}, which does not stand below it")

    def test_includes_match_the_declared_dependencies(self):
        for room in rooms_in_order():
            allowed = declared_dependencies(room) | {room}
            # What a dependency declares is visible through it, but must still be declared to be included.
            for path in files_of(room):
                for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                    if include.startswith("palimpsest/"):
                        other = include.split("/")[1]
                        self.assertIn(other, allowed, f"{path.relative_to(ROOT)} includes {include}")

    def test_libtorch_stays_behind_its_doors(self):
        for room in set(rooms_in_order()) - TORCH_ROOMS:
            for path in files_of(room):
                for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                    self.assertIsNone(TORCH.match(include), f"{path.relative_to(ROOT)} includes {include}")

    def test_headers_open_with_a_paragraph(self):
        for room in rooms_in_order():
            for path in files_of(room):
                if path.suffix != ".h":
                    continue
                text = path.read_text(encoding="utf-8")
                self.assertTrue(text.startswith("// "), f"{path.relative_to(ROOT)} does not say what it is")
                self.assertIn("#pragma once", text, str(path.relative_to(ROOT)))

    def test_every_source_is_listed(self):
        for room in rooms_in_order():
            listed = (LIBRARY / room / "CMakeLists.txt").read_text(encoding="utf-8")
            for path in files_of(room):
                if path.suffix == ".cc":
                    name = re.escape(str(path.relative_to(LIBRARY / room)))
                    self.assertRegex(listed, rf"(?m)^\s*{name}\)?\s*$", str(path.relative_to(ROOT)))


if __name__ == "__main__":
    unittest.main()
