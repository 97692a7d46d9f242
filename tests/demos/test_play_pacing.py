"""When painted pictures are shown, against media time that the test counts by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.pacing import Arrived, Pacing, PacingConfig
from demos.play.paint_figures import Chunk, PaintFigures

RUN, FIRST = 8, 28


class Renderer:
    """Takes runs of frames, ``render`` frames of media time each, and asks for the next run while it draws.

    Args:
        render: media time of a run.
        hiccups: run number → media time that it takes longer.
    """

    def __init__(self, render: float, hiccups: dict[int, float] | None = None) -> None:
        self.render, self.hiccups = render, hiccups or {}

    def arrivals(self, frames: int) -> list[tuple[float, Arrived[int]]]:
        """(media time of arrival, picture) in order; the picture is its frame's number."""
        found, start, number, free = [], 0, 0, 0.0
        while start < frames:
            count = RUN if number else FIRST
            took = self.render * count / RUN + self.hiccups.get(number, 0.0)
            done = max(start + count - 1, free) + took
            found += [(done, Arrived(k, number, took, k)) for k in range(start, start + count)]
            free, number = done, number + 1
            start = start + count if self.render < RUN else int(done)
        return found


def watch(pacing: Pacing[int], renderer: Renderer, frames: int = 600, step: float = 0.1) -> list[tuple[float, int]]:
    """(media time, frame) of everything shown, looking ten times a frame."""
    waiting, shown = renderer.arrivals(frames), []
    for turn in range(int(frames / step)):
        now = turn * step
        while waiting and waiting[0][0] <= now:
            pacing.put(waiting.pop(0)[1], now)
        picture = pacing.take(now)
        if picture is not None:
            shown.append((now, picture))
    return shown


@pytest.mark.parametrize("render", [0.1, 2.5, 4.0, 7.5])
def test_a_renderer_that_keeps_up_is_shown_frame_by_frame_at_a_constant_distance(render):
    pacing: Pacing[int] = Pacing(RUN, FIRST)
    shown = watch(pacing, Renderer(render), 2400)
    steady = [(now, k) for now, k in shown if k > 2000]
    assert [k for _, k in steady] == list(range(2001, steady[-1][1] + 1))
    distances = [now - k for now, k in steady]
    assert max(distances) - min(distances) < 0.2
    assert pacing.buffer == pytest.approx(RUN - 1 + render + pacing.config.margin, abs=0.3)


def test_the_first_buffer_is_one_chunk_and_its_render_time_judged_by_the_long_first_chunk():
    pacing: Pacing[int] = Pacing(RUN, FIRST)
    pacing.put(Arrived(0, 0, 14.0, 0), 41.0)
    assert pacing.buffer == RUN + 14.0 * RUN / FIRST


@given(
    st.lists(st.tuples(st.floats(0, 30), st.integers(0, 12)), max_size=60),
    st.floats(0.1, 3.0),
)
def test_no_picture_is_shown_early_twice_or_backwards(gaps, step):
    pacing: Pacing[int] = Pacing(RUN, FIRST)
    now, number, shown = 0.0, 0, []
    for chunk, (wait, skip) in enumerate(gaps):
        number += skip
        for k in range(number, number + RUN):
            pacing.put(Arrived(k, chunk, wait, k), now)
        number += RUN
        for _ in range(5):
            now += step
            picture = pacing.take(now)
            if picture is not None:
                assert picture <= now - pacing.buffer
                shown.append(picture)
    assert shown == sorted(set(shown))


def test_a_late_picture_is_made_up_for_by_leaving_out_older_ones():
    pacing: Pacing[int] = Pacing(4, 4)
    for k in range(4):
        pacing.put(Arrived(k, 0, 1.0, k), 4.0)
    assert pacing.buffer == 5.0
    assert pacing.take(4.9) is None
    assert pacing.take(7.5) == 2
    assert pacing.late == 2
    assert pacing.take(7.9) is None  # the picture that is shown stays
    assert pacing.take(8.0) == 3
    pacing.put(Arrived(3, 1, 1.0, 3), 8.1)
    assert pacing.late == 3


def test_a_single_hiccup_moves_nothing_and_a_slower_renderer_moves_the_buffer_slowly():
    calm, once = Pacing[int](RUN, FIRST), Pacing[int](RUN, FIRST)
    watch(calm, Renderer(3.0))
    watch(once, Renderer(3.0, {60: 4.0}))
    assert once.buffer == pytest.approx(calm.buffer, abs=0.5)
    before = calm.buffer
    for chunk in range(100, 104):
        calm.put(Arrived(10_000 + RUN * chunk, chunk, 7.0, 0), 10_000 + RUN * chunk + 14.5)
        assert 0 <= calm.buffer - before <= calm.config.rise
        before = calm.buffer


def test_a_buffer_that_was_too_large_shrinks_slower_than_one_grows():
    pacing: Pacing[int] = Pacing(RUN, FIRST)
    pacing.put(Arrived(0, 0, 28.0, 0), 55.0)
    before = pacing.buffer
    for chunk in range(1, 40):
        pacing.put(Arrived(RUN * chunk, chunk, 1.0, 0), RUN * chunk + RUN)
        assert 0 <= before - pacing.buffer <= pacing.config.fall
        before = pacing.buffer
    assert pacing.buffer < RUN + 28.0 * RUN / FIRST - 3


def test_a_renderer_six_times_too_slow_is_shown_late_at_once_and_waits_for_nobody():
    pacing: Pacing[int] = Pacing(RUN, FIRST, PacingConfig(most=24))
    shown = watch(pacing, Renderer(6.0 * RUN), 1200)
    assert pacing.buffer <= 24
    assert len(shown) > 15
    assert all(now - k < 2 * (6 * RUN + RUN) for now, k in shown if k > 200)


def test_a_pause_teaches_nothing():
    pacing: Pacing[int] = Pacing(RUN, FIRST)
    watch(pacing, Renderer(4.0), 400)
    before = pacing.buffer
    for chunk in range(200, 230):
        pacing.put(Arrived(5000 + RUN * chunk, chunk, 4.0, 0), 5000.0 + RUN * chunk, steady=False)
    assert pacing.buffer == before


def test_a_new_stream_may_begin_with_a_lower_frame_and_keeps_what_was_learnt():
    pacing: Pacing[int] = Pacing(RUN, FIRST)
    watch(pacing, Renderer(4.0))
    before = pacing.buffer
    pacing.clear()
    pacing.put(Arrived(0, 500, 14.0, 0), 30.0)
    assert pacing.buffer == before
    assert pacing.take(30.0) == 0


def test_pictures_that_nobody_shows_do_not_pile_up():
    pacing: Pacing[int] = Pacing(RUN, FIRST)
    for k in range(1000):
        pacing.put(Arrived(k, k // RUN, 1.0, k), 0.0)
    assert pacing.late == 1000 - pacing.config.kept


def chunks(figures: PaintFigures, seconds: float, gap: int = 0, count: int = 12) -> None:
    number = FIRST
    figures.chunk(Chunk(0, RUN, 4 * seconds))
    for _ in range(count):
        figures.chunk(Chunk(number, RUN, seconds))
        number += RUN + gap


def test_the_long_first_chunk_is_not_among_the_chunk_times():
    figures = PaintFigures(24)
    figures.chunk(Chunk(0, RUN, 2.0))
    assert figures.chunk_ms is None
    chunks(figures, 0.1)
    assert figures.chunk_ms == pytest.approx(100)


def test_a_renderer_that_keeps_up_is_not_called_slow():
    figures = PaintFigures(24)
    chunks(figures, 0.3)
    assert not figures.slow
    assert figures.notice() == ""


def test_chunks_that_take_longer_than_they_last_are_called_slow_after_two():
    figures = PaintFigures(24)
    chunks(figures, 0.5, 4, 2)
    assert figures.slow
    assert figures.notice() == "the renderer is slower than real time: 500 ms for 333 ms"
    figures.restart()
    assert not figures.slow


def test_frames_left_out_are_called_slow_too_but_not_while_the_renderer_finds_its_pace():
    shared, settling = PaintFigures(24), PaintFigures(24)
    chunks(shared, 0.2, 3)
    assert shared.slow
    assert shared.notice() == "73 % of the frames are painted: this machine has too much to do"
    settling.chunk(Chunk(0, RUN, 0.6))
    for number in (40, 52, 60, 68, 76, 84, 92):
        settling.chunk(Chunk(number, RUN, 0.2))
        assert not settling.slow


def test_figures_are_said_as_far_as_they_are_known():
    figures = PaintFigures(24)
    assert figures.text() == ""
    chunks(figures, 0.12)
    assert figures.text() == "chunk 120 ms"
    for late in (300, 340, 320):
        figures.photon(late)
    assert figures.text() == "chunk 120 ms   input to photon 320 ms"
