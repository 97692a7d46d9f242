"""When a renderer asks for frames: load, many sessions, and one that cannot keep up."""

import numpy as np
import pytest

from render_bridge.protocol.events import PictureTaken
from render_bridge.stand_in import PaletteRenderer

from .link import MS, drawn
from .stage import Stage, take_clock


class Clock:
    """Stands still but for what it is told."""

    def __init__(self):
        self.now = 5.0

    def monotonic(self):
        return self.now

    def monotonic_ns(self):
        return round(self.now * 1e9)

    def spend(self, seconds):
        self.now += seconds


def test_eight_sessions_share_a_renderer_that_cannot_keep_up(monkeypatch):
    """Must show 3: each gets its turn, however busy the renderer is; a ninth, which sends nothing, stops nobody."""
    clock = Clock()
    take_clock(monkeypatch, clock)
    stage = Stage(rate=(20, 1), offer={"max_sessions": 9})
    link, peers = stage.link, [b"peer-%d" % k for k in range(9)]
    for peer in peers[1:]:
        link.join(peer, instance=peer[-1:] * 8, rate=(20, 1))
    link.elapse(50)
    stage.turn()
    for spy in stage.factory.made:
        spy.render = lambda frames, spy=spy: clock.spend(0.02) or PaletteRenderer.render(spy, frames)
    begin = clock.now
    for number in range(100):
        clock.now = max(clock.now, begin + number / 20)
        for peer in peers[:8]:
            link.engines[peer].offer(drawn(number))
        link.exchange()
        while clock.now < begin + (number + 1) / 20:
            clock.spend(0.001)
            stage.turn(1)
    served = [len(link.of(PictureTaken, peer)) for peer in peers]
    assert stage.loop.load > 2
    assert sum(served) > 0.7 * 100 / 20 / 0.02, "the renderer was at work nearly all the time"
    assert min(served[:8]) > 0.7 * max(served)
    assert served[8] == 0


@pytest.mark.parametrize("run", [1, 4])
def test_load_is_made_of_drawing_alone_so_that_pauses_do_not_distort_it(monkeypatch, run):
    """Case B41: 40 frames, a pause of 3 s, 40 more; a run's frames have the time of all of them."""
    clock = Clock()
    take_clock(monkeypatch, clock)
    stage = Stage(rate=(20, 1), offer={"run": run, "first_run": run})
    stage.spy.render = lambda frames: clock.spend(0.01 * len(frames)) or PaletteRenderer.render(stage.spy, frames)
    stage.draw(*range(40))
    assert stage.loop.load == pytest.approx(0.2)
    clock.now += 3
    stage.draw(*range(40, 44))
    assert stage.loop.load == pytest.approx(0.2)
    stage.draw(*range(44, 80))
    assert stage.loop.load == pytest.approx(0.2)


def test_an_engine_that_went_away_takes_nothing_until_it_is_back(monkeypatch):
    clock = Clock()
    take_clock(monkeypatch, clock)
    stage = Stage(rate=(20, 1))
    stage.spy.render = lambda frames: clock.spend(0.02) or PaletteRenderer.render(stage.spy, frames)
    stage.draw(0, 1, 2)
    assert stage.loop.load == pytest.approx(0.4)
    stage.link.cut.add(b"peer-0")
    stage.link.elapse(1200)
    assert stage.turn().loop.load == 0
    stage.link.cut.clear()
    stage.link.elapse(300)
    assert stage.turn().loop.load == pytest.approx(0.4)


class SlowStage(Stage):
    """One session of 20 frames a second, in runs of 4, whose engine draws on while a run is painted.

    Args:
        ms: that painting a frame takes.
    """

    def __init__(self, monkeypatch, ms, **changes):
        super().__init__(rate=(20, 1), offer={"run": 4, "first_run": 4, "window": 16}, **changes)
        take_clock(monkeypatch, self)
        self.ms, self.drawn, self.painted = ms, 0, []
        self.spy.render = self.render

    def monotonic(self):
        return self.link.now / 1e9

    def monotonic_ns(self):
        return self.link.now

    def live(self, ms):
        """Let so much time pass, a frame every 50 ms."""
        for _ in range(ms // 10):
            self.link.elapse(10, step=10)
            if self.link.now % (50 * MS) == 0:
                self.link.engine.offer(drawn(self.drawn))
                self.drawn += 1
                self.link.exchange()

    def render(self, frames):
        self.painted.append([f.seq for f in frames])
        self.live(self.ms * len(frames))
        return PaletteRenderer.render(self.spy, frames)


@pytest.mark.parametrize(("ms", "skipped"), [(100, 4), (150, 8)])
def test_a_renderer_that_cannot_keep_up_finds_the_newest_frames_when_it_is_ready(monkeypatch, ms, skipped):
    """Runs of 4 frames, 200 ms, that take 400 or 600 to paint: no waiting in between, and nothing grows old."""
    stage = SlowStage(monkeypatch, ms)
    for _ in range(200):
        stage.live(10)
        stage.loop.turn(0.0)
        stage.link.exchange()
        if len(stage.painted) == 8:
            break
    steady = stage.painted[3:]
    assert [run[-1] - run[0] for run in steady] == [3] * len(steady)
    steps = np.diff([run[0] for run in steady])
    assert max(abs(steps - 4 - skipped)) <= 1, "the next run begins where painting ends"


def test_a_run_that_is_painted_sooner_than_foreseen_is_not_waited_for(monkeypatch):
    stage = SlowStage(monkeypatch, 150)
    for _ in range(100):
        stage.live(10)
        stage.loop.turn(0.0)
        stage.link.exchange()
        stage.ms = 150 if len(stage.painted) < 5 else 50
        if len(stage.painted) == 6:
            break
    before = stage.drawn
    assert stage.painted[-1][-1] >= before - 5
    assert stage.link.renderer.running(stage.link.engine.token) == 1
    stage.live(200)
    assert len(stage.link.frames()) == 4


def test_a_record_is_asked_for_more_while_a_run_is_painted(monkeypatch):
    """Nothing grows old there, and the engine draws meanwhile."""
    stage = SlowStage(monkeypatch, 100, mode="record")
    asked = []
    render = stage.render
    stage.spy.render = lambda frames: (
        asked.append(stage.link.renderer.running(stage.link.engine.token)) or render(frames)
    )
    for _ in range(30):
        stage.live(10)
        stage.loop.turn(0.0)
    assert asked[1:] == [1] * (len(asked) - 1)
    assert len(asked) >= 3
