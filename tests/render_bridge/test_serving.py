"""The loop of a renderer on a bare state machine: runs, controls at chunk borders, load, and what must not spread."""

from dataclasses import replace

import numpy as np
import pytest

from render_bridge.palette import RACING
from render_bridge.protocol.events import Closed, PictureTaken, ReceiptTaken, Refused, SessionEnded
from render_bridge.protocol.messages import Control, Credit
from render_bridge.stand_in import PaletteRenderer

from .link import drawn, sent_by
from .stage import Stage


def test_the_first_run_is_longer_and_begins_anew_after_a_reset():
    """R-23, R-29, R-31: first_run, run, and first_run again; nothing drawn before the first frame of a generation."""
    stage = Stage(mode="record", offer={"run": 2, "first_run": 3})
    stage.draw(*range(5))
    stage.link.engine.reset()
    stage.link.exchange()
    stage.turn().draw(*range(5, 10))
    assert [told[1] for told in stage.spy.told if told[0] == "render"] == [[0, 1, 2], [3, 4], [5, 6, 7], [8, 9]]
    assert [p.seq for p in stage.link.of(PictureTaken)] == list(range(10))
    assert [p.chunk for p in stage.link.of(PictureTaken)] == [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]
    frames = [c.frames for c in sent_by(stage.link, "renderer", Credit) if c.generation == 0]
    assert frames[:2] == [3, 2]


def test_a_run_that_a_reset_cut_short_is_not_drawn():
    """R-28, R-29."""
    stage = Stage(offer={"run": 3, "first_run": 3}).draw(0, 1)
    stage.link.engine.reset()
    stage.link.exchange()
    stage.turn().draw(2, 3, 4)
    assert stage.spy.told == [("reset", None), ("render", [2, 3, 4])]


def test_a_generation_that_began_while_the_engine_was_away_resets_its_renderer():
    """R-25, R-28: a record that is sent again from its first unanswered frame."""
    stage = Stage(mode="record").draw(0)
    stage.link.cut.add(b"peer-0")
    stage.link.elapse(1200)
    stage.turn()
    stage.link.cut.clear()
    stage.link.elapse(300)
    stage.turn().draw(1)
    assert stage.spy.told == [("render", [0]), ("reset", None), ("render", [1])]


def test_a_reset_hands_over_its_seed_or_none():
    """R-36: without a seed the renderer keeps its own; each reset acts once."""
    stage = Stage()
    stage.link.engine.reset(seed=7)
    stage.link.exchange()
    stage.turn().draw(0)
    stage.link.engine.reset()
    stage.link.exchange()
    stage.turn().draw(1, 2)
    assert [told for told in stage.spy.told if told[0] == "reset"] == [("reset", 7), ("reset", None)]


def test_controls_wait_for_the_border_and_act_in_their_order():
    """R-34, R-35: not inside a run, all before the next; one that is refused does not stop the others."""
    stage = Stage(mode="record", offer={"run": 2, "first_run": 2})
    stage.draw(0)
    engine = stage.link.engine
    numbers = [engine.control("prompt", text="dusk"), engine.control("schedule", schedule={"chunk": 1})]
    numbers.append(engine.control("prompt", text="dawn"))
    stage.link.exchange()
    stage.turn()
    assert ("apply", "dusk") not in stage.spy.told
    stage.draw(1, 2, 3)
    assert stage.spy.told == [("apply", "dusk"), ("apply", "dawn"), ("render", [0, 1]), ("render", [2, 3])]
    second = [e.receipt for e in stage.link.of(ReceiptTaken) if e.receipt.stage != "received"]
    assert [(r.id, r.stage, r.chunk) for r in second] == [
        (numbers[0], "in_force", 0), (numbers[1], "refused", None), (numbers[2], "in_force", 0),
    ]  # fmt: skip
    assert second[1].text == "the palette renderer has no schedule"


def test_a_control_that_fails_is_refused_and_costs_nobody_else_anything():
    """R-34: whatever a renderer makes of it: too little memory for a look, for example."""
    stage = Stage()

    def fail(control):
        raise MemoryError("too big a look")

    stage.spy.apply = fail
    stage.link.engine.control("prompt", text="dusk")
    stage.link.exchange()
    stage.turn().draw(0)
    receipts = [e.receipt for e in stage.link.of(ReceiptTaken) if e.receipt.stage != "received"]
    assert [(r.stage, r.text) for r in receipts] == [("refused", "MemoryError: too big a look")]
    assert [p.seq for p in stage.link.of(PictureTaken)] == [0]


def test_a_reset_that_fails_costs_its_session_only():
    """R-29, R-49: its generation has begun, and the renderer cannot follow."""
    stage = Stage()
    stage.link.join(b"peer-1", instance=b"another!")
    stage.link.elapse(50)
    stage.turn()

    def fail(seed):
        raise MemoryError("no room to begin anew")

    stage.spy.reset = fail
    stage.link.engine.reset()
    stage.link.exchange()
    stage.turn().draw(0)
    assert [r.code for r in stage.link.of(Refused)] == [400]
    assert stage.link.of(Closed)
    stage.link.engines[b"peer-1"].offer(drawn(0))
    stage.link.exchange()
    stage.turn()
    assert [p.seq for p in stage.link.of(PictureTaken, b"peer-1")] == [0]


def test_a_renderer_that_cannot_be_made_costs_its_own_session_only():
    """R-49, case B15: the engine is told why; another is served as before."""
    stage = Stage(refuses="too big")
    token = stage.link.engine.token
    stage.link.join(b"peer-1", engine="too big", instance=b"another!")
    stage.link.elapse(50)
    stage.turn()
    refusal = stage.link.of(Refused, b"peer-1")[0]
    assert (refusal.code, refusal.fatal) == (400, True)
    assert "3 GB are missing" in refusal.text
    assert stage.link.of(Closed, b"peer-1")
    assert list(stage.link.renderer.sessions) == [token]
    stage.draw(0)
    assert [p.seq for p in stage.link.of(PictureTaken)] == [0]


def test_a_run_that_fails_costs_neither_its_session_nor_another():
    """R-49, case B30."""
    stage = Stage()
    spy_render = stage.spy.render
    stage.spy.render = lambda frames: [np.zeros(1) / "not a number"]
    stage.draw(0)
    assert [(r.code, r.details) for r in stage.link.of(Refused)] == [(400, {"chunk": 0})]
    stage.spy.render = spy_render
    stage.draw(1)
    assert [(p.seq, p.chunk) for p in stage.link.of(PictureTaken)] == [(1, 1)]


def test_renderers_are_released_with_their_sessions_and_at_the_end():
    """Case B14."""
    stage = Stage()
    other = stage.link.join(b"peer-1", instance=b"another!")
    stage.link.elapse(50)
    stage.turn()
    other.close()
    stage.link.exchange()
    stage.turn()
    first, second = stage.factory.made
    assert (first.told, second.told) == ([], [("close",)])
    stage.loop.run(lambda: True)
    assert first.told == [("close",)]


def test_frames_of_an_engine_that_went_away_are_not_drawn_with_those_of_its_return():
    """R-38: unfinished runs of a parked session are void; what it looked like is not forgotten."""
    stage = Stage(offer={"run": 3, "first_run": 3})
    stage.draw(0)
    stage.link.cut.add(b"peer-0")
    stage.link.elapse(1200)
    stage.turn()
    stage.link.cut.clear()
    stage.link.elapse(300)
    stage.turn().draw(1, 2, 3)
    assert stage.link.engine.welcome.resumed
    assert stage.spy.told == [("render", [1, 2, 3])]
    assert stage.link.told(SessionEnded) == []


def test_the_stand_in_refuses_looks_of_classes_that_are_not_there():
    renderer = PaletteRenderer(RACING)
    pixels = np.zeros((2, 2, 3), np.uint8)
    good, bad = np.zeros((2, 2), np.uint8), np.full((2, 2), 200, np.uint8)
    look = Control(id=0, generation=0, kind="look", width=2, height=2, buffers=(pixels, good))
    renderer.apply(look)
    with pytest.raises(ValueError, match="holds 200; classes end at 12"):
        renderer.apply(replace(look, buffers=(pixels, bad)))
