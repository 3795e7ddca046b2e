"""A browser as tests use it: Chromium without a window, driven by chromedriver over W3C WebDriver.

The driver waits by itself: whatever is looked for may appear within `TIMEOUT` seconds.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import subprocess
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from support.case import DaemonTest
from support.lines import JsonObject

TIMEOUT = 15
# As wide and as high as the window is, in CSS pixels.
SIZE = os.environ.get("BROWSER_SIZE", "1280,800")

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_READY = re.compile(r"started successfully on port (\d+)")
_OPTIONS = (
    "--headless=new",
    # Its sandbox is not for root, whom tests may run as.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    # It knows this machine alone.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


class Browser:
    """A running browser with one window."""

    def __init__(self) -> None:
        self._directory = TemporaryDirectory(prefix="checkoutd-browser-", ignore_cleanup_errors=True)
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env=os.environ | {"TMPDIR": self._directory.name, "HOME": self._directory.name},
        )
        try:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port(), timeout=4 * TIMEOUT)
            created = self._call("POST", "/session", {"capabilities": {"alwaysMatch": self._capabilities()}})
        except BaseException:
            self._end_driver()
            raise
        self._session = f"/session/{created['sessionId']}"
        self._command("timeouts", implicit=TIMEOUT * 1000, pageLoad=TIMEOUT * 1000)

    def _port(self) -> int:
        assert self._driver.stdout
        for line in self._driver.stdout:
            if match := _READY.search(line):
                return int(match[1])
        raise AssertionError("chromedriver did not start")

    def _capabilities(self) -> JsonObject:
        return {
            "browserName": "chrome",
            "acceptInsecureCerts": True,
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {
                "binary": "/usr/bin/chromium",
                "args": [*_OPTIONS, f"--window-size={SIZE}", f"--user-data-dir={self._directory.name}/profile"],
            },
        }

    def close(self) -> None:
        """Ends the browser and its driver."""
        try:
            self._call("DELETE", self._session)
        finally:
            self._connection.close()
            self._end_driver()

    def _end_driver(self) -> None:
        self._driver.terminate()
        self._driver.communicate(timeout=TIMEOUT)
        with suppress(ProcessLookupError):
            os.killpg(self._driver.pid, signal.SIGKILL)
        self._directory.cleanup()

    def open(self, url: str) -> None:
        """Goes to a page, and waits until it is loaded."""
        self._command("url", url=url)

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self._call("GET", f"{self._session}/url"))

    def click(self, label: str) -> None:
        """Presses the button with this label, once it is there."""
        button = self._find(f'//button[normalize-space()="{label}"][not(@hidden)]')
        self._command(f"element/{button}/click")

    def await_text(self, text: str) -> None:
        """Waits until an element of the page has this text, with whatever before and after it."""
        self._find(f'//body//*[not(self::script)][contains(text(), "{text}")]')

    def resize(self, width: int, height: int) -> None:
        """Makes the page as wide and as high as a screen, in CSS pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._command("goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params=metrics)

    def photograph(self) -> bytes:
        """What the page looks like, as a PNG file."""
        return base64.b64decode(self._call("GET", f"{self._session}/screenshot"))

    def run(self, script: str) -> Any:
        """What a script in the page returns."""
        return self._command("execute/sync", script=script, args=[])

    def log(self) -> list[str]:
        """What the page and the browser have said on the console since the last time: errors and warnings too."""
        return [entry["message"] for entry in self._command("se/log", type="browser")]

    def _find(self, path: str) -> str:
        return str(self._command("element", using="xpath", value=path)[_ELEMENT])

    def _command(self, name: str, **members: Any) -> Any:
        return self._call("POST", f"{self._session}/{name}", members)

    def _call(self, method: str, path: str, body: JsonObject | None = None) -> Any:
        text = None if body is None else json.dumps(body)
        self._connection.request(method, path, text, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        value = json.loads(response.read())["value"]
        if response.status != 200:
            raise AssertionError(f"{value['error']}: {value['message']}")
        return value


class BrowserTest(DaemonTest):
    """A test with a browser, which it shares with the others of its class."""

    browser: ClassVar[Browser]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        super().setUp()
        self.browser.log()
