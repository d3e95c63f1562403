#!/usr/bin/env python3
"""Report pages in headless Chromium: what a person sees, sorts, filters and opens, on a screen, a phone and paper."""

import json
import pathlib
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree

from page_case import PageCase, Pages, main, runs_only_if
from page_case import set_up as setUpModule  # noqa: F401
from page_case import tear_down as tearDownModule  # noqa: F401


class PageTest(PageCase):
    # Looking

    def test_everything_is_there(self):
        self.open("plain.html")
        for field in ("title", "headline question", "headline answer", "headline action", "headline reason", "figure name", "flag title",
                      "note", "table caption", "model 2", "chart title", "method text", "run text"):
            self.assertIn(field, self.text("main"))
        self.assertIn("0.90", self.browser.run("return document.querySelector('.gauge .scale').getAttribute('aria-label')"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#models .significant').length"), 1)
        links = self.browser.run("return [...document.querySelectorAll('#places a')].map((a) => [a.textContent, "
                                 "document.querySelector(a.getAttribute('href')) !== null])")
        self.assertEqual(links, [[name, True] for name in ("Red flags", "Results", "Limits", "Charts", "Examples", "Method", "Run")])

    def test_charts_are_drawn_and_can_be_saved(self):
        for page, least in (("plain.html", 2), ("report/report.html", 3), ("mia/report.html", 5)):
            self.open(page)
            plots = self.browser.run("""return [...document.querySelectorAll(".plot svg")].map((svg) => [
              svg.getBoundingClientRect().width, svg.querySelectorAll(".curve, .dot, .bar").length, svg.getAttribute("aria-label")])""")
            self.assertGreaterEqual(len(plots), least)
            for width, marks, name in plots:
                self.assertGreater(width, 300)
                self.assertGreater(marks, 0)
                self.assertTrue(name)
        folder = pathlib.Path(Pages.folder.name, "saved")
        self.browser.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        self.browser.click("#attacks .save")
        saved = folder / "attacks.svg"
        deadline = time.monotonic() + 20
        while not (saved.exists() and saved.stat().st_size > 1000):
            self.assertLess(time.monotonic(), deadline, "the chart was not saved")
            time.sleep(0.05)
        self.assertTrue(saved.read_bytes().startswith(b"<svg"))
        xml.etree.ElementTree.parse(saved)

    def test_values_appear_under_the_pointer(self):
        self.open("mia/report.html")
        self.browser.run("document.querySelector('#attacks').scrollIntoView({block: 'center'})")
        self.browser.hover("#attacks .dot")
        self.browser.wait("!document.getElementById('chart-tip').hidden")
        self.assertRegex(self.text("#chart-tip"), r"AUC 0\.\d+ \(0\.\d+ … ")
        self.browser.run("document.querySelector('#scores').scrollIntoView({block: 'center'})")
        self.browser.hover("#scores .bar")
        self.browser.wait("document.getElementById('chart-tip').textContent.includes('% between')")
        self.browser.run("document.querySelector('#roc').scrollIntoView({block: 'center'})")
        # The middle of the first curve: what is shown there is a point of it.
        self.browser.run("""const curve = document.querySelector("#roc .curve"), point = curve.getPointAtLength(curve.getTotalLength() / 2);
          const shown = new DOMPoint(point.x, point.y).matrixTransform(curve.getScreenCTM());
          curve.dispatchEvent(new PointerEvent("pointermove", {clientX: shown.x, clientY: shown.y, bubbles: true}))""")
        self.assertRegex(self.text("#chart-tip"), r"false positive rate: [01]\.\d+\ntrue positive rate: [01]\.\d+")

    def test_charts_stay_inside_their_frames_and_can_be_read(self):
        for width in (1280, 390, 360):
            self.browser.resize(width, 900)
            for page in ("hostile.html", "mia/report.html", "report/report.html"):
                with self.subTest(f"{page} at {width}"):
                    self.open(page)
                    outside = self.browser.run("""return [...document.querySelectorAll(".plot svg")].flatMap((svg) => {
                      const frame = svg.getBoundingClientRect();
                      return [...svg.querySelectorAll("path, rect, circle, line, text")].filter((node) => {
                        const box = node.getBoundingClientRect();
                        return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
                      }).map((node) => `${svg.getAttribute("aria-label")}: ${node.outerHTML.slice(0, 120)}`);
                    })""")
                    self.assertEqual(outside, [])
                    sizes = self.browser.run("""return [...document.querySelectorAll(".plot svg")].map((svg) =>
                      svg.getBoundingClientRect().width / svg.viewBox.baseVal.width * 12)""")
                    self.assertGreaterEqual(min(sizes), 10 if width >= 390 else 9)

    def test_texts_of_charts_do_not_overlap(self):
        for page in ("hostile.html", "mia/report.html", "report/report.html"):
            self.open(page)
            self.assertEqual(self.browser.run("""return [...document.querySelectorAll(".plot svg")].flatMap((svg) => {
              const texts = [...svg.querySelectorAll("text")].map((node) => [node.textContent.slice(0, 40), node.getBoundingClientRect()]);
              return texts.flatMap(([name, a], i) => texts.slice(i + 1).filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 &&
                a.top < b.bottom - 3 && b.top < a.bottom - 3).map(([other]) => [name, other]));
            })"""), [])

    def test_a_page_is_small_without_its_examples(self):
        for page in ("mia/report.html", "report/report.html"):
            html = pathlib.Path(Pages.folder.name, page).read_text(encoding="utf-8")
            data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])
            examples = len(json.dumps(data["examples"], ensure_ascii=False, separators=(",", ":")))
            self.assertLess(len(html.encode()) - examples, 300_000, page)

    def figures(self):
        figures = sorted(pathlib.Path(Pages.folder.name).glob("*/figures/*.svg"))
        self.assertGreater(len(figures), 8)
        return figures

    def test_figures_are_xml_without_styles_of_their_own(self):
        for figure in self.figures():
            root = xml.etree.ElementTree.parse(figure).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertEqual([node for node in root.iter() if "style" in node.attrib or "id" in node.attrib], [], figure.name)
            self.assertTrue(figure.with_suffix(".vl.json").exists(), figure.name)

    @runs_only_if(shutil.which("rsvg-convert"), "there is no rsvg-convert (apt-get install librsvg2-bin)")
    def test_librsvg_draws_figures(self):
        for figure in self.figures():
            made = subprocess.run(["rsvg-convert", "--zoom", "2", figure], capture_output=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual(made.stderr, b"", figure.name)
            self.assertTrue(made.stdout.startswith(b"\x89PNG"))
            self.assertGreater(len(made.stdout), 4000)

    def test_a_figure_stands_alone_in_light_and_dark(self):
        look = """return ["ground", "soft", "s0"].map((name) => getComputedStyle(document.querySelector(`.${name}`)).color)"""
        looks = []
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            self.browser.problems()
            self.browser.open(f"{Pages.folder.name}/mia/figures/attacks.svg")
            looks.append([self.brightness(color) for color in self.browser.run(look)])
        light, dark = looks
        self.assertGreater(light[0], 250)
        self.assertLess(dark[0], 50)
        self.assertLess(light[1], dark[1])
        self.assertLess(light[2], dark[2])

    def test_light_and_dark(self):
        self.open("plain.html")
        look = """return [document.body, document.querySelector(".plot .soft"), document.querySelector(".plot .s0")].map((node) =>
            getComputedStyle(node)).flatMap((style, i) => i ? [style.color] : [style.backgroundColor, style.color])"""
        light = self.browser.run(look)
        self.browser.prefer("dark")
        self.browser.wait("document.getElementById('theme').textContent === 'Light'")
        dark = self.browser.run(look)
        self.assertGreater(self.brightness(light[0]), 200)
        self.assertLess(self.brightness(dark[0]), 50)
        self.assertGreater(self.brightness(dark[1]), 180)
        for index in (0, 2, 3):
            self.assertNotEqual(light[index], dark[index])
        self.browser.click("#theme")
        self.assertEqual(self.browser.run(look), light)

    def test_charts_need_no_script(self):
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open(f"{Pages.folder.name}/mia/report.html")
            picture = self.browser.devtools("DOM.getDocument", depth=0)["root"]["nodeId"]
            charts = self.browser.devtools("DOM.querySelectorAll", nodeId=picture, selector="#charts:not([hidden]) .plot svg")
            self.assertGreaterEqual(len(charts["nodeIds"]), 5)
        finally:
            self.browser.devtools("Emulation.setScriptExecutionDisabled", value=False)

    def brightness(self, color):
        return sum(float(part) for part in re.findall(r"[\d.]+", color)[:3]) / 3

    def test_a_phone_does_not_scroll_sideways(self):
        self.browser.resize(390, 844)
        for page in ("plain.html", "hostile.html", "mia/report.html", "report/report.html"):
            with self.subTest(page):
                self.open(page)
                width = "return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
                self.assertLessEqual(self.browser.run(width), 390)
                self.browser.run("scrollTo(500, 0)")
                self.assertEqual(self.browser.run("return scrollX"), 0)
                self.browser.run("document.querySelector('.grid-row').click()")
                inside = "const d = document.getElementById('example'); return [d.scrollWidth, d.clientWidth, d.open]"
                scroll, client, is_open = self.browser.run(inside)
                self.assertTrue(is_open)
                self.assertLessEqual(scroll, client)
                shown = self.browser.run("return [...document.querySelectorAll('.grid-row:first-child > *')]"
                                         ".filter((c) => c.offsetWidth > 0).map((c) => c.className)")
                self.assertTrue(any("name" in name for name in shown))
                self.browser.press("Escape")

    def test_no_width_scrolls_sideways(self):
        width = "return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
        for page in ("wide.html", "mia/report.html"):
            self.open(page)
            for size in (360, 390, 600, 768, 1024, 1280, 1920):
                self.browser.resize(size, 900)
                self.assertLessEqual(self.browser.run(width), size, f"{page} at {size}")

    def test_names_of_columns_leave_room_for_values_on_a_phone(self):
        self.browser.resize(360, 800)
        self.open("wide.html")
        self.assertEqual(self.browser.run("""return [...document.querySelectorAll("table.results td")].filter((cell) => {
          const value = cell.querySelector(".cell").getBoundingClientRect(), box = cell.getBoundingClientRect();
          return cell.scrollWidth > cell.clientWidth || value.right > box.right + 1 || value.left < box.left + 100;
        }).length"""), 0)

    def test_paper_gets_light_colours_and_the_first_rows(self):
        self.open("plain.html")
        self.browser.prefer("dark", media="print")
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('.top')).display"), "none")
        self.assertGreater(self.brightness(self.browser.run("return getComputedStyle(document.body).backgroundColor")), 200)
        self.browser.prefer("light", media="")
        pdf = self.browser.paper()
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertGreater(len(pdf), 20_000)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#examples-print tbody tr').length"), 25)

    # Examples

    def test_sorting(self):
        self.open("plain.html")
        self.browser.run("document.getElementById('examples').scrollIntoView()")
        scores = [row[2] for row in self.rows()]
        self.assertGreater(len(scores), 10)
        self.assertEqual(scores, sorted(scores), "the most remembered stand first")
        self.browser.click("#examples-head [data-column='5']")
        falling = [row[2] for row in self.rows()]
        self.assertEqual(falling, sorted(falling, reverse=True))
        self.assertGreater(falling[0], scores[-1])
        self.browser.click("#examples-head [data-column='0']")
        names = [row[0] for row in self.rows()]
        self.assertEqual(names[:4], ["1", "2", "3", "4"], "numbers sort as numbers")
        sort = self.browser.run("return [...document.querySelectorAll('#examples-head > *')].map((c) => c.getAttribute('aria-sort'))")
        self.assertEqual(sort[0], "ascending")
        self.assertEqual(set(sort[1:]), {"none"})

    def test_undefined_scores_are_shown_and_sorted_last(self):
        self.open("plain.html")
        self.browser.click("#examples-every")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#examples-head > *').length"), 10)
        self.assertIn("n/a", self.text(".grid-row"))
        self.browser.run("const s = document.getElementById('examples-attack'); s.value = '2'; s.dispatchEvent(new Event('change'))")
        self.assertEqual(self.text(".grid-row .shown"), "n/a")

    def test_filtering(self):
        self.open("plain.html")
        self.assertEqual(self.text("#examples-count"), "500 examples")
        self.browser.run("const s = document.getElementById('examples-set'); s.value = 'h'; s.dispatchEvent(new Event('change'))")
        self.assertEqual(self.text("#examples-count"), "250 of 500 examples")
        self.assertEqual({row[1] for row in self.rows()}, {"holdout"})
        self.browser.run("document.getElementById('examples-search').focus()")
        self.browser.press(*"WORD7")
        self.browser.wait("document.getElementById('examples-count').textContent === '50 of 500 examples'")
        self.assertTrue(all(row[0].endswith("7") for row in self.rows()))
        self.browser.press(*"zzz")
        self.browser.wait("document.getElementById('examples-count').textContent === '0 of 500 examples'")
        self.assertEqual(self.rows(), [])

    def test_recognised_records_are_marked_and_filtered(self):
        self.open("plain.html")
        self.assertEqual(self.text("#examples-recognised-words"), "recognised words")
        self.browser.run("const s = document.getElementById('examples-recognised'); s.value = 'yes'; s.dispatchEvent(new Event('change'))")
        self.assertEqual(self.text("#examples-count"), "25 of 500 examples")
        self.assertEqual({row[1] for row in self.rows()}, {"forget"})
        self.assertEqual(self.browser.run("return [...new Set([...document.querySelectorAll('.grid-row .recognised')].map((c) => c.textContent))]"),
                         ["yes"])
        self.browser.run("const s = document.getElementById('examples-recognised'); s.value = 'no'; s.dispatchEvent(new Event('change'))")
        self.assertEqual(self.text("#examples-count"), "225 of 500 examples")
        self.browser.run("const s = document.getElementById('examples-recognised'); s.value = ''; s.dispatchEvent(new Event('change'))")
        self.browser.click("#examples-head [data-column='6']")
        self.assertEqual(self.text(".grid-row:first-child .recognised"), "yes")
        self.open("mia/report.html")
        self.assertRegex(self.text("#examples-recognised-words"), r"^(None|\d+) of 120 forget records (is|are) recognised one by one by loss")

    def test_an_example_shows_its_tokens(self):
        self.open("plain.html")
        self.browser.click("#examples-detailed")
        self.assertEqual(self.text("#examples-count"), "100 of 500 examples")
        self.browser.click(".grid-row")
        for part in ("question number", "answer word", "generation", "More familiar than"):
            self.assertIn(part, self.text("#example"))
        tokens = self.browser.run("""return [...document.querySelectorAll(".token")].map((t) => [
          Number(t.title.match(/log p = (−?[\\d.]+)/)[1].replace("−", "-")), parseFloat(t.style.getPropertyValue("--heat")),
          t.classList.contains("lowest"), getComputedStyle(t).backgroundColor])""")
        self.assertEqual(len(tokens), 40)
        for logprob, heat, lowest, _ in tokens:
            self.assertAlmostEqual(heat, 72 * min(1, -logprob / 10), delta=0.1)
            self.assertEqual(lowest, logprob < -6)
        self.assertGreater(len({color for *_, color in tokens}), 10)
        self.browser.click(".token:nth-child(3)")
        self.assertIn("token 3 of 40: log p = ", self.text(".token-value"))
        self.browser.press("Right", "Right")
        self.assertIn("token 5 of 40", self.text(".token-value"))
        self.browser.press("End")
        self.assertIn("token 40 of 40", self.text(".token-value"))
        self.browser.click(".token-view summary")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.token-view tbody tr').length"), 40)
        first = self.text("#example-title")
        self.browser.click("[data-step='1']")
        self.assertNotEqual(self.text("#example-title"), first)
        self.browser.press("Escape")

    def test_an_example_without_tokens_says_so(self):
        self.open("plain.html")
        self.browser.run("document.getElementById('examples-search').focus()")
        self.browser.press(*"number 499")
        self.browser.wait("document.querySelectorAll('.grid-row').length === 1")
        self.browser.click(".grid-row")
        self.assertIn("were not kept", self.text("#example"))
        self.browser.press("Escape")

    def test_an_audit_shows_its_examples(self):
        self.open("mia/report.html")
        self.assertEqual(self.text("#examples-count"), "240 examples")
        self.assertIn("Of 100 records to be forgotten, an observer could pick out about ", self.text("h1"))
        self.assertIn("AUC", self.text("#statistics"))
        self.browser.click(".grid-row")
        self.assertGreater(self.browser.run("return document.querySelectorAll('.token').length"), 3)
        self.browser.press("Escape")

    # Size

    def test_twenty_thousand_examples(self):
        self.open("large.html")
        self.assertGreater(len(self.rows()), 5)
        self.assertEqual(self.text("#examples-count"), "20,000 examples")
        self.assertLess(len(self.rows()), 60, "only the rows in sight exist")
        self.browser.run("document.getElementById('examples').scrollIntoView()")
        most_rows, scrolled_to = self.browser.run_async("""
          const done = arguments[0], grid = document.getElementById("examples-grid");
          let frames = 0, most = 0;
          const step = () => {
            most = Math.max(most, document.querySelectorAll(".grid-row").length);
            if (++frames > 60) return done([most, grid.scrollTop]);
            grid.scrollTop += 700;
            requestAnimationFrame(step);
          };
          requestAnimationFrame(step);""")
        self.assertLess(most_rows, 80)
        self.assertGreater(scrolled_to, 30_000)
        self.browser.run("const grid = document.getElementById('examples-grid'); grid.scrollTop = grid.scrollHeight")
        self.browser.wait("document.getElementById('row-19999')")
        scores = [row[2] for row in self.rows()]
        self.assertEqual(scores, sorted(scores))


if __name__ == "__main__":
    main()
