"""The game's loop against a clock that the test turns by hand."""

import pytest

from demos.play.loop import LoopConfig, PlayLoop
from engine_sim.core.errors import UserError
from engine_sim.racing.controls import Controls

MILLISECOND = 1_000_000


class Bench:
    """A loop with recorded ticks and frames, and the hand on its clock."""

    def __init__(self, fps: int = 24, max_catch_up: int = 30, tick_cost: int = 0) -> None:
        self.now = 5
        self.tick_cost = tick_cost
        self.driven: list[Controls] = []
        self.frames: list[tuple[int, bool]] = []
        self.pending = Controls()
        self.loop = PlayLoop(
            LoopConfig(fps, max_catch_up), lambda: self.now, self.read, self.tick, lambda k, late: self.show(k, late)
        )

    def read(self) -> Controls:
        held, self.pending = self.pending, self.pending._replace(reset=False)
        return held

    def tick(self, controls: Controls) -> None:
        self.now += self.tick_cost
        self.driven.append(controls)

    def show(self, number: int, late: bool) -> None:
        self.frames.append((number, late))

    def wait(self, milliseconds: float):
        self.now += int(milliseconds * MILLISECOND)
        return self.loop.turn()


@pytest.mark.parametrize("gaps", [[16], [1], [7, 33, 16], [25, 0, 90, 3]])
def test_a_minute_has_its_ticks_and_frames_whatever_the_gaps(gaps):
    bench = Bench()
    passed = 0
    while passed < 60_000:
        gap = min(gaps[len(bench.frames) % len(gaps)] or 1, 60_000 - passed)
        passed += gap
        bench.wait(gap)
    assert bench.loop.ticks == 7200
    assert [number for number, _ in bench.frames] == list(range(1, 1441))


@pytest.mark.parametrize("fps", [24, 30, 40, 60])
def test_frames_fall_on_whole_ticks(fps):
    bench = Bench(fps)
    seen = []
    bench.show = lambda number, late: seen.append((bench.loop.ticks, number))
    for _ in range(500):
        bench.wait(4)
    assert seen == [(number * (120 // fps), number) for number in range(1, 2 * fps + 1)]


def test_a_rate_that_does_not_divide_the_ticks_is_refused():
    with pytest.raises(UserError, match="25"):
        Bench(fps=25)


def test_late_pictures_are_skipped_and_no_tick_is():
    bench = Bench()
    turn = bench.wait(200)
    assert (turn.ticks, turn.frames, turn.lost_ticks) == (24, 4, 0)
    assert bench.frames == [(1, True), (2, True), (3, True), (4, False)]


def test_a_long_stall_is_capped_and_reported_once():
    bench = Bench(max_catch_up=30)
    turns = [bench.wait(ms) for ms in (16, 5000, 16)]
    assert turns[1].ticks == 30
    assert turns[1].lost_ticks > 500
    assert turns[2].lost_ticks == 0
    assert turns[2].ticks <= 2
    assert bench.loop.lost_ticks == turns[1].lost_ticks


def test_rules_slower_than_real_time_do_not_pile_up():
    bench = Bench(tick_cost=10 * MILLISECOND)
    for _ in range(100):
        assert bench.wait(0).ticks <= 30


def test_an_edge_lasts_one_tick_however_many_run_in_a_turn():
    bench = Bench()
    bench.pending = Controls(throttle=1.0, reset=True)
    bench.wait(1)
    assert bench.driven == []
    bench.wait(100)
    assert [c.reset for c in bench.driven] == [True] + [False] * 11
    assert all(c.throttle == 1.0 for c in bench.driven)


def test_a_pause_stops_ticks_and_leaves_nothing_to_catch_up():
    bench = Bench()
    bench.wait(100)
    bench.loop.paused = True
    assert bench.wait(5000).ticks == 0
    bench.loop.paused = False
    assert bench.wait(100).ticks == 12
    assert bench.loop.lost_ticks == 0


def test_a_clock_that_runs_backwards_is_ignored():
    bench = Bench()
    assert bench.wait(-50).ticks == 0
    assert bench.wait(50).ticks == 6


def test_a_caller_may_sleep_until_the_next_tick():
    bench = Bench()
    bench.wait(10)
    pause = bench.loop.seconds_to_next_tick()
    assert 0.006 < pause < 0.0067
    bench.now += int(pause * 1e9) - 1000
    assert bench.loop.turn().ticks == 0
    bench.now += 2000
    assert bench.loop.turn().ticks == 1
    bench.now += 100 * MILLISECOND
    assert bench.loop.seconds_to_next_tick() == 0.0
