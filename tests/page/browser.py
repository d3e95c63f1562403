"""A headless Chromium, driven through chromedriver with nothing but the standard library.

    with Browser() as browser:
        browser.open(path)
        browser.run("return document.title")

Everything that the page says on the console and every request that it makes is kept (problems(), requests()).
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's name, as the standard has it
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": "\ue00d", "End": "\ue010", "Home": "\ue011",
        "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Shift": "\ue008"}


def find_programs():
    """The paths of Chromium and its driver, or None."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    def __init__(self, width=1200, height=900):
        self.programs = find_programs()
        self.size = (width, height)
        self.profile = tempfile.mkdtemp(prefix="palimpsest-page-")
        self.driver = None
        self.session = None

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        if self.session:
            try:
                self._call("DELETE", "")
            except OSError:
                pass
        if self.driver:
            self.driver.terminate()
            self.driver.wait(timeout=30)
            self.said.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _start(self):
        # The driver takes a free port and says which. A port that was free before could be another test's by now.
        self.said = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.driver = subprocess.Popen([self.programs[1], "--port=0"], stdout=self.said, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 30
        while not (port := re.search(r"started successfully on port (\d+)", self._output())):
            if time.monotonic() > deadline or self.driver.poll() is not None:
                raise RuntimeError(f"chromedriver did not start: {self._output()}")
            time.sleep(0.05)
        self.base = f"http://127.0.0.1:{port[1]}"
        options = {"binary": self.programs[0],
                   "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--hide-scrollbars", f"--user-data-dir={self.profile}",
                            f"--window-size={self.size[0]},{self.size[1]}"]}
        answer = self._request("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = answer["sessionId"]
        self.open("/dev/null")  # away from the browser's own start page
        self.requests()

    def _output(self):
        """What the driver has said so far. It goes on writing where it is, whatever is read here."""
        return os.pread(self.said.fileno(), 1 << 20, 0).decode("utf-8")

    def _request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as failure:
            raise RuntimeError(json.load(failure)["value"]["message"].split("\n")[0]) from None

    def _call(self, method, path, body=None):
        return self._request(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self._call("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *arguments):
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """A script that gets one more argument, a function to call with its result."""
        return self._call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def wait(self, condition, seconds=20):
        """Waits until the JavaScript expression is true; a page that never gets there is a failure."""
        deadline = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > deadline:
                raise AssertionError(f"never came true: {condition}")
            time.sleep(0.02)

    def devtools(self, command, **parameters):
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def press(self, *keys):
        """Keys by name, or as characters; "Shift+Tab" holds the first."""
        actions = []
        for key in keys:
            *held, last = key.split("+") if len(key) > 1 else [key]
            codes = [KEYS.get(k, k) for k in (*held, last)]
            actions += [{"type": "keyDown", "value": c} for c in codes]
            actions += [{"type": "keyUp", "value": c} for c in reversed(codes)]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def _element(self, selector):
        return self._call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._call("POST", f"/element/{self._element(selector)}/click", {})

    def hover(self, selector):
        origin = {ELEMENT: self._element(selector)}
        self._call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0}]}]})

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 600)

    def prefer(self, scheme, media=""):
        self.devtools("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme", "value": scheme},
                                {"name": "prefers-reduced-motion", "value": "reduce"}])  # a click must not chase its target

    def picture(self, path, whole=False):
        data = self.devtools("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def paper(self):
        """The page as a PDF."""
        return base64.b64decode(self.devtools("Page.printToPDF", printBackground=True, paperWidth=8.27,
                                              paperHeight=11.69)["data"])

    def problems(self):
        """What the console was told since the last call that is not mere information."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("WARNING", "SEVERE")]

    def requests(self):
        """The addresses that pages asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in
                  self._call("POST", "/se/log", {"type": "performance"})]
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]
