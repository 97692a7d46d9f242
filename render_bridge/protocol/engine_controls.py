"""The engine's controls: what stands, what waits to be sent, and which receipts are still owed (R-29, R-34)."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from .faults import Fault
from .messages import Control, Error, Receipt
from .renderer_flow import MAX_UNSETTLED


class EngineControls:
    """The latest control of each kind but reset stands: a renderer that has not acted on it is told again.

    A reset is sent once, unless it had a seed: the seed stands too, and only a reset can tell of it.

    Controls go out in their order, never more than the renderer may have unsettled. Nothing follows a reset before its
    first receipt: only then is it known whether there is a new generation for it.
    """

    def __init__(self) -> None:
        self._last_id = 0
        self._standing: dict[str, Control] = {}
        self._in_force: set[str] = set()
        """Kinds whose standing control the renderer has acted on; a reset with a seed stands only once it was taken."""
        self._waiting: deque[Control] = deque()
        self._unreceived: deque[Control] = deque()
        self._unsettled: set[int] = set()

    def next_id(self) -> int:
        """A number for a control: they rise strictly."""
        self._last_id += 1
        return self._last_id

    @property
    def unanswered_reset(self) -> bool:
        """A reset is under way, and it is not known yet whether it was taken."""
        return bool(self._unreceived) and self._unreceived[-1].kind == "reset"

    @property
    def resetting(self) -> bool:
        """A reset was asked for and has not been taken: it is under way, or waits to be sent."""
        return self.unanswered_reset or any(c.kind == "reset" for c in self._waiting)

    def put(self, control: Control) -> None:
        """A control to be sent; it makes up for the earlier ones of its kind that wait, but for a reset's seed."""
        for earlier in [c for c in self._waiting if c.kind == control.kind]:
            self._waiting.remove(earlier)
            if control.kind == "reset" and control.seed is None:
                control = replace(control, seed=earlier.seed)
        self._waiting.append(control)
        if control.kind != "reset":
            self._standing[control.kind] = control
            self._in_force.discard(control.kind)

    def next_due(self, generation: int) -> Control | None:
        """The next control that may be sent, in its generation; None if none waits, or it must."""
        if not self._waiting or self.unanswered_reset or len(self._unsettled) >= MAX_UNSETTLED:
            return None
        control = self._waiting.popleft()
        control = replace(control, generation=generation + (control.kind == "reset"))
        self._unreceived.append(control)
        self._unsettled.add(control.id)
        return control

    def note(self, receipt: Receipt) -> Control | None:
        """A receipt; returns the reset whose first one it is. The second says that the renderer has acted on it."""
        if receipt.stage != "received":
            self._unsettled.discard(receipt.id)
            self._in_force |= {kind for kind, control in self._standing.items() if control.id == receipt.id}
            return None
        while self._unreceived and self._unreceived[0].id <= receipt.id:
            taken = self._unreceived.popleft()
            if taken.kind == "reset":
                self._keep_seed(taken)
                return taken
        return None

    def _keep_seed(self, reset: Control) -> None:
        if reset.seed is not None:
            self._standing["reset"] = reset
            self._in_force.discard("reset")

    def forget_refused(self, error: Error) -> None:
        """An ERROR that refuses a control: the one that it names, or the oldest that has had no answer."""
        if error.about_type != Control.type_byte and error.code != Fault.BAD_CONTROL:
            return
        named = (error.details or {}).get("id")
        refused = next((c for c in self._unreceived if c.id == named), None)
        if refused is None and named is None and self._unreceived:
            refused = self._unreceived[0]
        if refused is not None:
            self._unreceived.remove(refused)
            self._unsettled.discard(refused.id)

    def reset_taken(self) -> None:
        """It is known without a receipt that the reset under way was taken, or it no longer matters."""
        for control in self._unreceived:
            if control.kind == "reset":
                self._keep_seed(control)
        self._unreceived.clear()

    def begin_connection(self, resumed: bool) -> None:
        """What a renderer must be told after WELCOME waits now, in the order of ids."""
        told = {k: c for k, c in self._standing.items() if not (resumed and k in self._in_force)}
        for reset in [c for c in self._waiting if c.kind == "reset"]:
            seeded = told.get("reset")
            told["reset"] = replace(reset, seed=seeded.seed) if seeded and reset.seed is None else reset
        self._waiting = deque(sorted(told.values(), key=lambda c: c.id))
        self._unreceived.clear()
        self._unsettled.clear()
