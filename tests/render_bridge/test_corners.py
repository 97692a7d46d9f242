"""Both state machines joined back to back: the corners that the specification settles in words."""

import dataclasses

import numpy as np
import pytest

from render_bridge.conformance.samples import hello
from render_bridge.palette import RACING
from render_bridge.protocol.codec import encode
from render_bridge.protocol.events import Refused, SessionEnded
from render_bridge.protocol.messages import Ack, Control, Credit, Error, Hello, Receipt, Welcome
from render_bridge.protocol.states import EngineState
from render_bridge.protocol.tables import table_to_wire

from .link import HEIGHT, MS, WIDTH, Link, drawn, offer, opened, put, raw_frame, sent_by

BAD_MAP = (b"\xff" * (WIDTH * HEIGHT),)
GREETING = hello(width=WIDTH, height=HEIGHT, table=table_to_wire(RACING), attempt=9)
WRONG_PLANE = ({"name": "depth", "dtype": "uint8", "channels": 1},)


def granted(link, *runs):
    for frames in runs:
        assert link.renderer.ask(link.engine.token, frames)
    return link.exchange()


def refusals(link):
    return [(m.code, m.about_seq, m.about_grant) for m in sent_by(link, "renderer", Error)]


def test_a_frame_that_is_refused_for_what_it_holds_has_used_up_its_number():
    """R-27."""
    link = granted(opened(), 1, 1)
    put(link, raw_frame(grant=0, seq=5, buffers=BAD_MAP))
    put(link, raw_frame(grant=1, seq=5))
    assert refusals(link) == [(300, 5, 0), (302, 5, 1)]


def test_a_frame_refused_before_that_has_not():
    """R-22, R-27, R-28: 303 and 305 give up no run."""
    link = granted(opened(), 1)
    put(link, raw_frame(grant=9, seq=5))
    put(link, raw_frame(grant=0, seq=5, generation=4))
    put(link, raw_frame(grant=0, seq=5))
    assert refusals(link) == [(303, 5, None), (305, 5, None)]
    assert [f.seq for f in link.frames()] == [5]


def test_a_frame_that_cannot_be_read_gives_up_the_run_that_is_open():
    """R-27: and there may be none."""
    link = granted(opened(), 2)
    for _ in range(2):
        put(link, [b"PFP\x01\x02", b"\xc1"])
    assert refusals(link) == [(104, None, 0), (104, None, None)]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"generation": 0, "grant": 7, "seq": 0}, None),
        ({"grant": 7, "seq": 0, "encoding": "rle"}, 303),
        ({"seq": 0, "encoding": "rle"}, 302),
        ({"encoding": "rle", "buffers": (b"",)}, 112),
        ({"buffers": (b"",), "planes": ("depth",), "plane_encodings": ("rle",)}, 111),
        ({"buffers": BAD_MAP, "planes": ("depth",), "plane_encodings": ("rle",)}, 300),
        ({"planes": ("object",), "plane_encodings": ("rle",)}, 308),
        ({"planes": ("depth",), "plane_encodings": ("rle",)}, 112),
        ({"planes": ("depth",), "plane_encodings": ("raw",)}, 111),
        ({"planes": ("depth",), "plane_encodings": ("zstd",)}, 113),
    ],
)
def test_a_frame_with_several_faults_is_refused_for_the_first_of_the_stated_order(changes, code):
    """R-09, R-27, R-28, section 6."""
    link = granted(opened(offer=offer(planes=("depth",)), planes=("depth",), generation=1), 1, 1)
    depth = np.ones((HEIGHT, WIDTH), np.float16).tobytes()
    good = {"generation": 1, "planes": ("depth",), "plane_encodings": ("raw",)}
    put(link, raw_frame(**good, seq=3, buffers=(bytes(WIDTH * HEIGHT), depth)))
    values = {**good, "grant": 1, "seq": 4, **changes}
    maps = changes.get("buffers", (bytes(WIDTH * HEIGHT),))
    put(link, raw_frame(**{**values, "buffers": (*maps, *(b"\x00" for _ in values["planes"]))}))
    assert [c for c, _, _ in refusals(link)] == ([] if code is None else [code])


def test_in_record_every_refusal_of_a_frame_is_fatal_whatever_its_number():
    """R-27, section 11."""
    for wrong in (raw_frame(generation=4), raw_frame(grant=3), [b"PFP\x01\x02", b"\xc1"]):
        link = granted(opened(mode="record"), 1)
        put(link, wrong)
        assert [m.fatal for m in sent_by(link, "renderer", Error)] == [True]
        assert len(link.told(SessionEnded)) == 1


def test_what_the_last_frame_leaves_of_its_run_is_settled_at_once():
    """R-26, R-33."""
    link = granted(opened(), 8, 3)
    assert [c.frames for c in sent_by(link, "renderer", Credit)] == [8]
    put(link, raw_frame(last=True))
    put(link, Ack(acknowledged=0))
    assert [(c.grant, c.frames) for c in sent_by(link, "renderer", Credit)] == [(0, 8), (1, 3)]


def test_grants_and_waiting_controls_outlive_a_reset_and_receipts_carry_the_present_generation():
    """R-22, R-28, R-29, R-34."""
    link = granted(opened(), 1)
    put(link, Control(id=4, generation=0, kind="prompt", text="a"))
    put(link, Control(id=5, generation=1, kind="reset"))
    assert link.renderer.settle(link.engine.token, 4, 7)
    granted(link, 1)
    receipts = [(r.id, r.generation, r.stage) for r in sent_by(link, "renderer", Receipt)]
    assert receipts == [(4, 0, "received"), (5, 1, "received"), (4, 1, "in_force")]
    assert [(c.grant, c.generation) for c in sent_by(link, "renderer", Credit)] == [(0, 0), (1, 1)]


def test_a_control_of_an_older_generation_gets_no_receipt_and_its_id_stays_free():
    """R-28, R-34."""
    link = opened(generation=3)
    put(link, Control(id=1, generation=2, kind="prompt", text="old"))
    put(link, Control(id=1, generation=3, kind="prompt", text="new"))
    assert [(r.id, r.generation) for r in sent_by(link, "renderer", Receipt)] == [(1, 3)]


@pytest.mark.parametrize(
    ("changes", "left"),
    [({"planes": WRONG_PLANE}, ["its own"]), ({"width": WIDTH + 1}, []), ({}, ["another"])],
    ids=["108", "202", "taken in"],
)
def test_a_second_greeting_without_the_token_ends_the_session_unless_it_is_refused_as_a_message(changes, left):
    """Section 5, R-19."""
    link = opened()
    own = link.engine.token
    put(link, dataclasses.replace(GREETING, **changes))
    assert ["its own" if token == own else "another" for token in link.renderer.sessions] == left


@pytest.mark.parametrize(
    ("changes", "resumed"),
    [({}, True), ({"tick_rate": 60}, True), ({"rate": (30, 1)}, False), ({"mode": "record"}, False)],
)
def test_a_session_is_taken_up_only_as_it_was(changes, resumed):
    """R-19."""
    link = opened()
    again = link.join(b"peer-1", resume=link.engine.token, encodings=("raw", "zstd"), **changes)
    link.elapse(50)
    assert again.welcome.resumed is resumed
    assert (again.token == link.engine.token) is resumed


@pytest.mark.parametrize(("generation", "resumed"), [(2, False), (3, True), (5, True)])
def test_the_renderer_takes_the_generation_of_the_greeting(generation, resumed):
    """R-19, R-25, R-28: a lower one is that of another stream."""
    link = opened(generation=3)
    again = link.join(b"peer-1", resume=link.engine.token, encodings=("raw",), generation=generation)
    link.elapse(50)
    assert (again.welcome.generation, again.welcome.resumed) == (generation, resumed)


def test_a_record_raises_its_generation_once_for_each_loss_however_often_it_greets():
    """R-25, R-38."""
    link = granted(opened(mode="record"), 2)
    for k in range(2):
        link.engine.offer(drawn(k))
    link.exchange()
    link.cut.add(b"peer-0")
    link.elapse(1500)
    link.cut.clear()
    link.elapse(300)
    greetings = sent_by(link, "engine", Hello)
    assert len(greetings) > 2
    assert [(h.generation, h.next_seq) for h in greetings] == [(0, 0)] + [(1, 0)] * (len(greetings) - 1)
    granted(link, 2)
    assert [(f.seq, f.generation) for f in link.frames()] == [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_an_error_of_an_engine_moves_nothing_even_if_it_says_that_it_is_fatal():
    """Section 11."""
    link = granted(opened(), 1)
    put(link, Error(code=113, name="corrupt_data", text="", fatal=True, about_grant=0))
    put(link, raw_frame())
    assert [f.seq for f in link.frames()] == [0]


@pytest.mark.parametrize(("retry", "waits"), [(0, 1), (400, 400), (10**9, 10_000)])
def test_the_time_to_wait_is_taken_within_bounds(retry, waits):
    """R-20, R-38."""
    link = Link()
    link.engine.advance(link.now + MS)
    full = Error(code=207, name="full", text="", fatal=True, details={"retry_ms": retry})
    events = link.engine.receive(encode(full), link.now + MS)
    assert isinstance(events[0], Refused)
    link.engine.drain()
    link.engine.advance(link.now + waits * MS)
    assert link.engine.drain() == []
    link.engine.advance(link.now + (waits + 1) * MS)
    assert link.engine.state is EngineState.GREETING
    assert len(link.engine.drain()) == 1


def test_strangers_hear_the_number_of_a_bad_message_and_200_for_a_good_one():
    """R-09, R-12, R-48."""
    link = Link()
    welcome = Welcome(
        renderer="r", attempt=1, session=bytes(16), resumed=False, generation=0, table_name="t", table_hash="0" * 16,
        encoding="raw", planes=(), run=1, first_run=1, window=1, heartbeat_ms=1, dead_ms=1, chunk=0, notes=(),
    )  # fmt: skip
    for wrong in ([b"PFP\x01\x01", b"\xc1"], [b"PFP\x01\x02", b"\xc1"], welcome):
        put(link, wrong, b"stranger")
    assert [m.code for m in sent_by(link, "renderer", Error)] == [104, 104, 200]


@pytest.mark.parametrize("round_trip_ms", [50, 150, 300, 450])
def test_an_engine_far_away_is_taken_in_though_its_answers_come_late(round_trip_ms):
    """R-11, R-38: it must not greet so often that every WELCOME answers an older attempt."""
    link = Link()
    on_the_way = []
    for _ in range(300):
        link.now += 10 * MS
        link.engine.advance(link.now)
        for wire in link.engine.drain():
            on_the_way.append((link.now + round_trip_ms * MS, [bytes(b) for b in wire]))
        while on_the_way and on_the_way[0][0] <= link.now:
            link.renderer.receive(b"peer-0", on_the_way.pop(0)[1], link.now)
            for _, answer in link.renderer.drain():
                link.engine.receive([bytes(b) for b in answer], link.now)
    assert link.engine.state is EngineState.OPEN
    assert len(link.renderer.sessions) == 1
