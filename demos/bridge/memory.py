"""A drive on disk, so that an engine that was killed goes on where its renderer last saw it."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive

FORMAT = "paintover-engine-1"


@dataclass(frozen=True)
class Memory:
    """What a later process needs.

    Args:
        token, generation, next_seq: of the session on the bridge.
    """

    token: bytes | None
    generation: int
    next_seq: int


def write_memory(path: Path, setup: RaceSetup, camera: str, drive: Drive, memory: Memory) -> None:
    """Write all at once: a kill in between leaves the older file."""
    record = {
        "format": FORMAT,
        "setup": asdict(setup),
        "camera": camera,
        "token": memory.token.hex() if memory.token else "",
        "generation": memory.generation,
        "next_seq": memory.next_seq,
        "world": base64.b64encode(drive.world.save()).decode(),
        "rig": base64.b64encode(drive.rig.save()).decode(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.touch(mode=0o600)  # the token is a secret
    temporary.write_text(json.dumps(record), encoding="utf-8")
    os.replace(temporary, path)


def read_memory(path: Path, setup: RaceSetup, camera: str, drive: Drive) -> Memory | None:
    """Put the drive where the file left it; None if there is no file.

    Raises:
        UserError: the file is not one of ours, or of another race; it would be overwritten.
    """
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise ValueError(f"format {record['format']!r}")
        theirs, ours = {**record["setup"], "camera": record["camera"]}, {**asdict(setup), "camera": camera}
        memory = Memory(bytes.fromhex(record["token"]) or None, int(record["generation"]), int(record["next_seq"]))
        world, rig = base64.b64decode(record["world"]), base64.b64decode(record["rig"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} is not the memory of an engine ({error}); remove it or name another --memory"
        ) from None
    if differing := [name for name in ours if theirs.get(name) != ours[name]]:
        facts = ", ".join(f"{name} {theirs.get(name)!r} there, {ours[name]!r} here" for name in differing)
        raise UserError(f"{path} is the memory of another race ({facts}); name another --memory, or remove it")
    try:
        drive.world.restore(world)
        drive.rig.restore(rig)
    except Exception as error:  # whatever damaged bytes lead to
        raise UserError(f"{path} is damaged ({error}); remove it or name another --memory") from None
    return memory
