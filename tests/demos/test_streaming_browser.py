"""The page on which browsers watch a stream, in a real Chromium without a window."""

from __future__ import annotations

import argparse
import time

import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.streaming import theatre as theatres
from demos.streaming.numbered import BRIGHT, number_of, numbered
from demos.streaming.options import add_stream_arguments, stream_plans
from demos.streaming.serving import StreamedFactory
from demos.streaming.theatre import Theatre
from render_bridge.stand_in import PaletteFactory

from .browser import CHROMIUM
from .conftest import wait_for
from .spectators import Stage, staged
from .test_streaming_serve import frames, session

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")
PIXELS = """(() => {
  const video = document.getElementById("video");
  const size = [video.videoWidth, video.videoHeight];
  const pen = new OffscreenCanvas(...size).getContext("2d");
  pen.drawImage(video, 0, 0);
  return [...size, ...pen.getImageData(0, 0, ...size).data];
})()"""
SEEN = "document.getElementById('veil').hidden"
TOKEN = "0123456789abcdefghij"


def webrtc_plans(place: str):
    parser = argparse.ArgumentParser()
    add_stream_arguments(parser)
    return stream_plans(parser.parse_args(["--webrtc", place]), 24)


def picture(page) -> np.ndarray:
    width, height, *values = page.eval(PIXELS)
    return np.array(values, np.uint8).reshape(height, width, 4)[..., :3]


def test_a_page_shows_the_newest_picture_in_its_colours_and_follows_its_size(browser):
    with staged() as stage:
        page = browser.page(stage.url)
        page.until("document.getElementById('title').textContent === 'Live'")
        assert "first picture" in page.text("#text")
        stage.show(numbered(0b1010011, 128, 64), 0b1010011)
        page.until(SEEN)
        wait_for(lambda: number_of(picture(page)) == 0b1010011)
        bright = picture(page)[40:60, -12:-4] if number_of(picture(page)) >> 15 else picture(page)[10:24, 4:12]
        assert np.abs(bright.reshape(-1, 3).mean(0) - BRIGHT).max() < 16
        stage.show(numbered(5, 192, 96), 0b1010100)
        page.until("document.getElementById('video').videoWidth === 192")
        wait_for(lambda: number_of(picture(page)) == 5)
        page.close()
        wait_for(lambda: stage.theatre._audience.watching == 0)  # a closed tab says goodbye


LOST = "document.getElementById('text').textContent.includes('comes back')"


def test_a_stream_that_ends_is_said_to_have_ended_and_the_next_one_is_found(browser):
    with staged() as stage:
        plan = stage.theatre._plan
        stage.play()
        page = browser.page(stage.url)
        page.until(SEEN)
    page.until("document.getElementById('title').textContent === 'The stream has ended'")
    assert page.text("#text") == "Should another begin at this address, this page shows it."
    with Theatre(plan) as theatre:
        again = Stage(theatre, stage.url)
        again.play()
        page.until(SEEN)
        again.close()
    page.close()


def test_a_stream_that_breaks_off_is_missed_and_not_said_to_have_ended(browser, monkeypatch):
    monkeypatch.setattr(theatres.Audience, "until_left", no_such_visit)
    with staged() as stage:
        stage.play()
        page = browser.page(stage.url)
        page.until(SEEN)
    page.until(f"!{SEEN}")
    assert page.text("#title") in ("The stream stands still", "The stream is gone", "The stream is not there")
    page.until(LOST)
    page.close()


NOTE_TITLES = """
  window.titles = new Set();
  setInterval(() => {
    const title = document.getElementById("title");
    if (title) window.titles.add(title.textContent); // the page may not have been read that far
  }, 5);
"""


def test_an_engine_of_another_rate_than_the_streams_begins_without_a_word_of_an_end(browser):
    """Its page is open before any engine comes, and was made for 24 pictures a second."""
    (plan,) = webrtc_plans("0")
    factory = StreamedFactory(PaletteFactory(), (plan,), lambda line: None)
    wait_for(lambda: not factory._streams.awaited)
    page = browser.page(plan.address.url, before=NOTE_TITLES)
    page.until("document.getElementById('title').textContent === 'Live'")
    renderer = factory.open(session((30, 1)))
    number = iter(range(0, 10_000, 4))
    while not page.eval(SEEN):
        renderer.render(frames(next(number), 4))
        time.sleep(4 / 30)
    titles = set(page.eval("[...window.titles]"))
    factory.close()
    page.until("document.getElementById('title').textContent === 'The stream has ended'")
    page.close()
    assert titles <= {"Paintover", "Live"}


async def no_such_visit(audience, ticket):
    """As a process that dies: it tells nobody of its end."""
    return False


GATEWAY = """
  const real = window.fetch;
  let calls = 0;
  const broken = () => new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } });
  window.fetch = (...call) => call[0] === "/whep" && !calls++ ? Promise.resolve(broken()) : real(...call);
"""


def test_a_gateway_that_answers_for_a_stream_which_is_not_there_yet_is_asked_again(browser):
    with staged() as stage:
        stage.play()
        page = browser.page(stage.url, before=GATEWAY)
        page.until(SEEN)
        page.close()


def test_a_full_house_is_waited_for_and_a_token_asked_for(browser, monkeypatch):
    monkeypatch.setattr(theatres, "GUESS_S", 0.01)
    with staged(viewers=1, token=TOKEN) as stage:
        stage.play()
        first = browser.page(f"{stage.url}/#token={TOKEN}")
        first.until(SEEN)
        assert TOKEN not in first.eval("location.href")
        second = browser.page(stage.url, before="sessionStorage.clear()")
        second.until("document.getElementById('title').textContent === 'This stream needs a token'")
        second.eval("document.getElementById('token').value = 'guess'")
        second.eval("document.querySelector('#token-form button').click()")
        second.until("document.getElementById('title').textContent === 'This token is wrong'")
        second.eval(f"document.getElementById('token').value = '{stage.url}/#token={TOKEN} '")
        second.eval("document.querySelector('#token-form button').click()")
        second.until("document.getElementById('title').textContent === 'No place is free'")
        first.close()
        second.until(SEEN)
        second.close()


def test_a_browser_without_webrtc_is_told(browser):
    with staged() as stage:
        page = browser.page(stage.url, before="delete window.RTCPeerConnection")
        page.until("document.getElementById('title').textContent === 'This browser has no WebRTC'")
        page.close()
