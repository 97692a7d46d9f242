"""View, look, prompt and reference, chosen at any time: what is chosen while a race loads begins with it."""

from __future__ import annotations

from engine_sim.views.frame import FrameState

from . import actions as act
from .desk import WebDesk

FOR_A_RENDERER = "is for a renderer; these are the engine's own views"


def choose(desk: WebDesk, action: act.Action, frame: FrameState | None) -> bool:
    """Carry out a choice; False if the action is none.

    Args:
        desk: keeps what is chosen.
        frame: what the race shows now; None while there is none, and the choice is in force when it begins.
    """
    if isinstance(action, act.TakeView):
        take_view(desk, action.view)
    elif isinstance(action, act.TakeLook):
        take_look(desk, action.number, frame)
    elif isinstance(action, act.TakePrompt):
        take_prompt(desk, action.text)
    elif isinstance(action, act.TakeReference):
        take_reference(desk, action, frame)
    else:
        return False
    return True


def take_view(desk: WebDesk, view: str) -> None:
    """Another choice of view."""
    if view in desk.stage.views:
        desk.stage.show_view(view)
    else:
        desk.outlet.notice(f"no view {view!r} here; there are {', '.join(desk.stage.views)}")


def take_look(desk: WebDesk, number: int, frame: FrameState | None) -> None:
    """Another look, which brings its own prompt and reference."""
    if number >= len(desk.options.looks):
        desk.outlet.notice(f"no look {number} here; there are {len(desk.options.looks)}, counted from 0")
        return
    desk.look, desk.prompt, desk.reference = number, "", ""
    if desk.studio is None:
        desk.stage.set_look(desk.named_look.look)
    else:
        desk.studio.look(desk.named_look, frame)
    desk.outlet.notice(f"look: {desk.named_look.name}")


def take_prompt(desk: WebDesk, text: str) -> None:
    """Another prompt; an empty one is the look's own."""
    if desk.studio is None:
        desk.outlet.notice(f"a prompt {FOR_A_RENDERER}")
        return
    desk.prompt = text
    desk.studio.prompt(text)
    desk.outlet.notice(f"prompt: {text}" if text else "prompt: the look's own")


def take_reference(desk: WebDesk, action: act.TakeReference, frame: FrameState | None) -> None:
    """Paint after a picture."""
    if desk.studio is None:
        desk.outlet.notice(f"a reference {FOR_A_RENDERER}")
        return
    desk.reference = action.name
    desk.studio.refer(action.picture, desk.named_look, frame, desk.prompt)
    desk.outlet.notice(f"reference: {action.name}")
