"""Both state machines joined back to back: every rule on greeting, flow, generations, controls and time."""

import numpy as np
import pytest

from render_bridge.conformance.samples import frame as sample_frame
from render_bridge.conformance.samples import picture, welcome
from render_bridge.palette import RACING, ClassTable, SceneClass
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.engine_side import EngineSide
from render_bridge.protocol.events import (
    Closed,
    ControlTaken,
    Lost,
    Opened,
    PeerBroke,
    PictureTaken,
    ReceiptTaken,
    Refused,
    RunGivenUp,
    SessionEnded,
    SessionOpened,
    SessionParked,
)
from render_bridge.protocol.faults import Fault, LocalProtocolError
from render_bridge.protocol.messages import Bye, Control, Credit, Frame, Ping, Pong
from render_bridge.protocol.offer import Offer, Sizes
from render_bridge.protocol.states import EngineState

from .link import HEIGHT, MS, WIDTH, Link, drawn, greeting, offer

FOREIGN = ClassTable("two-1", (SceneClass(0, "floor", (9, 9, 9)), SceneClass(1, "blue", (0, 0, 99))))


def sent_by(link, who, kind=None):
    messages = [decode([bytes(b) for b in wire]) for _, sender, wire in link.wires_seen if sender == who]
    return [m for m in messages if kind is None or isinstance(m, kind)]


def put(link, message, peer=b"peer-0"):
    """A message from an engine that does not obey our state machine."""
    wire = message if isinstance(message, list) else encode(message)
    link.renderer_events += link.renderer.receive(peer, [bytes(b) for b in wire], link.now)
    return link.exchange()


def raw_frame(link, **changes):
    body = changes.pop("body", bytes(WIDTH * HEIGHT))
    return sample_frame(**{"buffers": (body,), "encoding": "zstd", **changes})


def opened(**changes):
    """A link whose engine has greeted; raw class maps, so that tests can write frames by hand."""
    link = Link(changes.pop("offer", None), encodings=("raw",), **changes)
    link.open()
    return link


def stream_of(link):
    return link.renderer.sessions[link.engine.token].account


# --- greeting


def test_the_engine_speaks_first_and_is_taken_in():
    """R-11."""
    link = Link()
    link.exchange()
    assert link.wires_seen == []
    link.elapse(50)
    kinds = [type(m).__name__ for m in sent_by(link, "engine") + sent_by(link, "renderer")]
    assert kinds == ["Hello", "Welcome"]
    assert len(link.of(Opened)) == len(link.told(SessionOpened)) == 1


def test_a_welcome_to_an_older_greeting_is_ignored():
    """R-11."""
    engine = EngineSide(greeting(), 0)
    engine.advance(MS)
    engine.advance(200 * MS)
    answer = {"table_name": RACING.name, "table_hash": RACING.hash, "encoding": "zstd"}
    assert engine.receive(encode(welcome(attempt=1, **answer)), 201 * MS) == []
    assert engine.state is EngineState.GREETING
    assert isinstance(engine.receive(encode(welcome(attempt=2, **answer)), 202 * MS)[0], Opened)


def test_a_welcome_that_chooses_what_was_not_offered_is_refused():
    """R-17, R-18."""
    engine = EngineSide(greeting(encodings=("raw",)), 0)
    engine.advance(MS)
    events = engine.receive(encode(welcome(encoding="zstd")), 2 * MS)
    assert isinstance(events[0], PeerBroke)
    assert engine.state is EngineState.GREETING


def test_whatever_comes_before_a_greeting_is_answered_with_not_greeted():
    """R-12."""
    link = Link()
    put(link, raw_frame(link), b"stranger")
    assert [(m.code, m.fatal) for m in sent_by(link, "renderer")] == [(200, False)]


def test_a_restarted_renderer_is_greeted_again_and_numbers_go_on():
    """R-12, R-19: case B80."""
    link = opened()
    for k in range(3):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(k))
        link.exchange()
    fresh = Link().renderer
    link.renderer = fresh
    link.elapse(300)
    assert link.engine.state is EngineState.OPEN
    assert len(link.of(Lost)) == 1
    assert link.told(SessionOpened)[-1].resumed is False
    fresh.ask(link.engine.token, 1)
    link.engine.offer(drawn(3))
    link.exchange()
    assert link.frames()[-1].seq == 3


REFUSALS = [
    pytest.param({"table": FOREIGN}, Fault.TABLE_DIFFERS, {"ours", "theirs"}, id="R-13 foreign table"),
    pytest.param({"table": FOREIGN, "mapping": {"floor": "road"}}, Fault.UNMAPPED_CLASS, {"classes"}, id="R-14"),
    pytest.param({"table": FOREIGN, "mapping": {"floor": "lava", "blue": "sky"}}, Fault.UNKNOWN_TARGET, {"target"},
                 id="R-14 target"),
    pytest.param({"width": 100}, Fault.SIZE_NOT_SERVED, {"nearest"}, id="R-15"),
    pytest.param({"rate": (0, 1)}, Fault.RATE_NOT_SERVED, set(), id="R-16 nothing"),
    pytest.param({"rate": (24, 0)}, Fault.RATE_NOT_SERVED, set(), id="R-16 no seconds"),
    pytest.param({"rate": (2000, 1)}, Fault.RATE_NOT_SERVED, set(), id="R-16 too fast"),
    pytest.param({"encodings": ("png",)}, Fault.NO_COMMON_ENCODING, {"encodings"}, id="R-17"),
    pytest.param({"encodings": ("rle",), "form": "colors"}, Fault.NO_COMMON_ENCODING, {"encodings"}, id="R-43 rle"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "fault", "details"), REFUSALS)
def test_a_greeting_that_does_not_fit_is_refused_for_good(changes, fault, details):
    """R-13, R-14, R-15, R-16, R-17."""
    link = Link(**changes)
    link.elapse(400)
    refusal = link.of(Refused)[0]
    assert (refusal.code, refusal.fatal, set(refusal.details)) == (int(fault), True, details)
    assert link.engine.state is EngineState.CLOSED
    assert len(sent_by(link, "engine")) == 1
    assert link.renderer.sessions == {}


@pytest.mark.parametrize(
    ("size", "nearest"),
    [
        ((674, 389), (672, 384)),
        ((15, 15), (32, 32)),
        ((16, 16), (32, 32)),
        ((5000, 31), (2048, 32)),
        ((48, 80), (64, 96)),
    ],
)
def test_the_nearest_size_that_is_served_is_named(size, nearest):
    """R-15, case B12."""
    assert Sizes(32, (2048, 2048)).nearest(*size) == nearest
    only = Sizes(only=((448, 256), (672, 384)))
    assert only.nearest(*size) in only.only


def test_after_a_refused_size_a_good_one_is_taken():
    """R-15, case B12: the renderer is as before."""
    link = Link(width=100)
    link.elapse(100)
    link.join(b"peer-1")
    link.elapse(100)
    assert link.of(Opened, b"peer-1")


def test_the_engines_first_known_encoding_is_chosen():
    """R-17."""
    link = Link(encodings=("png", "rle", "zstd"))
    link.open()
    assert link.engine.welcome.encoding == "rle"


def test_planes_travel_only_when_both_ends_want_them():
    """R-18, R-44."""
    depth = np.full((HEIGHT, WIDTH), 65504, np.float16)
    depth[0, 0] = 1.5
    moving = np.zeros((HEIGHT, WIDTH, 2), np.float32)
    for wanted in ((), ("depth",)):
        link = Link(offer(planes=wanted), planes=("motion", "depth"))
        link.open()
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(0, planes={"depth": depth, "motion": moving}))
        link.exchange()
        (taken,) = link.frames()
        assert tuple(taken.planes) == wanted
        assert len(sent_by(link, "engine", Frame)[0].buffers) == 1 + len(wanted)
        for name in wanted:
            assert np.array_equal(taken.planes[name], depth)
            assert taken.planes[name].dtype == np.float16


def test_a_frame_without_the_chosen_planes_is_refused():
    """R-18."""
    link = Link(offer(planes=("depth",)), planes=("depth",), encodings=("raw",))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    put(link, raw_frame(link, encoding="raw"))
    assert [r.code for r in link.of(Refused)] == [308]
    with pytest.raises(LocalProtocolError, match="offered in the greeting, not drawn"):
        link.engine.offer(drawn(0))


def test_a_frame_that_was_drawn_before_the_planes_were_chosen_is_left_out():
    """R-18, R-24."""
    link = Link(offer(planes=("depth",)), planes=("depth",))
    link.engine.offer(drawn(0))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(1, planes={"depth": np.ones((HEIGHT, WIDTH), np.float16)}))
    link.exchange()
    assert [f.seq for f in link.frames()] == [1]
    assert link.engine.flow.skipped == 1


def test_foreign_ids_arrive_as_ours():
    """R-14."""
    link = Link(table=FOREIGN, mapping={"floor": "road", "blue": "sky"}, encodings=("zstd",))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0, value=1))
    link.exchange()
    assert set(np.unique(link.frames()[0].class_map)) == {RACING.id_of("sky")}


def test_color_coded_frames_arrive_as_ids_and_lossy_ones_are_refused():
    """R-42."""
    link = Link(form="colors")
    link.open()
    link.renderer.ask(link.engine.token, 2)
    link.exchange()
    colors = RACING.colorize(np.full((HEIGHT, WIDTH), 4, np.uint8))
    link.engine.offer(drawn(0, class_map=colors))
    link.exchange()
    smoothed = colors.copy()
    smoothed[3, 4] += 1
    link.engine.offer(drawn(1, class_map=smoothed))
    link.exchange()
    assert set(np.unique(link.frames()[0].class_map)) == {4}
    assert link.of(Refused)[0].details == {"share": 1 / (WIDTH * HEIGHT), "row": 3, "column": 4}


def test_a_second_engine_on_a_taken_session_is_told_to_wait_and_gets_it_later():
    """R-20."""
    link = opened()
    thief = link.join(b"peer-1", resume=link.engine.token, instance=b"somebody", encodings=("raw",))
    link.elapse(100)
    refusal = link.of(Refused, b"peer-1")[0]
    assert refusal.code == 205
    assert 0 < refusal.details["retry_ms"] <= 1000
    assert thief.state is not EngineState.OPEN
    assert link.engine.state is EngineState.OPEN
    link.cut.add(b"peer-0")
    link.elapse(2100)
    assert thief.state is EngineState.OPEN
    assert thief.welcome.resumed


def test_the_same_engine_on_a_new_connection_goes_on_at_once():
    """R-19, R-20: a cut cable, seen by the engine first."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(40))
    link.exchange()
    again = link.join(b"peer-1", resume=link.engine.token, encodings=("raw",), next_seq=1)
    link.elapse(50)
    welcome = again.welcome
    assert (welcome.resumed, welcome.last_seq, welcome.last_tick) == (True, 0, 40)
    assert len(link.renderer.sessions) == 1


def test_a_full_renderer_says_so_and_has_room_later():
    """R-21."""
    link = Link(offer(max_sessions=1))
    link.open()
    link.join(b"peer-1")
    link.elapse(100)
    assert link.of(Refused, b"peer-1")[0].code == 207
    link.engine.close()
    link.elapse(1500)
    assert link.of(Opened, b"peer-1")


# --- flow


def test_nothing_is_sent_without_credit():
    """R-22."""
    link = opened()
    link.engine.offer(drawn(0))
    link.elapse(100)
    assert sent_by(link, "engine", Frame) == []
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    assert [f.seq for f in link.frames()] == [0]


def test_a_frame_without_credit_is_refused_and_the_session_lives():
    """R-22, R-09."""
    link = opened()
    put(link, raw_frame(link, encoding="raw"))
    assert link.of(Refused)[0].code == 303
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0))
    link.exchange()
    assert len(link.frames()) == 1


def test_in_play_a_run_begins_with_the_newest_and_goes_on_without_gaps():
    """R-23, R-24."""
    link = opened(offer=offer(run=3, first_run=3))
    for k in range(10):
        link.engine.offer(drawn(k))
    link.renderer.ask(link.engine.token, 3)
    link.exchange()
    for k in range(10, 20):
        link.engine.offer(drawn(k))
    link.exchange()
    taken = link.frames()
    assert [f.seq for f in taken] == [9, 10, 11]
    assert [f.ends_run for f in taken] == [False, False, True]
    link.renderer.ask(link.engine.token, 3)
    link.exchange()
    assert [f.seq for f in link.frames()] == [19]


def test_skipped_frames_are_counted_and_equal_the_numbers_left_out():
    """R-24, case B74."""
    link = opened()
    seen = []
    for k in range(120):
        link.engine.offer(drawn(k))
        if k % 6 == 5:
            link.renderer.ask(link.engine.token, 1)
        link.exchange()
        for taken in link.frames():
            seen.append(taken.seq)
            link.answer(taken)
    assert seen == list(range(5, 120, 6))
    assert sent_by(link, "engine", Frame)[-1].skipped == 120 - len(seen)
    assert link.engine.flow.skipped == stream_of(link).skipped


def test_in_record_every_frame_goes_out_once_and_in_order():
    """R-25, R-30."""
    link = opened(mode="record")
    seen = []
    for k in range(40):
        link.engine.offer(drawn(k))
        if k % 4 == 0:
            link.renderer.ask(link.engine.token, 4)
        link.exchange()
        for taken in link.frames():
            seen.append(taken.seq)
            assert link.answer(taken)
    assert seen == list(range(40))
    assert [p.seq for p in link.of(PictureTaken)] == seen
    assert link.engine.flow.unanswered == 0


def test_in_record_what_was_not_answered_goes_out_again_after_a_resume():
    """R-25."""
    link = opened(mode="record")
    link.renderer.ask(link.engine.token, 4)
    for k in range(4):
        link.engine.offer(drawn(k))
    link.exchange()
    first = link.frames()
    link.answer(first[0])
    link.cut.add(b"peer-0")
    link.elapse(1500)
    assert link.engine.state is not EngineState.OPEN
    link.cut.clear()
    link.elapse(300)
    assert link.engine.welcome.resumed
    assert link.engine.generation == 1
    link.renderer.ask(link.engine.token, 3)
    link.exchange()
    again = link.frames()
    assert [(f.seq, f.tick, f.generation) for f in again] == [(1, 1, 1), (2, 2, 1), (3, 3, 1)]
    assert not link.answer(first[1])
    assert all(link.answer(f) for f in again)
    assert [p.seq for p in link.of(PictureTaken)] == [0, 1, 2, 3]


def test_a_peer_that_stops_reading_is_sent_no_more_than_the_window():
    """R-26."""
    link = opened()
    token = link.engine.token
    link.engines.pop(b"peer-0")  # it reads nothing and says nothing from here on
    for _ in range(20):
        link.renderer.ask(token, 2)
    link.exchange()
    assert sum(c.frames for c in sent_by(link, "renderer", Credit)) == link.offer.window


def test_reading_pictures_opens_the_window_again():
    """R-26."""
    link = opened()
    for _ in range(8):
        link.renderer.ask(link.engine.token, 2)
    link.exchange()
    assert len(sent_by(link, "renderer", Credit)) == 4
    for k in range(2):
        link.engine.offer(drawn(k))
        link.exchange()
    for taken in link.frames():
        link.answer(taken)
    assert len(sent_by(link, "renderer", Credit)) == 5


def test_a_repeated_number_is_refused():
    """R-27."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    put(link, raw_frame(link, encoding="raw", seq=5))
    put(link, raw_frame(link, encoding="raw", seq=5, grant=1))
    assert [f.seq for f in link.frames()] == [5]
    assert (link.of(Refused)[0].code, link.of(Refused)[0].details["kind"]) == (302, "repeat")


def test_a_gap_inside_a_run_gives_the_run_up():
    """R-27, case B41: a chunk holds consecutive frames."""
    link = opened()
    link.renderer.ask(link.engine.token, 3)
    link.exchange()
    put(link, raw_frame(link, encoding="raw", seq=5))
    put(link, raw_frame(link, encoding="raw", seq=7))
    put(link, raw_frame(link, encoding="raw", seq=8))
    assert [f.seq for f in link.frames()] == [5]
    assert link.told(RunGivenUp)[0].grant == 0
    refusals = link.of(Refused)
    assert [(r.code, r.details.get("expected"), r.details.get("got")) for r in refusals] == [(302, 6, 7)]
    assert link.renderer.running(link.engine.token) == 0


@pytest.mark.parametrize("mode", ["play", "record"])
def test_a_refused_class_map_costs_its_run_in_play_and_the_session_in_record(mode):
    """R-27, R-41, case B122."""
    link = opened(mode=mode)
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0, value=13))
    link.exchange()
    refusal = link.of(Refused)[0]
    assert (refusal.code, refusal.fatal) == (300, mode == "record")
    assert refusal.details == {"row": 0, "column": 0, "id": 13}
    if mode == "record":
        assert link.of(Closed)
        assert link.told(SessionEnded)
        return
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(1))
    link.exchange()
    assert [f.seq for f in link.frames()] == [1]


def test_the_last_frame_ends_its_run():
    """R-33."""
    link = opened(mode="record")
    link.renderer.ask(link.engine.token, 8)
    for k in range(3):
        link.engine.offer(drawn(k, last=k == 2))
    link.exchange()
    assert [f.ends_run for f in link.frames()] == [False, False, True]


def test_eight_bad_messages_get_eight_errors_and_then_a_good_frame_is_drawn():
    """R-09, case B92."""
    link = opened()
    body = bytes(WIDTH * HEIGHT)

    def bad(number):
        tag, header, _ = encode(raw_frame(link, encoding="raw", grant=number, seq=number))
        return [
            [], [b"A" * 4096], [tag, b"\x80", body], [tag, header, bytes(512 * 512 * 3)],
            [tag, b"\x81\xa4tick\xff", body], [tag, header, bytes(4 * WIDTH * HEIGHT)],
            [b"PFP\x63\x02", header, body], [tag, header],
        ]  # fmt: skip

    for k in range(8):
        if not link.renderer.running(link.engine.token):
            link.renderer.ask(link.engine.token, 1)
            link.exchange()
        put(link, bad(sent_by(link, "renderer", Credit)[-1].grant)[k])
    assert len(link.of(Refused)) == 8
    assert link.renderer.counters["bad_messages"] == 8
    link.renderer.ask(link.engine.token, 1)
    link.engine.flow.next_seq = 100
    link.engine.offer(drawn(0))
    link.exchange()
    (taken,) = link.frames()
    assert link.answer(taken)
    assert len(link.of(PictureTaken)) == 1


def test_an_error_is_never_answered_with_an_error():
    """R-09."""
    link = opened()
    before = len(link.wires_seen)
    put(link, [b"PFP\x01\x23", b"\xc1"])
    link.engine.receive([b"PFP\x01\x23", b"\xc1"], link.now)
    link.exchange()
    assert len(link.wires_seen) == before


def test_arrays_handed_over_are_writable_and_shared_with_nobody():
    """Case B85: an overlay drawn on one copy shows in no other."""
    link = opened()
    for k in range(2):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(k, value=3))
        link.exchange()
    first, second = link.frames()
    first.class_map[:] = 0
    assert set(np.unique(second.class_map)) == {3}
    link.answer(second)
    pixels = link.of(PictureTaken)[0].pixels
    pixels[:] = 1
    assert pixels.flags.owndata or pixels.base.flags.owndata


# --- generations


def test_a_reset_voids_everything_under_way():
    """R-28, R-29."""
    link = opened()
    for k in range(3):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(k))
        link.exchange()
    old = link.frames()
    link.engine.offer(drawn(3))
    link.engine.reset()
    link.exchange()
    assert not any(link.answer(f) for f in old)
    assert link.of(PictureTaken) == []
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(4))
    link.exchange()
    (taken,) = link.frames()
    assert (taken.generation, taken.seq) == (1, 4)
    assert link.answer(taken, chunk=9)


def test_old_frames_and_pictures_that_come_late_are_dropped_and_counted():
    """R-28."""
    link = opened()
    link.engine.reset()
    link.exchange()
    put(link, raw_frame(link, encoding="raw", generation=0))
    assert stream_of(link).counters["stale"] == 1
    assert link.of(Refused) == []
    assert link.engine.receive(encode(picture()), link.now) == []
    assert link.engine.counters["stale"] == 1


@pytest.mark.parametrize("generation", [2, 7])
def test_a_generation_that_nobody_announced_is_refused(generation):
    """R-28, R-29."""
    link = opened()
    put(link, raw_frame(link, encoding="raw", generation=generation))
    put(link, Control(id=9, generation=generation, kind="reset"))
    assert [r.code for r in link.of(Refused)] == [305, 305]
    assert isinstance(link.engine.receive(encode(Credit(generation=5, grant=0, frames=1)), link.now)[0], PeerBroke)


def test_one_reset_acts_once_and_numbers_go_on():
    """R-29, case B10."""
    link = opened()
    link.engine.reset(seed=5)
    link.exchange()
    resets = [e for e in link.told(ControlTaken) if e.control.kind == "reset"]
    assert [r.control.seed for r in resets] == [5]
    link.elapse(500)
    assert len([e for e in link.told(ControlTaken) if e.control.kind == "reset"]) == 1


# --- pictures


def test_pictures_carry_number_tick_and_the_stamps_of_both_ends():
    """R-30, R-32."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(35, stamps={"input": 1, "drawn": 2}))
    link.exchange()
    link.answer(link.frames()[0], chunk=3)
    (taken,) = link.of(PictureTaken)
    assert (taken.seq, taken.tick, taken.chunk) == (0, 35, 3)
    assert set(taken.stamps) == {"input", "drawn", "sent"}
    assert {"received", "started", "rendered"} <= set(taken.renderer_stamps)


def test_a_picture_out_of_order_is_not_sent_and_not_taken():
    """R-30."""
    link = opened()
    for k in range(2):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(k))
        link.exchange()
    first, second = link.frames()
    assert link.answer(second)
    assert not link.answer(first)
    late = picture(width=WIDTH, height=HEIGHT, seq=0, buffers=(bytes(WIDTH * HEIGHT * 3),))
    assert link.engine.receive(encode(late), link.now)[0].fault is Fault.BAD_SEQUENCE


def test_a_stamp_that_goes_back_is_counted_only():
    """R-32."""
    link = opened()
    for stamp in (1000, 500):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(0, stamps={"drawn": stamp}))
        link.exchange()
    assert len(link.frames()) == 2
    assert link.renderer.sessions[link.engine.token].counters["clock_jumps"] == 1


def test_a_failed_run_is_reported_with_its_chunk_and_the_next_one_is_drawn():
    """R-49, case B30."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0))
    link.exchange()
    (taken,) = link.frames()
    link.renderer.fail(taken.session, taken.grant, 3, "not a number")
    link.exchange()
    refusal = link.of(Refused)[0]
    assert (refusal.code, refusal.fatal, refusal.details) == (400, False, {"chunk": 3})
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(1))
    link.exchange()
    assert link.answer(link.frames()[0])


# --- controls


def test_a_control_gets_two_receipts_in_order():
    """R-34."""
    link = opened()
    number = link.engine.control("prompt", text="rain")
    link.exchange()
    assert link.renderer.settle(link.engine.token, number, 4)
    assert not link.renderer.settle(link.engine.token, number, 5)
    link.exchange()
    receipts = [e.receipt for e in link.of(ReceiptTaken)]
    assert [(r.id, r.stage, r.chunk) for r in receipts] == [(number, "received", None), (number, "in_force", 4)]


def test_a_control_can_be_refused_with_a_reason():
    """R-34."""
    link = opened()
    number = link.engine.control("schedule", schedule={"chunk": 99})
    link.exchange()
    link.renderer.settle(link.engine.token, number, None, "no such chunk")
    link.exchange()
    assert link.of(ReceiptTaken)[-1].receipt.text == "no such chunk"


def test_repeated_ids_and_floods_of_controls_are_refused():
    """R-34."""
    link = opened()
    put(link, Control(id=1, generation=0, kind="prompt", text="a"))
    put(link, Control(id=1, generation=0, kind="prompt", text="a"))
    for k in range(2, 30):
        put(link, Control(id=k, generation=0, kind="prompt", text="a"))
    assert len(link.told(ControlTaken)) == 16
    assert {r.code for r in link.of(Refused)} == {307}


def test_a_look_travels_with_the_class_map_of_its_picture():
    link = opened()
    pixels, class_map = bytes(range(24)), bytes(8)
    link.engine.control("look", width=4, height=2, buffers=(pixels, class_map))
    link.exchange()
    control = link.told(ControlTaken)[0].control
    assert [bytes(b) for b in control.buffers] == [pixels, class_map]


def test_a_new_renderer_is_told_look_and_prompt_again():
    """R-34: but not what came before them."""
    link = opened()
    link.engine.control("prompt", text="old")
    link.engine.control("prompt", text="new")
    link.exchange()
    link.renderer = Link().renderer
    link.renderer_events.clear()
    link.elapse(300)
    assert [e.control.text for e in link.told(ControlTaken)] == ["new"]


def test_a_control_without_a_renderer_waits_for_one():
    link = Link()
    link.engine.control("prompt", text="early")
    link.open()
    assert [e.control.text for e in link.told(ControlTaken)] == ["early"]


def test_a_resumed_session_is_told_only_what_is_not_in_force():
    """R-19, R-34."""
    link = opened()
    for kind, values in (("prompt", {"text": "kept"}), ("schedule", {"schedule": {"chunk": 1}})):
        number = link.engine.control(kind, **values)
        link.exchange()
        if kind == "prompt":
            link.renderer.settle(link.engine.token, number, 1)
            link.exchange()
    link.cut.add(b"peer-0")
    link.elapse(1500)
    link.cut.clear()
    link.renderer_events.clear()
    link.elapse(300)
    assert [e.control.kind for e in link.told(ControlTaken)] == ["schedule"]


# --- time


def test_silence_is_filled_with_pings_and_pings_are_answered():
    """R-37."""
    link = opened()
    link.elapse(3000)
    assert link.engine.state is EngineState.OPEN
    assert len(sent_by(link, "engine", Ping)) + len(sent_by(link, "engine", Pong)) >= 8
    assert len(sent_by(link, "engine", Ping)) == len(sent_by(link, "renderer", Pong))
    assert len(sent_by(link, "renderer", Ping)) == len(sent_by(link, "engine", Pong))


def test_a_ping_of_a_stranger_is_not_answered_with_a_pong():
    """R-12: an engine that only pings would otherwise never learn that its renderer was restarted."""
    link = Link()
    put(link, Ping(id=1, time=2), b"stranger")
    assert [m.code for m in sent_by(link, "renderer")] == [200]


def test_a_dead_engine_is_parked_and_ended_after_a_minute():
    """R-38."""
    link = opened()
    link.renderer.ask(link.engine.token, 4)
    link.exchange()
    link.cut.add(b"peer-0")
    link.elapse(1100)
    assert len(link.told(SessionParked)) == 1
    assert len(link.of(Lost)) == 1
    assert not link.renderer.ask(link.engine.token, 1)
    link.engines.clear()
    link.elapse(58_000, 250)
    assert link.told(SessionEnded) == []
    link.elapse(3000, 250)
    assert len(link.told(SessionEnded)) == 1
    assert link.renderer.sessions == {}


def test_a_suspended_process_does_not_bury_its_peer():
    """R-39: a laptop sleeps for an hour, a debugger stops for a minute."""
    link = opened()
    link.now += 3600 * 1000 * MS
    assert link.engine.advance(link.now) == []
    assert link.renderer.advance(link.now) == []
    assert link.engine.pulse.jumps == 1
    link.elapse(2000)
    assert link.engine.state is EngineState.OPEN
    assert link.told(SessionParked) == []


def test_a_clock_that_goes_back_stands_still():
    """R-39."""
    link = opened()
    link.now -= 500 * MS
    link.elapse(2000)
    assert link.engine.state is EngineState.OPEN
    assert link.engine.pulse.jumps == 1


def test_an_engines_bye_ends_the_session():
    """R-40."""
    link = opened()
    link.engine.close("done")
    link.exchange()
    assert link.told(SessionEnded)[0].reason.endswith("done")
    assert link.renderer.sessions == {}
    assert link.engine.close() == []


def test_a_renderers_bye_leaves_the_engine_greeting():
    """R-40."""
    link = opened()
    link.renderer.close()
    link.exchange()
    assert isinstance(link.of(Lost)[0], Lost)
    link.renderer = Link().renderer
    link.elapse(300)
    assert link.engine.state is EngineState.OPEN


# --- order


def test_messages_out_of_place_are_refused():
    """R-48."""
    link = opened()
    put(link, Credit(generation=0, grant=0, frames=1))
    put(link, picture())
    assert [r.code for r in link.of(Refused)] == [306, 306]
    events = link.engine.receive(encode(raw_frame(link)), link.now)
    assert events[0].fault is Fault.OUT_OF_STATE


def test_our_own_end_refuses_to_speak_out_of_turn():
    """R-48."""
    from render_bridge.protocol.states import check_step

    with pytest.raises(LocalProtocolError, match="FRAME may not be sent in the state 'greeting'"):
        check_step(EngineState.GREETING, "send", raw_frame(None))


def test_two_engines_do_not_touch_each_other():
    link = opened()
    other = link.join(b"peer-1", instance=b"another!", encodings=("raw",))
    link.elapse(50)
    for k in range(4):
        for engine, value in ((link.engine, 1), (other, 2)):
            link.renderer.ask(engine.token, 1)
            engine.offer(drawn(k, value=value))
    link.exchange()
    for taken in link.frames():
        link.answer(taken, value=int(taken.class_map[0, 0]))
    for peer, value in ((b"peer-0", 1), (b"peer-1", 2)):
        pictures = link.of(PictureTaken, peer)
        assert pictures
        assert {int(v) for p in pictures for v in np.unique(p.pixels)} == {value}
    put(link, Bye(text="first goes"), b"peer-0")
    link.renderer.ask(other.token, 1)
    other.offer(drawn(9, value=2))
    link.exchange()
    assert link.frames()[-1].session == other.token


def test_a_window_too_small_for_a_run_is_refused_at_once():
    with pytest.raises(LocalProtocolError, match="window 4 must hold runs"):
        Offer("x", run=8)
