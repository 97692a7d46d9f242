"""Both state machines joined back to back: controls and their receipts."""

from render_bridge.protocol.events import (
    ControlTaken,
    ReceiptTaken,
    Refused,
)
from render_bridge.protocol.messages import Control

from .link import Link, opened, put


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
