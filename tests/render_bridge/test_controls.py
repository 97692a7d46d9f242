"""Both state machines joined back to back: controls and their receipts."""

import numpy as np
import pytest

from render_bridge.protocol.events import ControlTaken, PictureTaken, ReceiptTaken, Refused
from render_bridge.protocol.faults import Fault, LocalProtocolError
from render_bridge.protocol.messages import Control

from .link import HEIGHT, WIDTH, Link, drawn, opened, put, stream_of


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


def test_a_look_travels_with_the_camera_of_its_picture_to_every_renderer():
    """R-50, R-34: to a new one too; the next look has none if it brings none."""
    link = opened()
    view, projection = tuple(range(16)), tuple(k / 2 for k in range(16))
    link.engine.control("look", width=1, height=1, buffers=(bytes(3), bytes(1)), view=view, projection=projection)
    link.exchange()
    link.renderer = Link().renderer
    link.elapse(300)
    link.engine.control("look", width=1, height=1, buffers=(bytes(3), bytes(1)))
    link.exchange()
    cameras = [(e.control.view, e.control.projection) for e in link.told(ControlTaken)]
    assert cameras == [(view, projection), (view, projection), (None, None)]


@pytest.mark.parametrize("kind", ["prompt", "schedule"])
def test_a_camera_has_no_place_but_in_a_look(kind):
    """R-50."""
    values = {"prompt": {"text": "a"}, "schedule": {"schedule": {}}}[kind]
    with pytest.raises(LocalProtocolError, match="'view' has no place") as caught:
        opened().engine.control(kind, view=(0.0,) * 16, **values)
    assert caught.value.fault is Fault.UNKNOWN_FIELD


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


def fill(link, count=16):
    """So many prompts that no chunk border has come for, put past our own engine."""
    for k in range(1, count + 1):
        put(link, Control(id=k, generation=0, kind="prompt", text="a"))


def test_a_reset_that_is_refused_changes_nothing_at_the_renderer():
    """R-29, R-34: neither the generation nor a grant."""
    link = opened()
    link.renderer.ask(link.engine.token, 2)
    link.exchange()
    fill(link)
    put(link, Control(id=17, generation=1, kind="reset"))
    put(link, Control(id=1, generation=1, kind="reset"))
    put(link, Control(id=18, generation=3, kind="reset"))
    assert [(r.code, r.details["id"]) for r in link.of(Refused)] == [(307, 17), (307, 1), (305, 18)]
    account = stream_of(link)
    assert (account.generation, account.running, account.outstanding) == (0, 1, 2)
    assert link.renderer.settle(link.engine.token, 1, 0)
    put(link, Control(id=17, generation=1, kind="reset"))
    assert account.generation == 1


@pytest.mark.parametrize("mode", ["play", "record"])
def test_a_reset_that_is_refused_changes_nothing_at_the_engine(mode):
    """R-29, R-34: frames go on in the old generation, under the old grants, without a gap."""
    link = opened(mode=mode)
    link.renderer.ask(link.engine.token, 4)
    link.engine.offer(drawn(0))
    link.exchange()
    fill(link)
    link.engine._controls._last_id = 16
    number = link.engine.reset()
    link.engine.offer(drawn(1))
    link.exchange()
    refused = link.of(Refused)[-1]
    assert (refused.code, refused.details) == (307, {"id": number})
    assert link.engine.generation == 0
    for k in (2, 3):
        link.engine.offer(drawn(k))
        link.exchange()
    frames = link.frames()
    assert [(f.seq, f.generation, f.grant) for f in frames] == [(k, 0, 0) for k in range(4)]
    for frame in frames:
        link.answer(frame)
    assert [p.seq for p in link.of(PictureTaken)] == [0, 1, 2, 3]


def test_pictures_that_come_while_a_reset_is_under_way_are_void():
    """R-29: and what was drawn since is sent in the new generation."""
    link = opened()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0))
    link.exchange()
    (frame,) = link.frames()
    link.engine.reset()
    link.engine.offer(drawn(1))
    link.renderer.answer(frame, np.zeros((HEIGHT, WIDTH, 3), np.uint8), 0, {"started": 0, "rendered": 0})
    wires = link.renderer.drain()
    for _, wire in wires:
        link.engine_events[b"peer-0"] += link.engine.receive([bytes(b) for b in wire], link.now)
    assert link.of(PictureTaken) == []
    link.exchange()
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    assert [(f.seq, f.generation) for f in link.frames()] == [(1, 1)]


def test_our_engine_never_has_a_17th_control_unsettled():
    """R-34: it keeps later ones, of each kind the latest, until there is room."""
    link = opened()
    for k in range(20):
        link.engine.control("prompt", text=f"p{k}")
        link.engine.control("schedule", schedule={"chunk": k})
    last = link.engine.reset(seed=3)
    link.exchange()
    taken = [e.control for e in link.told(ControlTaken)]
    assert len(taken) == 16
    for control in taken:
        link.renderer.settle(link.engine.token, control.id, 0)
    link.exchange()
    later = [e.control for e in link.told(ControlTaken)][16:]
    assert [(c.kind, c.text, c.schedule) for c in later] == [
        ("prompt", "p19", None), ("schedule", None, {"chunk": 19}), ("reset", None, None),
    ]  # fmt: skip
    assert (later[-1].id, link.engine.generation) == (last, 1)
    assert not link.of(Refused)


def test_a_reset_under_way_when_the_renderer_is_lost_has_begun_when_it_is_back():
    """R-28, R-29: the next HELLO announces its generation."""
    link = opened()
    link.cut.add(b"peer-0")
    link.engine.reset()
    link.engine.offer(drawn(0))
    link.elapse(1500)
    link.cut.clear()
    link.elapse(300)
    assert (link.engine.generation, stream_of(link).generation) == (1, 1)
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    assert [f.generation for f in link.frames()] == [1]


def seeds_told(link):
    """Seeds of the resets that the renderer took, since the last call."""
    found = [e.control.seed for e in link.told(ControlTaken) if e.control.kind == "reset"]
    link.renderer_events.clear()
    return found


def lose_and_find(link, renewed):
    """The engine loses its renderer, and finds the same one again or a new one."""
    link.cut.add(b"peer-0")
    link.elapse(1500)
    if renewed:
        link.renderer = Link(link.offer).renderer
    link.cut.clear()
    link.elapse(300)


@pytest.mark.parametrize("mode", ["play", "record"])
@pytest.mark.parametrize("renewed", [False, True])
@pytest.mark.parametrize("arrived", [False, True])
def test_a_seed_is_told_again_when_the_connection_ends_before_its_receipt(mode, renewed, arrived):
    """R-29, R-34: whether the reset arrived or not; what was drawn after it is sent in the generation that begins."""
    link = opened(mode=mode)
    link.engine.offer(drawn(0))
    link.exchange()
    number = link.engine.reset(seed=77)
    link.engine.offer(drawn(1))
    if arrived:
        for wire in link.engine.drain():
            link.renderer_events += link.renderer.receive(b"peer-0", [bytes(b) for b in wire], link.now)
        link.renderer.drain()
        assert seeds_told(link) == [77]
    lose_and_find(link, renewed)
    assert seeds_told(link) == [77]
    assert link.of(ReceiptTaken)[-1].receipt.id == number
    assert link.engine.generation == stream_of(link).generation
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    assert [(f.seq, f.generation) for f in link.frames()] == [(1, link.engine.generation)]
    assert not link.of(Refused)


@pytest.mark.parametrize("later", [None, "reset", "reset while lost"])
def test_a_seed_in_force_is_told_to_a_new_renderer_and_to_no_other(later):
    """R-34, R-36: a later reset without a seed keeps it, one that waits for the new renderer brings it along."""
    link = opened()
    number = link.engine.reset(seed=5)
    link.exchange()
    assert link.renderer.settle(link.engine.token, number, 1)
    if later == "reset":
        link.engine.reset()
    link.exchange()
    assert seeds_told(link) == [5, None][: 1 + (later == "reset")]
    lose_and_find(link, renewed=False)
    assert seeds_told(link) == []
    link.cut.add(b"peer-0")
    link.elapse(1500)
    if later == "reset while lost":
        link.engine.reset()
    lose_and_find(link, renewed=True)
    assert seeds_told(link) == [5]
    link.engine.reset(seed=6)
    link.exchange()
    assert seeds_told(link) == [6]
    lose_and_find(link, renewed=True)
    assert seeds_told(link) == [6]


def test_a_seed_that_was_refused_does_not_stand():
    """R-29, R-34."""
    link = opened()
    fill(link)
    link.engine._controls._last_id = 16
    link.engine.reset(seed=9)
    link.exchange()
    assert [r.code for r in link.of(Refused)] == [307]
    link.renderer_events.clear()
    lose_and_find(link, renewed=True)
    assert seeds_told(link) == []
