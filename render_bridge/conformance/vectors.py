"""Vector files: JSON with every frame in hexadecimal, and the message as plain fields (binary fields as hexadecimal).

``python -m render_bridge.conformance.vectors`` writes them anew, and the worked example into PROTOCOL.md; needed only
when the wire format changes, which is a new version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..protocol.codec import Wire, decode, encode
from ..protocol.message_base import Message
from ..protocol.messages import MESSAGES
from .content_samples import encodings, tables, variants, websocket
from .illegal_samples import illegal
from .samples import legal, worked_example

FOLDER = Path(__file__).parent / "vectors"
BYTES_SHOWN = 32


def read_vectors(name: str) -> list[dict[str, Any]]:
    """Rows of a vector file, one of MAKERS."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["vectors"]


def wire_of(row: Mapping[str, Any]) -> Wire:
    """Frames of a row."""
    return [bytes.fromhex(text) for text in row["frames"]]


def message_to_json(message: Message) -> dict[str, Any]:
    """Type name and header fields; bytes become ``{"hex": …}``."""
    return {"type": type(message).__name__.upper(), "fields": _plain(message.header())}


def message_from_json(value: Mapping[str, Any], buffers: Wire) -> Message:
    """The message that ``message_to_json`` wrote, with these buffers."""
    cls = next(c for c in MESSAGES.values() if c.__name__.upper() == value["type"])
    fields = {k: _rich(v) for k, v in value["fields"].items()}
    extra = {k: v for k, v in fields.items() if k.startswith("x-")}
    own = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items() if k not in extra}
    return cls(buffers=tuple(buffers), extra=extra, **own)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _rich(value: Any) -> Any:
    if isinstance(value, dict):
        return bytes.fromhex(value["hex"]) if set(value) == {"hex"} else {k: _rich(v) for k, v in value.items()}
    return [_rich(v) for v in value] if isinstance(value, list) else value


def _rows(messages: Mapping[str, Message]) -> list[dict[str, Any]]:
    return [
        {"name": name, "message": message_to_json(m), "frames": [bytes(b).hex() for b in encode(m)]}
        for name, m in messages.items()
    ]


def _variant_rows() -> list[dict[str, Any]]:
    return [
        {"name": name, "message": message_to_json(decode(wire)), "frames": [bytes(b).hex() for b in wire]}
        for name, wire in variants().items()
    ]


def _illegal_rows() -> list[dict[str, Any]]:
    return [
        {"name": name, "rule": i.rule, "code": int(i.fault), "frames": [bytes(b).hex() for b in i.wire]}
        for name, i in illegal().items()
    ]


def example_text() -> str:
    """The worked example as PROTOCOL.md shows it."""
    lines = []
    for name, message in worked_example().items():
        lines += [f"{name} ({type(message).__name__.upper()}):", ""]
        for wire in encode(message):
            words = bytes(wire).hex(" ").split()
            rows = [words[k : k + BYTES_SHOWN] for k in range(0, len(words), BYTES_SHOWN)]
            lines += ["    " + " ".join(row) for row in rows]
            lines.append("")
    return "\n".join(lines)


MAKERS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "worked_example": lambda: _rows(worked_example()),
    "legal": lambda: _rows(legal()),
    "variants": _variant_rows,
    "illegal": _illegal_rows,
    "tables": tables,
    "encodings": encodings,
    "websocket": websocket,
}
"""Every vector file, by its name."""


def write_all(document: Path) -> None:
    """Write the vector files and the example in the document."""
    FOLDER.mkdir(exist_ok=True)
    for name, make in MAKERS.items():
        rows = make()
        text = json.dumps({"protocol": 1, "vectors": rows}, indent=1, ensure_ascii=True)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    before, _, rest = document.read_text(encoding="utf-8").partition("<!-- example -->\n")
    _, _, after = rest.partition("<!-- /example -->")
    text = f"{before}<!-- example -->\n\n{example_text()}<!-- /example -->{after}"
    document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_all(Path(__file__).parents[2] / "docs" / "PROTOCOL.md")
