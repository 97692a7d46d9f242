"""Class tables on the wire and the translation of a foreign table into ours (R-13, R-14, R-41, R-42)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..palette import ClassTable, SceneClass
from .faults import Fault, RemoteProtocolError

NONE = 255
"""Marks ids and colours that stand for no class; a table has ids 0 … 254."""
NEAR = 1
"""Colours that differ by no more than this in every channel are worth a note: a rounding error swaps them."""


def table_to_wire(table: ClassTable) -> dict[str, Any]:
    """TABLE of the specification."""
    return {"name": table.name, "hash": table.hash, "classes": [[c.id, c.name, list(c.color)] for c in table.classes]}


def table_from_wire(value: Mapping[str, Any]) -> ClassTable:
    """TABLE → ClassTable. RemoteProtocolError (BAD_TABLE, TABLE_DIFFERS): not injective, or the hash is wrong."""
    rows = tuple(SceneClass(int(i), name, (int(r), int(g), int(b))) for i, name, (r, g, b) in value["classes"])
    try:
        table = ClassTable(value["name"], rows)
    except ValueError as error:
        raise RemoteProtocolError(Fault.BAD_TABLE, str(error)[:1000]) from None
    if table.hash != value["hash"]:
        text = f"the class table {table.name!r} hashes to {table.hash}, its 'hash' says {value['hash']}"
        raise RemoteProtocolError(Fault.TABLE_DIFFERS, text, {"theirs": dict(value)})
    return table


def translation(
    ours: ClassTable, theirs: ClassTable, mapping: Mapping[str, str] | None, otherwise: str | None
) -> NDArray[np.uint8] | None:
    """Lookup from their ids to ours, uint8 ``[256]`` with NONE for ids that they do not have; None when ids agree.

    Args:
        ours: the renderer's table.
        theirs: the engine's.
        mapping: their class name → our class name.
        otherwise: our class for theirs that ``mapping`` leaves out.

    Raises:
        RemoteProtocolError: TABLE_DIFFERS with both tables, UNMAPPED_CLASS with the names, or UNKNOWN_TARGET.
    """
    if ours.hash == theirs.hash:
        return None
    if mapping is None:
        text = f"our class table is {ours.name!r} {ours.hash}, yours {theirs.name!r} {theirs.hash}; send a 'mapping'"
        raise RemoteProtocolError(
            Fault.TABLE_DIFFERS, text, {"ours": table_to_wire(ours), "theirs": table_to_wire(theirs)}
        )
    known = {c.name: c.id for c in ours.classes}
    for target in sorted({*mapping.values(), *([otherwise] if otherwise is not None else [])}):
        if target not in known:
            text = f"no class {target!r} here; the table {ours.name!r} has {', '.join(known)}"
            raise RemoteProtocolError(Fault.UNKNOWN_TARGET, text[:4000], {"target": target})
    missing = [c.name for c in theirs.classes if c.name not in mapping]
    if missing and otherwise is None:
        text = f"classes without a mapping, and no 'otherwise': {', '.join(missing)}"
        raise RemoteProtocolError(Fault.UNMAPPED_CLASS, text[:4000], {"classes": missing})
    lut = np.full(256, NONE, np.uint8)
    for c in theirs.classes:
        lut[c.id] = known[mapping.get(c.name, otherwise or "")]
    return lut


def close_colors(table: ClassTable) -> list[str]:
    """Notes on pairs of colours so near that rounding can swap them."""
    notes = []
    colors = [(c.name, np.array(c.color, int)) for c in table.classes]
    for k, (name, color) in enumerate(colors):
        for other, its in colors[k + 1 :]:
            if np.abs(color - its).max() <= NEAR:
                notes.append(f"colours of {name!r} and {other!r} differ by {NEAR} level only")
    return notes


def check_ids(class_map: NDArray[np.uint8], count: int) -> None:
    """R-41. RemoteProtocolError with the first bad pixel in row order."""
    if int(np.maximum.reduce(class_map, axis=None)) < count:
        return
    row, column = divmod(int(np.argmax(class_map >= count)), class_map.shape[1])
    value = int(class_map[row, column])
    text = f"unknown class id {value} at row {row}, column {column}; the table has ids 0 … {count - 1}"
    raise RemoteProtocolError(Fault.UNKNOWN_CLASS, text, {"row": row, "column": column, "id": value})


def ids_of_colors(picture: NDArray[np.uint8], table: ClassTable) -> NDArray[np.uint8]:
    """RGB uint8 ``[H, W, 3]`` → class map, exact matches only (R-42).

    Raises:
        RemoteProtocolError: FOREIGN_COLORS with their share and the first place.
    """
    wide = picture.astype(np.uint32)
    class_map = _color_lookup(table)[(wide[..., 0] << 16) | (wide[..., 1] << 8) | wide[..., 2]]
    foreign = int(np.count_nonzero(class_map == NONE))
    if foreign == 0:
        return class_map
    row, column = divmod(int(np.argmax(class_map == NONE)), class_map.shape[1])
    share = foreign / class_map.size
    color = tuple(int(v) for v in picture[row, column])
    text = (
        f"{foreign} of {class_map.size} pixels ({share:.2%}) have a colour of no class, the first {color} at "
        f"row {row}, column {column}: was the picture smoothed, scaled or sent through a lossy format?"
    )
    raise RemoteProtocolError(Fault.FOREIGN_COLORS, text, {"share": share, "row": row, "column": column})


@lru_cache(maxsize=4)
def _color_lookup(table: ClassTable) -> NDArray[np.uint8]:
    """uint8 ``[2^24]``, 16 MiB: one load a pixel, where searching a sorted table costs ten times as much."""
    lookup = np.full(1 << 24, NONE, np.uint8)
    for c in table.classes:
        r, g, b = c.color
        lookup[(r << 16) | (g << 8) | b] = c.id
    return lookup
