"""Recordings as zip files, each at an address that only the driver is told; how far packing is, and calling it off."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

KEPT = 3
BLOCK = 1 << 20
TELL_S = 0.2
Tell = Callable[[dict[str, Any]], None]


class CalledOff(Exception):
    """Nobody wants this archive any more."""


class Packing:
    """One session folder on its way into a zip file; read and called off from any thread.

    Args:
        folder: complete; it is gone afterwards, whatever happens.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = sorted(file for file in folder.rglob("*") if file.is_file())
        self.bytes = sum(file.stat().st_size for file in self.files)
        self.done = 0
        self._off = threading.Event()

    def call_off(self) -> None:
        """End it soon; nothing is kept."""
        self._off.set()

    def into(self, path: Path) -> None:
        """Pack, under the folder's own name. Of an archive that is not whole nothing is left.

        Raises:
            CalledOff: nobody wants it any more.
            OSError: the disk refuses, or there is nothing to pack.
        """
        try:
            if not self.files:
                raise FileNotFoundError(f"nothing was recorded in {self.folder}")
            path.parent.mkdir()
            with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:  # logs and videos are packed already
                for file in self.files:
                    self._add(packed, file)
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _add(self, packed: zipfile.ZipFile, file: Path) -> None:
        name = f"{self.folder.name}/{file.relative_to(self.folder).as_posix()}"
        about = zipfile.ZipInfo.from_file(file, name)
        with file.open("rb") as source, packed.open(about, "w", force_zip64=True) as target:
            while block := source.read(BLOCK):
                if self._off.is_set():
                    raise CalledOff
                target.write(block)
                self.done += len(block)


class Archives:
    """The last few recordings of a session; gone with it. Packs one at a time.

    Args:
        tell: takes ``{"type": "packing", …}`` while something is packed, and once more when that is over.
    """

    def __init__(self, tell: Tell = lambda message: None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="paintover-zip-"))
        self._packed: dict[str, Path] = {}
        self._tell = tell
        self._turn = asyncio.Lock()
        self._present: Packing | None = None

    async def pack(self, folder: Path) -> str:
        """Pack a session folder and remove it; returns the secret part of its address.

        Raises:
            CalledOff: it was called off.
            OSError: the disk refuses.
        """
        secret = secrets.token_urlsafe(24)
        path = self._folder / secret / f"{folder.name}.zip"
        async with self._turn:
            await self._pack(Packing(folder), path)
        self._packed[secret] = path
        while len(self._packed) > KEPT:
            oldest = self._packed.pop(next(iter(self._packed)))
            shutil.rmtree(oldest.parent, ignore_errors=True)
        return secret

    async def _pack(self, packing: Packing, path: Path) -> None:
        self._present = packing
        work = asyncio.get_running_loop().run_in_executor(None, packing.into, path)
        try:
            while not work.done():
                self._tell(self.note())
                await asyncio.wait([work], timeout=TELL_S)
            work.result()
        finally:
            packing.call_off()  # if we were cancelled, the thread need not go on
            self._present = None
            self._tell(self.note())

    def note(self) -> dict[str, Any]:
        """What is being packed now, and how far it is; an empty name for nothing."""
        present = self._present
        name, done, size = ("", 0, 0) if present is None else (present.folder.name, present.done, present.bytes)
        return {"type": "packing", "name": name, "done": done, "bytes": size}

    def call_off(self) -> bool:
        """Give up what is being packed; False if nothing is."""
        if self._present is None:
            return False
        self._present.call_off()
        return True

    def find(self, secret: str) -> Path:
        """The zip file of an address. KeyError if there is none, or none any more."""
        return self._packed[secret]

    def close(self) -> None:
        """Remove all."""
        shutil.rmtree(self._folder, ignore_errors=True)
