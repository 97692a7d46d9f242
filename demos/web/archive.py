"""Recordings as zip files, each at an address that only the driver is told."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
import zipfile
from pathlib import Path

KEPT = 3


class Archives:
    """The last few recordings of a session; gone with it."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="paintover-zip-"))
        self._packed: dict[str, Path] = {}

    async def pack(self, folder: Path) -> str:
        """Pack a session folder and remove it; returns the secret part of its address. OSError if the disk refuses."""
        secret = secrets.token_urlsafe(24)
        path = self._folder / secret / f"{folder.name}.zip"
        await asyncio.get_running_loop().run_in_executor(None, pack_folder, folder, path)
        self._packed[secret] = path
        while len(self._packed) > KEPT:
            oldest = self._packed.pop(next(iter(self._packed)))
            shutil.rmtree(oldest.parent, ignore_errors=True)
        return secret

    def find(self, secret: str) -> Path:
        """The zip file of an address. KeyError if there is none, or none any more."""
        return self._packed[secret]

    def close(self) -> None:
        """Remove all."""
        shutil.rmtree(self._folder, ignore_errors=True)


def pack_folder(folder: Path, path: Path) -> None:
    """A folder into a new zip file, under its own name, and away with it. OSError if the disk refuses."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    if not files:
        raise FileNotFoundError(f"nothing was recorded in {folder}")
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:  # logs and videos are packed already
        for file in files:
            packed.write(file, f"{folder.name}/{file.relative_to(folder).as_posix()}")
    shutil.rmtree(folder, ignore_errors=True)
