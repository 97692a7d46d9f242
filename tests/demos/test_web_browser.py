"""`paintover web` as people meet it: the real command, the real engine, a real Chromium without a window."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.web.plan import WebPlan
from engine_sim.recording.replay import replay_session

from . import play_standins as standins
from .browser import CHROMIUM, Browser, Page
from .conftest import wait_for
from .web_standins import serving

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")

ROOT = Path(__file__).parents[2]
LEVELS = """(() => {
  const pen = new OffscreenCanvas(56, 32).getContext("2d", { willReadFrequently: true });
  pen.drawImage(document.getElementById("video"), 0, 0, 56, 32);
  return Array.from(pen.getImageData(0, 0, 56, 32).data.filter((_, i) => i % 4 < 3));
})()"""
"""The received picture, small: 32 × 56 × RGB."""
TOKEN = "0123456789abcdefghij"
READY = "document.getElementById('veil').hidden && !document.getElementById('hud').hidden"
SPEED = "Number(document.getElementById('speed').textContent)"


class Web:
    """`paintover web` as a process, with the palette stand-in as its renderer."""

    def __init__(self) -> None:
        words = ["web", "--port", "0", "--preset", "palette", "--rivals", "0", "--seed", "1"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "demos.cli", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.url = re.sub("^open ", "", self.process.stdout.readline()).strip()

    def close(self) -> int:
        """Ctrl-C; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(20)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


@pytest.fixture(scope="module")
def browser(web) -> Iterator[Browser]:
    """Started after the server, which loads while the first tests run on races that load nothing."""
    chromium = Browser()
    yield chromium
    chromium.close()


READ_BITS = """new Promise((done) => {
  const pen = new OffscreenCanvas(8, 1).getContext("2d", { willReadFrequently: true });
  const video = document.getElementById("video");
  const rows = [];
  import("/page/main.js").then((main) => main.picture.addEventListener("frame", ({ detail }) => {
    pen.drawImage(video, 0, 0, 8, 1);
    const pixels = pen.getImageData(0, 0, 8, 1).data;
    const seen = [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, bit) => sum + (pixels[4 * bit] > 127) * 2 ** bit, 0);
    rows.push([seen, detail.note.tick % 256]);
    if (rows.length === 20) done(rows);
  }));
})"""


def test_the_display_belongs_to_the_very_picture_that_is_shown(browser):
    """Each picture says its tick in black and white, so the times of the latency graph are those of these pictures."""
    with serving(opener=standins.open_bits) as ring:
        page = browser.page(ring.url)
        page.until(READY)
        rows = page.eval(READ_BITS)
        page.close()
    assert sum(seen == told for seen, told in rows) >= 17, rows  # a picture may change between callback and reading
    assert len({seen for seen, _ in rows}) > 13


TITLE = "document.getElementById('veil-title').textContent"


def test_no_token_and_a_wrong_one_are_told_apart_and_the_whole_link_may_be_pasted(browser, monkeypatch):
    monkeypatch.setattr("demos.web.server.GUESS_S", 0.01)
    with serving(WebPlan(port=0, token=TOKEN)) as ring:
        page = browser.page(ring.url)
        page.until(f"{TITLE} === 'This page needs a token'")
        assert page.text("#veil-text") == "It ends the link that the server printed, behind #token=."
        for typed, until in (
            ("guess", f"{TITLE} === 'This token is wrong'"),
            (f" {ring.server.link}", READY),
        ):
            page.eval(f"document.getElementById('token').value = {typed!r}")
            page.eval("document.querySelector('#token-form button').click()")
            page.until(until)
        assert page.eval("sessionStorage.getItem('token')") == TOKEN  # a page that is loaded again asks no more
        page.close()


def test_a_server_that_was_started_anew_is_known_as_another_session(browser):
    with serving() as ring:
        plan = WebPlan(port=ring.server.port)
        page = browser.page(ring.url)
        page.until(READY)
        page.eval("document.getElementById('prompt').value = 'rain on glass'")
        page.eval("document.getElementById('says').textContent = 'recorded: ring.zip'")
    page.until(f"{TITLE} === 'The server is gone'")
    assert page.text("#veil-text") == "It was ended. This page comes back with it."
    with serving(plan):
        page.until(READY)
        assert "This is a new session" in page.text("#says")
        assert page.eval("document.getElementById('prompt').value") == ""
        page.close()


@pytest.fixture(scope="module")
def player(web, browser) -> Page:
    """The first page: it drives."""
    page = browser.page(web.url)
    page.until(READY, 90)
    return page


def levels(page: Page) -> np.ndarray:
    return np.array(page.eval(LEVELS), float)


def test_a_key_press_moves_the_car_in_the_received_picture(player):
    player.until("document.getElementById('speed').textContent === '0'")
    still = levels(player)
    player.eval("new Promise((done) => setTimeout(done, 300))")
    assert np.abs(levels(player) - still).mean() < 3
    player.key("KeyW", down=True)
    player.until(f"{SPEED} > 40")
    assert np.abs(levels(player) - still).mean() > 8
    player.key("KeyW", down=False)


def test_the_picture_comes_at_its_rate_and_soon(player):
    """Wide limits, for a busy machine; see docs/LOG.md for figures of a quiet one."""
    player.main("main.graph.clear()")
    player.until("import('/page/main.js').then((main) => main.figures().fps >= 15)")
    figures = player.main("main.figures()")
    assert 0 < figures["browser"] < 400, figures
    assert 0 < figures["engine"] < figures["total"] < 2000, figures


def test_another_look_is_seen(player):
    player.until("document.querySelectorAll('.look img').length >= 3 || !document.querySelector('[data-view=teacher]')")
    if not player.eval("Boolean(document.querySelector('[data-view=teacher]'))"):
        pytest.skip("no teacher view here: no OpenGL")
    player.click("[data-view=teacher]")
    player.until("document.querySelector('[data-view=teacher][aria-checked=true]')")
    player.until(
        "import('/page/main.js').then((main) => main.picture.frames > (window.begun ??= main.picture.frames) + 12)"
    )
    before = levels(player)
    player.key("KeyL")  # the list of looks takes the arrow keys then
    player.key("ArrowRight")
    player.key("ArrowRight")
    player.eval("document.activeElement.click()")
    player.until("document.querySelectorAll('.look')[2].getAttribute('aria-checked') === 'true'")
    wait_for(lambda: np.abs(levels(player) - before).mean() > 12)
    player.click("[data-view=paint]")


def test_a_dropped_picture_becomes_the_reference_and_other_files_are_told_why_not(player, tmp_path):
    picture, text, large, liar = (tmp_path / name for name in ("dusk.png", "notes.txt", "huge.png", "liar.png"))
    cv2.imwrite(str(picture), np.full((200, 300, 3), (200, 90, 30), np.uint8))
    text.write_text("no picture")
    liar.write_text("no picture either")
    with large.open("wb") as file:
        file.truncate(200 * 10**6)
    for path, said in (
        (text, "is no picture; drop a PNG"),
        (large, "has 200 MB; at most 16 MB"),
        (liar, "this is no picture"),
        (picture, "reference: dusk.png"),
    ):
        player.drop(path)
        player.until(f"document.getElementById('drop-says').textContent.includes({said!r})")
    player.until("document.getElementById('drop-text').innerText.includes('painting after dusk.png')")


COPY_PICTURE = """(async () => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 40 });
  canvas.getContext("2d").fillRect(0, 0, 64, 40);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
})()"""


def paste(page: Page) -> None:
    """What Ctrl+V does."""
    values = {"code": "KeyV", "key": "v", "windowsVirtualKeyCode": 86, "modifiers": 2}
    page.call("Input.dispatchKeyEvent", {"type": "rawKeyDown", "commands": ["paste"], **values})
    page.call("Input.dispatchKeyEvent", {"type": "keyUp", **values})


def test_a_pasted_picture_becomes_the_reference_and_pasted_words_the_prompt(player, browser):
    browser.call("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    player.call("Page.bringToFront")
    view = "document.querySelector('[data-view][aria-checked=true]').dataset.view"
    before = player.eval(view)
    player.eval(COPY_PICTURE)
    paste(player)
    player.until("document.getElementById('drop-says').textContent.startsWith('reference: ')")
    player.until("document.getElementById('drop-text').innerText.includes('painting after')")
    assert player.eval(view) == before  # V is a key too
    player.eval("navigator.clipboard.writeText('雪の夜, lanterns')")
    player.key("KeyT")
    player.eval("document.getElementById('prompt').value = ''")
    paste(player)
    assert player.eval("document.getElementById('prompt').value") == "雪の夜, lanterns"
    player.key("Escape")


def test_a_pasted_prompt_of_100_kb_disturbs_nobody_and_one_of_some_words_is_in_force(player):
    pictures, before = "import('/page/main.js').then((main) => main.picture.frames)", player.main("main.state.prompt")
    player.key("KeyT")
    for text in ("rain " * 20_000, "雪" * 34_000):
        player.eval(f"navigator.clipboard.writeText({text!r})")
        player.eval("document.getElementById('prompt').select()")
        paste(player)
        assert player.eval("document.getElementById('prompt').value.length") == len(text)
        assert "too long: at most 1000" in player.text("#prompt-says")
        player.call("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Enter", "code": "Enter", "modifiers": 2})
        shown = player.eval(pictures)
        player.until(f"{pictures}.then((frames) => frames > {shown} + 3)")
        assert player.main("main.state.prompt") == before
    player.eval("document.getElementById('prompt').select()")
    player.call("Input.insertText", {"text": "雨の山道 at dusk"})
    player.click("#paint")
    player.until("document.getElementById('says').textContent.includes('prompt: in force')")
    assert player.text("#prompt-says") == ""


def test_a_second_page_watches_asks_and_drives(player, browser, web):
    other = browser.page(web.url, (880, 500))
    other.until("document.getElementById('video').videoWidth > 0")
    other.key("KeyM")  # the studio of a narrow page
    other.until("document.getElementById('wheel').innerText.includes('drives')")
    assert other.eval("document.getElementById('pause').disabled")
    other.click("#wheel button")
    player.until("document.querySelector('#wheel .asks button')")
    player.click("#wheel .asks .main")
    other.until("document.getElementById('wheel').innerText.includes('You drive')")
    player.until("document.getElementById('pause').disabled")
    other.close()  # its driver is gone: the wheel is free
    player.until("document.getElementById('wheel').innerText.includes('Take the wheel')")
    player.click("#wheel button")
    player.until("document.getElementById('wheel').innerText.includes('You drive')")


def test_a_recording_comes_as_a_zip_that_replays(player, browser, tmp_path):
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.call("Browser.setDownloadBehavior", behaviour)
    player.click("#record")
    player.until("document.getElementById('record').classList.contains('on')", 60)
    player.until("!document.getElementById('hud').hidden && document.getElementById('standing').innerText === ''")
    player.key("ArrowUp", down=True)
    player.until("import('/page/main.js').then((main) => main.picture._last?.tick > 60)")
    player.click("#record")
    player.key("ArrowUp", down=False)
    wait_for(lambda: list(tmp_path.glob("*.zip")))
    with zipfile.ZipFile(next(tmp_path.glob("*.zip"))) as packed:
        packed.extractall(tmp_path)
    report = replay_session(next(p.parent for p in tmp_path.rglob("session.json")), progress=False)
    assert report.identical, report.lines()
    assert report.ticks >= 60
    player.call("Page.reload")
    player.until("document.getElementById('tape-get')?.offsetParent", 60)  # it can be had again
    player.until(READY)


def test_a_browser_without_webrtc_is_told(browser, web):
    page = browser.page(web.url, before="delete window.RTCPeerConnection")
    page.until("document.getElementById('veil-title').textContent === 'This browser has no WebRTC'")
    assert "current Firefox, Chrome" in page.text("#veil")
    page.close()


def test_a_server_that_ends_is_missed(player, web):
    """The last test of this server: it ends here, in order."""
    assert web.close() == 130
    player.until("document.getElementById('veil-title').textContent === 'The server is gone'")
    assert "comes back" in player.text("#veil-text")
