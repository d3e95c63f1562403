#!/usr/bin/env python3
"""Report pages in headless Chromium: what a person sees, sorts, filters and opens, on a screen, a phone and paper."""

import pathlib
import re
import time

from page_case import PageCase, Pages, main
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
        places = self.browser.run("return [...document.querySelectorAll('#places a')].map((a) => [a.textContent, "
                                  "document.querySelector(a.getAttribute('href')) !== null])")
        self.assertEqual(places, [[name, True] for name in ("Red flags", "Results", "Charts", "Examples", "Method", "Run")])

    def test_charts_are_drawn_and_can_be_saved(self):
        if not Pages.has_charts:
            self.skipTest("built without npm: there are no charts")
        for page, least in (("plain.html", 2), ("report/report.html", 3), ("mia/report.html", 5)):
            self.open(page)
            plots = self.browser.run("""return [...document.querySelectorAll(".plot")].map((plot) => {
              const svg = plot.querySelector("svg.marks");
              return [plot.dataset.state, svg.getBoundingClientRect().width, svg.querySelectorAll("path, line").length];
            })""")
            self.assertGreaterEqual(len(plots), least)
            for state, width, marks in plots:
                self.assertEqual(state, "drawn")
                self.assertGreater(width, 200)
                self.assertGreater(marks, 10)
        folder = pathlib.Path(Pages.folder.name, "saved")
        self.browser.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        for place, name, start in ((1, "attacks.svg", b"<svg"), (2, "attacks.png", b"\x89PNG")):
            self.browser.run("document.querySelector('#attacks details').open = true")
            self.browser.click(f"#attacks .vega-actions a:nth-child({place})")
            saved = folder / name
            deadline = time.monotonic() + 20
            while not (saved.exists() and saved.stat().st_size > 1000):
                self.assertLess(time.monotonic(), deadline, f"{name} was not saved")
                time.sleep(0.05)
            self.assertTrue(saved.read_bytes().startswith(start))

    def test_without_the_libraries_the_page_says_so_and_keeps_the_rest(self):
        html = pathlib.Path(Pages.folder.name, "plain.html").read_text(encoding="utf-8")
        bare = re.sub(r"<script>/\*! vega .*?</script>", "<script></script>", html, flags=re.DOTALL)
        pathlib.Path(Pages.folder.name, "bare.html").write_text(bare, encoding="utf-8")
        self.open("bare.html", charts=False)
        self.assertIn("Install npm", self.text("#charts"))
        self.assertIn("chart caption", self.text("#charts"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.plot').length"), 0)
        self.assertGreater(len(self.rows()), 5)

    def test_light_and_dark(self):
        self.open("plain.html")
        look = """const axis = document.querySelector(".plot .role-axis-label text");
          return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, axis && axis.getAttribute("fill")]"""
        light = self.browser.run(look)
        self.browser.prefer("dark")
        self.browser.wait("document.getElementById('theme').textContent === 'Light'")
        time.sleep(0.5)  # the charts are drawn again
        dark = self.browser.run(look)
        self.assertNotEqual(light[0], dark[0])
        self.assertGreater(self.brightness(light[0]), 200)
        self.assertLess(self.brightness(dark[0]), 50)
        self.assertGreater(self.brightness(dark[1]), 180)
        self.browser.click("#theme")
        self.assertEqual(self.browser.run(look)[:2], light[:2])
        if Pages.has_charts:
            self.assertNotEqual(light[2], dark[2])
            self.browser.wait(f"document.querySelector('.plot .role-axis-label text')?.getAttribute('fill') === '{light[2]}'")

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
        self.open("plain.html", charts=False)
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
        self.open("plain.html", charts=False)
        self.browser.click("#examples-every")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#examples-head > *').length"), 9)
        self.assertIn("n/a", self.text(".grid-row"))
        self.browser.run("const s = document.getElementById('examples-attack'); s.value = '2'; s.dispatchEvent(new Event('change'))")
        self.assertEqual(self.text(".grid-row .shown"), "n/a")

    def test_filtering(self):
        self.open("plain.html", charts=False)
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

    def test_an_example_shows_its_tokens(self):
        self.open("plain.html", charts=False)
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
        self.open("plain.html", charts=False)
        self.browser.run("document.getElementById('examples-search').focus()")
        self.browser.press(*"number 499")
        self.browser.wait("document.querySelectorAll('.grid-row').length === 1")
        self.browser.click(".grid-row")
        self.assertIn("were not kept", self.text("#example"))
        self.browser.press("Escape")

    def test_an_audit_shows_its_examples(self):
        self.open("mia/report.html")
        self.assertEqual(self.text("#examples-count"), "240 examples")
        self.assertIn("AUC", self.text("h1"))
        self.browser.click(".grid-row")
        self.assertGreater(self.browser.run("return document.querySelectorAll('.token').length"), 3)
        self.browser.press("Escape")

    # Size

    def test_twenty_thousand_examples(self):
        # Best of three: the machine may be busy with something else.
        seconds = []
        for _ in range(3):
            start = time.monotonic()
            self.open("large.html", charts=False)
            self.assertGreater(len(self.rows()), 5)
            seconds.append(time.monotonic() - start)
            if seconds[-1] < 3:
                break
        self.assertLess(min(seconds), 3)
        self.assertEqual(self.text("#examples-count"), "20,000 examples")
        self.assertLess(len(self.rows()), 60, "only the rows in sight exist")
        self.browser.run("document.getElementById('examples').scrollIntoView()")
        frames = self.browser.run_async("""
          const done = arguments[0], grid = document.getElementById("examples-grid"), times = [];
          let last = performance.now(), most = 0;
          const step = (now) => {
            times.push(now - last);
            last = now;
            most = Math.max(most, document.querySelectorAll(".grid-row").length);
            if (times.length > 60) return done([times.sort((a, b) => a - b)[30], most, grid.scrollTop]);
            grid.scrollTop += 700;
            requestAnimationFrame(step);
          };
          requestAnimationFrame(step);""")
        self.assertLess(frames[0], 100, "a step of scrolling takes too long")
        self.assertLess(frames[1], 80)
        self.assertGreater(frames[2], 30_000)
        self.browser.run("const grid = document.getElementById('examples-grid'); grid.scrollTop = grid.scrollHeight")
        self.browser.wait("document.getElementById('row-19999')")
        scores = [row[2] for row in self.rows()]
        self.assertEqual(scores, sorted(scores))


if __name__ == "__main__":
    main()
