"""The settings' screens: keys and pad, feel of the pad, sound, window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from ..pad import FULL_SCALE, stick_value
from ..settings.values import MOST_DEAD_ZONE, Settings
from .keys import KeysScreen
from .menu import Entry, Item, Menu, Meter, switch
from .page import Side
from .stack import Stack

CURVE_POINTS = 33


class House(Protocol):
    """What these screens change."""

    @property
    def settings(self) -> Settings:
        """In force."""

    def change(self, settings: Settings) -> None:
        """Other settings."""

    def say(self, text: str) -> None:
        """Tell the player something."""

    def full_screen(self) -> None:
        """Full screen, and back."""

    def stick(self) -> float | None:
        """Where the first pad's steering stick is, −1 … 1; None without a pad."""


class SettingsScreen(Menu):
    """The list of settings.

    Args:
        stack: where further screens open.
        house: what is changed.
    """

    def __init__(self, stack: Stack, house: House) -> None:
        self._stack, self._house = stack, house
        super().__init__("Settings", self._items(), veil=190)

    def _items(self) -> list[Item]:
        now, house = self._house.settings, self._house
        return [
            Entry("Keys and pad", self._keys, "which key, button or stick does what"),
            Entry("Feel of the pad", lambda: self._stack.push(FeelScreen(house)), "dead zone and curve of the stick"),
            switch("Sound", now.sound, lambda on: self._put(sound=on), "engine and tyres, made from what the car does"),
            Meter("Volume", now.volume, 0.0, 1.0, lambda value: self._put(volume=value)),
            switch(
                "Pause in the background", now.pause_unfocused, lambda on: self._put(pause_unfocused=on),
                "whether the race waits while another window is used",
            ),
            Entry("Full screen", house.full_screen, "and back"),
            Entry("Everything as it was at first", self._reset, "keys, pad, sound"),
            Entry("Back", self.back),
        ]  # fmt: skip

    def _keys(self) -> None:
        bindings = self._house.settings.bindings
        self._stack.push(KeysScreen(bindings, lambda new: self._put(bindings=new), self._house.say))

    def _put(self, **changed: Any) -> None:
        self._house.change(replace(self._house.settings, **changed))

    def _reset(self) -> None:
        self._house.change(Settings(race=self._house.settings.race))
        self.items = self._items()
        self._house.say("settings are as they were at first")


class FeelScreen(Menu):
    """Dead zone and curve, with a picture of what the stick does now; so sticks do not move the cursor here."""

    feels = True

    def __init__(self, house: House) -> None:
        self._house = house
        pad = house.settings.pad
        super().__init__(
            "Feel of the pad",
            [
                Meter("Dead zone", pad.dead_zone, 0.0, MOST_DEAD_ZONE, self._dead_zone, "what counts as centred"),
                Meter("Curve", pad.curve, 0.0, 1.0, self._curve, "0 answers evenly, 100 is gentle in the middle"),
            ],
            veil=190,
        )

    def side(self) -> Side:
        """How the stick answers, and where it is."""
        pad = self._house.settings.pad

        def answer(share: float) -> float:
            return stick_value(share * FULL_SCALE, pad.dead_zone, pad.curve)

        shares = [2 * k / (CURVE_POINTS - 1) - 1 for k in range(CURVE_POINTS)]
        stick = self._house.stick()
        words = ("Steering stick", "no pad is connected" if stick is None else "move it: the dot is what the car gets")
        at = None if stick is None else (stick, answer(stick))
        return Side(words, curve=tuple((share, answer(share)) for share in shares), stick=at)

    def _dead_zone(self, value: float) -> None:
        settings = self._house.settings
        self._house.change(replace(settings, pad=replace(settings.pad, dead_zone=value)))

    def _curve(self, value: float) -> None:
        settings = self._house.settings
        self._house.change(replace(settings, pad=replace(settings.pad, curve=value)))
