"""A photograph painted by a renderer over the real bridge: a stream that stands still, and the race's stream again."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from demos.play.paint_link import LinkPlan, PaintLink

from .conftest import wait_for
from .played_renderers import TICKS, Diary, serving
from .test_play_link import FPS, HEIGHT, WIDTH, class_map, reference


@pytest.fixture
def link(tmp_path):
    link = PaintLink(LinkPlan(f"ipc://{tmp_path}/renderer.sock", WIDTH, HEIGHT, FPS), lambda _: None)
    yield link
    link.close()


def wait(link: PaintLink, condition) -> None:
    wait_for(lambda: [link.poll(0.0, False), time.sleep(0.002), condition()][2])


def test_a_still_is_painted_once_it_has_settled_and_the_race_begins_a_stream_of_its_own(link):
    with serving(link.end.address, diary := Diary()):
        wait(link, lambda: link.is_open)
        link.look(reference("storm"))
        for number in range(1, 14):
            link.offer(class_map(number))
            wait(link, lambda: True)
        assert link.begin_still(class_map(900))
        link.poll(0.0, False)
        link.offer(class_map(15))  # the race stands still; nothing of it may get between
        wait(link, lambda: link.still.painted is not None)
        assert link.still.painted.shape == (HEIGHT, WIDTH, 3)
        assert int(link.still.painted[0, 0, 0]) == 11
        assert diary.runs[-1] == list(range(12))
        assert link.shot is None
        link.end_still()
        assert link.still is None
        for number in range(901, 914):
            link.offer(class_map(number))
            wait(link, lambda: True)
        wait(link, lambda: diary.runs[-1][0] >= 901)
    assert [control.kind for control in diary.controls] == ["look"]  # a reset keeps the look


def test_without_a_renderer_or_its_planes_there_is_no_still(link):
    assert not link.begin_still(class_map(1))
    offer = replace(Diary().offer, planes=("depth",))
    with serving(link.end.address, Diary(offer)):
        wait(link, lambda: link.is_open)
        assert not link.begin_still(class_map(1))
        assert link.begin_still(class_map(1, ("depth",)))
        wait(link, lambda: link.still.painted is not None)
    assert np.all(link.still.painted[..., 0] == link.still.painted[0, 0, 0])
    assert link.still.period == TICKS
