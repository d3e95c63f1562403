#!/usr/bin/env python3
"""Runs the commands of every document: README.md, docs/ with its folders, and the READMEs of examples/.

Two kinds of blocks hold commands:

- ```console: a line that opens with "$ " is a command, and the lines below it are its standard output. A line "..."
  stands for any lines, and "..." within a line for any text.
- ```sh: every line is a part of one script, whose output is not compared.

The blocks of a document run in their order, in one fresh folder. It holds the program as build/palimpsest, the examples/
of the project, and in bin/, which is in PATH, the program as palimpsest. Every command must succeed. Only PROGRAMS are
run: a page must not be able to install or download something during a test.

A comment on the line before a block changes this:

- <!-- not run: REASON -->: the block cannot be run here, for one of REASONS. Its commands of palimpsest are checked
  nevertheless: each option must exist, and a configuration of `eval` is composed.
- <!-- first: COMMAND -->: COMMAND runs before the block. It makes what a reader is supposed to have.
- <!-- about -->: the output depends on the rounding of the machine, so numbers and the width of columns may differ a
  little. Words must be equal.
"""

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["PALIMPSEST"]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md"),
                    *(ROOT / "examples").rglob("README.md")])
PROGRAMS = {"palimpsest", "build/palimpsest", "python3", "echo", "cat", "head", "tail", "cut", "ls", "grep", "sed", "wc", "source", "true"}
REASONS = {
    "it builds the project",
    "it needs a checkpoint that is not in the repository",
    "it needs a cluster",
    "it needs a checkout of open-unlearning",
    "it needs results that are not in the repository",
    "it needs the network",
    "it takes minutes",
    "library_test.py runs it",
    "demo_test.py runs it",
}

BLOCK = re.compile(r"^(?:<!-- ([^\n]*) -->\n)?```(console|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclasses.dataclass
class Block:
    mark: str
    kind: str
    body: str

    def commands(self) -> list[tuple[str, list[str] | None]]:
        """Each command with the output that is shown for it; None where none is shown."""
        if self.kind == "sh":
            return [(self.body, None)]
        commands = []
        for line in self.body.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif commands[-1][0].endswith("\\"):
                commands[-1] = (commands[-1][0] + "\n" + line, [])
            else:
                commands[-1][1].append(line)
        return commands


def blocks_of(text: str) -> list[Block]:
    return [Block(mark or "", kind, body) for mark, kind, body in BLOCK.findall(text)]


def line_pattern(line: str, about: bool) -> str:
    """With about, each number is a group."""
    if not about:
        return r"[^\n]*".join(re.escape(part) for part in line.split("..."))
    line = re.sub(r"-{2,}", "--", line)  # rules under headings are as long as the widest number
    parts = []
    for part in line.split("..."):
        words = [re.escape(re.sub(r"\s+", " ", word)).replace(r"\ ", r"\s+") for word in NUMBER.split(part)]
        parts.append(f"({NUMBER.pattern})".join(words))
    return r"[^\n]*".join(parts)


def near(shown: str, printed: str) -> bool:
    one, other = (float(number.replace(",", "")) for number in (shown, printed))
    return abs(one - other) <= 0.02 + 0.1 * abs(one)


def matches(expected: list[str], actual: str, about: bool = False) -> bool:
    if about:
        actual = re.sub(r"-{2,}", "--", actual)
    pattern = "".join("(?:.*\n)*?" if line == "..." else line_pattern(line, about) + "\n" for line in expected)
    found = re.fullmatch(pattern, actual)
    if found is None or not about:
        return found is not None
    shown = [number for line in expected for part in line.split("...") for number in NUMBER.findall(part)]
    return all(near(*pair) for pair in zip(shown, found.groups(), strict=True))


def calls(script: str) -> list[list[str]]:
    """The calls of programs in a script, as words. Pages have no loops and no conditions."""
    found = [[]]
    for line in script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;")
        lexer.whitespace_split = True
        for word in lexer:
            if set(word) <= set("|&;"):
                found.append([])
            else:
                found[-1].append(word)
        found.append([])
    return [words for words in found if words]


def run(*command: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **options)


def subcommands() -> list[str]:
    usage = run(PROGRAM, "--help").stdout
    table = re.search(r"^(?:Subc|C)ommands:\n(.*?)(?:\n\n|\Z)", usage, re.MULTILINE | re.DOTALL).group(1)
    return re.findall(r"^  ([\w-]+)  ", table, re.MULTILINE)


class MatchTest(unittest.TestCase):
    def test_lines_and_parts_of_lines_can_be_left_out(self):
        self.assertTrue(matches(["a", "...", "d"], "a\nb\nc\nd\n"))
        self.assertTrue(matches(["a ... d"], "a b c d\n"))
        self.assertFalse(matches(["a ... d"], "a\nd\n"))
        self.assertFalse(matches(["a"], "a\nb\n"))

    def test_numbers_may_differ_a_little_where_it_is_said(self):
        shown = ["model   AUC", "-----  ----", "one    0.51", "two  1,234", "..."]
        printed = "model     AUC\n-----  ------\none    0.4971\ntwo  1,239\nthree  7\n"
        self.assertFalse(matches(shown, printed))
        self.assertTrue(matches(shown, printed, about=True))
        self.assertFalse(matches(shown, printed.replace("one", "three"), about=True))
        self.assertFalse(matches(shown, printed.replace("0.4971", "0.6971"), about=True))


    def test_calls_are_found(self):
        self.assertEqual(calls("echo 'a | b' | cat # c\nls \\\n -l; pip install x\n"),
                         [["echo", "a | b"], ["cat"], ["ls", "-l"], ["pip", "install", "x"]])


class ReadmeTest(unittest.TestCase):
    def run_document(self, document: pathlib.Path) -> int:
        blocks = blocks_of(document.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for programs in ("build", "bin"):
                (folder / programs).mkdir()
                (folder / programs / "palimpsest").symlink_to(pathlib.Path(PROGRAM).resolve())
            (folder / "examples").symlink_to(ROOT / "examples")
            for block in blocks:
                self.run_block(document, block, folder)
        return len(blocks)

    def run_block(self, document: pathlib.Path, block: Block, folder: pathlib.Path):
        where = f"{document.relative_to(ROOT)}: {block.body}"
        what, _, argument = block.mark.partition(": ")
        if what == "not run":
            self.assertIn(argument, REASONS, where)
            for command, _ in block.commands():
                self.check_options(command, folder)
            return
        if what == "first":
            self.succeed(argument, folder, where)
        else:
            self.assertIn(what, ("", "about"), where)
        for command, expected in block.commands():
            printed = self.succeed(command, folder, where)
            if expected is not None:
                shown = "\n".join(expected)
                self.assertTrue(matches(expected, printed, what == "about"),
                                f"{document.relative_to(ROOT)}: {command}\n--- shown\n{shown}\n--- printed\n{printed}")

    def succeed(self, command: str, folder: pathlib.Path, where: str) -> str:
        for words in calls(command):
            self.assertIn(words[0], PROGRAMS, f"{where}\nSay why this block is not run, or add the program to PROGRAMS.")
        path = f"{folder / 'bin'}:{os.environ['PATH']}"
        environment = os.environ | {"LC_ALL": "C.UTF-8", "PATH": path, "PALIMPSEST": "palimpsest"}
        done = run("bash", "-euc", command, cwd=folder, env=environment)
        self.assertEqual(done.returncode, 0, f"{where}\n{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def check_options(self, script: str, folder: pathlib.Path):
        for program, *words in calls(script):
            if program not in ("palimpsest", "build/palimpsest"):
                continue
            self.assertIn(words[0], subcommands(), script)
            depth = 2 if words[0] == "lab" else 1
            known = run(PROGRAM, *words[:depth], "--help").stdout
            for option in (word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)):
                self.assertRegex(known, rf"(?<![\w-]){re.escape(option)}(?![\w-])", script)
            if words[0] == "eval" and "--config-dir" not in words:
                composed = run(PROGRAM, "eval", "--cfg", "job", *words[1:], cwd=folder)
                self.assertEqual(composed.returncode, 0, f"{script}\n{composed.stderr}")

    def test_documents(self):
        for document in DOCUMENTS:
            with self.subTest(document.relative_to(ROOT)):
                self.run_document(document)

    def test_commands_stand_in_blocks_that_are_run(self):
        # An indented block would escape. One with "…" shows the form of a command.
        for document in DOCUMENTS:
            text = BLOCK.sub("", document.read_text(encoding="utf-8"))
            found = re.search(r"^(?: {4,}|\$ )(?:\$ )?(?:build/)?palimpsest [a-z]+ (?:(?!…).)*--(?:(?!…).)*$", text, re.MULTILINE)
            self.assertIsNone(found, f"{document.relative_to(ROOT)}: {found and found.group()}")

    def test_every_subcommand_has_an_example(self):
        shown = set()
        for document in DOCUMENTS:
            for block in blocks_of(document.read_text(encoding="utf-8")):
                shown.update(re.findall(r"(?:^|[\s/])palimpsest (?:--quiet )?([\w-]+)", block.body, re.MULTILINE))
        self.assertIn("mia", subcommands())
        self.assertEqual([], [command for command in subcommands() if command not in shown])


if __name__ == "__main__":
    unittest.main()
