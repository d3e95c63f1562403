#!/usr/bin/env python3
"""Report pages in headless Chromium: the same facts on a screen, a phone and paper, and nothing that cannot be read."""

import pathlib
import re
import subprocess

from page_case import PageCase, Pages, main
from page_case import set_up as setUpModule  # noqa: F401
from page_case import tear_down as tearDownModule  # noqa: F401

PAGES = ("plain.html", "models.html", "many.html", "mia/report.html")

# The texts of the page with the boxes of their lines, in the coordinates of the page. What scrolls or is drawn as SVG is
# left out: charts have a test of their own.
TEXTS = """
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const parent = node.parentElement;
  if (!node.data.trim() || parent.closest("svg, script, noscript, .grid, .top, dialog, .skip, .visually-hidden, option, select")) continue;
  if (!parent.checkVisibility()) continue;
  const head = parent.closest("thead");
  if (head && getComputedStyle(head).clipPath !== "none") continue; // for screen readers; the cells say it on a phone
  const range = document.createRange();
  range.selectNodeContents(node);
  const rects = [...range.getClientRects()].filter((r) => r.width > 1 && r.height > 1);
  texts.push({text: node.data.trim().slice(0, 60), boxes: rects.map((r) => {
    const cut = r.height / 5; // letters do not fill their line
    return [r.left + scrollX, r.top + scrollY + cut, r.right + scrollX, r.bottom + scrollY - cut];
  })});
}
"""

OVERLAPS = TEXTS + """
const boxes = texts.flatMap(({text, boxes}, i) => boxes.map((box) => ({text, box, i}))).sort((a, b) => a.box[1] - b.box[1]);
const found = [];
boxes.forEach((a, i) => {
  for (let j = i + 1; j < boxes.length && boxes[j].box[1] < a.box[3]; ++j) {
    const b = boxes[j];
    if (a.i !== b.i && a.box[0] < b.box[2] - 1 && b.box[0] < a.box[2] - 1) found.push([a.text, b.text]);
  }
});
return found;
"""

# What the summary says, as far as it can be seen: rows of names and values.
FACTS = """
const seen = (node) => node.checkVisibility() && node.getBoundingClientRect().right <= document.documentElement.clientWidth + 1;
return [...document.querySelectorAll("#summary table.results tbody tr:not(.group)")].map((row) =>
  [...row.querySelectorAll("th .data, td .cell > .data, td .interval")].filter(seen).map((node) => node.textContent));
"""

# Texts whose contrast with what is behind them is too low for their size.
PALE = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const rgba = (color) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map((i) => top[3] * top[i] + (1 - top[3]) * below[i]).concat(1);
const behind = (node) => {
  const layers = [];
  for (let at = node; at; at = at.parentElement) {
    const color = rgba(getComputedStyle(at).backgroundColor);
    if (color[3] > 0) layers.push(color);
    if (color[3] >= 1) break;
  }
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
};
const light = (color) => {
  const part = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(color[0]) + 0.7152 * part(color[1]) + 0.0722 * part(color[2]);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), pale = new Map();
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const parent = node.parentElement;
  if (!node.data.trim() || parent.closest("script, noscript, title, option, :disabled") || !parent.checkVisibility()) continue;
  const style = getComputedStyle(parent), ground = behind(parent);
  const ink = over(rgba(parent.closest("svg") ? style.fill : style.color), ground);
  const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x), size = parseFloat(style.fontSize);
  const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
  const contrast = (a + 0.05) / (b + 0.05);
  if (contrast < least - 0.005) pale.set(`${parent.tagName}.${parent.className.baseVal ?? parent.className}`, [node.data.trim().slice(0, 40), contrast]);
}
return [...pale];
"""


class PageLayoutTest(PageCase):
    def test_no_width_scrolls_sideways(self):
        width = "return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
        for page in PAGES:
            self.open(page)
            self.browser.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
            for size in (360, 390, 600, 704, 768, 1024, 1280, 1600, 1920):
                self.browser.resize(size, 900)
                self.assertLessEqual(self.browser.run(width), size, f"{page} at {size}")

    def test_no_text_lies_on_another(self):
        for page in PAGES:
            self.open(page)
            self.browser.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
            for size in (360, 390, 768, 1280, 1920):
                with self.subTest(f"{page} at {size}"):
                    self.browser.resize(size, 900)
                    self.assertEqual(self.browser.run(OVERLAPS), [])

    def facts(self, width, media):
        self.browser.resize(width, 1000)
        self.browser.prefer("light", media=media)
        return self.browser.run(FACTS)

    def test_screen_phone_and_paper_show_the_same_headline_metrics(self):
        for page, rows in (("models.html", 7), ("many.html", 9)):
            self.open(page)
            screen = self.facts(1280, "")
            self.assertEqual(len(screen), rows)
            self.assertTrue(all(len(row) > 2 for row in screen))
            self.assertEqual(self.facts(390, ""), screen, page)
            self.assertEqual(self.facts(690, "print"), screen, page)  # A4 without its margins
            self.browser.prefer("light")

    def test_paper_shows_what_is_folded(self):
        self.open("models.html")
        folded = "return [...document.querySelectorAll('details.folded')].map((d) => d.open)"
        closed = self.browser.run(folded)
        self.assertGreaterEqual(len(closed), 3)
        self.assertFalse(any(closed))
        self.browser.run("""window.printed = null;
          addEventListener("beforeprint", () => (window.printed = [...document.querySelectorAll("details.folded")].map((d) => d.open)))""")
        self.browser.paper()
        self.assertEqual(self.browser.run("return window.printed"), [True] * len(closed))
        self.assertEqual(self.browser.run(folded), closed)

    def test_the_first_printed_page_is_the_summary(self):
        for page in ("models.html", "mia/report.html"):
            with self.subTest(page):
                self.open(page)
                # A4 at 96 pixels per inch, without the margins of 11 and 13 mm.
                self.browser.resize(695, 1039)
                self.browser.prefer("light", media="print")
                end = self.browser.run("return document.getElementById('limits').getBoundingClientRect().bottom + scrollY")
                self.assertLess(end, 1039)
                order = self.browser.run("""return ["answer", "certainty", "flags", "limits", "results"].map((id) =>
                  document.getElementById(id).getBoundingClientRect().top + scrollY)""")
                self.assertEqual(order, sorted(order))
                self.assertEqual(self.browser.run("return getComputedStyle(document.getElementById('results')).breakBefore"), "page")
                self.browser.prefer("light")

    def test_colours_can_be_read(self):
        for page in (*PAGES, "report/report.html"):
            for scheme in ("light", "dark"):
                with self.subTest(f"{page}, {scheme}"):
                    self.browser.prefer(scheme)
                    self.open(page)
                    self.browser.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
                    self.assertEqual(self.browser.run(PALE), [])

    def test_the_answer_comes_before_its_statistics(self):
        self.open("mia/report.html")
        self.assertIn("Does example-model still remember what it was asked to forget?", self.text("#question"))
        self.assertRegex(self.text("#answer"), r"^Remembered\. Of 100 records to be forgotten, an observer could pick out about \d+ more than chance\.$")
        self.assertNotIn("AUC", self.text("#answer"))
        self.assertRegex(self.text("#certainty"), r"The 95% interval of this number is −?\d+ to \d+")
        self.assertIn("With probability 80%", self.text("#detection"))
        self.assertLess(self.browser.run("return parseFloat(getComputedStyle(document.getElementById('statistics')).fontSize)"), 16)

    def test_names_for_the_model_and_the_page(self):
        traces = [f"--{name}-traces={Pages.root}/examples/traces/{name}.jsonl" for name in ("forget", "holdout")]
        folder = f"{Pages.folder.name}/named"
        subprocess.run([Pages.program, "mia", *traces, "--title", "Case 17 <b>", "--model-name", "Model A", "--out", folder],
                       check=True, capture_output=True)
        self.open("named/report.html")
        self.assertEqual(self.text("#title"), "Case 17 <b>")
        self.assertEqual(self.text("#question"), "Does Model A still remember what it was asked to forget?")
        first = pathlib.Path(f"{folder}/report.html").read_text(encoding="utf-8")
        subprocess.run([Pages.program, "report", folder, "--out", f"{folder}-again"], check=True, capture_output=True)
        again = pathlib.Path(f"{folder}-again/report.html").read_text(encoding="utf-8")
        provenance = re.compile(r'<section id="provenance".*?</section>', re.DOTALL)  # of another command
        self.assertEqual(provenance.sub("", again), provenance.sub("", first))

    def test_flags_of_other_models_stand_apart(self):
        self.open("plain.html")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#flag-list .flag').length"), 2)
        self.assertEqual(self.text("#other-flag-list h4").strip("▲△"), "flag model: Collapse")

    def test_only_an_auc_has_a_middle(self):
        self.open("models.html")
        middles = self.browser.run("""return [...document.querySelectorAll("#summary tbody tr:not(.group)")]
          .filter((row) => row.querySelector(".whisker")).map((row) => [row.querySelector("th .data").textContent,
            row.querySelector(".whisker.auc") !== null])""")
        self.assertGreater(len(middles), 3)
        for name, has_middle in middles:
            self.assertEqual(has_middle, name.endswith("(AUC)"), name)
        self.assertNotIn("never_defined", self.text("main"))

    def test_folded_tables_open_with_the_keyboard(self):
        self.open("models.html")
        for _ in range(60):
            self.browser.press("Tab")
            if self.browser.run("return document.activeElement.tagName") == "SUMMARY":
                break
        self.browser.press("Enter")
        self.assertTrue(self.browser.run("return document.activeElement.parentElement.open"))
        self.assertTrue(re.search(r"further metrics?$", self.browser.run("return document.activeElement.textContent")))


if __name__ == "__main__":
    main()
