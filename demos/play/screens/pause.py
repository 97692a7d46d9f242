"""The menu over a paused race."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..keyboard import Command
from .menu import Choice, Entry, Item, Menu
from .page import Side

TITLES = {
    "class": "class map", "teacher": "teacher view", "both": "class map | teacher view", "paint": "painted",
    "split": "class map | painted", "all": "class map | painted | teacher", "wipe": "wipe: class map / teacher",
    "wipe map": "wipe: class map / painted", "wipe teacher": "wipe: painted / teacher",
}  # fmt: skip
"""Choices of view in words."""


@dataclass(frozen=True)
class Moment:
    """What the menu must know of the race.

    Args:
        views, view: choices of view, and the one in force.
        looks, look: names, and the index of the one in force.
        paints: there is a renderer to send a prompt to.
        dead: our renderer ended too often and was left; it can be started again.
        records: it is being recorded, so it cannot begin again.
        replays: it is a recording that is played back.
        home: there is a start screen to go to.
        renderer: what a player should know of the renderer at present.
    """

    views: Sequence[str]
    view: str
    looks: Sequence[str]
    look: int
    paints: bool = False
    dead: bool = False
    records: bool = False
    replays: bool = False
    home: bool = False
    renderer: Sequence[str] = ()


@dataclass(frozen=True)
class Acts:
    """What the menu can do.

    Args:
        ask: a command, once the menu is closed.
        view: show this view. look: take the look of this index.
        prompt, settings: open a screen of their own over this one.
        revive: start the renderer again.
    """

    ask: Callable[[Command], None]
    view: Callable[[str], None]
    look: Callable[[int], None]
    prompt: Callable[[], None]
    settings: Callable[[], None]
    revive: Callable[[], None]


class PauseScreen(Menu):
    """Everything that keys do in a race, for hands that hold a pad, and what needs no key of its own.

    Args:
        moment: the race. acts: what is done.
    """

    def __init__(self, moment: Moment, acts: Acts) -> None:
        self._moment, self._acts = moment, acts
        again = [] if moment.records else [self._command("Play it again" if moment.replays else "Race again", "again")]
        reset = [] if moment.replays else [self._command("Back on the track", "reset")]
        items: list[Item] = [
            Entry("Go on", self.back, "Esc or B goes on too"),
            *again,
            *reset,
            self._command("Photo mode", "photo", "a free camera in this moment"),
            Choice("View", [TITLES[v] for v in moment.views], moment.views.index(moment.view), self._view),
            self._command("Next camera", "camera"),
            Choice("Look", [name.replace("-", " ") for name in moment.looks], moment.look, acts.look),
        ]
        if moment.paints:
            items.append(Entry("Prompt", acts.prompt, "words for the renderer"))
        if moment.dead:
            items.append(Entry("Start the renderer again", self._revive))
        items += [
            self._command("Screenshot", "shot"),
            Entry("Settings", acts.settings, "keys, pad, sound, full screen"),
            self._command("Keys at a glance", "help"),
        ]
        if moment.home:
            items.append(self._command("To the start screen", "home"))
        items.append(self._command("Leave", "quit", "close the game"))
        super().__init__("Paused", items, veil=95)

    def side(self) -> Side:
        """What is to be said of the renderer."""
        return Side(("Renderer", *self._moment.renderer)) if self._moment.renderer else Side()

    def _command(self, label: str, name: str, hint: str = "") -> Entry:
        return Entry(label, lambda: self._ask(COMMANDS[name]), hint)

    def _ask(self, command: Command) -> None:
        self.done = command is not Command.CAMERA  # whose pictures one may want to go through
        self._acts.ask(command)

    def _view(self, index: int) -> None:
        self._acts.view(self._moment.views[index])

    def _revive(self) -> None:
        self.done = True
        self._acts.revive()


COMMANDS = {
    "again": Command.RESTART, "reset": Command.RESET, "photo": Command.PHOTO, "camera": Command.CAMERA,
    "shot": Command.SCREENSHOT, "help": Command.HELP, "home": Command.HOME, "quit": Command.QUIT,
}  # fmt: skip
