#!/usr/bin/env python3
"""A report page of 20,000 examples in Chromium. Prints {name: seconds} as JSON; there is no other program to compare with.

    bench/peers/page_peer.py BENCH_DIR

- page_open: until the page shows its examples
- page_scroll_step: from one frame to the next while the list scrolls, the median of 60

The pages are made by the program that the tests use, which the preset `release` builds into the same folder. Without it, or
without Chromium and its driver, there is a note instead.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "page"))
import browser as browsers  # noqa: E402

READY = "document.documentElement.dataset.ready === 'true' && document.querySelector('.grid-row')"
REPEATS = 3  # the best one counts: the machine may be busy with something else

SCROLL = """
const done = arguments[0], grid = document.getElementById("examples-grid"), times = [];
let last = performance.now();
const step = (now) => {
  times.push(now - last);
  last = now;
  if (times.length > 60) return done(times.sort((a, b) => a - b)[30]);
  grid.scrollTop += 700;
  requestAnimationFrame(step);
};
requestAnimationFrame(step);"""


def measure(page):
    opened, scrolled = [], []
    with browsers.Browser() as browser:
        for _ in range(REPEATS):
            start = time.monotonic()
            browser.open(page)
            browser.wait(READY)
            opened.append(time.monotonic() - start)
            browser.run("document.getElementById('examples').scrollIntoView()")
            scrolled.append(browser.run_async(SCROLL) / 1000)
    return {"ours:page_open": min(opened), "ours:page_scroll_step": min(scrolled)}


def main():
    fixture = pathlib.Path(sys.argv[1]).resolve().parent / "tests" / "page" / "page_fixture"
    lacking = "page_fixture (make test builds it)" if not fixture.exists() else "Chromium with its driver"
    if not fixture.exists() or not browsers.find_programs():
        print(f"page_peer.py: there is no {lacking}", file=sys.stderr)
        print("{}")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([fixture, folder], check=True, stdout=subprocess.DEVNULL)
        print(json.dumps(measure(pathlib.Path(folder) / "large.html")))


if __name__ == "__main__":
    main()
