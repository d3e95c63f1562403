"""What the tests of report pages share: the pages, made once, one browser, and what must hold after every test.

Needs PALIMPSEST (the program) and PALIMPSEST_PAGES (page_fixture) in the environment. Without Chromium and chromedriver
(apt-get install chromium chromium-driver) main() ends with status 77, which ctest reports as skipped. A test that needs more
than these is marked with @runs_only_if.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser as browsers

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import program  # noqa: E402
from program import SKIPPED, runs_only_if  # noqa: E402, F401

READY = "document.documentElement.dataset.ready === 'true'"

# The rows in sight, from above: example, set, score shown.
ROWS = """
const top = document.getElementById("examples-body").getBoundingClientRect().top;
return [...document.querySelectorAll("#examples-body .grid-row")]
  .sort((a, b) => a.offsetTop - b.offsetTop)
  .map((row) => [row.querySelector(".name").textContent, row.querySelector(".set").textContent,
    Number(row.querySelector(".shown").textContent.replace("−", "-"))]);
"""


class Pages:
    """The pages, made once, and one browser for all tests."""

    folder = None
    browser = None
    root = ROOT
    program = os.environ.get("PALIMPSEST")


def set_up():
    Pages.folder = tempfile.TemporaryDirectory(prefix="palimpsest-pages-")
    subprocess.run([os.environ["PALIMPSEST_PAGES"], Pages.folder.name], check=True, capture_output=True)
    traces = ROOT / "examples" / "traces"
    subprocess.run([os.environ["PALIMPSEST"], "mia", "--forget-traces", traces / "forget.jsonl", "--holdout-traces",
                    traces / "holdout.jsonl", "--out", f"{Pages.folder.name}/mia"], check=True, capture_output=True)
    subprocess.run([os.environ["PALIMPSEST"], "report", f"{Pages.folder.name}/mia", "--out", f"{Pages.folder.name}/report"],
                   check=True, capture_output=True)
    Pages.browser = browsers.Browser().__enter__()


def tear_down():
    if Pages.browser:
        Pages.browser.__exit__()
    Pages.folder.cleanup()


class PageCase(unittest.TestCase):
    def setUp(self):
        self.browser = Pages.browser
        self.browser.resize(1200, 900)
        self.browser.prefer("light")

    def open(self, name):
        """Opens a page; from here on its console must stay silent and it may ask for nothing else."""
        self.browser.problems()
        self.browser.requests()
        self.browser.open(f"{Pages.folder.name}/{name}")
        self.browser.wait(READY)

    def tearDown(self):
        asked = [url for url in self.browser.requests() if not url.startswith(("file://" + Pages.folder.name, "data:", "blob:"))]
        self.assertEqual(asked, [], "the page asked for something")
        self.assertEqual(self.browser.problems(), [], "the console says something")
        self.assertIsNone(self.browser.run("return window.broken || null"), "this text was run as code")

    def rows(self):
        return self.browser.run(ROWS)

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).textContent", selector)

    def focused(self):
        return self.browser.run("return document.activeElement.id || document.activeElement.className || "
                                "document.activeElement.textContent")


def main():
    if not browsers.find_programs():
        print("SKIPPED: there is no Chromium with its driver (apt-get install chromium chromium-driver)")
        sys.exit(SKIPPED)
    program.main()
