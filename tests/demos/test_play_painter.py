"""Views in processes of their own: newest wins, refusals arrive as errors, nothing outlives its owner."""

import time

import numpy as np
import pytest

from demos.play.loading import Loading
from demos.play.painter import MOST_WAITING, Painter, PaintJob
from engine_sim.core.errors import UserError

from . import play_standins as standins

JOB = PaintJob("teacher", 6, 4)


def wait(condition, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)


@pytest.fixture
def painters():
    """Makes painters and ends them, whatever the test did."""
    made = []

    def make(opener, job=JOB):
        made.append(Painter(job, opener))
        made[-1].open("somewhere")
        return made[-1]

    yield make
    for painter in made:
        painter.close()


def picture_of(painter):
    got = []
    wait(lambda: got.extend(painter.poll()) or got)
    return got[-1]


def test_a_picture_answers_its_tick(painters):
    painter = painters(standins.open_quick)
    painter.submit(standins.frame(7))
    picture = picture_of(painter)
    assert picture.tick == 7
    assert picture.pixels.shape == (4, 6, 3)
    assert np.all(picture.pixels == 7)
    assert painter.progress == "stand-in"
    assert painter.poll() == []
    assert painter.idle


def test_a_slow_view_draws_the_newest_and_skips_the_rest(painters):
    painter = painters(standins.open_slow_drawing)
    wait(lambda: painter.poll() or painter.ready)
    seen = []
    for tick in range(1, 61):
        painter.submit(standins.frame(tick))
        seen += [p.tick for p in painter.poll()]
        time.sleep(0.01)
    wait(lambda: seen.extend(p.tick for p in painter.poll()) or (seen and seen[-1] == 60))
    assert seen == sorted(set(seen))
    assert len(seen) < 20
    assert painter.drawn + painter.skipped == 60


def test_a_new_look_holds_from_the_next_picture_on(painters):
    painter = painters(standins.open_quick)
    painter.submit(standins.frame(1))
    assert picture_of(painter).pixels[0, 0, 0] == 1
    painter.set_look(200)
    painter.submit(standins.frame(2))
    assert picture_of(painter).pixels[0, 0, 0] == 200


def test_a_refusal_of_the_view_is_a_refusal_here(painters):
    painter = painters(standins.open_class_only)
    with pytest.raises(UserError, match="libegl1"):
        wait(painter.poll)


@pytest.mark.parametrize(
    ("opener", "words"), [(standins.open_broken, "a fault of ours"), (standins.open_and_vanish, "without a word")]
)
def test_a_failed_process_is_an_error_and_no_silence(painters, opener, words):
    painter = painters(opener)
    with pytest.raises(RuntimeError, match=words):
        wait(painter.poll)


def test_closing_during_a_long_opening_ends_the_process_at_once(painters):
    painter = painters(standins.open_slowly)
    wait(lambda: painter.poll() or painter.progress == "still opening")
    before = time.monotonic()
    painter.close()
    assert time.monotonic() - before < 1.0
    assert not painter._process.is_alive()
    painter.close()


def test_a_painter_waits_for_its_place_and_can_be_closed_before(painters):
    painter = Painter(JOB, standins.open_quick)
    time.sleep(0.3)
    assert painter.poll() == []
    assert not painter.ready
    painter.close()
    assert not painter._process.is_alive()


def test_the_place_reaches_the_view_by_value(painters):
    painter = Painter(JOB, standins.open_place)
    painter.open({"number": 99})
    painter.submit(standins.frame(1))
    assert np.all(picture_of(painter).pixels == 99)
    painter.close()


CLASSES = PaintJob("class", 6, 4, every=True)


def test_every_frame_is_drawn_in_its_order_for_a_renderer(painters):
    painter = painters(standins.open_slow_drawing, CLASSES)
    for tick in range(1, 9):
        painter.submit(standins.frame(tick), pressed=1000 + tick)
    seen = []
    wait(lambda: seen.extend(painter.poll()) or len(seen) == 8)
    assert [p.tick for p in seen] == list(range(1, 9))
    assert [p.order.pressed for p in seen] == list(range(1001, 1009))
    assert painter.skipped == 0


def test_a_line_that_grows_too_long_is_left_out_whole_and_what_follows_has_no_gaps(painters):
    painter = painters(standins.open_slowly, CLASSES)
    painter.submit(standins.frame(999), errand=1)
    for tick in range(4 * MOST_WAITING + 5):
        painter.submit(standins.frame(tick))
    assert painter.skipped == 4 * MOST_WAITING
    assert [order.frame.tick for order in painter._waiting] == [999, *range(4 * MOST_WAITING, 4 * MOST_WAITING + 5)]
    assert not painter.idle


def test_planes_come_with_the_map_once_they_are_asked_for(painters):
    painter = Painter(CLASSES, standins.open_quick)
    painter.set_planes(("depth",))  # before it knows its place
    painter.open("somewhere")
    painter.submit(standins.frame(7))
    picture = picture_of(painter)
    assert np.all(picture.pixels == 7)
    assert picture.pixels.dtype == np.uint8
    assert np.all(picture.planes["depth"] == 7.0)
    assert picture.planes["depth"].dtype == np.float16
    painter.set_planes(())
    painter.submit(standins.frame(8))
    assert picture_of(painter).planes == {}
    painter.close()


def test_an_errand_is_done_however_new_the_frames_behind_it_are(painters):
    painter = painters(standins.open_slow_drawing)
    painter.submit(standins.frame(1))
    painter.submit(standins.frame(2), errand=7)
    for tick in range(3, 9):
        painter.submit(standins.frame(tick))
    seen = []
    wait(lambda: seen.extend(painter.poll()) or (seen and seen[-1].tick == 8))
    assert [(p.tick, p.order.errand) for p in seen if p.order.errand] == [(2, 7)]
    assert painter.idle


def test_loading_hands_over_its_result_and_its_progress():
    gate = []

    def work(say):
        say("half way")
        wait(lambda: gate)
        return 42

    loading = Loading(work)
    wait(lambda: loading.progress == "half way")
    assert loading.running
    gate.append(True)
    assert loading.result() == 42
    assert not loading.running


def test_loading_raises_what_the_work_raised():
    def work(say):
        raise UserError("no track of this name")

    with pytest.raises(UserError, match="no track"):
        Loading(work).result()
