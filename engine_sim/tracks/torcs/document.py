"""A TORCS parameter file as a tree of sections, read without trusting a byte of it.

The format: ``section name=`` holds sections, ``attnum name= val= unit=`` (a number) and
``attstr name= val=`` (a word). Everything before the root element, so every DOCTYPE with its
entities, is dropped before an XML parser sees the text, and references to entities are taken out:
nothing outside the file is ever opened and nothing inside it can multiply.
"""

from __future__ import annotations

import re
import xml.parsers.expat
from dataclasses import dataclass, field
from pathlib import Path

from engine_sim.core.errors import UserError

MAX_BYTES = 4 << 20
MAX_ELEMENTS = 60_000
MAX_DEPTH = 24
MAX_NUMBER = 1e6
# One of each unit in SI. TORCS writes no unit for SI.
UNITS = {
    "": 1.0, "m": 1.0, "km": 1000.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "feet": 0.3048, "in": 0.0254,
    "deg": 3.141592653589793 / 180.0, "rad": 1.0, "%": 0.01, "SI": 1.0,
}  # fmt: skip
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[^;&<>\"'\s]{1,64};")
_SKIPPED = re.compile(r"\s+|<!--.*?-->|<\?.*?\?>", re.DOTALL)
_TOKEN = re.compile(r"<!--|[\"'\[\]>]")


@dataclass
class Section:
    """One ``section``: its name, its attributes as written, and its sections in the order of the file."""

    name: str
    source: str
    numbers: dict[str, tuple[str, str]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    children: list[Section] = field(default_factory=list)

    def child(self, *names: str) -> Section | None:
        """The first child with one of these names, or None."""
        return next((c for c in self.children if c.name in names), None)

    def word(self, *names: str) -> str | None:
        """The first of these words that is there, stripped, or None."""
        for name in names:
            if name in self.words:
                return self.words[name].strip()
        return None

    def number(self, *names: str) -> float | None:
        """The first of these numbers that is there, in SI units, or None.

        Raises:
            UserError: not a finite number of moderate size, or an unknown unit.
        """
        for name in names:
            if name in self.numbers:
                return self._parse(name, *self.numbers[name])
        return None

    def _parse(self, name: str, text: str, unit: str) -> float:
        where = f"{self.source}: {name!r} in section {self.name!r}"
        if unit.strip() not in UNITS:
            raise UserError(f"{where} has unit {unit!r}; expected one of {', '.join(u for u in UNITS if u)}")
        try:
            value = float(text) * UNITS[unit.strip()]
        except ValueError:
            raise UserError(f"{where}: expected a number, got {text[:40]!r}") from None
        if not abs(value) <= MAX_NUMBER:
            raise UserError(f"{where}: expected a number of at most {MAX_NUMBER:g}, got {text[:40]!r}")
        return value


def read_document(path: Path) -> Section:
    """Root section of a TORCS parameter file.

    Raises:
        UserError: unreadable, too large, no XML, another root than ``params``, cut short.
    """
    return parse_document(_read_bytes(path), str(path))


def parse_document(data: bytes, source: str) -> Section:
    """Root section of the bytes of a parameter file; ``source`` names it in errors."""
    if not data.strip():
        raise UserError(f"{source}: expected a TORCS track file (XML with a <params> root), got an empty file")
    if len(data) > MAX_BYTES:
        raise UserError(f"{source}: expected a TORCS track file of at most {MAX_BYTES} bytes, got {len(data)}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # never fails: older files are Latin-1 whatever their first line says
    return _Builder(source).build(_ENTITY.sub("", _without_prolog(text, source)))


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot read the TORCS track file: {error.strerror or error}") from None


def _without_prolog(text: str, source: str) -> str:
    """The text from the root element on."""
    at = 0
    while True:
        while match := _SKIPPED.match(text, at):
            at = match.end()
        if text.startswith("<!DOCTYPE", at):
            at = _end_of_doctype(text, at + 9, source)
        elif at < len(text) and text[at] == "<":
            return text[at:]
        else:
            raise UserError(f"{source}: expected a TORCS track file (XML), got text that starts {text[at : at + 20]!r}")


def _end_of_doctype(text: str, at: int, source: str) -> int:
    closers = {"<!--": "-->", '"': '"', "'": "'"}
    depth = 0
    while match := _TOKEN.search(text, at):
        token, at = match.group(), match.end()
        if token in closers:
            at = text.find(closers[token], at) + len(closers[token])
            if at < len(closers[token]):
                break
        elif token == ">" and depth == 0:
            return at
        else:
            depth += {"[": 1, "]": -1, ">": 0}[token]
    raise UserError(f"{source}: the DOCTYPE never ends; is the file cut short?")


class _Builder:
    """Turns parser events into sections, within bounds on depth and count."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.root: Section | None = None
        self.stack: list[Section | None] = []
        self.count = 0

    def build(self, body: str) -> Section:
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        try:
            parser.Parse(body.encode("utf-8", "replace"), True)
        except xml.parsers.expat.ExpatError as error:
            raise UserError(
                f"{self.source}: expected well-formed XML, got {error}; is the file cut short or no TORCS track?"
            ) from None
        if self.root is None:
            raise UserError(f"{self.source}: expected a <params> root, got no element at all")
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ELEMENTS or len(self.stack) >= MAX_DEPTH:
            raise UserError(
                f"{self.source}: expected at most {MAX_ELEMENTS} elements nested {MAX_DEPTH} deep; is it a TORCS track?"
            )
        name = attributes.get("name", "")
        if not self.stack:
            if tag != "params":
                raise UserError(f"{self.source}: expected a TORCS track file with root <params>, got <{tag[:40]}>")
            self.root = Section(name, self.source)
            self.stack.append(self.root)
            return
        parent = self.stack[-1]
        section: Section | None = None
        if parent is not None and tag == "section":
            section = Section(name, self.source)
            parent.children.append(section)
        elif parent is not None and tag == "attnum":
            parent.numbers[name] = (attributes.get("val", ""), attributes.get("unit", ""))
        elif parent is not None and tag == "attstr":
            parent.words[name] = attributes.get("val", "")
        self.stack.append(section)

    def _end(self, tag: str) -> None:
        self.stack.pop()
