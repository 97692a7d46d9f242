"""One legal message of each kind: a source of the vector files."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..palette import ClassTable, SceneClass
from ..protocol.encodings import encode_plane
from ..protocol.message_base import Message
from ..protocol.messages import Ack, Bye, Control, Credit, Error, Frame, Hello, Picture, Ping, Pong, Receipt, Welcome
from ..protocol.planes import PLANES
from ..protocol.tables import table_to_wire

PAIR = ClassTable("pair-1", (SceneClass(0, "road", (90, 90, 96)), SceneClass(1, "sky", (122, 178, 242))))
"""A two-class table for examples."""
FOREIGN = ClassTable("ß-1", (SceneClass(0, "straße", (0, 0, 0)), SceneClass(1, "é", (255, 255, 255))))
TOKEN = bytes(range(16))
INSTANCE = bytes(range(8))
MAP = np.array([[1, 1, 1, 1], [0, 0, 1, 0]], np.uint8)
"""A class map of 4 × 2 pixels: sky over road, with one pixel that tells left from right."""
MATRIX = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -2.5, 0.0, 0.0, 0.0, 1.0)


def hello(**changes: Any) -> Hello:
    """A legal greeting of 4 × 2 pixels."""
    values: dict[str, Any] = {
        "engine": "example", "instance": INSTANCE, "attempt": 1, "mode": "play", "width": 4, "height": 2,
        "rate": (24, 1), "tick_rate": 120, "table": table_to_wire(PAIR), "form": "ids",
        "encodings": ("raw",), "planes": (), "generation": 0, "next_seq": 0,
    }  # fmt: skip
    return Hello(**{**values, **changes})


def frame(**changes: Any) -> Frame:
    """A legal frame of 4 × 2 pixels."""
    values: dict[str, Any] = {
        "generation": 0, "grant": 0, "seq": 0, "tick": 0, "skipped": 0, "encoding": "raw", "planes": (),
        "plane_encodings": (), "stamps": {"drawn": 1000}, "last": False, "buffers": (MAP.tobytes(),),
    }  # fmt: skip
    return Frame(**{**values, **changes})


def welcome(**changes: Any) -> Welcome:
    """A legal answer to ``hello()``."""
    values: dict[str, Any] = {
        "renderer": "example", "attempt": 1, "session": TOKEN, "resumed": False, "generation": 0,
        "table_name": PAIR.name, "table_hash": PAIR.hash, "encoding": "raw", "planes": (), "run": 1, "first_run": 1,
        "window": 4, "heartbeat_ms": 250, "dead_ms": 1000, "chunk": 0, "notes": (),
    }  # fmt: skip
    return Welcome(**{**values, **changes})


def picture(**changes: Any) -> Picture:
    """A legal answer to ``frame()``."""
    values: dict[str, Any] = {
        "generation": 0, "seq": 0, "tick": 0, "chunk": 0, "width": 4, "height": 2, "encoding": "raw",
        "stamps": {"drawn": 1000}, "renderer_stamps": {"received": 5, "started": 6, "rendered": 7, "sent": 8},
        "buffers": (PAIR.colorize(MAP).tobytes(),),
    }  # fmt: skip
    return Picture(**{**values, **changes})


def worked_example() -> dict[str, Message]:
    """The dialogue of PROTOCOL.md section 13, in order."""
    return {
        "engine greets": hello(),
        "renderer takes it in": welcome(),
        "renderer grants a run of one frame": Credit(generation=0, grant=0, frames=1),
        "engine sends a class map": frame(),
        "renderer answers with a picture": picture(),
        "engine has read it": Ack(acknowledged=0),
    }


def legal() -> dict[str, Message]:
    """A legal message of each kind, and of each shape that kinds can have."""
    depth = np.array([[1.5, 2.0, 65504, 65504], [1, 1, 65504, 1]], np.float16)
    wide = hello(
        mode="record", mapping={"road": "road", "sky": "sky"}, otherwise="terrain", form="colors",
        encodings=("zstd", "raw"), planes=tuple(p.offer() for p in PLANES.values()), generation=3,
        next_seq=1 << 40, resume=TOKEN,
    )  # fmt: skip
    guided = frame(
        planes=("depth",), plane_encodings=("raw",), view=MATRIX, projection=MATRIX, last=True,
        stamps={"input": 900, "drawn": 1000, "sent": 1100}, buffers=(MAP.tobytes(), depth.tobytes()),
    )  # fmt: skip
    return {
        **worked_example(),
        "hello with everything": wide,
        "welcome to a resumed session": welcome(resumed=True, last_seq=7, last_tick=35, notes=("a note",)),
        "run-length class map": frame(encoding="rle", buffers=(encode_plane(MAP, "rle"),)),
        "frame with a guide plane, camera and end": guided,
        "unknown x- field": frame(extra={"x-weather": {"rain": 0.5, "wind": [1, 2]}}),
        "prompt": Control(id=1, generation=0, kind="prompt", text="a wet road at dusk, naïve ✓"),
        "look": Control(id=2, generation=0, kind="look", width=4, height=2,
                        buffers=(PAIR.colorize(MAP).tobytes(), MAP.tobytes())),
        "look with a prompt": Control(id=5, generation=0, kind="look", text="dusk", width=1, height=1,
                                      buffers=(b"\x01\x02\x03", b"\x00")),
        "look with its camera": Control(id=8, generation=0, kind="look", width=4, height=2, view=MATRIX,
                                        projection=MATRIX, buffers=(PAIR.colorize(MAP).tobytes(), MAP.tobytes())),
        "look with half of its camera": Control(id=9, generation=0, kind="look", width=1, height=1, view=MATRIX,
                                                buffers=(b"\x01\x02\x03", b"\x00")),
        "prompt that says nothing": Control(id=6, generation=0, kind="prompt", text=""),
        "reset that keeps its seed": Control(id=7, generation=1, kind="reset"),
        "reset": Control(id=3, generation=1, kind="reset", seed=(1 << 64) - 1),
        "schedule": Control(id=4, generation=1, kind="schedule", schedule={"chunk": 1, "steps": 2}),
        "hello with names beyond ASCII": hello(table=table_to_wire(FOREIGN), mapping={"straße": "road", "é": "sky"}),
        "received": Receipt(id=1, generation=0, stage="received"),
        "in force": Receipt(id=1, generation=0, stage="in_force", chunk=12),
        "refused": Receipt(id=4, generation=1, stage="refused", text="no schedule here"),
        "ping": Ping(id=1, time=-5),
        "pong": Pong(id=1, time=-5, received=10, sent=11),
        "bye": Bye(text="the race is over"),
        "error": Error(code=300, name="unknown_class", text="unknown class id 9", fatal=False, about_type=2,
                       about_seq=4, about_grant=2, details={"row": 0, "column": 3, "id": 9}),
    }  # fmt: skip
