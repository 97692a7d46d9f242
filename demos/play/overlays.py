"""What lies over the picture and takes keys before the game does: the list of looks, the line for a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import pygame

from .clipboard import clipboard_text
from .letterbox import Rect
from .overlay_paint import OverlayPainter
from .pad import BUTTONS
from .picker import Picker
from .textbox import LONGEST, TextBox

KEY_DELAY_MS, KEY_REPEAT_MS = 400, 40
BLINK_MS = 1000
FULL = f"Prompt: {LONGEST} characters, and no more are taken; Enter sends, Ctrl-U empties the line"
TITLE = "Prompt: Enter sends, Esc leaves, Ctrl-V pastes; empty is the look's own"


class Overlay(Protocol):
    """Something open over the picture.

    Attributes:
        pauses: True if the race waits meanwhile.
    """

    pauses: bool

    @property
    def done(self) -> bool:
        """True once it may go away."""

    def tick(self) -> bool:
        """Time passes; true if it looks different now."""

    def take(self, event: pygame.event.Event) -> bool:
        """Act on an event; True if the game is not to see it."""

    def paint(self, surface: pygame.Surface, place: Rect, painter: OverlayPainter) -> None:
        """Draw it over the picture's place."""

    def close(self) -> None:
        """It goes away."""


class LookMenu:
    """The looks by name. Arrow keys and Enter, or a pad's cross, A and B; the other keys go on driving.

    Args:
        names: of the looks.
        chosen: the one in force.
        choose: told the index that was chosen.
    """

    pauses = False

    def __init__(self, names: Sequence[str], chosen: int, choose: Callable[[int], None]) -> None:
        self.done = False
        self.picker = Picker(names, chosen)
        self._choose = choose

    def take(self, event: pygame.event.Event) -> bool:
        """Presses of the list's keys and buttons; what was held before is let go of in the game, as ever."""
        if event.type == pygame.KEYDOWN:
            name = _KEYS.get(pygame.key.name(event.key))
        elif event.type == pygame.CONTROLLERBUTTONDOWN and 0 <= event.button < len(BUTTONS):
            name = _BUTTONS.get(BUTTONS[event.button])
        else:
            return False
        if name is not None:
            self._act(name)
        return name is not None

    def tick(self) -> bool:
        """Nothing moves by itself."""
        return False

    def paint(self, surface: pygame.Surface, place: Rect, painter: OverlayPainter) -> None:
        """The names in a box."""
        painter.menu(surface, place, self.picker)

    def close(self) -> None:
        """Nothing to undo."""

    def _act(self, name: str) -> None:
        if name == "choose":
            self._choose(self.picker.cursor)
        self.done = self.done or name in ("choose", "leave")
        self.picker.move({"up": -1, "down": 1}.get(name, 0))


_KEYS = {"up": "up", "down": "down", "l": "down", "return": "choose", "enter": "choose", "escape": "leave"}
_BUTTONS = {"dpup": "up", "dpdown": "down", "back": "down", "a": "choose", "b": "leave"}


class PromptLine:
    """A line to type a prompt into, in any script. Enter sends, Esc leaves; no key reaches the game meanwhile.

    Args:
        text: what stands there at first.
        send: told the text.
        copied: the text that is pasted.
    """

    pauses = False

    def __init__(self, text: str, send: Callable[[str], None], copied: Callable[[], str] = clipboard_text) -> None:
        self.done = False
        self.box = TextBox(text)
        self._send, self._copied = send, copied
        self._listening = False  # the key that opened the line must not be its first letter
        pygame.key.start_text_input()
        pygame.key.set_repeat(KEY_DELAY_MS, KEY_REPEAT_MS)

    def take(self, event: pygame.event.Event) -> bool:
        """Everything that keys and input methods say; pads go on driving."""
        if event.type == pygame.TEXTINPUT:
            if self._listening:
                self.box.insert(event.text)
        elif event.type == pygame.TEXTEDITING:
            self.box.compose(event.text)
            self._listening = True
        elif event.type == pygame.KEYDOWN:
            self._listening = self._listening or not _opens(event)
            self._key(event)
        elif event.type == pygame.KEYUP:
            self._listening = True
        else:
            return False
        return True

    @property
    def title(self) -> str:
        """What stands over the line."""
        return FULL if self.box.full else TITLE

    def tick(self) -> bool:
        """The cursor blinks with the window's own pace."""
        return False

    def paint(self, surface: pygame.Surface, place: Rect, painter: OverlayPainter) -> None:
        """The line with its cursor; what an input method composes is underlined."""
        cursor = pygame.time.get_ticks() % BLINK_MS < BLINK_MS // 2
        box = painter.line(surface, place, self.title, self.box.typed, cursor)
        pygame.key.set_text_input_rect(box)  # where an input method shows its candidates

    def close(self) -> None:
        """Keys belong to the game again."""
        pygame.key.stop_text_input()
        pygame.key.set_repeat()

    def _key(self, event: pygame.event.Event) -> None:
        name = pygame.key.name(event.key)
        if self.box.typed.composing:
            return
        if name in ("return", "enter"):
            self._send(self.box.text.strip())
            self.done = True
        elif name == "escape":
            self.done = True
        elif _pastes(name, event.mod):
            self.box.insert(self._copied())
        elif name == "u" and event.mod & pygame.KMOD_CTRL:
            self.box.clear()
        else:
            self.box.key(name)


def _pastes(name: str, mod: int) -> bool:
    """True for Ctrl-V, on a Mac Command-V, and Shift-Insert."""
    with_it = {"v": pygame.KMOD_CTRL | pygame.KMOD_META, "insert": pygame.KMOD_SHIFT}.get(name, 0)
    return bool(mod & with_it)


def _opens(event: pygame.event.Event) -> bool:
    return pygame.key.name(event.key) == "t"
