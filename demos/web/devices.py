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
        self._met: dict[int, str] = {}

    def pad(self, state: PadState) -> bool:
        """The state of a pad; True if it has not been heard of since it was plugged in. Values pass unquantised."""
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
        new = self._met.get(state.instance) != state.name
        self._met[state.instance] = state.name
        return new

    def gone(self, instance: int) -> None:
        """A pad was pulled out."""
        self._met.pop(instance, None)
        self._forget(instance)

    def release_all(self) -> None:
        """The page lost the focus, or the wheel went to somebody else."""
        self._inputs.release_all()
        for instance in list(self._pads):
            self._forget(instance)

    def _forget(self, instance: int) -> None:
        if self._pads.pop(instance, None) is not None:
            self._inputs.pad_removed(instance)
