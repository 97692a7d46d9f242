"""Both state machines joined back to back: generations, pictures, stamps."""

import numpy as np
import pytest

from render_bridge.conformance.samples import picture
from render_bridge.protocol.codec import encode
from render_bridge.protocol.events import (
    ControlTaken,
    PeerBroke,
    PictureTaken,
    ReceiptTaken,
    Refused,
)
from render_bridge.protocol.faults import Fault
from render_bridge.protocol.messages import Control, Credit, Picture

from .link import HEIGHT, WIDTH, Link, drawn, offer, opened, put, raw_frame, sent_by, stream_of


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
    put(link, raw_frame(generation=0))
    assert stream_of(link).counters["stale"] == 1
    assert link.of(Refused) == []
    assert link.engine.receive(encode(picture()), link.now) == []
    assert link.engine.counters["stale"] == 1


@pytest.mark.parametrize("generation", [2, 7])
def test_a_generation_that_nobody_announced_is_refused(generation):
    """R-28, R-29."""
    link = opened()
    put(link, raw_frame(generation=generation))
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


def test_a_reset_without_a_renderer_waits_for_one_and_keeps_its_seed():
    """R-29, R-34, R-36: several act as one; controls before and after it keep their order."""
    link = Link(encodings=("raw",))
    link.engine.control("prompt", text="dusk")
    link.engine.offer(drawn(0))
    link.engine.reset(seed=9)
    last = link.engine.reset()
    link.engine.control("schedule", schedule={"chunk": 1})
    link.engine.offer(drawn(1))
    token = link.open()
    told = [(e.control.kind, e.control.generation, e.control.seed) for e in link.told(ControlTaken)]
    assert told == [("prompt", 0, None), ("reset", 1, 9), ("schedule", 1, None)]
    assert [e.receipt.id for e in link.of(ReceiptTaken)][1] == last
    link.renderer.ask(token, 1)
    link.exchange()
    assert [(f.seq, f.generation) for f in link.frames()] == [(1, 1)]
    link.renderer = Link().renderer
    link.elapse(300)
    told = [(e.control.kind, e.control.seed) for e in link.told(ControlTaken)][3:]
    assert told == [("prompt", None), ("reset", 9), ("schedule", None)]


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


def test_a_picture_of_another_shape_is_not_taken_though_it_has_as_many_bytes():
    """R-30, case B50: rows and columns swapped."""
    link = opened()
    turned = picture(width=HEIGHT, height=WIDTH, buffers=(bytes(WIDTH * HEIGHT * 3),))
    (broke,) = link.engine.receive(encode(turned), link.now)
    assert (broke.fault, broke.text) == (Fault.OUT_OF_RANGE, "a picture of 32x64, expected 64x32")


@pytest.mark.parametrize(("offered", "used"), [(("raw",), "raw"), (("rle", "zstd"), "zstd")])
def test_a_picture_is_compressed_only_for_an_engine_that_reads_it(offered, used):
    """R-43."""
    link = Link(encodings=offered)
    link.renderer.ask(link.open(), 1)
    link.engine.offer(drawn(0))
    link.exchange()
    pixels = np.full((HEIGHT, WIDTH, 3), 7, np.uint8)
    assert link.renderer.answer(link.frames()[0], pixels, 0, {"started": 0, "rendered": 0}, "zstd")
    link.exchange()
    assert [p.encoding for p in sent_by(link, "renderer", Picture)] == [used]
    assert np.array_equal(link.of(PictureTaken)[0].pixels, pixels)


def test_a_stamp_that_goes_back_is_counted_only():
    """R-32."""
    link = opened()
    for stamp in (1000, 500):
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(0, stamps={"drawn": stamp}))
        link.exchange()
    assert len(link.frames()) == 2
    assert link.renderer.sessions[link.engine.token].counters["clock_jumps"] == 1


def test_a_failed_run_takes_no_room_in_the_window():
    """R-26, R-49."""
    link = opened(offer=offer(window=1))
    for k in range(3):
        assert link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(k))
        link.exchange()
        (taken,) = link.frames()
        link.renderer_events += link.renderer.fail(taken.session, taken.grant, k, "no memory")
        link.exchange()


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
