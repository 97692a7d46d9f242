"""What is on the screen: views and the switches between them, without a renderer and with one."""

from __future__ import annotations

import numpy as np
import pytest

from demos.play.painter import Painter, PaintJob
from demos.play.stage import PAINT_VIEWS, Shot, Stage, shown_views
from engine_sim.core.errors import UserError
from render_bridge.palette import RACING

from . import play_standins as standins
from .conftest import wait_for as wait


@pytest.fixture
def stages():
    made = []

    def make(opener, view, required=True, streaming=False):
        made.append(Stage(PaintJob("", 6, 4), view, required, lambda job: Painter(job, opener), streaming))
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


def streaming(stages, opener=standins.open_quick, view="paint", required=True) -> Stage:
    stage = stages(opener, view, required, streaming=True)
    wait(lambda: stage.poll() or stage.ready)
    return stage


def settle(stage: Stage) -> None:
    """Wait until all is drawn and collected."""
    wait(lambda: [stage.poll(), stage.idle][1])


def draw(stage: Stage, *ticks: int) -> list:
    for tick in ticks:
        stage.submit(standins.frame(tick), pressed=tick)
    settle(stage)
    return stage.take_drawn()


def painted(value: int) -> np.ndarray:
    return np.full((4, 6, 3), value, np.uint8)


def test_with_a_renderer_every_class_map_is_handed_out_whatever_is_shown(stages):
    stage = streaming(stages, view="teacher")
    drawn = draw(stage, 5, 10, 15)
    assert [p.tick for view, p in drawn if view == "class"] == [5, 10, 15]
    assert stage.take_drawn() == []
    for tick in (20, 25):
        stage.submit(standins.frame(tick), seen=False)  # a late frame, or a minimised window
    settle(stage)
    assert [(view, p.tick) for view, p in stage.take_drawn()] == [("class", 20), ("class", 25)]


def test_a_teacher_view_that_is_not_shown_draws_errands_alone(stages):
    stage = streaming(stages)
    assert stage.can_refer
    stage.set_look(200)
    stage.errand("teacher", standins.frame(5), 3)
    drawn = draw(stage, 5, 10)
    errands = [(view, p) for view, p in drawn if view == "teacher"]
    assert [(view, p.order.errand) for view, p in errands] == [("teacher", 3)]
    assert np.all(errands[0][1].pixels == 200)


def test_panels_beside_a_painted_picture_show_its_moment(stages):
    stage = streaming(stages, view="all")
    for tick in (5, 10, 11, 12):
        draw(stage, tick)
    assert stage.compose(18, 4)[0, 0].tolist() == RACING.colors[12].tolist()
    stage.paint = Shot(10, painted(77))
    assert stage.follows_paint
    shown = stage.compose(18, 4)
    assert shown[0, 0].tolist() == RACING.colors[10].tolist()
    assert shown[0, 7].tolist() == [77, 77, 77]
    assert shown[0, 13].tolist() == [10, 10, 10]
    assert stage.size == (18, 4)


def test_while_nothing_is_painted_the_class_map_stands_in(stages):
    stage = streaming(stages)
    draw(stage, 3)
    assert stage.shows_paint
    assert not stage.follows_paint
    assert np.all(stage.compose(12, 8) == RACING.colors[3])
    stage.paint = Shot(3, painted(77))
    assert np.all(stage.compose(12, 8) == 77)
    stage.forget()
    assert not stage.compose(12, 8).any()


def test_the_key_goes_through_all_views_with_a_renderer(stages):
    stage = streaming(stages)
    assert [stage.next_view() for _ in range(6)] == [*PAINT_VIEWS[1:], "paint"]


def test_without_gl_a_renderer_has_no_references_and_the_teachers_views_are_left_out(stages):
    stage = streaming(stages, standins.open_class_only)
    wait(lambda: stage.poll() or not stage.can_refer)
    assert "libegl1" in stage.notice
    assert stage.view == "paint"
    assert stage.ready
    assert [stage.next_view() for _ in range(3)] == ["split", "class", "paint"]


def test_without_gl_a_teacher_view_that_was_asked_for_is_refused_with_a_renderer_too(stages):
    stage = stages(standins.open_class_only, "all", streaming=True)
    with pytest.raises(UserError, match=r"libegl1; --view class needs none"):
        wait(stage.poll)


def test_without_gl_and_renderer_there_is_one_view(stages):
    stage = stages(standins.open_class_only, "both", required=False)
    wait(lambda: stage.poll() or (stage.ready and stage.view == "class"))
    assert stage.next_view() == "class"


def test_shots_are_the_shown_pictures_at_their_own_size_and_the_class_map_in_any_case(stages):
    stage = streaming(stages)
    draw(stage, 4, 9)
    stage.paint = Shot(4, painted(77))
    shots = stage.shots()
    assert set(shots) == {"class", "paint"}
    assert np.all(shots["paint"] == 77)
    assert np.all(shots["class"] == RACING.colors[4])


def test_another_view_or_look_sends_no_map_to_the_renderer_a_second_time(stages):
    stage = streaming(stages, view="split")
    draw(stage, 5)
    stage.next_view()
    stage.set_look(100)
    settle(stage)
    assert [view for view, _ in stage.take_drawn() if view == "class"] == []
