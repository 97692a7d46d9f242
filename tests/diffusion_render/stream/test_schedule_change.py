"""A plan that changes while the stream runs: units, noise and decoder go on, memory is cut or fills up."""

import pytest
import torch

from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import RenderError
from tests.diffusion_render.stream.test_session import MAPS, render, same, session


def begun(**schedule):
    """A stream after its first window of 28 frames and two chunks of 8."""
    stream = session(**schedule)
    render(stream, MAPS[:44], 4)
    return stream


def test_windows_after_the_first_are_cut_anywhere():
    schedule = Schedule()
    assert schedule.window_from(2, 9) == schedule.window(2)
    assert schedule.window_from(2, 30).history == (28, 29)


def test_the_same_plan_again_changes_nothing():
    stream = session()
    pictures = render(stream, MAPS[:36], 4)
    stream.change_schedule(Schedule())
    assert same(pictures + render(stream, MAPS[36:60], 4), render(session(), MAPS[:60], 4))


def test_chunks_of_another_length_go_on_counting_units():
    stream = begun()
    stream.change_schedule(Schedule(chunk=1))
    assert stream.frames_wanted == 4
    assert len(render(stream, MAPS[44:48], 4)) == 4
    assert [u.number for u in stream._memory.history] == [10, 11]
    stream.change_schedule(Schedule(chunk=3))
    assert len(render(stream, MAPS[48:60], 4)) == 12
    assert [u.number for u in stream._memory.history] == [13, 14]


def test_a_longer_memory_fills_up_and_a_shorter_one_is_cut():
    stream = begun()
    stream.change_schedule(Schedule(history=4, sink=2))
    assert [u.number for u in stream._memory.history] == [9, 10]
    render(stream, MAPS[44:52], 8)
    assert [u.number for u in stream._memory.history] == [9, 10, 11, 12]
    assert [u.number for u in stream._memory.sink] == [11, 12]
    stream.change_schedule(Schedule(history=0))
    assert (stream._memory.history, stream._memory.sink) == ([], [])
    assert len(render(stream, MAPS[52:60], 8)) == 8


def test_a_plan_changes_between_windows_only():
    stream = begun()
    stream.push(MAPS[44:46])
    with pytest.raises(ValueError, match="2 class maps wait"):
        stream.change_schedule(Schedule(chunk=1))


def test_pixels_that_are_not_numbers_are_caught_though_latents_are():
    stream = session()
    gain = stream.renderer.autoencoder.decoder.head.norm.gain
    healthy = gain.detach().clone()
    with torch.no_grad():
        gain.fill_(torch.nan)
    try:
        with pytest.raises(RenderError, match="window 0 has NaN or infinite pixels"):
            stream.push(MAPS[:28])
    finally:
        with torch.no_grad():
            gain.copy_(healthy)
    assert len(render(stream, MAPS[:28], 4)) == 28
