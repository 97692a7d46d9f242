"""Two pictures in one place, parted by a line: where it is, what lies on either side, and that both show one moment."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.painter import Painter, PaintJob
from demos.play.stage import Shot, Stage
from demos.play.views import PAINT_VIEWS, PAINT_WIPES, VIEWS, WIPES, shown_views
from demos.play.wipe import LINE, SPEED, STEP, Wipe, wiped
from render_bridge.palette import RACING

from . import play_standins as standins
from .conftest import wait_for
from .played_window import panels

A, B = np.full((2, 600, 3), 10, np.uint8), np.full((2, 600, 3), 200, np.uint8)


def test_each_side_is_its_own_picture_and_the_line_lies_between():
    seen = wiped(A, B, 0.25)[0, :, 0]
    assert seen[:149].tolist() == [10] * 149
    assert seen[149:151].tolist() == [LINE[0]] * 2
    assert seen[151:].tolist() == [200] * 449
    assert np.all(A == 10)
    assert np.all(B == 200)


@pytest.mark.parametrize(("share", "whole"), [(0.0, B), (1.0, A), (-3.0, B), (7.0, A)])
def test_at_the_edges_one_picture_is_seen_whole(share, whole):
    assert np.array_equal(wiped(A, B, share), whole)


@given(st.floats(-0.5, 1.5), st.integers(1, 50))
def test_any_share_of_any_width_is_drawn(share, width):
    left, right = np.zeros((1, width, 3), np.uint8), np.full((1, width, 3), 200, np.uint8)
    assert wiped(left, right, share).shape == (1, width, 3)


def test_the_line_glides_to_where_it_was_sent_and_stays_inside():
    wipe = Wipe()
    wipe.move(2)
    assert wipe.goal == pytest.approx(0.5 + 2 * STEP)
    assert wipe.advance(0.05)
    assert wipe.share == pytest.approx(0.5 + 0.05 * SPEED)
    assert wipe.advance(10.0)
    assert not wipe.advance(10.0)
    wipe.move(-99)
    wipe.advance(10.0)
    assert wipe.share == 0.0


def test_a_line_that_is_put_somewhere_is_there_at_once_and_looks_different_once():
    wipe = Wipe()
    wipe.move(-2)
    wipe.put(1.7)
    assert wipe.share == wipe.goal == 1.0
    assert wipe.advance(0.01)
    assert not wipe.advance(0.01)
    wipe.put(1.0)
    assert not wipe.advance(0.01)


@pytest.fixture
def stages():
    made = []

    def make(view: str, streaming: bool = False, opener=standins.open_quick) -> Stage:
        job = PaintJob("", 60, 4)
        made.append(Stage(job, view, False, lambda job: Painter(job, opener), streaming, wipes=True))
        made[-1].open("here")
        wait_for(lambda: made[-1].poll() or made[-1].ready)
        return made[-1]

    yield make
    for stage in made:
        stage.close()


def draw(stage: Stage, *ticks: int) -> None:
    for tick in ticks:
        stage.submit(standins.frame(tick))
        wait_for(lambda: [stage.poll(), stage.idle][1])


def test_only_a_window_that_can_move_the_line_is_offered_it(stages):
    assert stages("both").views == [*VIEWS, *WIPES]
    assert stages("paint", streaming=True).views == [*PAINT_VIEWS, *PAINT_WIPES]
    plain = Stage(PaintJob("", 60, 4), "both", make=lambda job: Painter(job, standins.open_quick))
    assert plain.views == [*VIEWS]
    plain.close()


def test_a_wiped_view_is_as_wide_as_one_picture(stages):
    stage = stages("wipe")
    assert stage.size == (60, 4)
    draw(stage, 5)
    seen = stage.compose(60, 4)
    assert seen[0, 0].tolist() == RACING.colors[5].tolist()
    assert seen[0, -1].tolist() == [5, 5, 5]
    assert set(stage.shots()) == {*shown_views("wipe")}


def test_both_sides_show_one_moment_although_one_view_is_slower(stages):
    stage = stages("wipe")
    draw(stage, 5, 10)
    stage._painters["class"].submit(standins.frame(12))  # the map is drawn sooner than the lit picture
    wait_for(lambda: stage.poll() or False)
    seen = stage.compose(60, 4)
    assert seen[0, 0].tolist() == RACING.colors[10].tolist()
    assert seen[0, -1].tolist() == [10, 10, 10]


def test_with_a_renderer_the_picture_is_compared_with_the_map_and_with_the_teacher(stages):
    stage = stages("wipe map", streaming=True)
    draw(stage, 5, 10)
    stage.paint = Shot(5, np.full((4, 60, 3), 77, np.uint8))
    seen = stage.compose(60, 4)
    assert (seen[0, 0].tolist(), seen[0, -1].tolist()) == (RACING.colors[5].tolist(), [77] * 3)
    stage.show_view("wipe teacher")
    draw(stage, 15)
    stage.paint = Shot(15, np.full((4, 60, 3), 88, np.uint8))
    seen = stage.compose(60, 4)
    assert (seen[0, 0].tolist(), seen[0, -1].tolist()) == ([88] * 3, [15] * 3)


def test_without_gl_no_wipe_needs_the_teacher_view(stages):
    stage = stages("both", opener=standins.open_class_only)
    wait_for(lambda: stage.poll() or stage.view == "class")
    assert stage.views == ["class"]


def test_the_mouse_drags_the_line_in_a_real_window_and_drives_nothing(play):
    game = play().started()
    game.press("v")
    (left, top, width, height), middle = game.place(), 0

    def line() -> float:
        """Where the line is, as a share of the picture's width; −1 without one."""
        (seen,) = panels(game.picture())
        white = np.nonzero((seen[seen.shape[0] // 2] == LINE).all(-1))[0]
        return -1.0 if not len(white) else float(white.mean() / seen.shape[1])

    wait_for(lambda: abs(line() - 0.5) < 0.02)
    middle = top + height // 2
    mouse = game.desktop.xdotool
    mouse("mousemove", str(left + width // 2), str(middle), "mousedown", "1")
    mouse("mousemove", str(left + width // 2 + height // 4), str(middle))
    wait_for(lambda: line() > 0.55)
    dragged = line()
    mouse("mouseup", "1", "mousemove", str(left + 5), str(middle))
    time.sleep(0.2)
    assert abs(line() - dragged) < 0.02
    report = game.leave()
    assert all(t == 0.0 and s == 0.0 for t, s, _ in report["ticks"])
