#!/usr/bin/env python3
"""Report pages checked by axe-core, which knows the rules of accessibility: screens and phones, light and dark.

Needs AXE, the path of axe.min.js (scripts/fetch-axe.sh); without it the test is reported as skipped.
"""

import os
import pathlib
import sys

from page_case import SKIPPED, PageCase, main
from page_case import set_up as setUpModule  # noqa: F401
from page_case import tear_down as tearDownModule  # noqa: F401

PAGES = ("plain.html", "models.html", "many.html", "mia/report.html", "report/report.html")
AXE = pathlib.Path(os.environ.get("AXE", ""))

# What breaks a rule: the rule, how bad it is, and the first place.
FINDINGS = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(
  ({violations, passes}) => done({passed: passes.length,
    broken: violations.map((v) => [v.id, v.impact, v.nodes[0].target.join(" "), v.nodes[0].failureSummary])}),
  (error) => done({passed: 0, broken: [[String(error)]]}));
"""


class PageAccessibilityTest(PageCase):
    def findings(self):
        self.browser.devtools("Runtime.evaluate", expression=AXE.read_text(encoding="utf-8"))
        return self.browser.run_async(FINDINGS)

    def test_no_rule_is_broken(self):
        for page in PAGES:
            for scheme in ("light", "dark"):
                for width in (1280, 390):
                    with self.subTest(f"{page}, {scheme}, {width}"):
                        self.browser.prefer(scheme)
                        self.browser.resize(width, 900)
                        self.open(page)
                        self.browser.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
                        found = self.findings()
                        self.assertEqual(found["broken"], [])
                        self.assertGreater(found["passed"], 20)

    def test_a_broken_rule_is_found(self):
        self.open("plain.html")
        self.browser.run("document.querySelector('main').append(document.createElement('button'))")
        self.assertEqual([rule for rule, *_ in self.findings()["broken"]], ["button-name"])


if __name__ == "__main__":
    if not AXE.is_file():
        print("SKIPPED: there is no axe-core (scripts/fetch-axe.sh build/axe)")
        sys.exit(SKIPPED)
    main()
