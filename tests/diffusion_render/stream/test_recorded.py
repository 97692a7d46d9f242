"""Recorded windows: replay equals eager whatever the stream does; a recorder that fails costs a line, no stream."""

import torch
from torch.utils._pytree import tree_map

from diffusion_render.stream.recorded import RecordedWindows
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from diffusion_render.stream.window import render_window
from tests.diffusion_render.stream.test_session import MAPS, RENDERER, TEXT, render, same, session
from tests.diffusion_render.toys import HEIGHT, WIDTH, some_picture


class Rerun:
    """Stands in for CUDA graphs: a replay runs the work again on the same memory, and fills the same outputs."""

    def __init__(self):
        self.made = 0

    def __call__(self, work):
        self.made += 1
        outputs = tree_map(torch.clone, work())

        def replay():
            tree_map(lambda place, new: place.copy_(new), outputs, work())

        return outputs, replay


def recorded(render=None, seed=0, **schedule):
    windows = render or RecordedWindows(Rerun(), print)
    config = SessionConfig(seed, WIDTH, HEIGHT, Schedule(**schedule))
    return StreamSession(RENDERER, config, some_picture(), MAPS[0], TEXT, render=windows)


def test_a_stream_from_two_recordings_equals_the_eager_one():
    record = Rerun()
    stream = recorded(RecordedWindows(record, print))
    assert same(render(stream, MAPS, 4), render(session(), MAPS, 4))
    assert record.made == 2  # the first window, and all others


def test_looks_change_and_streams_begin_anew_without_another_recording():
    record = Rerun()
    streams = recorded(RecordedWindows(record, print)), session()
    pictures = []
    for stream in streams:
        made = render(stream, MAPS[:36], 4)
        stream.change_look(-some_picture(), MAPS[1], -TEXT)
        made += render(stream, MAPS[36:44], 4)
        stream.reset()
        pictures.append(made + render(stream, MAPS[:36], 4))
    assert same(*pictures)
    assert record.made == 2


def test_sessions_that_share_recordings_do_not_touch_each_other():
    windows = RecordedWindows(Rerun(), print)
    one, two = recorded(windows, 0), recorded(windows, 1)
    pictures = [], []
    for part in MAPS.split(4):
        for stream, made in zip((one, two), pictures, strict=True):
            made += stream.push(part)
    assert same(pictures[0], render(session(0), MAPS, 4))
    assert same(pictures[1], render(session(1), MAPS, 4))


def test_another_schedule_is_another_recording_and_one_long_unused_makes_room():
    record = Rerun()
    windows = RecordedWindows(record, print, most=2)
    for chunk, made in ((2, 2), (1, 3), (2, 4)):
        assert same(render(recorded(windows, chunk=chunk), MAPS[:44], 4), render(session(chunk=chunk), MAPS[:44], 4))
        assert record.made == made
    assert len(windows._kept) == 2


def test_where_nothing_can_be_recorded_windows_are_eager_and_one_line_says_so():
    def fails(work):
        raise RuntimeError("operation not permitted when stream is capturing")

    lines = []
    windows = RecordedWindows(fails, lines.append)
    assert same(render(recorded(windows), MAPS, 4), render(session(), MAPS, 4))
    assert len(lines) == 1
    assert "not permitted" in lines[0]


def test_eager_windows_are_what_a_session_makes_by_itself():
    assert same(render(recorded(render_window), MAPS[:36], 4), render(session(), MAPS[:36], 4))
