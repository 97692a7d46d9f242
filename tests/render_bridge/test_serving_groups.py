"""Many sessions on one renderer: who is drawn together, that the oldest comes first, and that faults stay apart."""

from types import SimpleNamespace

import pytest

from render_bridge.protocol.events import PictureTaken, Refused
from render_bridge.stand_in import PaletteRenderer
from render_bridge.work import SharingFactory

from .link import MS, drawn
from .stage import Factory, Stage, take_clock
from .test_serving_pace import Clock


class Sharing(Factory):
    """Draws runs together; books which sessions they were of.

    Args:
        cost: takes the number of runs and stands for the time that they take.
    """

    def __init__(self, offer_, sizes=(1, 2, 4), shares=(1, 0.75, 0.5), pixel_seconds=0.0, cost=lambda count: None):
        super().__init__(offer_)
        self.sizes, self.shares, self.pixel_seconds, self.cost = sizes, shares, pixel_seconds, cost
        self.groups, self.odd, self.broken = [], set(), {}

    def open(self, event):
        spy = super().open(event)
        spy.number = len(self.made) - 1
        spy.render = lambda frames: self._draw([(spy, frames)])[0]
        return spy

    def kind(self, renderer, frames):
        return None if renderer.number in self.odd else len(frames)

    def render_many(self, runs):
        return self._draw(runs)

    def _draw(self, runs):
        self.groups.append([renderer.number for renderer, _ in runs])
        self.cost(len(runs))
        return [self.broken.get(r.number) or PaletteRenderer.render(r, frames) for r, frames in runs]


class SharedStage(Stage):
    """So many sessions on a sharing factory, all of them past their first run."""

    def __init__(self, count, rate=(20, 1), offer=None, **sharing):
        places = {"max_sessions": 40, **(offer or {})}
        super().__init__(make=lambda offer_: Sharing(offer_, **sharing), rate=rate, offer=places)
        self.peers = [b"peer-%d" % k for k in range(count)]
        for peer in self.peers[1:]:
            self.link.join(peer, instance=peer[-8:].rjust(8), rate=rate)
        self.link.elapse(50)
        self.turn()

    def offers(self, number, *who):
        """A frame of these players, all of them without a name; carried, not yet drawn."""
        for k in who or range(len(self.peers)):
            self.link.engines[self.peers[k]].offer(drawn(number))
        self.link.exchange()
        return self

    def begun(self):
        self.offers(0).turn()
        self.factory.groups.clear()
        return self

    def pictures(self, k):
        return [p.seq for p in self.link.of(PictureTaken, self.peers[k])]


def test_runs_that_are_ready_at_the_same_time_are_drawn_together_as_far_as_sizes_go():
    """First runs are drawn alone; later seven sessions are 4 + 2 + 1."""
    stage = SharedStage(7)
    stage.offers(0).turn()
    assert [len(group) for group in stage.factory.groups] == [1] * 7
    stage.factory.groups.clear()
    stage.offers(1).turn()
    assert [len(group) for group in stage.factory.groups] == [4, 2, 1]
    assert all(stage.pictures(k) == [0, 1] for k in range(7))


def test_a_run_that_is_ready_waits_for_nobody():
    stage = SharedStage(4).begun()
    stage.offers(1, 2).turn(1)
    assert stage.factory.groups == [[2]]
    stage.turn()
    assert stage.pictures(2) == [0, 1]


def test_the_oldest_run_comes_first_and_others_of_its_kind_with_it():
    """Session 1 cannot be drawn with others: it is neither passed over nor waited for."""
    stage = SharedStage(5, sizes=(1, 2)).begun()
    stage.factory.odd = {1}
    for k in (3, 1, 4, 0, 2):
        stage.link.elapse(10, step=10)
        stage.offers(1, k)
    stage.turn()
    assert stage.factory.groups == [[3, 4], [1], [0, 2]]


def test_a_member_that_fails_is_reported_to_its_own_session_alone():
    """R-49: and a renderer that fails altogether to each of them."""
    stage = SharedStage(4).begun()
    stage.factory.broken = {2: ArithmeticError("not a number")}
    stage.offers(1).turn()
    assert [stage.pictures(k) for k in range(4)] == [[0, 1], [0, 1], [0], [0, 1]]
    refusals = [stage.link.of(Refused, peer) for peer in stage.peers]
    assert [len(of_one) for of_one in refusals] == [0, 0, 1, 0]
    assert (refusals[2][0].code, refusals[2][0].text) == (400, "chunk 1: ArithmeticError: not a number")

    def fail(runs):
        raise MemoryError("no room")

    stage.factory.broken = {}
    stage.factory.render_many = fail
    stage.offers(2).turn()
    assert [len(stage.link.of(Refused, peer)) for peer in stage.peers] == [1, 1, 2, 1]
    del stage.factory.render_many
    stage.offers(3).turn()
    assert [stage.pictures(k)[-1] for k in range(4)] == [3] * 4


def test_a_control_takes_effect_before_its_session_is_drawn_with_others_again():
    """R-35."""
    stage = SharedStage(3).begun()
    stage.link.engines[stage.peers[0]].control("prompt", text="dusk")
    stage.offers(1).turn()
    assert stage.factory.groups == [[0], [1, 2]]
    assert stage.factory.made[0].told == [("apply", "dusk")]
    stage.factory.groups.clear()
    stage.offers(2).turn()
    assert [len(group) for group in stage.factory.groups] == [2, 1]


def test_without_a_factory_that_shares_runs_are_drawn_one_by_one_and_the_oldest_first():
    stage = Stage()
    assert not isinstance(stage.factory, SharingFactory)
    assert isinstance(Sharing(stage.link.offer), SharingFactory)
    assert (stage.loop._groups.largest, stage.loop._groups.share(9), stage.loop._groups.pixel_seconds) == (1, 1.0, 0.0)


class Evening(SharedStage):
    """Players of 20 frames a second in runs of 4, each at a moment of his own; a run alone takes so many ms, each
    further one of a batch ``more``."""

    def __init__(self, monkeypatch, count, ms, more):
        take_clock(monkeypatch, self)
        self.begin = None
        super().__init__(
            count,
            offer={"run": 4, "first_run": 4, "window": 16},
            cost=lambda runs: self.live(ms + more * (runs - 1)),
            shares=[(ms + (size - 1) * more) / (size * ms) for size in (1, 2, 4)],
        )
        self.begin, self.sent = self.link.now, 0

    def monotonic(self):
        return self.link.now / 1e9

    def monotonic_ns(self):
        return self.link.now

    def live(self, ms):
        """Let so much time pass; each player draws a frame every 50 ms."""
        for _ in range(ms):
            self.link.now += MS
            if self.begin is None:
                continue
            moment = (self.link.now - self.begin) // MS
            who = [k for k in range(len(self.peers)) if (moment + 50 * k // len(self.peers)) % 50 == 0]
            if who:
                self.offers(int(moment // 50), *who)

    def play(self, ms):
        end = self.link.now + ms * MS
        while self.link.now < end:
            self.live(1)
            self.turn(1)

    def served(self, ms):
        """Pictures of each player in this time."""
        before = [len(self.pictures(k)) for k in range(len(self.peers))]
        self.play(ms)
        return [len(self.pictures(k)) - before[k] for k in range(len(self.peers))]


@pytest.mark.parametrize(("ms", "more"), [(15, 10), (16, 15)])
def test_a_renderer_that_is_nearly_busy_serves_every_player_at_the_full_rate(monkeypatch, ms, more):
    """12 players, a run each 200 ms: one by one 180 or 192 ms of work, together 135 or 183. All frames are answered:
    frames take 200 ms to come, so all have to be asked, or the renderer idles and everybody starves."""
    stage = Evening(monkeypatch, 12, ms, more)
    stage.play(600)
    served = stage.served(1000)
    assert min(served) >= 16, served


def test_who_waits_for_his_turn_is_asked_for_more_meanwhile():
    """Or his engine, which holds one frame, skips some when several runs are complete at the same moment."""
    stage, running = SharedStage(3, sizes=(1,)).begun(), []
    tokens = [stage.link.engines[peer].token for peer in stage.peers]
    stage.factory.cost = lambda runs: running.append([stage.link.renderer.running(token) for token in tokens])
    stage.offers(1).turn()
    assert stage.factory.groups == [[0], [1], [2]]
    assert running == [[0, 1, 1], [1, 1, 1], [1, 1, 1]]


def test_the_load_is_what_drawing_takes_whether_alone_or_in_company(monkeypatch):
    """A run takes 20 ms alone and a pair 30, of 50. Once one of the two plays in another way there is no pair."""
    clock = Clock()
    take_clock(monkeypatch, clock)
    stage = SharedStage(2, cost=lambda runs: clock.spend({1: 0.02, 2: 0.03}[runs])).begun()
    for number in range(1, 5):
        stage.offers(number).turn()
    assert stage.factory.groups == [[0, 1]] * 4
    assert stage.loop.load == pytest.approx(0.6)
    stage.factory.kind = lambda renderer, frames: renderer.number
    stage.offers(5).turn()
    assert stage.factory.groups[4:] == [[0], [1]]
    assert stage.loop.load == pytest.approx(0.8)


def test_players_who_pause_take_nothing_from_those_who_play(monkeypatch):
    """With all eight the load is 1.6. Five pause, some of them in the middle of a run, and it is 0.6: the others are
    asked for more while they wait again."""
    stage, running = SharedStage(8, sizes=(1,), offer={"run": 2, "first_run": 2}, cost=lambda runs: spend(20)), []
    take_clock(
        monkeypatch,
        SimpleNamespace(monotonic=lambda: stage.link.now / 1e9, monotonic_ns=lambda: stage.link.now),
    )

    def spend(ms):
        stage.link.now += ms * MS

    for number in range(5):
        stage.offers(number).turn()
    stage.offers(5, 0, 1, 2, 3).turn()
    assert stage.loop.load == pytest.approx(1.6)
    for number in (6, 7, 8):
        spend(250)
        stage.offers(number, 0, 1, 2).turn()
    assert stage.loop.load == pytest.approx(0.6)
    tokens = [stage.link.engines[peer].token for peer in stage.peers[:3]]
    stage.factory.cost = lambda runs: running.append([stage.link.renderer.running(token) for token in tokens])
    stage.offers(9, 0, 1, 2).turn()
    assert running == [[1, 1, 1]] * 3


def test_players_beyond_what_a_renderer_can_do_are_served_alike(monkeypatch):
    """20 players where 13 have room: nobody starves, the renderer is at work all the time and draws in batches."""
    stage = Evening(monkeypatch, 20, 20, 14)
    stage.play(1200)
    stage.factory.groups.clear()
    served = stage.served(1000)
    assert min(served) > 0.6 * max(served), served
    assert sum(served) > 0.85 * 1000 / 15.5 * 4
    assert sum(len(group) == 4 for group in stage.factory.groups) > len(stage.factory.groups) / 2
