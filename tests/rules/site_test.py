#!/usr/bin/env python3
"""The pages are written for GitHub; what docs/reference/site.py changes so that mkdocs shows them alike."""

import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("site_hook", ROOT / "docs" / "reference" / "site.py")
site = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(site)


class SiteTest(unittest.TestCase):
    def widens(self, before, after):
        self.assertEqual(site.widen_lists("\n".join(before)), "\n".join(after) + "\n")

    def test_nested_lists_are_indented_by_four(self):
        self.widens(["- a", "  b", "  - c", "    d"], ["- a", "    b", "", "    - c", "        d"])

    def test_a_list_after_a_paragraph_begins_a_block(self):
        self.widens(["Text:", "- a", "- b"], ["Text:", "", "- a", "", "- b"])
        self.widens(["1. a", "   - b"], ["1. a", "", "      - b"])

    def test_a_number_at_the_beginning_of_a_line_is_no_list(self):
        self.widens(["It was in", "2024. Then"], ["It was in", "2024. Then"])

    def test_code_outside_lists_stays(self):
        self.widens(["Text:", "", "    - code", "", "```sh", "- x", "  y", "```"],
                    ["Text:", "", "    - code", "", "```sh", "- x", "  y", "```"])

    def test_paragraphs_after_a_list_stay(self):
        self.widens(["- a", "", "Text", "", "    code"], ["- a", "", "Text", "", "    code"])


if __name__ == "__main__":
    unittest.main()
