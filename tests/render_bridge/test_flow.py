"""Both state machines joined back to back: credit, sequence, newest-wins and record."""

import numpy as np
import pytest

from render_bridge.protocol.codec import encode
from render_bridge.protocol.events import (
    Closed,
    PictureTaken,
    Refused,
    RunGivenUp,
    SessionEnded,
)
from render_bridge.protocol.messages import Credit, Frame
from render_bridge.protocol.states import EngineState

from .link import HEIGHT, WIDTH, drawn, offer, opened, put, raw_frame, sent_by, stream_of


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
    put(link, raw_frame())
    assert link.of(Refused)[0].code == 303
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0))
    link.exchange()
    assert len(link.frames()) == 1


@pytest.mark.parametrize("wrong", [{"grant": 1000}, {"generation": 9}])
def test_a_frame_that_had_no_credit_costs_no_other_its_own(wrong):
    """R-22, R-28."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    put(link, raw_frame(**wrong))
    assert link.told(RunGivenUp) == []
    put(link, raw_frame())
    assert [f.seq for f in link.frames()] == [0]


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
    put(link, raw_frame(seq=5))
    put(link, raw_frame(seq=5, grant=1))
    assert [f.seq for f in link.frames()] == [5]
    assert (link.of(Refused)[0].code, link.of(Refused)[0].details["kind"]) == (302, "repeat")


def test_a_gap_inside_a_run_gives_the_run_up():
    """R-27, case B41: a chunk holds consecutive frames."""
    link = opened()
    link.renderer.ask(link.engine.token, 3)
    link.exchange()
    put(link, raw_frame(seq=5))
    put(link, raw_frame(seq=7))
    put(link, raw_frame(seq=8))
    assert [f.seq for f in link.frames()] == [5]
    assert link.told(RunGivenUp)[0].grant == 0
    refusals = link.of(Refused)
    assert [(r.code, r.details.get("expected"), r.details.get("got")) for r in refusals] == [(302, 6, 7)]
    assert link.renderer.running(link.engine.token) == 0


def test_what_is_left_of_a_run_after_a_refused_frame_is_forgotten_by_both_ends():
    """R-27: the engine sends no more under that grant, the renderer keeps none of its frames."""
    link = opened(offer=offer(run=4, first_run=4))
    link.renderer.ask(link.engine.token, 4)
    link.exchange()
    for k, value in enumerate((1, 13, 1, 1)):
        link.engine.offer(drawn(k, value=value))
        link.exchange()
    assert [r.code for r in link.of(Refused)] == [300]
    assert [e.grant for e in link.told(RunGivenUp)] == [0]
    assert [f.seq for f in sent_by(link, "engine", Frame)] == [0, 1]
    link.frames()
    link.renderer.ask(link.engine.token, 4)
    link.exchange()
    assert [(f.seq, f.grant) for f in link.frames()] == [(3, 1)]


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
        tag, header, _ = encode(raw_frame(grant=number, seq=number))
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


@pytest.mark.parametrize("drawn_before", [0, 2])
def test_a_generation_that_has_not_begun_gets_its_first_run_whatever_was_asked(drawn_before):
    """R-23: whoever asks may not have heard of the reset yet."""
    link = opened()
    for k in range(drawn_before):
        link.renderer.ask(link.engine.token, 1, first=1)
        link.engine.offer(drawn(k))
        link.exchange()
    link.engine.reset(None)
    link.exchange()
    link.renderer.ask(link.engine.token, 2, first=5)
    link.exchange()
    assert sent_by(link, "renderer", Credit)[-1].frames == 5
    for k in range(5):
        link.engine.offer(drawn(10 + k))
    link.exchange()
    link.renderer.ask(link.engine.token, 2, first=5)
    link.exchange()
    assert sent_by(link, "renderer", Credit)[-1].frames == 2
