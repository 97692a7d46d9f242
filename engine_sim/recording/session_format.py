"""What a session folder is: names, header, and the bytes of each record.

A session folder holds one drive::

    session.json     the header below; ``finished`` is null until the recording has ended in order
    inputs.log       per tick t: the controls that act on state t and lead to state t + 1
    hashes.log       state hash of tick 0, 1, 2 …, and a byte for each column of the state to name the one that differs
    frames.log       per video frame: tick, camera, cars, hash of its class map
    maps.log         class maps, zstd, a few frames a record
    timeline.jsonl   events as they happened, one JSON object a line, each with its CRC-32
    teacher.mp4      optional: the teacher view as H.264 (fragmented, so that it plays after a crash)
    teacher.log      optional: the teacher view without loss, zstd RGB, one frame a record

The logs are those of ``record_log``, their records those of ``records``. Every file carries the ``session_id`` of the
header, so that a file of another session is noticed: the head of a log and the comment of the video hold it, and the
CRC-32 of an event starts with it. Frame k shows the state at its tick; tick 1200 is shown at 10.0 s. Numbers are
little-endian; floats are float64 and read back bit for bit. Nothing here is ever unpickled.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from importlib import metadata
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import RACING, ClassTable

from ..core.errors import UserError
from ..core.state import state_hash
from ..core.ticks import FRAME_RATES, TICK_RATE
from .fields import Fields

FORMAT = "paintover-session-2"
HEADER_FILE = "session.json"
INPUTS, HASHES, FRAMES, MAPS, TEACHER = "inputs.log", "hashes.log", "frames.log", "maps.log", "teacher.log"
TIMELINE_FILE, TEACHER_VIDEO = "timeline.jsonl", "teacher.mp4"
CAMERAS = ("chase", "cockpit", "trackside")
TEACHER_KINDS = ("none", "mp4", "lossless")
MAX_SIDE = 8192
MAX_CARS = 64
MAPS_PER_RECORD = 8
"""Frames of one record of maps.log: a killed process loses at most a third of a second at 24 fps."""


class Finish(NamedTuple):
    """How a recording ended: counts, and ``done`` or ``interrupted``."""

    ticks: int
    frames: int
    events: int
    reason: str


@dataclass(frozen=True)
class SessionHeader:
    """The content of ``session.json``.

    Args:
        setup: the fields of RaceSetup.
        track_hash: over the track's arrays: the rules stand on them.
        scene_hash: over ground and scenery: only pictures stand on them.
        look: the look as a dictionary, or None where no teacher view was asked for.
        camera: kind of the camera.
        fps: video frames a second; divides 120.
        width, height: of every class map.
        backend: of the class view, ``gl`` or ``cpu``.
        renderer: what drew the class maps, by its full name; map hashes hold for this name only.
        teacher: ``none``, ``mp4`` or ``lossless``.
        teacher_codec: name of the encoder of ``teacher.mp4``, else empty.
        cars: number of cars, the player's included.
        state_fields: names of the state's columns, in the order of the bytes in hashes.log.
        package: distribution and version that wrote it.
        session_id: what its files are marked with: at most 16 ASCII characters, given by the writer if empty.
        teacher_hash: of the bytes of ``teacher.mp4`` once finished, else empty.
        finished: None while it is being written, and for ever after a crash.
    """

    setup: dict[str, Any]
    track_hash: str
    scene_hash: str
    look: dict[str, Any] | None
    camera: str
    fps: int
    width: int
    height: int
    backend: str
    renderer: str
    teacher: str
    teacher_codec: str
    cars: int
    state_fields: tuple[str, ...]
    package: str
    session_id: str = ""
    teacher_hash: str = ""
    finished: Finish | None = None

    @property
    def ticks_per_frame(self) -> int:
        """Ticks from one video frame to the next."""
        return TICK_RATE // self.fps

    def to_json(self, table: ClassTable = RACING) -> dict[str, Any]:
        """The header as JSON values, format tag and class table included."""
        fields = dataclasses.asdict(self)
        fields["state_fields"] = list(self.state_fields)
        fields["finished"] = self.finished._asdict() if self.finished else None
        value = {"format": FORMAT, "tick_rate": TICK_RATE, "classes": class_table_json(table), **fields}
        return {**value, "checksum": json_checksum(value)}

    @staticmethod
    def from_json(value: Any, where: str, table: ClassTable = RACING) -> SessionHeader:
        """Read a header back. UserError naming the field, or both hashes if the class table is another one."""
        fields = Fields(value, where)
        if fields.value.get("format") != FORMAT:
            raise UserError(f"{where}: format must be {FORMAT!r}, got {str(fields.value.get('format'))[:60]!r}")
        check_class_table(fields.inner("classes"), table)
        rest = {name: v for name, v in fields.value.items() if name != "checksum"}
        if fields.text("checksum", longest=64) != json_checksum(rest):
            raise UserError(f"{where}: the checksum does not fit the fields; the file was damaged or edited")
        fields.integer("tick_rate", TICK_RATE, TICK_RATE)
        look = fields.maybe("look")
        finished = fields.maybe("finished")
        header = SessionHeader(
            setup=fields.inner("setup").value,
            track_hash=fields.text("track_hash", longest=64),
            scene_hash=fields.text("scene_hash", longest=64),
            look=look.value if look else None,
            camera=fields.text("camera", CAMERAS),
            fps=fields.integer("fps", 1, TICK_RATE),
            width=fields.integer("width", 1, MAX_SIDE),
            height=fields.integer("height", 1, MAX_SIDE),
            backend=fields.text("backend", ("gl", "cpu")),
            renderer=fields.text("renderer"),
            teacher=fields.text("teacher", TEACHER_KINDS),
            teacher_codec=fields.text("teacher_codec"),
            cars=fields.integer("cars", 1, MAX_CARS),
            state_fields=fields.texts("state_fields", longest=1024),
            package=fields.text("package"),
            session_id=fields.text("session_id", longest=16),
            teacher_hash=fields.text("teacher_hash", longest=64),
            finished=_finish(finished) if finished else None,
        )
        if not header.session_id.isascii():
            raise UserError(f"{where}: session_id must be ASCII, got {header.session_id!r}")
        if header.fps not in FRAME_RATES:
            raise UserError(f"{where}: fps must be one of {FRAME_RATES}, got {header.fps}")
        return header


def _finish(fields: Fields) -> Finish:
    limit = 1 << 40
    reason = fields.text("reason", ("done", "interrupted"))
    ticks, frames, events = (fields.integer(name, 0, limit) for name in ("ticks", "frames", "events"))
    return Finish(ticks, frames, events, reason)


def json_checksum(value: dict[str, Any]) -> str:
    """16 hex digits of SHA-256 over the canonical JSON of an object."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def class_table_json(table: ClassTable) -> dict[str, Any]:
    """Name, hash and rows of a class table, as every recording carries them."""
    rows = [[c.id, c.name, list(c.color)] for c in table.classes]
    return {"name": table.name, "hash": table.hash, "rows": rows}


def check_class_table(fields: Fields, table: ClassTable) -> None:
    """Refuse a recording whose class ids mean something else; the message has both hashes."""
    name, found = fields.text("name", longest=80), fields.text("hash", longest=80)
    if found != table.hash:
        raise UserError(
            f"{fields.where}: expected class table {table.name!r} with hash {table.hash}, got {name!r} with hash "
            f"{found}; its ids mean other classes here: record it again with this version"
        )


def package_version() -> str:
    """``paintover VERSION``; ``paintover source`` when it runs without being installed."""
    try:
        return f"paintover {metadata.version('paintover')}"
    except metadata.PackageNotFoundError:
        return "paintover source"


def scene_hash(track: Any) -> str:
    """16 hex digits over ground and scenery of a Track."""
    ground = track.ground
    frame = np.array([ground.x0, ground.y0, ground.cell], np.float64)
    return state_hash((frame, ground.z, ground.cover.astype(np.int64), scenery_words(track.scenery)))


def scenery_words(scenery: NDArray[np.void]) -> NDArray[np.float64]:
    """Every field of the scenery as float64 ``[n, fields]``: exact, and free of padding bytes."""
    columns = [scenery[name].astype(np.float64) for name in scenery.dtype.names or ()]
    return np.ascontiguousarray(np.stack(columns, axis=1))
