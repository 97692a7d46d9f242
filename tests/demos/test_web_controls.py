"""Every control of the page, by keyboard alone, by pad alone, by fingers alone: one table, walked device by device."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.play import game as games
from demos.play.paint_plan import PaintPlan
from demos.web import archive

from . import played_renderers as renderers
from .browser import CHROMIUM, PAD, Browser, Page
from .conftest import wait_for
from .page_devices import HANDS, Hand
from .web_standins import Running, TapeLoader, serving

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")
RACING = "import('/page/main.js').then(({ state }) => state.phase === 'racing' && !state.paused)"


@dataclass(frozen=True)
class Scene:
    """A server with its renderer, the page under test, which drives, and another page that watches."""

    ring: Running
    diary: renderers.Diary
    page: Page
    other: Page

    @property
    def desk(self) -> Any:
        """What the game knows."""
        assert self.ring.server.show is not None
        return self.ring.server.show.desk

    def says(self, expression: str) -> None:
        """Wait until the page's own module says so."""
        self.page.until(f"import('/page/main.js').then((main) => {expression})")

    def send(self, page: Page, message: str) -> None:
        """Send a message of a page, whoever holds which device."""
        page.main(f"main.link.send({message})")


@pytest.fixture(scope="module")
def scene(browser: Browser) -> Iterator[Scene]:
    diary, patch = renderers.Diary(), pytest.MonkeyPatch()
    patch.setattr(games, "CameraRig", lambda kind, track: SimpleNamespace(kind=kind, reset=lambda pose: None))
    with tempfile.TemporaryDirectory() as folder:
        paint = PaintPlan(address=f"ipc://{folder}/r.sock")
        with renderers.serving(paint.address, diary), serving(paint=paint, loader=TapeLoader()) as ring:
            page = browser.page(ring.url, before=PAD)
            page.call("Emulation.setTouchEmulationEnabled", {"enabled": True})
            page.until(RACING)
            other = browser.page(ring.url, (880, 500))
            other.until("document.getElementById('wheel').textContent.includes('drives')")
            page.call("Page.bringToFront")
            yield Scene(ring, diary, page, other)
            page.close()
            other.close()
    patch.undo()


@pytest.fixture(params=HANDS)
def hand(request, scene: Scene) -> Iterator[Hand]:
    """A device; afterwards it lets go, and the race goes on."""
    hand = HANDS[request.param](scene.page)
    yield hand
    hand.let_go()
    hand.leave()
    scene.page.until(RACING)


Way = Callable[[Any], None]
Effect = Callable[[Scene], Any]


@dataclass(frozen=True)
class Control:
    """How each device reaches a control, and what is seen of it."""

    keyboard: Way
    pad: Way
    fingers: Way
    effect: Effect


def held(what: str, fits: Callable[[Any], bool]) -> Control:
    """Something that drives while it is held."""

    @contextmanager
    def effect(scene: Scene) -> Iterator[None]:
        yield
        wait_for(lambda: fits(scene.ring.world.controls[-1]))

    def way(hand: Hand) -> None:
        hand.hold(what)

    return Control(way, way, way, effect)


def pressed(keyboard: Any, pad: Any, fingers: Any, effect: Effect) -> Control:
    """Something with a key, a button and a place of its own; a function says how else it is reached."""

    def way(what: Any) -> Way:
        return what if callable(what) else lambda hand: hand.press(what)

    return Control(way(keyboard), way(pad), way(fingers), effect)


def taken(selector: str, effect: Effect, way: str = "up") -> Control:
    """Something in the studio that each device walks to."""
    return Control(*[lambda hand: hand.take(selector, way)] * 3, effect)


@contextmanager
def car_is_put_back(scene: Scene) -> Iterator[None]:
    before = scene.ring.world.tick
    yield
    wait_for(lambda: any(controls.reset for controls in scene.ring.world.controls[before:]))


def changes(name: str, undo: str = "") -> Effect:
    """Something else than before is told of by the server; ``undo`` is a message that goes back."""

    @contextmanager
    def effect(scene: Scene) -> Iterator[None]:
        before = scene.page.main(f"main.state.{name}")
        yield
        scene.says(f"main.state.{name} !== {before!r}".replace("False", "false").replace("True", "true"))
        if undo:
            scene.send(scene.page, undo)
            scene.says(f"main.state.{name} === {before!r}".replace("False", "false").replace("True", "true"))

    return effect


@contextmanager
def another_race(scene: Scene) -> Iterator[None]:
    before = len(scene.ring.loader.games)
    yield
    wait_for(lambda: len(scene.ring.loader.games) == before + 1)


@contextmanager
def keys_are_told(scene: Scene) -> Iterator[None]:
    yield
    scene.page.until("document.getElementById('keys').open")
    assert "put the car back" in scene.page.text("#keys")


@contextmanager
def studio_comes_over_a_narrow_page(scene: Scene) -> Iterator[None]:
    shown = "document.getElementById('panel').checkVisibility({ visibilityProperty: true })"
    scene.page.resize(448, 256)
    scene.page.until(f"!{shown}")
    yield
    scene.page.until(shown)


@contextmanager
def wheel_is_given(scene: Scene) -> Iterator[None]:
    scene.send(scene.other, "{ type: 'ask', on: true }")
    scene.page.until("document.querySelector('#wheel .asks')")
    yield
    scene.page.until("document.getElementById('wheel').textContent.includes('drives')")
    take_the_wheel_back(scene)


@contextmanager
def wheel_is_asked_for(scene: Scene) -> Iterator[None]:
    scene.send(scene.other, "{ type: 'ask', on: true }")
    scene.page.until("document.querySelector('#wheel .asks')")
    scene.page.eval("document.querySelector('#wheel .asks .main').click()")
    scene.page.until("document.getElementById('wheel').textContent.includes('Ask for the wheel')")
    yield
    scene.other.until("document.querySelector('#wheel .asks')")
    take_the_wheel_back(scene)


def take_the_wheel_back(scene: Scene) -> None:
    scene.send(scene.page, "{ type: 'ask', on: true }")
    scene.other.until("document.querySelector('#wheel .asks')")
    scene.other.eval("document.querySelector('#wheel .asks .main').click()")
    scene.page.until("document.getElementById('wheel').textContent.includes('You drive')")


@contextmanager
def prompt_is_in_force(scene: Scene) -> Iterator[None]:
    before = len(scene.diary.controls)
    yield
    wait_for(lambda: "wq" in [control.text for control in scene.diary.controls[before:]])
    scene.send(scene.page, "{ type: 'prompt', text: '' }")
    scene.says("main.state.prompt === ''")


VIEW_BACK = "{ type: 'view', name: 'teacher' }"
CONTROLS = {
    "throttle": held("gas", lambda c: c.throttle == 1.0),
    "steering": held("left", lambda c: c.steer > 0.5),
    "handbrake": held("handbrake", lambda c: c.handbrake == 1.0),
    "back to the track": pressed("KeyR", 1, "#touch-back", car_is_put_back),
    "pause": pressed("KeyP", 9, "#pause", changes("paused", "{ type: 'command', name: 'pause' }")),
    "camera": pressed("KeyC", 3, "#camera", changes("camera")),
    "view": pressed("KeyV", 2, "[data-view=class]", changes("view", VIEW_BACK)),
    "split view": taken("[data-view=split]", changes("view", VIEW_BACK), "up"),
    "look": taken(".look:nth-child(3)", changes("look", "{ type: 'look', number: 0 }"), "down"),
    "prompt": Control(*[lambda hand: hand.write("wq")] * 3, prompt_is_in_force),
    "another race": pressed("Enter", lambda hand: hand.take("#again"), "#again", another_race),
    "help": pressed("KeyH", lambda hand: hand.take("#help"), "#help", keys_are_told),
    "studio": pressed("KeyM", 8, "#menu", studio_comes_over_a_narrow_page),
    "give the wheel": taken("#wheel .asks .main", wheel_is_given),
    "ask for the wheel": taken("#wheel button", wheel_is_asked_for, "down"),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_every_control_works_by_each_device_alone(scene, hand, name):
    device = next(word for word, kind in HANDS.items() if isinstance(hand, kind))
    with CONTROLS[name].effect(scene):
        getattr(CONTROLS[name], device)(hand)
    if name == "help":
        hand.press("#keys button") if device == "fingers" else hand.leave()
        scene.page.until("!document.getElementById('keys').open")
    scene.page.resize(1344, 768)


# --- recording, from its start to the file


def start_recording(scene: Scene, hand: Hand) -> None:
    hand.take("#record")
    scene.page.until("document.getElementById('record').innerText === 'Stop'")
    scene.page.until(RACING)


def test_a_recording_that_is_being_prepared_is_called_off_by_each_device_alone(scene, hand):
    scene.ring.loader.go.clear()
    hand.take("#record")
    scene.page.until("document.getElementById('tape-says').textContent === 'Preparing the recording'")
    hand.take("#tape-off")
    scene.page.until(RACING)  # without waiting for what is still being prepared
    scene.ring.loader.go.set()
    assert not scene.page.main("main.state.recording")
    assert scene.page.eval("document.getElementById('tape').hidden")
    assert list(scene.desk._folder.iterdir()) == []


def test_a_recording_that_is_being_packed_says_how_far_it_is_and_is_called_off_by_each_device_alone(
    scene, hand, monkeypatch
):
    halted, add = [], archive.Packing._add

    def half_of_it(packing, packed, file):
        if halted:
            assert packing._off.wait(30)
        halted.append(file)
        add(packing, packed, file)

    monkeypatch.setattr(archive.Packing, "_add", half_of_it)
    start_recording(scene, hand)
    hand.take("#record")
    scene.page.until(
        "document.getElementById('tape-says').textContent.startsWith('Packing the recording: 99 % of 0.1')"
    )
    assert scene.page.eval("document.getElementById('tape-bar').value") > 0.9
    hand.take("#tape-off")
    scene.page.until("document.getElementById('tape').hidden")
    scene.page.until("document.getElementById('says').textContent.includes('nothing of it is kept')")
    assert list(scene.desk._folder.iterdir()) == list(scene.ring.server.hub.archives._folder.iterdir()) == []


def test_a_recording_comes_by_itself_and_again_by_each_device_alone(scene, hand, browser, tmp_path):
    browser.call("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    start_recording(scene, hand)
    hand.take("#record")
    wait_for(lambda: zips(tmp_path))
    zips(tmp_path)[0].unlink()
    scene.page.until("document.getElementById('tape-says').textContent === 'Recorded: 0.1 MB'")
    hand.take("#tape-get")
    wait_for(lambda: zips(tmp_path))


def zips(folder: Path) -> list[Path]:
    return list(folder.glob("*.zip"))
