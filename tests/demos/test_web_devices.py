"""Pads and thumbs alone, in a real Chromium without a window: all that drives and all that chooses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from .browser import CHROMIUM, MIDDLE, PAD
from .conftest import wait_for
from .web_standins import Running, serving

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")

READY = "document.getElementById('veil').hidden && !document.getElementById('hud').hidden"


@pytest.fixture(scope="module")
def ring() -> Iterator[Running]:
    """A race that loads nothing."""
    with serving() as running:
        yield running


def test_a_pad_alone_drives_and_chooses_looks(browser, ring):
    page = browser.page(ring.url, before=PAD)
    page.until(READY)
    page.eval("window.pad.axes[0] = -0.64; window.press(7, 0.5)")
    wait_for(lambda: ring.world.controls[-1][:2] == pytest.approx((0.6, 0.5)))
    assert not ring.world.controls[-1].digital
    page.eval("window.dispatchEvent(new Event('blur'))")  # the page comes back with the pad as it is
    wait_for(lambda: ring.world.controls[-1][:2] == pytest.approx((0.6, 0.5)))
    page.tap(8, 15, 0)  # the list of looks, one to the right, take it
    page.until("document.querySelectorAll('.look')[1].getAttribute('aria-checked') === 'true'")
    page.tap(12)  # above the looks are the buttons of the race, the last of which tells the keys
    assert page.eval("document.activeElement.id") == "help"
    page.tap(0)
    page.until("document.getElementById('keys').open")
    page.tap(1)
    page.until("!document.getElementById('keys').open")
    page.tap(14, 14)
    assert page.eval("document.activeElement.id") == "record"
    page.tap(1)
    assert page.eval("document.activeElement === document.body")
    page.main("main.veil('No way in', 'all places were taken', 'retry')")
    page.tap(0)
    page.until("document.getElementById('veil').hidden")
    page.close()


def test_a_pad_without_mapping_chooses_with_its_stick_and_drives_on_afterwards(browser, ring):
    page = browser.page(ring.url, before=PAD.replace('"standard"', '""'))
    page.until(READY)
    chosen = "[...document.querySelectorAll('.look')].findIndex((look) => look.getAttribute('aria-checked') === 'true')"
    before = page.eval(chosen)
    page.eval("window.press(0, 1)")
    wait_for(lambda: ring.world.controls[-1].throttle == 1.0)
    page.eval("window.press(0, 0)")
    page.tap(3)
    page.eval(f"window.pad.axes[0] = {1 if before % 2 == 0 else -1}")
    page.until("document.activeElement.classList.contains('look')")
    page.until(f"[...document.querySelectorAll('.look')].indexOf(document.activeElement) === {before ^ 1}")
    page.eval("window.pad.axes[0] = 0")
    page.tap(0)
    page.until(f"({chosen}) === {before ^ 1}")
    wait_for(lambda: ring.world.controls[-1][:2] == (0.0, 0.0))  # neither stick nor button drove meanwhile
    page.tap(1)
    page.eval("window.press(0, 1)")
    wait_for(lambda: ring.world.controls[-1].throttle == 1.0)
    page.close()


def test_thumbs_on_a_touch_screen_drive(browser, ring):
    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        page.call("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    page = browser.page(ring.url, (844, 390))
    page.until(READY)
    touch("touchStart", (400, 200))  # the first touch brings the controls
    touch("touchEnd")
    page.until("!document.getElementById('touch').hidden")
    steer, gas = (page.eval(MIDDLE % f'"#{name}"') for name in ("steer", "pedal-gas"))
    touch("touchStart", steer, gas)
    touch("touchMove", (steer[0] + 200, steer[1]), gas)
    wait_for(lambda: ring.world.controls[-1][:2] == (-1.0, 1.0))
    touch("touchEnd")
    wait_for(lambda: ring.world.controls[-1][:2] == (0.0, 0.0))
    touch("touchStart", page.eval(MIDDLE % '"#touch-back"'))
    touch("touchEnd")
    wait_for(lambda: any(controls.reset for controls in ring.world.controls))
    page.close()
