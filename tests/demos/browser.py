"""A headless Chromium that tests drive through its debugging port: keys, files, screenshots, and any expression."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
HEADLESS = (
    "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--remote-debugging-port=0",
    "--autoplay-policy=no-user-gesture-required", "--mute-audio", "--force-prefers-reduced-motion",
)  # fmt: skip
"""No window; the sandbox needs rights that containers do not give; nothing slides away from below a click."""
START_S = 30.0
MIDDLE = """(() => {
  const element = document.querySelector(%s);
  element.scrollIntoView({ block: "center" });
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()"""
KEYS = {
    "KeyW": ("w", 87), "KeyA": ("a", 65), "KeyV": ("v", 86), "KeyP": ("p", 80), "KeyL": ("l", 76), "KeyT": ("t", 84),
    "KeyM": ("m", 77), "KeyH": ("h", 72), "KeyC": ("c", 67), "ArrowRight": ("ArrowRight", 39), "Enter": ("Enter", 13),
    "KeyR": ("r", 82), "Space": (" ", 32), "ArrowDown": ("ArrowDown", 40),
    "ArrowLeft": ("ArrowLeft", 37), "ArrowUp": ("ArrowUp", 38), "Escape": ("Escape", 27), "Tab": ("Tab", 9),
}  # fmt: skip

PAD = """
  const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
  window.pad = { id: "a pad", index: 0, connected: true, mapping: "standard", axes: [0, 0, 0, 0], buttons };
  window.press = (i, value) => Object.assign(buttons[i], { pressed: value > 0, value });
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.tap = async (i) => (window.press(i, 1), await frames(), window.press(i, 0), frames());
  navigator.getGamepads = () => [window.pad];
"""
"""Script for a page: a pad that a test holds; see ``Page.tap``."""


class Browser:
    """One process of Chromium with a profile of its own; ``page`` opens its pages.

    Args:
        options: of the command line, besides the usual ones.
    """

    def __init__(self, *options: str) -> None:
        self._profile = Path(tempfile.mkdtemp(prefix="chromium-"))
        words = [str(CHROMIUM), *HEADLESS, *options, f"--user-data-dir={self._profile}", "about:blank"]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._stack = contextlib.ExitStack()
        self._socket = self._stack.enter_context(connect(self._address(), max_size=None, compression=None))
        self._numbers = itertools.count(1)

    def page(self, url: str, size: tuple[int, int] = (1344, 768), before: str = "") -> Page:
        """Open a page of a size; the script ``before`` runs before its own."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session, target)
        page.resize(*size)
        if before:
            page.call("Page.enable")
            page.call("Page.addScriptToEvaluateOnNewDocument", {"source": before})
        page.call("Page.navigate", {"url": url})
        page.until("location.href !== 'about:blank' && document.readyState === 'complete'")
        return page

    def call(self, method: str, values: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        """One command of the debugging protocol."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": values or {}}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self._socket.recv(timeout=START_S))
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return dict(answer["result"])

    def close(self) -> None:
        """End it."""
        self._stack.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _address(self) -> str:
        """Where it listens for us, which it writes into its profile."""
        told = self._profile / "DevToolsActivePort"
        give_up = time.monotonic() + START_S
        while not told.exists() or len(told.read_text().splitlines()) < 2:
            assert self._process.poll() is None, "Chromium ended at once"
            assert time.monotonic() < give_up, "Chromium did not start"
            time.sleep(0.02)
        port, path = told.read_text().splitlines()[:2]
        return f"ws://127.0.0.1:{port}{path}"


class Page:
    """One page."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def call(self, method: str, values: dict[str, Any] | None = None) -> dict[str, Any]:
        """One command of the debugging protocol for this page."""
        return self._browser.call(method, values, self._session)

    def eval(self, expression: str) -> Any:
        """Value of an expression, awaited if it is a promise."""
        done = self.call(
            "Runtime.evaluate",
            {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True},
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def main(self, expression: str) -> Any:
        """Value of an expression of ``main``, the page's own module."""
        return self.eval(f"import('/page/main.js').then((main) => {expression})")

    def until(self, expression: str, seconds: float = 40.0) -> None:
        """Wait until an expression is true, as JavaScript sees it."""
        give_up = time.monotonic() + seconds
        while not self.eval(f"Promise.resolve({expression}).then(Boolean)"):
            assert time.monotonic() < give_up, f"in vain: {expression}; the page says: {self.text()}"
            time.sleep(0.05)

    def text(self, selector: str = "body") -> str:
        """What a person reads there."""
        return str(self.eval(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def key(self, code: str, down: bool | None = None) -> None:
        """Press a key; True only puts it down, False only lets it up."""
        letter, number = KEYS[code]
        values = {"code": code, "key": letter, "windowsVirtualKeyCode": number}
        if down is not False and code == "Enter":  # its character is what presses a button
            self.call("Input.dispatchKeyEvent", {"type": "keyDown", "text": "\r", **values})
        elif down is not False:
            self.call("Input.dispatchKeyEvent", {"type": "rawKeyDown", **values})
        if down is not True:
            self.call("Input.dispatchKeyEvent", {"type": "keyUp", **values})

    def tap(self, *buttons: int) -> None:
        """Press and release buttons of the pad that ``PAD`` brought, as slowly as the page looks."""
        for button in buttons:
            self.eval(f"window.tap({button})")

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        x, y = self.eval(MIDDLE % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            )  # fmt: skip

    def drop(self, path: Path) -> None:
        """Drop a file onto the middle of the picture."""
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 200, "data": data})

    def resize(self, width: int, height: int) -> None:
        """Another size of the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def screenshot(self, path: Path) -> None:
        """The page as a PNG file."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        """Close it."""
        self._browser.call("Target.closeTarget", {"targetId": self._target})
