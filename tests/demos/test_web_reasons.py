"""Why a prompt or a reference was refused is read at its own place, at every size of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.play.paint_plan import PaintPlan

from . import played_renderers as renderers
from .browser import CHROMIUM, Browser, Page
from .web_standins import serving

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")
SIZES = ((1344, 768), (448, 256), (390, 844))
TOO_LONG = "rain " * 300
READ = """((id) => {
  const place = document.getElementById(id);
  const { left, right, top, bottom } = place.getBoundingClientRect();
  const shade = (color) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = color.match(/[0-9.]+/g).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, backgroundColor, fontSize } = getComputedStyle(place);
  const [light, dark] = [shade(color), shade(backgroundColor)];
  const at = (x, y) => place.contains(document.elementFromPoint(x, y));
  const seen = [top + 1, (top + bottom) / 2, bottom - 1].every((y) => at(left + 1, y) && at(right - 1, y));
  return { text: place.textContent, seen, contrast: (light + 0.05) / (dark + 0.05), size: parseFloat(fontSize) };
})"""
"""Whether a line is in sight as a whole, nothing over it; its contrast, and the size of its letters, pixels."""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory) -> Iterator[Page]:
    """Of a race whose renderer takes no prompts."""
    paint = PaintPlan(address=f"ipc://{tmp_path_factory.mktemp('bridge')}/r.sock")
    with renderers.serving(paint.address, replace(renderers.Diary(), refuse="prompt")), serving(paint=paint) as ring:
        page = browser.page(ring.url)
        page.until("import('/page/main.js').then(({ state }) => state.phase === 'racing')")
        yield page
        page.close()


def assert_read(page: Page, place: str, said: str) -> None:
    page.until(f"document.getElementById('{place}').textContent.includes({said!r})")
    read = page.eval(f"{READ}({place!r})")
    assert read["seen"], (read, page.eval("innerWidth"))
    assert read["contrast"] > 4.5
    assert read["size"] >= 14


@pytest.mark.parametrize("size", SIZES)
def test_a_prompt_that_is_too_long_is_told_so_above_the_line_that_is_written(page, size):
    page.resize(*size)
    page.key("KeyT")
    for more in (TOO_LONG, "and more"):
        page.call("Input.insertText", {"text": more})
        assert_read(page, "prompt-says", "too long: at most 1000")
    page.eval("document.activeElement.select()")
    page.call("Input.insertText", {"text": "rain"})
    assert page.text("#prompt-says") == ""
    page.key("Escape")


@pytest.mark.parametrize("size", SIZES)
def test_a_prompt_that_the_renderer_refuses_is_told_so_at_the_prompt(page, size):
    page.resize(*size)
    page.key("KeyT")
    page.eval("document.activeElement.select()")
    page.call("Input.insertText", {"text": f"hail at {size}"})
    page.click("#paint")
    assert_read(page, "prompt-says", "the renderer refuses it: not today")
    page.key("Escape")


@pytest.mark.parametrize("size", SIZES)
def test_a_reference_that_cannot_be_is_told_so_at_the_reference(page, size, tmp_path):
    page.resize(*size)
    page.key("KeyL")
    page.drop(written(tmp_path / "notes.txt"))
    assert_read(page, "drop-says", "notes.txt is no picture")
    page.drop(written(tmp_path / "liar.png"))
    assert_read(page, "drop-says", "this is no picture")
    page.key("Escape")


def test_what_was_dropped_on_the_race_is_told_there_while_the_studio_is_closed(page, tmp_path):
    page.resize(448, 256)
    page.drop(written(tmp_path / "notes.txt"))
    page.until("document.getElementById('says').textContent.includes('notes.txt is no picture')")
    box = "document.getElementById('says')"
    assert page.eval(f"{box}.scrollWidth <= {box}.clientWidth && {box}.scrollHeight <= {box}.clientHeight + 1")


def written(path: Path) -> Path:
    path.write_text("just words")
    return path
