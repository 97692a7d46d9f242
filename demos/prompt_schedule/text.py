"""The file of a prompt schedule: a line for each change, ``TIME | LOOK | PROMPT | CHANGE``.

::

    # time | look        | prompt                          | change
    0:00   | golden-hour |                                 |
    0:12   | storm       | heavy rain, headlights in spray | blend 6
    0:20   |             | snow on everything              | cut

TIME is in seconds (``12.5``) or minutes and seconds (``1:02.5``) of the drive. A look without a prompt brings its own
one; a prompt without a look leaves the look as it is. CHANGE says how: ``cut`` (the default), or ``blend N``:
over N chunks of the renderer. ``#`` begins a comment; columns at the end may be left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from demos.options import NamedLook, parse_look
from demos.play.textbox import LONGEST
from engine_sim.core.errors import UserError
from engine_sim.core.files import read_given_file

LARGEST_FILE = 65_536
MOST_CHUNKS = 64
CUT = 1
"""Chunks of a change that is not blended."""
COLUMNS = ("TIME", "LOOK", "PROMPT", "CHANGE")
TIME = re.compile(r"(?:(\d{1,4}):([0-5]?\d(?:\.\d{1,6})?)|(\d{1,6}(?:\.\d{1,6})?))", re.ASCII)
BLEND = re.compile(r"blend +(\d{1,4})", re.ASCII)


@dataclass(frozen=True)
class Change:
    """One line.

    Args:
        seconds: of the drive.
        look: from then on, or None: it stays.
        prompt: from then on, or None: the look's own.
        chunks: over which it comes; 1 for a cut.
        line: of the file, counted from 1; no part of what the change is.
    """

    seconds: float
    look: NamedLook | None
    prompt: str | None
    chunks: int = CUT
    line: int = field(default=0, compare=False)

    @property
    def place(self) -> str:
        """Line and time, for people: ``line 4 (0:12.5)``."""
        return f"line {self.line} ({clock(self.seconds)})"


def clock(seconds: float) -> str:
    """Seconds as a schedule may write them: ``0:12.5``."""
    minutes, rest = divmod(round(seconds, 3), 60)
    return f"{minutes:.0f}:{rest:06.3f}".rstrip("0").rstrip(".")


def read_prompt_schedule(path: Path) -> tuple[Change, ...]:
    """The changes of a file, in their order. UserError names the file, the line and what is wrong with it."""
    try:
        data = read_given_file(path, LARGEST_FILE)
    except OSError as error:
        raise UserError(f"cannot read the prompt schedule {path}: {error.strerror or error}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is no prompt schedule: expected UTF-8, got byte {error.start} as none") from None
    return parse_prompt_schedule(text, str(path))


def parse_prompt_schedule(text: str, name: str) -> tuple[Change, ...]:
    """The changes of a text; see ``read_prompt_schedule``. ``name`` is what refusals call it."""
    changes: list[Change] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            change = parse_line(line)
            if changes and change.seconds <= changes[-1].seconds:
                raise UserError(f"times must rise, got {change.seconds:g} s after {changes[-1].seconds:g} s")
        except UserError as error:
            raise UserError(f"{name}, line {number}: {error}") from None
        changes.append(replace(change, line=number))
    if not changes:
        raise UserError(f"{name} holds no change; expected lines such as: 0:12 | storm | heavy rain | blend 6")
    return tuple(changes)


def parse_line(line: str) -> Change:
    """One change. UserError, without a place."""
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) > len(COLUMNS):
        raise UserError(f"expected at most {' | '.join(COLUMNS)}, got {len(cells)} columns")
    time, look, prompt, change = (*cells, *[""] * (len(COLUMNS) - len(cells)))
    seconds = parse_time(time)
    if not look and not prompt:
        raise UserError(f"{time} names neither a look nor a prompt")
    return Change(seconds, parse_look(look) if look else None, check_prompt(prompt) or None, parse_change(change))


def parse_time(text: str) -> float:
    """``12.5`` or ``1:02.5`` → seconds. UserError."""
    found = TIME.fullmatch(text)
    if not found:
        raise UserError(f"time {text[:40]!r} is neither seconds such as 12.5 nor minutes and seconds such as 1:02.5")
    minutes, seconds, alone = found.groups()
    return float(alone) if alone is not None else 60.0 * int(minutes) + float(seconds)


def check_prompt(text: str) -> str:
    """A prompt that can be sent. UserError."""
    if len(text) > LONGEST:
        raise UserError(f"the prompt has {len(text)} characters; at most {LONGEST} can be used")
    if not text.isprintable():
        bad = next(c for c in text if not c.isprintable())
        raise UserError(f"the prompt holds the control character U+{ord(bad):04X}; leave it out")
    return text


def parse_change(text: str) -> int:
    """``cut``, ``blend N`` or nothing → chunks. UserError."""
    if text in ("", "cut"):
        return CUT
    found = BLEND.fullmatch(text)
    chunks = int(found[1]) if found else 0
    if not 1 <= chunks <= MOST_CHUNKS:
        raise UserError(f"change {text[:40]!r} is neither cut nor blend N with N from 1 to {MOST_CHUNKS} chunks")
    return chunks
