"""Keys and pads of a page → the inputs of the game, which treats them like those of its own window."""

from __future__ import annotations

from demos.play.inputs import Inputs
from demos.play.pad import AXES, BUTTONS, FULL_SCALE

from .actions import PadState

STEER, BRAKE, THROTTLE = AXES.index("leftx"), AXES.index("lefttrigger"), AXES.index("righttrigger")


class Devices:
    """Feeds ``inputs`` from whole states of pads; only what has changed counts as touched.

    Args:
        inputs: of the game.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._pads: dict[int, PadState] = {}

    def pad(self, state: PadState) -> bool:
        """The state of a pad; True if it is a new one. Values pass unquantised."""
        before = self._pads.get(state.instance)
        if before is None:
            self._inputs.pads.add(state.instance, state.name)
        self._pads[state.instance] = state
        for axis, now, then in (
            (STEER, state.steer, before.steer if before else 0.0),
            (BRAKE, state.brake, before.brake if before else 0.0),
            (THROTTLE, state.throttle, before.throttle if before else 0.0),
        ):
            if now != then:
                self._inputs.pad_axis(state.instance, axis, now * FULL_SCALE)
        held = set(before.buttons) if before else set()
        for name in held ^ set(state.buttons):
            self._inputs.pad_button(state.instance, BUTTONS.index(name), name in state.buttons)
        return before is None

    def gone(self, instance: int) -> None:
        """A pad was pulled out."""
        if self._pads.pop(instance, None) is not None:
            self._inputs.pad_removed(instance)

    def release_all(self) -> None:
        """The page lost the focus, or the wheel went to somebody else."""
        self._inputs.release_all()
        for instance in list(self._pads):
            self.gone(instance)
