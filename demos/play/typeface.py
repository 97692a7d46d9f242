"""Letters of any script: our own font, and where it lacks a character, a font of the system that has it.

Drawn by FreeType itself: pygame's other way to it rounds the room of each letter, and words fall apart.
"""

from __future__ import annotations

import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

import pygame
import pygame.freetype

Font = pygame.freetype.Font
Color = tuple[int, int, int]
NAMES = (
    "notosanscjksc", "notosanscjkjp", "notosanscjkkr", "notosanscjk", "wenquanyizenhei", "wenquanyimicrohei",
    "droidsansfallback", "vlgothic", "ipagothic", "nanumgothic", "notosans", "dejavusans", "arialunicodems",
    "microsoftyahei", "yugothic", "malgungothic", "nirmalaui", "segoeui", "applesdgothicneo", "hiraginosans",
    "pingfang", "freesans", "unifont",
)  # fmt: skip
"""The system's fonts that are tried first."""
SEARCH_S = 0.02
"""For one look at the system's fonts; the next call goes on where this one stopped."""
MOST_FONTS = 400
PROBE = 12
KEPT = 96
"""Lines of one size that are kept as drawn: most stay as they are from one frame to the next."""
EM = 0.6875
"""Of a size, which is that of pygame's other fonts, goes into the square that letters are drawn in."""


def system_fonts() -> Iterator[str]:
    """Files of the system's fonts, the likeliest first. Asking for the first takes a moment."""
    there = set(pygame.font.get_fonts())
    names = [name for name in NAMES if name in there]
    for name in [*names, *sorted(there.difference(names))][:MOST_FONTS]:
        path = pygame.font.match_font(name)
        if path:
            yield path


def draws(font: Font, character: str) -> bool:
    """True if the font has the character."""
    return font.get_metrics(character)[0] is not None


def file_draws(path: str, character: str) -> bool:
    """As ``draws``, of a font file; False for one that cannot be opened."""
    try:
        return draws(Font(path, PROBE), character)
    except (pygame.error, OSError, RuntimeError):
        return False


def opened(path: str, size: int) -> Font:
    """A font of lines that all have the same height; our own for an empty path."""
    pygame.freetype.init()
    font = Font(path or None, size)
    font.pad = True
    return font


class Finder:
    """Knows which font file draws a character. A script that no font has is looked for once.

    Args:
        files: of fonts, the likeliest first; asked anew for each script.
        can: tells whether a file draws a character.
        clock: seconds.
    """

    def __init__(
        self,
        files: Callable[[], Iterable[str]] = system_fonts,
        can: Callable[[str, str], bool] = file_draws,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files, self._can, self._clock = files, can, clock
        self._own: Font | None = None
        self._found: dict[str, str | None] = {}
        self._good: list[str] = []
        self._searches: dict[tuple[str, int], Iterator[str]] = {}
        self._hopeless: set[tuple[str, int]] = set()

    def find(self, character: str) -> str | None:
        """The file that draws a character; ``""`` for our own font, None if none does, or none has been found yet."""
        if character.isascii():
            return ""
        if character not in self._found:
            if self._own is None:
                self._own = opened("", PROBE)
            script = script_of(character)
            path = "" if draws(self._own, character) else self._elsewhere(character, script)
            if path is None and script not in self._hopeless:
                return None
            self._found[character] = path
        return self._found[character]

    def knows(self, character: str) -> bool:
        """True if the search for a character is over, whatever it has found."""
        return character.isascii() or character in self._found

    def lacks(self, text: str) -> bool:
        """True if no font here draws some of the text."""
        return any(self.find(c) is None and self.knows(c) for c in text)

    def _elsewhere(self, character: str, script: tuple[str, int]) -> str | None:
        for path in self._good:
            if self._can(path, character):
                return path
        if script in self._hopeless:
            return None
        search = self._searches.setdefault(script, iter(self._files()))
        until = self._clock() + SEARCH_S
        for path in search:
            if path not in self._good and self._can(path, character):
                self._good.append(path)
                del self._searches[script]
                return path
            if self._clock() > until:
                return None
        self._hopeless.add(script)
        return None


class Letters:
    """One size of letters.

    Args:
        size: of the letters; a line is about two thirds of it high.
        finder: of other fonts.
    """

    def __init__(self, size: int, finder: Finder) -> None:
        self._em, self._finder = max(1, round(EM * size)), finder
        self._own = opened("", self._em)
        self._others: dict[str, Font] = {}
        self._ascent, self._height = self._own.get_rect("Ag").y, self._own.get_rect("Ag").height
        self._drawn: OrderedDict[tuple[str, Color], pygame.Surface] = OrderedDict()

    def size(self, text: str) -> tuple[int, int]:
        """Width and height of a line, pixels."""
        return sum(font.get_rect(part).width for font, part in self._runs(text)), self._height

    def render(self, text: str, color: Color) -> pygame.Surface:
        """A line as a picture with a transparent ground; it is not to be drawn upon."""
        known = self._drawn.pop((text, color), None)
        runs = self._runs(text)
        image = known or self._line(runs, color)
        if known is not None or self._settled(text):
            self._drawn[text, color] = image
        while len(self._drawn) > KEPT:
            self._drawn.popitem(last=False)
        return image

    def get_height(self) -> int:
        """Of a line."""
        return self._height

    def get_ascent(self) -> int:
        """Of a line above its base."""
        return self._ascent

    def _line(self, runs: list[tuple[Font, str]], color: Color) -> pygame.Surface:
        parts = [font.render(part, color) for font, part in runs]
        line = pygame.Surface((sum(place.width for _, place in parts), self._height), pygame.SRCALPHA)
        left = 0
        for image, place in parts:
            line.blit(image, (left, self._ascent - place.y))
            left += place.width
        return line

    def _settled(self, text: str) -> bool:
        """False while fonts are still being looked for."""
        return text.isascii() or all(self._finder.knows(c) for c in text)

    def _runs(self, text: str) -> list[tuple[Font, str]]:
        """Parts of a text with the font that draws each."""
        if text.isascii():
            return [(self._own, text)]
        paths: list[str] = []
        for character in text:
            mark = unicodedata.category(character) in ("Mn", "Me", "Cf")  # stands upon the letter before it
            paths.append(paths[-1] if mark and paths else self._finder.find(character) or "")
        return [
            (self._font(path), "".join(character for _, character in part))
            for path, part in groupby(zip(paths, text, strict=True), key=lambda pair: pair[0])
        ]

    def _font(self, path: str) -> Font:
        if not path:
            return self._own
        if path not in self._others:
            self._others[path] = fitted(path, self._em, self._ascent)
        return self._others[path]


def fitted(path: str, size: int, ascent: int) -> Font:
    """A font file at the largest size whose letters stand no higher than this."""
    font = opened(path, size)
    while font.get_rect("Ag").y > ascent and size > 6:
        size -= 1
        font = opened(path, size)
    return font


def script_of(character: str) -> tuple[str, int]:
    """What a character's fonts go by: the first word of its name, and its plane of Unicode."""
    return unicodedata.name(character, "?").split(" ")[0].split("-")[0], ord(character) >> 16
