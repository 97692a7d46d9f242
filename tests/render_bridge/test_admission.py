"""Who is taken in by a renderer that is busy: made-up times, the greeting, and the loop that measures."""

import pytest

from render_bridge.admission import Admission
from render_bridge.protocol.events import Closed, Opened, SessionEnded
from render_bridge.protocol.messages import Error, Hello
from render_bridge.stand_in import PaletteRenderer

from .link import Link, sent_by
from .stage import Stage, take_clock
from .test_serving_groups import Sharing
from .test_serving_pace import Clock

LARGE, SMALL = (1344, 768), (672, 384)


def hello(size=LARGE, rate=(24, 1), planes=()):
    """A greeting of this size, rate and planes."""
    link = Link(width=size[0] // 32 * 32, height=size[1] // 32 * 32, rate=rate, planes=planes)
    return sent_by(link.elapse(50), "engine", Hello)[0]


def sessions(count, **what):
    return {bytes([k]) * 16: hello(**what) for k in range(count)}


def measured(others, seconds, pixel_seconds=0.0):
    admission = Admission(pixel_seconds)
    for token in others:
        admission.took(token, seconds)
    return admission


def test_one_more_is_refused_if_all_would_be_late_with_it():
    """24 frames a second of 2 ms are 4.8 % each: 20 fit, a 21st does not."""
    twenty = sessions(20)
    admission = measured(twenty, 0.002)
    nineteen = dict(list(twenty.items())[:19])
    assert admission.refusal(hello(), nineteen) == ""
    assert admission.refusal(hello(), twenty) == (
        "20 sessions keep the renderer 96 % busy, and one more of 1344x768 at 24 frames a second would need 5 %, "
        "so all would be late: wait until one ends, ask for a smaller picture or rate, or start the renderer with "
        "--overbook, which takes in whoever comes"
    )


def test_a_smaller_picture_or_a_lower_rate_may_still_have_room():
    twenty = sessions(20)
    admission = measured(twenty, 0.002)
    assert admission.refusal(hello(SMALL), twenty) == ""
    assert admission.refusal(hello(rate=(12, 1)), twenty) == ""
    assert admission.refusal(hello(rate=(30, 1)), twenty) != ""
    assert "at 7.5 frames a second" in measured(twenty, 1.0).refusal(hello(rate=(15, 2)), twenty)


def test_the_first_session_is_never_refused_a_second_only_if_it_is_too_much():
    """A laptop that cannot keep up with one player plays too."""
    one = sessions(1)
    slow = measured(one, 0.06)
    assert slow.refusal(hello(), {}) == Admission(1.0).refusal(hello(), {}) == ""
    assert slow.refusal(hello(), one).startswith("1 session keeps the renderer 144 % busy")
    assert measured(one, 0.02).refusal(hello(), one) == ""


def test_who_has_drawn_nothing_yet_counts_with_what_others_cost_or_the_factory_says():
    """Or a crowd that comes at once would be let in before any of it is measured."""
    crowd = sessions(20)
    pixels = LARGE[0] * LARGE[1]
    assert Admission().refusal(hello(), crowd) == ""
    assert Admission(0.002 / pixels).refusal(hello(), crowd) != ""
    assert Admission(0.0019 / pixels).refusal(hello(), crowd) == ""
    admission = Admission(1.0 / pixels)
    for token in list(crowd)[:2]:
        admission.took(token, 0.001)
    assert admission.refusal(hello(), crowd) == ""
    admission.took(list(crowd)[2], 0.03)
    assert admission.refusal(hello(), crowd) != ""


def test_a_size_that_is_there_already_is_known_and_others_count_by_their_pixels():
    mixed = {b"a": hello(LARGE), b"b": hello(SMALL)}
    admission = Admission()
    admission.took(b"a", 0.016)
    admission.took(b"b", 0.014)
    assert "would need 34 %" in admission.refusal(hello(SMALL), {**mixed, b"c": hello(LARGE)})
    admission.forget(b"b")
    assert admission.refusal(hello(SMALL), mixed) == ""


def in_pairs(count):
    """Drawing two together takes half as much for each."""
    return 0.5 if count > 1 else 1.0


def busy(loads, new, planes=(), **what):
    """What the renderer is told to be busy with, in %, and what one more would need.

    Args:
        loads: greeting, share of the time that each takes alone, and kind of its runs, of all who are there.
        new: who asks; by then enough is going on that he is refused.
    """
    admission = Admission(share=in_pairs, planes=planes, **what)
    others = {}
    for k, (greeting, load, kind) in enumerate(loads):
        others[bytes([k])] = greeting
        if load is not None:
            admission.took(bytes([k]), load * greeting.rate[1] / greeting.rate[0], kind)
    text = admission.refusal(new, others)
    return [int(part.split()[-1]) for part in text.split(" %")[:2]]


def test_only_who_has_company_is_counted_as_drawn_in_company():
    """Two of a kind take half each; somebody of another size is always drawn alone, and so are runs without a kind."""
    pair = [(hello(SMALL), 0.6, "small"), (hello(SMALL), 0.6, "small")]
    assert busy([*pair, (hello(LARGE), 0.5, "large")], hello(SMALL)) == [110, 30]
    assert busy([*pair, (hello(LARGE), 0.5, "large")], hello(LARGE, rate=(48, 1))) == [85, 50]
    assert busy([(hello(), 0.6, None), (hello(), 0.6, None)], hello()) == [120, 60]


def test_the_second_of_a_kind_makes_the_first_cheaper():
    one = [(hello(LARGE), 0.7, "large")]
    assert busy(one, hello(LARGE, rate=(48, 1))) == [35, 70]
    assert busy(one, hello(SMALL, rate=(96, 1))) == [70, 70]


def test_depth_is_another_shape_if_the_renderer_wants_it():
    """Runs with and without it are not drawn together; a plane that nobody wants changes nothing."""
    deep, flat = hello(planes=("depth", "motion")), hello()
    assert busy([(flat, 0.7, "flat")], deep, planes=("depth",)) == [70, 70]
    assert busy([(flat, 0.9, "flat"), (flat, 0.9, "flat")], deep) == [90, 45]
    assert busy([(flat, 0.2, "flat"), (deep, 0.9, "deep")], deep, planes=("depth",)) == [65, 45]


def test_a_player_with_a_chunk_of_his_own_says_little_of_others():
    """Short chunks cost more and are drawn alone; whoever is new begins with those of the many."""
    many = [(hello(), 0.4, "8"), (hello(), 0.4, "8")]
    assert busy([*many, (hello(), 0.7, "4")], hello()) == [110, 20]


def test_who_leaves_takes_his_company_with_him():
    """Three in company are 24 % each, and so are two; the last one is 48 % again."""
    others, admission = sessions(3, size=SMALL), Admission(share=in_pairs)
    for token in others:
        admission.took(token, 0.02, "small")
    for told in (
        "3 sessions keep the renderer 72 %",
        "2 sessions keep the renderer 48 %",
        "1 session keeps the renderer 48 %",
    ):
        assert admission.refusal(hello(LARGE), others).startswith(told)
        token, _ = others.popitem()
        admission.forget(token)


def test_who_pauses_keeps_his_place():
    """His engine sends nothing, and may begin again at any moment."""
    quiet = [(hello(), None, None), (hello(), None, None)]
    pixels = LARGE[0] * LARGE[1]
    assert busy(quiet, hello(), pixel_seconds=0.04 / pixels) == [96, 48]


class Refusing(Link):
    """A link whose renderer has room for so many sessions; says so in these words."""

    def __init__(self, room, **changes):
        super().__init__(**changes)
        self.asked = []
        self.room = room
        self.renderer.refuse_by(self._refuse)

    def _refuse(self, new, others):
        self.asked.append(set(others))
        return "too busy" if len(others) >= self.room else ""


def test_a_refusal_is_error_207_before_any_welcome_and_may_pass():
    """R-21, R-38: the engine comes back by itself, and is taken in when there is room."""
    link = Refusing(1)
    link.elapse(50)
    link.join(b"peer-1", instance=b"another!")
    link.elapse(50)
    errors = sent_by(link, "renderer", Error)
    assert [(e.code, e.text, e.fatal, e.details["retry_ms"]) for e in errors] == [(207, "too busy", True, 1000)]
    assert link.of(Opened, b"peer-1") == link.of(Closed, b"peer-1") == []
    assert len(link.renderer.sessions) == 1
    link.room = 2
    link.elapse(1200)
    assert link.of(Opened, b"peer-1")


def test_who_comes_back_with_his_token_has_his_place():
    """R-19: he was let in once; nobody is asked."""
    link = Refusing(1)
    token = link.open()
    link.asked.clear()
    link.room = 0
    link.cut.add(b"peer-0")
    link.elapse(1200)
    link.cut.clear()
    link.elapse(400)
    assert link.engine.welcome.resumed
    assert link.engine.token == token
    assert link.asked == []


def test_parked_sessions_make_room_the_longest_parked_first_and_none_in_vain():
    """R-21: as where places are counted."""
    link = Refusing(3)
    link.open()
    for k in (1, 2):
        link.join(b"peer-%d" % k, instance=b"number-%d" % k)
        link.elapse(50)
    first, second, third = link.renderer.sessions
    for peer in (b"peer-0", b"peer-1"):
        link.cut.add(peer)
        link.elapse(1300)
    link.renderer_events.clear()
    link.room = 0
    link.join(b"peer-3", instance=b"number-3")
    link.elapse(50)
    assert list(link.renderer.sessions) == [first, second, third], "not even all the parked ones would be enough"
    link.room = 2
    link.elapse(1200)
    assert [e.session for e in link.told(SessionEnded)] == [first, second]
    assert link.of(Opened, b"peer-3")


def test_who_greets_anew_on_his_connection_does_not_stand_in_his_own_way():
    link = Refusing(1)
    old = link.open()
    link.cut.add(b"peer-0")
    link.join(b"peer-0", instance=b"restart!")
    link.cut.clear()
    link.asked.clear()
    link.elapse(50)
    assert link.asked == [set()]
    assert list(link.renderer.sessions) != [old]
    assert len(link.renderer.sessions) == 1


@pytest.mark.parametrize("overbook", [False, True])
def test_the_loop_refuses_by_what_it_has_measured_unless_it_is_told_to_overbook(monkeypatch, overbook):
    clock = Clock()
    take_clock(monkeypatch, clock)
    stage = Stage(overbook=overbook, rate=(20, 1))
    stage.spy.render = lambda frames: clock.spend(0.03) or PaletteRenderer.render(stage.spy, frames)
    stage.draw(0, 1, 2)
    stage.link.join(b"peer-1", instance=b"another!", rate=(20, 1))
    stage.link.elapse(50)
    assert len(stage.link.renderer.sessions) == (2 if overbook else 1)
    assert [(e.code, e.text[:64]) for e in sent_by(stage.link, "renderer", Error)] == (
        [] if overbook else [(207, "1 session keeps the renderer 60 % busy, and one more of 64x32 at")]
    )
    stage.link.engine.close()
    stage.link.exchange()
    stage.turn()
    assert stage.loop._admission._costs == stage.loop._admission._times == {}


def test_the_loop_counts_what_a_frame_takes_in_the_company_that_it_would_have(monkeypatch):
    """Alone it takes 30 ms of 50, in a pair 22.5: a second player has room, and a third, with whom four cannot be drawn
    together yet, has none."""
    clock = Clock()
    take_clock(monkeypatch, clock)
    stage = Stage(make=lambda offer: Sharing(offer, cost=lambda runs: clock.spend(0.03)), rate=(20, 1))
    stage.draw(0, 1, 2)
    assert stage.loop.load == pytest.approx(0.6)
    for k, places in ((1, 2), (2, 2)):
        stage.link.join(b"peer-%d" % k, instance=b"number-%d" % k, rate=(20, 1))
        stage.link.elapse(50)
        assert len(stage.link.renderer.sessions) == places


def test_a_first_run_and_a_slow_moment_say_nothing_of_what_a_frame_costs(monkeypatch):
    """In a first run a look is made, kernels are chosen, windows recorded: 2 s; later one run of four is slow."""
    clock, costs = Clock(), iter([2.0, 0.01, 0.01, 0.01, 2.0])
    take_clock(monkeypatch, clock)
    stage = Stage(rate=(20, 1))
    stage.spy.render = lambda frames: clock.spend(next(costs)) or PaletteRenderer.render(stage.spy, frames)
    for k, drawn in ((1, [0]), (2, [1, 2, 3, 4])):
        stage.draw(*drawn)
        stage.link.join(b"peer-%d" % k, instance=b"number-%d" % k, rate=(20, 1))
        stage.link.elapse(50)
        assert len(stage.link.renderer.sessions) == k + 1


def test_a_factory_that_knows_its_price_is_believed_until_something_is_measured(monkeypatch):
    """Nothing has been drawn: 40 ms of 50 for each of these pictures, half of it in company."""
    price = 0.04 / (64 * 32)
    stage = Stage(make=lambda offer: Sharing(offer, shares=(1, 0.5, 0.4), pixel_seconds=price), rate=(20, 1))
    for k, places in ((1, 2), (2, 2)):
        stage.link.join(b"peer-%d" % k, instance=b"number-%d" % k, rate=(20, 1))
        stage.link.elapse(50)
        assert len(stage.link.renderer.sessions) == places
