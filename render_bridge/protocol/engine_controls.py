"""The engine's controls: of looks, prompts and schedules the latest stands until acted on; a reset waits to be sent."""

from __future__ import annotations

from dataclasses import replace

from .messages import Control, Receipt


class StandingControls:
    """The latest control of each kind but reset, and which of them the renderer has acted on (R-34)."""

    def __init__(self) -> None:
        self._last_id = 0
        self._standing: dict[str, Control] = {}
        self._in_force: set[str] = set()
        self._reset: Control | None = None

    def next_id(self) -> int:
        """A number for a control: they rise strictly."""
        self._last_id += 1
        return self._last_id

    def stand(self, control: Control) -> None:
        """This control takes the place of the earlier one of its kind."""
        self._standing[control.kind] = control
        self._in_force.discard(control.kind)

    def postpone(self, reset: Control) -> None:
        """A reset without a renderer to send it to; it makes up for the earlier ones that wait, but for their seed."""
        if reset.seed is None and self._reset is not None:
            reset = replace(reset, seed=self._reset.seed)
        self._reset = reset

    def note(self, receipt: Receipt) -> None:
        """A second receipt: the renderer has acted on it, one way or the other."""
        if receipt.stage == "received":
            return
        for kind, control in self._standing.items():
            if control.id == receipt.id:
                self._in_force.add(kind)

    def hand_over(self, resumed: bool, generation: int) -> list[Control]:
        """What a renderer must be told after WELCOME, in the order of ids; a reset among them begins a generation."""
        waiting = [c for k, c in self._standing.items() if not (resumed and k in self._in_force)]
        if self._reset is not None:
            waiting.append(self._reset)
            self._reset = None
        told = []
        for control in sorted(waiting, key=lambda c: c.id):
            generation += control.kind == "reset"
            told.append(replace(control, generation=generation))
        return told
