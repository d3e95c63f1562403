#!/usr/bin/env python3
"""Report pages in headless Chromium: what hostile data cannot do, and that everything can be done without a mouse."""

import time

from page_case import PageCase, main
from page_case import set_up as setUpModule  # noqa: F401
from page_case import tear_down as tearDownModule  # noqa: F401


class PageSafetyTest(PageCase):
    # Hostile data

    def test_text_from_data_stays_text(self):
        self.open("hostile.html")
        self.browser.run("document.querySelector('.grid-row').click()")
        self.browser.run("document.querySelector('.token').click()")
        self.browser.press("Escape")
        self.browser.click("#examples-every")
        self.browser.click("#examples-head [data-column='2']")
        self.browser.run("document.querySelector('#estimates').scrollIntoView()")
        self.browser.hover("#estimates .panel .dot")
        self.browser.wait("!document.getElementById('chart-tip').hidden")
        self.assertIn("</script>", self.text("#chart-tip"))
        self.browser.paper()
        foreign = self.browser.run("""return [...document.querySelectorAll("img, iframe, object, embed, form[action], base, "
          + "script[src], link, [onerror], [onmouseover], a[href^='javascript']")].map((e) => e.outerHTML.slice(0, 200))""")
        self.assertEqual(foreign, [])
        self.assertEqual(self.browser.run("return document.querySelectorAll('script').length"), 2)
        text = self.text("main") + self.text("#example") + self.text("title")
        for field in ("title", "headline question", "headline answer", "headline action", "headline reason", "headline certainty",
                      "headline statistics", "headline detects", "headline misses", "limit", "flag model", "small column", "small name",
                      "row group", "recognised words", "figure name", "figure text",
                      "flag title", "flag text", "note", "table title", "table caption", "row name", "column", "model 1", "cell",
                      "chart title", "chart caption", "label1", "series1", "method title", "method text", "run title",
                      "run text", "attack", "index", "question", "answer", "generation", "token"):
            self.assertIn(f"{field}</script>", text, field)

    def test_the_policy_stops_connections_and_code_from_text(self):
        self.open("plain.html")
        self.browser.run("""window.stopped = [];
          document.addEventListener("securitypolicyviolation", (event) => window.stopped.push(event.effectiveDirective));
          fetch("http://127.0.0.1:9/").catch(() => {});
          const image = document.createElement("img"); image.src = "http://127.0.0.1:9/a.png"; document.body.append(image);
          const form = document.createElement("form"); form.action = "http://127.0.0.1:9/"; document.body.append(form); form.submit();""")
        self.browser.wait("window.stopped.length >= 3")
        self.assertEqual(set(self.browser.run("return window.stopped")), {"connect-src", "img-src", "form-action"})
        # Only the page's own script and style are allowed: by their hashes, not whatever stands in the page.
        self.browser.run("""window.stopped = [];
          const script = document.createElement("script");
          script.textContent = "window.made = 1";
          document.body.append(script);
          const style = document.createElement("style");
          style.textContent = "body { display: none }";
          document.body.append(style);
          document.getElementById("results").setAttribute("style", "color: red");""")
        self.browser.wait("window.stopped.length >= 3")
        self.assertEqual(set(self.browser.run("return window.stopped")), {"script-src-elem", "style-src-elem", "style-src-attr"})
        self.assertIsNone(self.browser.run("return window.made || null"))
        self.assertNotEqual(self.browser.run("return getComputedStyle(document.body).display"), "none")
        # The console tells of these six refusals, and of that of fetch() once more.
        told = []
        deadline = time.monotonic() + 20
        while len(told) < 7 and time.monotonic() < deadline:
            told += self.browser.problems()
        refusals = [problem for problem in told if "violates the following Content Security Policy directive" in problem]
        self.assertEqual(len(refusals), 6, told)
        self.assertEqual([problem for problem in told if problem not in refusals and "Fetch API" not in problem], [])
        self.browser.requests()

    # The keyboard

    def tab_to(self, name, most=60):
        for _ in range(most):
            self.browser.press("Tab")
            if self.focused() == name:
                return
        self.fail(f"Tab never reaches {name}")

    def test_a_walk_with_the_keyboard_alone(self):
        self.open("plain.html")
        self.browser.press("Tab")
        self.assertEqual(self.focused(), "skip")
        self.tab_to("theme")
        self.browser.press("Enter")
        self.assertEqual(self.browser.run("return document.documentElement.dataset.theme"), "dark")
        self.tab_to("examples-search")
        self.browser.press(*"word3")
        self.browser.wait("document.getElementById('examples-count').textContent === '50 of 500 examples'")
        self.tab_to("examples-detailed")
        self.browser.press("Space")
        self.assertEqual(self.text("#examples-count"), "10 of 500 examples")
        self.tab_to("examples-grid")
        self.browser.press("Down", "Down", "Up")
        self.assertEqual(self.browser.run("return document.getElementById('examples-grid').getAttribute('aria-activedescendant')"), "row-1")
        self.browser.press("End")
        self.assertEqual(self.browser.run("return document.querySelector('.grid-row.active').id"), "row-9")
        self.browser.press("Home", "Enter")
        self.assertTrue(self.browser.run("return document.getElementById('example').open"))
        for _ in range(12):
            self.browser.press("Tab")
            if "token" in self.focused():
                break
        self.browser.press("Right")
        self.assertIn("token 1 of 40", self.text(".token-value"))
        self.browser.press("Right")
        self.assertIn("token 2 of 40", self.text(".token-value"))
        self.browser.press("Escape")
        self.assertFalse(self.browser.run("return document.getElementById('example').open"))
        self.assertEqual(self.focused(), "examples-grid")
        self.browser.press("Shift+Tab")  # the headings of the columns are reached from the table, too
        self.tab_to("examples-grid")

    def test_everything_that_can_be_operated_has_a_name(self):
        self.open("plain.html")
        self.browser.run("document.querySelector('.grid-row').click()")
        nameless = self.browser.run("""return [...document.querySelectorAll("button, a, input, select, summary, [tabindex='0'], svg[role=img]")]
          .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.labels?.length))
          .map((e) => e.outerHTML.slice(0, 100))""")
        self.assertEqual(nameless, [])
        self.browser.press("Escape")


if __name__ == "__main__":
    main()
