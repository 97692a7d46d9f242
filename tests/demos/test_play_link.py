"""The game's end of the bridge against real renderers in threads: order, pacing, controls, deaths, refusals."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from demos.play.paint_link import LinkPlan, PaintLink
from demos.play.painter import Order, Picture
from demos.play.references import Reference
from engine_sim.core.errors import UserError
from engine_sim.views.frame import CarPose, FrameState
from render_bridge.protocol.offer import Offer, Sizes

from .conftest import wait_for
from .play_standins import CAMERA
from .played_renderers import TICKS, Diary, serving

WIDTH, HEIGHT, FPS = 32, 32, 24


class Table:
    """A link, the media time that its game has reached, and what was shown of it."""

    def __init__(self, address: str) -> None:
        self.said: list[str] = []
        self.link = PaintLink(LinkPlan(address, WIDTH, HEIGHT, FPS), self.said.append)
        self.media = 0.0
        self.number = 0
        self.shown: list[int] = []

    def step(self, frames: float = 0.5, running: bool = True) -> None:
        """Let media time pass, offer the frame that is due, take what has come."""
        self.media += frames if running else 0.0
        while running and self.number + 1 <= self.media:
            self.number += 1
            self.link.offer(class_map(self.number, self.link.planes))
        if self.link.poll(self.media, running):
            self.shown.append(int(self.link.shot.pixels[0, 0, 0]))
            assert self.link.shot.tick == TICKS * self.shown[-1]
            self.link.shown()
        time.sleep(0.002)

    def until(self, condition, seconds: float = 30.0) -> None:
        """Play on until the condition holds."""
        wait_for(lambda: self.step() or condition(), seconds)

    def open(self) -> None:
        """Wait for the renderer while media time stands still."""
        wait_for(lambda: self.step(running=False) or self.link.is_open, 20)


def class_map(number: int, planes: tuple[str, ...] = (), value: int = 3) -> Picture:
    state = FrameState(TICKS * number, CAMERA, (CarPose(*([0.0] * 8), False, 0.0),))
    drawn = {name: np.zeros((HEIGHT, WIDTH), {"depth": np.float16}.get(name, np.uint8)) for name in planes}
    return Picture(Order(state, time.monotonic_ns()), np.full((HEIGHT, WIDTH), value, np.uint8), drawn)


def reference(name: str, rgb: int | None = 9) -> Reference:
    picture = None if rgb is None else np.full((HEIGHT, WIDTH, 3), rgb, np.uint8)
    return Reference(name, f"words of {name}", picture, np.zeros((HEIGHT, WIDTH), np.uint8))


@pytest.fixture
def table(address) -> Iterator[Table]:
    table = Table(address)
    yield table
    table.link.close()


def test_pictures_come_back_in_order_each_with_the_frame_that_it_answers(table, address):
    """B24: the first picture that is shown belongs to its own input, ids rise, the lag is the buffer."""
    with serving(address, diary := Diary()):
        table.open()
        assert table.link.lines() == ["the renderer paints its first pictures"]
        assert table.link.shot is None
        table.until(lambda: table.shown and table.shown[-1] >= 80)
    assert table.shown == sorted(set(table.shown))
    assert all(run == list(range(run[0], run[0] + len(run))) for run in diary.runs)
    assert len(diary.runs[0]) == 12
    assert len(table.shown) > 40


def test_no_picture_is_shown_before_its_due_time(table, address):
    with serving(address, Diary()):
        table.open()
        while len(table.shown) < 30:
            before = len(table.shown)
            table.step()
            if len(table.shown) > before:
                assert table.shown[-1] <= table.media - table.link.pacing.buffer


def test_planes_are_drawn_only_for_a_renderer_that_asks_and_frames_without_them_stay_here(table, address):
    diary = Diary(Offer("deep", run=4, first_run=4, window=10, planes=("depth",)))
    with serving(address, diary):
        assert table.link.planes == ()
        table.link.offer(class_map(0))
        table.open()
        assert table.link.planes == ("depth",)
        table.link.offer(class_map(0))  # drawn before the renderer said what it wants
        table.until(lambda: len(table.shown) > 10)
    assert diary.planes == {"depth"}
    assert diary.runs[0][0] == 1


def test_only_video_frames_go_out_and_each_once(table, address):
    with serving(address, diary := Diary(Offer("one", run=1, first_run=1, window=4))):
        table.open()
        for number in (1, 1, 2):
            table.link.offer(class_map(number))
        odd = class_map(3)
        table.link.offer(Picture(odd.order._replace(frame=FrameState(13, CAMERA, ())), odd.pixels))
        table.number = 3
        table.until(lambda: len(diary.runs) > 5)
        assert table.link.end.counters()["offered"] == 2 + table.number - 3


def test_a_pause_keeps_the_stream(table, address):
    with serving(address, diary := Diary()):
        table.open()
        table.until(lambda: len(table.shown) > 20)
        buffer, last = table.link.pacing.buffer, table.shown[-1]
        for _ in range(100):
            table.step(running=False)
        assert table.shown[-1] <= last + 1
        table.until(lambda: table.shown[-1] >= last + 20)
        assert abs(table.link.pacing.buffer - buffer) < 2
        assert table.link.end.counters().get("lost", 0) == 0
    assert diary.resets == 0


def test_look_and_prompt_arrive_before_the_first_picture_and_their_force_is_told_in_play(table, address):
    with serving(address, diary := Diary()):
        table.link.look(reference("storm"))
        table.open()
        table.until(lambda: table.shown)
        assert [c.kind for c in diary.controls] == ["look"]
        assert diary.controls[0].text == "words of storm"
        assert bytes(diary.controls[0].buffers[0]) == bytes([9]) * (3 * WIDTH * HEIGHT)
        assert table.said == []
        table.link.prompt("雨の山道 at dusk")
        table.until(lambda: table.said)
        assert table.said == ["prompt: in force"]
        assert (diary.controls[-1].kind, diary.controls[-1].text) == ("prompt", "雨の山道 at dusk")
        table.link.prompt("")
        table.until(lambda: len(table.said) == 2)
        assert diary.controls[-1].text == "words of storm"


def test_however_fast_looks_are_chosen_the_last_one_holds(table, address):
    with serving(address, diary := Diary(seconds=0.05)):
        table.open()
        table.until(lambda: table.shown)
        for number in range(40):
            table.link.look(reference(f"look {number}"))
        table.link.prompt("typed last")
        table.until(lambda: diary.controls and diary.controls[-1].text == "typed last")
        assert len(diary.controls) <= 3
        assert table.link.end.counters().get("errors_received", 0) == 0


def test_a_reference_without_picture_is_a_prompt(table, address):
    with serving(address, diary := Diary()):
        table.link.look(reference("dream", None))
        table.open()
        table.until(lambda: table.shown)
    assert [(c.kind, c.text) for c in diary.controls] == [("prompt", "words of dream")]


def test_a_refused_control_is_told_and_play_goes_on(table, address):
    with serving(address, Diary(refuse="prompt")):
        table.link.look(reference("storm"))
        table.open()
        table.until(lambda: table.shown)
        table.link.prompt("bad words")
        table.until(lambda: table.said)
        assert table.said == ["prompt: the renderer refuses it: not today"]
        last = table.shown[-1]
        table.until(lambda: table.shown[-1] > last + 10)


def test_a_renderer_that_goes_and_comes_back_is_told_everything_again(table, address):
    with serving(address, Diary()):
        table.link.look(reference("storm"))
        table.open()
        table.until(lambda: len(table.shown) > 5)
        table.link.prompt("typed")
        table.until(lambda: table.said)
    table.until(lambda: not table.link.is_open)
    assert table.link.lines() == ["waiting for the renderer"]
    assert table.link.shot is None
    before = table.number
    with serving(address, diary := Diary()):
        seen = len(table.shown)
        table.until(lambda: len(table.shown) > seen)
        assert [(c.kind, c.text) for c in diary.controls] == [("look", "words of storm"), ("prompt", "typed")]
        assert table.shown[-1] > before % 256
        assert table.link.shot is not None


def test_another_race_shows_nothing_of_the_one_before(table, address):
    with serving(address, diary := Diary()):
        table.link.look(reference("storm"))
        table.open()
        table.until(lambda: len(table.shown) > 20)
        table.link.begin()
        assert table.link.shot is None
        table.media, table.number, table.shown = 0.0, 0, []
        table.link.look(reference("mist"))
        table.until(lambda: len(table.shown) > 5)
    assert diary.resets == 1
    assert table.shown[0] < 30
    assert [c.text for c in diary.controls] == ["words of storm", "words of mist"]


def test_a_failed_chunk_is_told_and_the_last_good_picture_stays(table, address):
    """B30: not a number anywhere in a chunk; nothing of it is shown, the game goes on."""
    with serving(address, diary := Diary(fail_at=4)):
        table.open()
        table.until(lambda: table.said)
        assert "latents are not finite" in table.said[0]
        assert table.link.shot is not None
        table.until(lambda: len(diary.runs) > 8)
        table.until(lambda: table.shown[-1] >= diary.runs[6][0])
    assert not set(diary.runs[4]) & set(table.shown)


def test_a_slow_renderer_is_said_to_be_slow_and_is_sent_the_newest(table, address):
    with serving(address, diary := Diary(seconds=0.4)):
        table.open()
        began = time.monotonic()
        wait_for(lambda: table.step((time.monotonic() - began) * FPS - table.media) or len(diary.runs) > 4, 60)
        assert table.link.lines()[0].startswith("the renderer is slower than real time: 4")
        assert diary.runs[4][0] - diary.runs[3][-1] > 1
        assert table.number - diary.runs[4][-1] <= 12


def test_a_size_that_is_not_served_closes_the_link_with_the_nearest_that_is(table, address):
    with serving(address, Diary(Offer("small", sizes=Sizes(only=((64, 64),))))):
        wait_for(lambda: table.step(running=False) or table.link.closed, 20)
    assert "64x64" in table.link.closed
    assert table.link.lines() == [f"no renderer: {table.link.closed}"]
    table.link.offer(class_map(1))
    table.link.look(reference("storm"))
    table.link.begin()
    table.step()


@pytest.mark.parametrize("bad", ["ipc://", "http://x", "tcp://example.org:5555"])
def test_an_address_that_cannot_be_is_the_users_to_mend(bad):
    with pytest.raises(UserError, match="address"):
        PaintLink(LinkPlan(bad, WIDTH, HEIGHT, FPS), print)


def test_input_to_photon_counts_from_the_input_to_the_moment_of_showing(table, address):
    with serving(address, Diary()):
        table.open()
        began = time.monotonic()
        table.until(lambda: len(table.shown) > 30)
        assert 0 < table.link.figures.photon_ms < 1000 * (time.monotonic() - began)
