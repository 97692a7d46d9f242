"""Views in processes of their own: newest wins, refusals arrive as errors, nothing outlives its owner."""

import time

import numpy as np
import pytest

from demos.play.loading import Loading
from demos.play.painter import Painter, PaintJob
from demos.play.stage import Stage, shown_views
from engine_sim.core.errors import UserError
from render_bridge.palette import RACING

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
    wait(lambda: got.append(painter.poll()) or got[-1] is not None)
    return got[-1]


def test_a_picture_answers_its_tick(painters):
    painter = painters(standins.open_quick)
    painter.submit(standins.frame(7))
    picture = picture_of(painter)
    assert picture.tick == 7
    assert picture.pixels.shape == (4, 6, 3)
    assert np.all(picture.pixels == 7)
    assert painter.progress == "stand-in"
    assert painter.poll() is None


def test_a_slow_view_draws_the_newest_and_skips_the_rest(painters):
    painter = painters(standins.open_slow_drawing)
    wait(lambda: painter.poll() or painter.ready)
    seen = []
    for tick in range(1, 61):
        painter.submit(standins.frame(tick))
        seen += [p.tick for p in [painter.poll()] if p]
        time.sleep(0.01)
    wait(lambda: seen.extend(p.tick for p in [painter.poll()] if p) or (seen and seen[-1] == 60))
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
    assert painter.poll() is None
    assert not painter.ready
    painter.close()
    assert not painter._process.is_alive()


def test_the_place_reaches_the_view_by_value(painters):
    painter = Painter(JOB, standins.open_place)
    painter.open({"number": 99})
    painter.submit(standins.frame(1))
    assert np.all(picture_of(painter).pixels == 99)
    painter.close()


@pytest.fixture
def stages():
    made = []

    def make(opener, view, required=True):
        made.append(Stage(PaintJob("", 6, 4), view, required, lambda job: Painter(job, opener)))
        made[-1].open("somewhere")
        return made[-1]

    yield make
    for stage in made:
        stage.close()


def test_both_views_stand_side_by_side(stages):
    stage = stages(standins.open_quick, "both")
    wait(lambda: stage.poll() or stage.ready)
    stage.submit(standins.frame(3))
    wait(lambda: stage.poll() and all(stage.drawn().values()))
    shown = stage.compose(24, 8)
    assert shown.shape == (8, 24, 3)
    assert np.all(shown[:, :12] == RACING.colors[3])
    assert np.all(shown[:, 12:] == 3)
    assert stage.size == (12, 4)


def test_switching_goes_through_all_views_and_starts_each_once(stages):
    stage = stages(standins.open_quick, "class")
    wait(lambda: stage.poll() or stage.ready)
    stage.submit(standins.frame(3))
    assert [stage.next_view() for _ in range(3)] == ["teacher", "both", "class"]
    assert len(stage._painters) == 2
    assert shown_views("class") == ("class",)


def test_without_gl_an_unasked_teacher_view_gives_way_to_the_class_map(stages):
    stage = stages(standins.open_class_only, "both", required=False)
    wait(lambda: stage.poll() or (stage.ready and stage.view == "class"))
    assert "libegl1" in stage.notice
    assert stage.size == (6, 4)


def test_without_gl_an_asked_for_teacher_view_is_refused(stages):
    stage = stages(standins.open_class_only, "teacher")
    with pytest.raises(UserError, match="libegl1"):
        wait(stage.poll)


def test_a_view_that_has_drawn_nothing_is_black(stages):
    stage = stages(standins.open_slowly, "class")
    assert len(stage.progress) == 1
    assert not stage.compose(10, 5).any()


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
