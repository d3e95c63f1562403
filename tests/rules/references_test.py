#!/usr/bin/env python3
"""Checks that what comments and pages point to is there, and how they count.

- Every header, source, script or page that a comment or docstring names exists: `scorer.h`, `engine/scorer.h`,
  `tools/golden/model.py`, `docs/models.md`.
- Every header, source, script or page that README.md, CONTRIBUTING.md or the pages under docs/ name exists, every path that
  begins with a folder of the repository, and every link to another page with its heading.
- README.md links every tutorial that docs/index.md names under "Begin here".
- Every page under docs/ is in the navigation of the site (mkdocs.yml), once, and CITATION.cff names the project's version.
- One thing is counted "per" another, in comments, pages and messages: "one result per sequence", never "one result a
  sequence".
"""

import ast
import fnmatch
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("palimpsest", "python", "tests", "bench", "fuzz", "examples", "tools", "scripts", "cmake", "docs", "configs")
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
SOURCES = {".h", ".cc"}
SCRIPTS = {".py", ".sh", ".cmake"}

# A path or name of a source, script or page; a * in it stands for several.
NAME = re.compile(r"(?<![\w/.<-])((?:[\w.-]+/)*[\w*-]+\.(?:h|cc|py|sh|md))(?![\w/]|\.\w)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
IN_BACKTICKS = re.compile(r"`([^`\s]+)`")
# Files that the build makes, and one of TAPAS.
MADE = {"page_assets.cc", "docs/python-api.md"}
OF_OTHERS = {"examples/reporting.py"}

HOW_MANY = r"one|two|three|four|five|six|seven|eight|nine|ten|\d+|no|few"
COUNTED = (r"value|attack|estimate|figure|loss|model|option|number|result|entry|element|text|name|answer|function|table|list|flag|row|column|score|summary|folder|"
           r"case|ratio|panel|point|line|token|record|object|statistic|more call|pass|backward|question|string|JSON|byte")
COUNTED_BY = (r"kind|line|list|layer|element|token|metric|example|sequence|call|stratum|resample|thread|item|domain|type|"
              r"placeholder|position|merge|record|class|row|column|batch|file|cluster|attack|model|confidence level|run|"
              r"key|character|case|folder|worker|prompt|question|packed token|labelled token|set|pass|option|tokenizer|"
              r"weight|checkpoint|tiny checkpoint|bridge|number of epochs|group|threat model|value")
# A number that a message puts in stands as {}.
SOME = rf"(?:{HOW_MANY})(?:(?: (?!that|which|of)\w+)? (?:{COUNTED})s?)?"
PER = re.compile(rf"(?:\b(?:once|twice|{SOME}|an? (?:flag|list|row|object|statistic)|few numbers|^(?:numbers|bytes))|\{{\}}) "
                 rf"an? (?:{COUNTED_BY})\b(?! at a time)", re.IGNORECASE)


def files(suffixes: set[str]) -> list[pathlib.Path]:
    found = (p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.is_file())
    return sorted(p for p in found if p.suffix in suffixes or ("CMakeLists.txt" == p.name and ".cmake" in suffixes))


def endings() -> set[str]:
    """Every way to name a file by the end of its path; a private header may be named without internal/."""
    names = MADE | OF_OTHERS
    for path in [*files(SOURCES | SCRIPTS | {".md"}), *ROOT.glob("*.md")]:
        parts = path.relative_to(ROOT).parts
        for kept in (parts, tuple(p for p in parts if p != "internal")):
            names.update("/".join(kept[i:]) for i in range(len(kept)))
    return names


def comments_of(path: pathlib.Path) -> list[tuple[int, str]]:
    """The comments of a file, those of neighbouring lines as one: (number of the first line, text)."""
    mark = "//" if path.suffix in SOURCES else "#"
    blocks = []
    last = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        at = line.find(mark)
        # Within a text or a URL it is no comment.
        while at >= 0 and (line[:at].count('"') % 2 == 1 or line[:at].endswith(":")):
            at = line.find(mark, at + 1)
        if at < 0:
            continue
        text = line[at + len(mark):].strip()
        whole_line = not line[:at].strip()
        if whole_line and last == number - 1:
            blocks[-1] = (blocks[-1][0], blocks[-1][1] + " " + text)
        else:
            blocks.append((number, text))
        last = number if whole_line else None
    return blocks


def test_names_of(path: pathlib.Path) -> list[tuple[int, str]]:
    """The names of tests in words: "a sweep is one attack per value"."""
    found = re.finditer(r"^(?:TYPED_)?TEST(?:_[FP])?\(\w+, (\w+)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [(match.string.count("\n", 0, match.start()) + 1, re.sub(r"(?<!^)(?=[A-Z])", " ", match[1]).lower()) for match in found]


def docstrings_of(path: pathlib.Path) -> list[tuple[int, str]]:
    if path.suffix != ".py":
        return []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    return [(node.body[0].lineno, ast.get_docstring(node)) for node in documented if ast.get_docstring(node)]


LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
# Raw strings, characters, which may be quotation marks, and literals that the compiler joins.
LITERALS = re.compile(rf"""R"(\w*)\((?P<raw>.*?)\)\1"|'(?:\\[^']+|[^'\\\n])'|(?P<joined>{LITERAL}(?:\s*{LITERAL})*)""", re.DOTALL)


def literals_of(path: pathlib.Path) -> list[tuple[int, str]]:
    """The texts in a program, docstrings among them: (number of the first line, text). What is put into a text stands as {}."""
    source = path.read_text(encoding="utf-8")
    if path.suffix in SOURCES:
        found = ((match.start(), match["raw"] or "".join(re.findall(LITERAL, match["joined"] or "")))
                 for match in LITERALS.finditer(source))
        return [(source.count("\n", 0, start) + 1, text) for start, text in found]
    if path.suffix != ".py":
        return []
    texts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append((node.lineno, node.value))
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            texts.append((node.lineno, "".join(parts)))
    return [(number, " ".join(text.split())) for number, text in texts]


def anchor(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return kept.replace(" ", "-")


class ReferencesTest(unittest.TestCase):
    def require_known(self, name: str, names: set[str], where: str):
        if "NAME" in name:  # any
            return
        known = name in names if "*" not in name else bool(fnmatch.filter(names, name))
        self.assertTrue(known, f"{where} names {name}, which is not there")

    def test_files_that_comments_name_exist(self):
        names = endings()
        checked = 0
        for path in files(SOURCES | SCRIPTS):
            for number, comment in comments_of(path) + docstrings_of(path):
                for name in NAME.findall(comment):
                    checked += 1
                    self.require_known(name, names, f"{path.relative_to(ROOT)}:{number}")
        self.assertGreater(checked, 100)

    def test_paths_that_pages_name_exist(self):
        names = endings()
        checked = 0
        for page in PAGES:
            for name in IN_BACKTICKS.findall(page.read_text(encoding="utf-8")):
                if NAME.fullmatch(name):
                    self.require_known(name, names, page.name)
                elif name.split("/")[0] in FOLDERS and "/" in name and not re.search(r"[<>*{}…=:]", name):
                    self.assertTrue((ROOT / name).exists(), f"{page.name} names {name}, which is not there")
                else:
                    continue
                checked += 1
        self.assertGreater(checked, 50)

    def test_links_between_pages_lead_somewhere(self):
        for page in PAGES:
            for link in LINK.findall(page.read_text(encoding="utf-8")):
                if re.match(r"\w+:", link):
                    continue
                path, _, fragment = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                self.assertTrue(target.exists(), f"{page.name} links to {link}")
                if fragment and target.suffix == ".md":
                    headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
                    self.assertIn(fragment, [anchor(h) for h in headings], f"{page.name} links to {link}")

    def test_pages_link_only_to_what_the_site_holds(self):
        # mkdocs knows nothing outside docs/.
        for page in PAGES:
            if page.parent != ROOT:
                for link in LINK.findall(page.read_text(encoding="utf-8")):
                    if not re.match(r"\w+:", link):
                        target = (page.parent / link.partition("#")[0]).resolve()
                        self.assertTrue(target.is_relative_to(ROOT / "docs"), f"{page.name} links to {link}")

    def test_the_site_has_every_page(self):
        named = re.findall(r"^ +- [^:]+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
        pages = sorted(str(page.relative_to(ROOT / "docs")) for page in PAGES if page.parent != ROOT)
        self.assertEqual(sorted(named), pages)

    def test_the_readme_links_every_tutorial(self):
        begin = re.search(r"^## Begin here$(.*?)^## ", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"), re.M | re.S)
        tutorials = {f"docs/{link}" for link in LINK.findall(begin.group(1))}
        self.assertIn("docs/library.md", tutorials)
        linked = LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        self.assertEqual(tutorials - set(linked), set())

    def test_the_citation_names_the_version(self):
        version = re.search(r"^  VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertIn(f"\nversion: {version.group(1)}\n", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    def test_the_reference_introduces_every_module(self):
        page = (ROOT / "docs" / "reference" / "modules.dox").read_text(encoding="utf-8")
        introduced = set(re.findall(r"^\\namespace palimpsest::(\w+) \w", page, re.MULTILINE))
        folders = {p.name for p in (ROOT / "palimpsest").iterdir() if p.is_dir()}
        self.assertEqual(introduced, folders - {"base", "cli", "torch"})

    def test_counts_are_per_thing(self):
        # What is wrong here, and what is not.
        for wrong in ("one result a sequence", "256 bytes a token", "{} a token to generate", "no values an example",
                      "once a pass", "one JSON object a line", "Numbers a token: two", "24 texts a set", "one an option"):
            self.assertRegex(wrong, PER)
        for right in ("one layer a time", "the one that names a model", "in most models a row"):
            self.assertNotRegex(right, PER)
        for path in files(SOURCES | SCRIPTS | {".md", ".json"}):
            if path == pathlib.Path(__file__).resolve() or (path.suffix == ".json" and "golden" in path.parts):
                continue
            whole = path.suffix in (".md", ".json")
            whole_text = [(1, path.read_text(encoding="utf-8"))]
            texts = whole_text if whole else comments_of(path) + literals_of(path) + test_names_of(path)
            for number, text in texts:
                found = PER.search(text)
                self.assertIsNone(found, f"{path.relative_to(ROOT)}:{number}: “{found and found.group()}”: write per")


if __name__ == "__main__":
    unittest.main()
