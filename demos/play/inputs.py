"""One driver, many devices: whichever was touched last drives; edges last one tick; losing the focus lets go of all."""

from __future__ import annotations

from engine_sim.racing.controls import Controls

from .keyboard import Command, Keyboard
from .pad import FULL_SCALE, PAD_STEER, PLAIN_STEER, PadConfig, Pads
from .settings.bindings import Bindings

KEYBOARD = -1


class Inputs:
    """Keyboard and pads together. Feed it events, read it once a tick.

    Args:
        config: feel of the pads.
        bindings: which key and control does what.
    """

    def __init__(self, config: PadConfig | None = None, bindings: Bindings | None = None) -> None:
        self.keyboard = Keyboard()
        self.pads = Pads(config)
        self.bindings = Bindings()
        self.bind(bindings or Bindings(), self.pads.config)
        self._active = KEYBOARD
        self._reset = False
        self._shift = 0

    @property
    def on_pad(self) -> bool:
        """True while a pad was touched last."""
        return self.pads.find(self._active) is not None

    def steering_stick(self) -> float | None:
        """Where the stick that steers is on the first pad, −1 … 1, as it comes; None without a pad."""
        pad = next((self.pads.find(i) for i in self.pads.players() if i is not None), None)
        if pad is None:
            return None
        axis = self.pads.bound.get(PAD_STEER, "") if pad.mapped else PLAIN_STEER
        return max(-1.0, min(1.0, pad.sticks.get(axis, 0) / FULL_SCALE))

    def bind(self, bindings: Bindings, config: PadConfig) -> None:
        """Other keys and controls from now on; whatever is held is let go of."""
        self.keyboard.release_all()
        self.pads.release_all()
        self.bindings, self.keyboard.driving = bindings, bindings.driving
        self.pads.config, self.pads.bound, self.pads.commands = config, bindings.pad, bindings.pad_commands()

    def key(self, scancode: int, down: bool) -> None:
        """A key went down or up, by its place on the keyboard."""
        if not down:
            self.keyboard.release(scancode)
        elif self.keyboard.press(scancode):
            self._active = KEYBOARD

    def pad_axis(self, instance: int, number: int, raw: int | float) -> None:
        """An axis of a pad moved."""
        if self.pads.axis(instance, number, raw):
            self._active = instance

    def pad_button(self, instance: int, number: int, down: bool) -> Command | None:
        """A button of a pad changed; the command that the press asks for, if any."""
        if down and self.pads.find(instance) is not None:
            self._active = instance
        return self.pads.button(instance, number, down)

    def pad_removed(self, instance: int) -> None:
        """A pad is gone: the keyboard drives until another pad is touched."""
        self.pads.remove(instance)
        if self._active == instance:
            self._active = KEYBOARD

    def command(self, command: Command) -> bool:
        """Take the commands that drive the car (reset, gears); False for those of the program."""
        if command is Command.RESET:
            self._reset = True
        elif command in (Command.SHIFT_UP, Command.SHIFT_DOWN):
            self._shift = 1 if command is Command.SHIFT_UP else -1
        else:
            return False
        return True

    def release_all(self) -> None:
        """Focus lost: nothing is held any more, pending edges included."""
        self.keyboard.release_all()
        self.pads.release_all()
        self._reset, self._shift = False, 0

    def read(self) -> Controls:
        """Controls of the next tick; takes the pending edges with it."""
        pad = self.pads.find(self._active)
        held = self.keyboard.controls() if pad is None else pad.controls(self.pads.config, self.pads.bound)
        edges, self._reset, self._shift = (self._reset, self._shift), False, 0
        return held._replace(reset=edges[0], gear_shift=edges[1])
