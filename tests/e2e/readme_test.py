#!/usr/bin/env python3
"""Executes the README: every ```console block is run as it stands and must print what it shows.

A line that opens with "$ " is a command, the lines below it are its standard output; a line "..." stands for any
lines. Commands run in a fresh folder that holds the program as build/palimpsest and the examples/ of the project.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["PALIMPSEST"]


def console_examples(text: str) -> list[tuple[str, list[str]]]:
    examples = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                examples.append((line[2:], []))
            elif examples and examples[-1][0].endswith("\\"):
                examples[-1] = (examples[-1][0] + "\n" + line, [])
            else:
                examples[-1][1].append(line)
    return examples


def matches(expected: list[str], actual: str) -> bool:
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, actual) is not None


class ReadmeTest(unittest.TestCase):
    def run_examples_of(self, document: pathlib.Path) -> int:
        examples = console_examples(document.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "build").mkdir()
            (folder / "build" / "palimpsest").symlink_to(PROGRAM)
            (folder / "examples").symlink_to(ROOT / "examples")
            for command, expected in examples:
                run = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                                     env=os.environ | {"LC_ALL": "C.UTF-8"})
                self.assertEqual(run.returncode, 0, f"{document.name}: {command}\n{run.stderr}")
                shown = "\n".join(expected)
                self.assertTrue(matches(expected, run.stdout),
                                f"{document.name}: {command}\n--- shown\n{shown}\n--- printed\n{run.stdout}")
        return len(examples)

    def test_readme(self):
        self.assertGreater(self.run_examples_of(ROOT / "README.md"), 0)

    def test_documents(self):
        for document in sorted((ROOT / "docs").glob("*.md")):
            self.run_examples_of(document)

    def test_every_subcommand_has_an_example(self):
        usage = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        listed = usage.split("\nCommands:\n")[1].split("\n\n")[0]
        commands = re.findall(r"^  (\w+)  ", listed, re.MULTILINE)
        self.assertIn("mia", commands)
        documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        shown = " ".join(command for document in documents
                         for command, _ in console_examples(document.read_text(encoding="utf-8")))
        for command in commands:
            if command != "demo":  # takes minutes; demo_test.py runs it
                self.assertIn(f"build/palimpsest {command}", shown)


if __name__ == "__main__":
    unittest.main()
