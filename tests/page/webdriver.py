# SPDX-License-Identifier: BSD-3-Clause
"""Debian's Chromium, driven through its chromedriver: as much of the W3C WebDriver protocol as tests of a page need, with
Python's own library only."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how the protocol names a reference to an element
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Tab": "\ue004"}
PATIENCE = 60  # seconds that a machine under load may take for one thing


class WebDriverError(Exception):
    pass


def installed():
    """The programs, or None."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """A window without a screen, and a profile that is thrown away. Records console and network."""

    def __init__(self, width=1280, height=900):
        browser, driver = installed()
        self._folder = tempfile.mkdtemp(prefix="gckn-page-")
        self._driver = subprocess.Popen(
            [driver, "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "HOME": self._folder, "TMPDIR": self._folder},
        )
        self._session = None
        try:
            self._address = f"http://127.0.0.1:{self._port()}"
            arguments = [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-extensions", f"--user-data-dir={self._folder}/profile",
                f"--window-size={width},{height}",
            ]  # fmt: skip
            options = {
                "goog:chromeOptions": {"binary": browser, "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": options}})
            self._session = f"/session/{answer['sessionId']}"
        except BaseException:
            self.close()
            raise

    def _port(self):
        for line in self._driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                return int(match[1])
        raise WebDriverError("chromedriver did not start")

    def close(self):
        try:
            if self._session:
                self._call("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _call(self, method, path, body=None):
        data = None if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        request = urllib.request.Request(self._address + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=2 * PATIENCE) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise WebDriverError(json.load(error)["value"]["message"]) from None

    def _do(self, method, path, body=None):
        return self._call(method, self._session + path, body)

    def open(self, address):
        self._do("POST", "/url", {"url": address})

    def back(self):
        self._do("POST", "/back")

    def address(self):
        return self._do("GET", "/url")

    def script(self, text, *arguments):
        """Runs the body of a function; what it returns comes back as JSON."""
        return self._do("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self._do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def find(self, selector):
        return self._do("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """As a reader does: moves there and presses, so it fails if something covers the element."""
        self._do("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self._do("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, key):
        """A key for whatever has the focus."""
        key = KEYS.get(key, key)
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def resize(self, width, height):
        """The size of what is seen; a window cannot be as narrow as a phone."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def wait(self, condition, what):
        """Until the script expression is true."""
        until = time.monotonic() + PATIENCE
        while not (value := self.script(f"return {condition}")):
            if time.monotonic() > until:
                raise AssertionError(f"not within {PATIENCE} s: {what} ({condition})")
            time.sleep(0.02)
        return value

    def work(self):
        """Seconds of processor time that the page has taken so far, which other programs at work hardly change."""
        self.devtools("Performance.enable")
        metrics = self.devtools("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._do("GET", "/screenshot")))

    def log(self, kind):
        """What was recorded since the last call: "browser" is the console, "performance" has the network."""
        return self._do("POST", "/se/log", {"type": kind})

    def console_errors(self):
        return [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses asked for, except data: (images of the page) and chrome: (the browser's own first page)."""
        events = (json.loads(entry["message"])["message"] for entry in self.log("performance"))
        asked = (event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent")
        return [address for address in asked if not address.startswith(("data:", "chrome:"))]
