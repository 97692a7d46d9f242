"""The settings' file: in the platform's folder for such files, written whole, read with patience."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from engine_sim.core.errors import UserError
from engine_sim.recording.fields import read_json, write_json

from .values import Settings, from_json, to_json

FOLDER_VARIABLE = "PAINTOVER_CONFIG"
FILE = "settings.json"


def config_folder() -> Path:
    """Where settings live: the folder that PAINTOVER_CONFIG names, or the platform's own."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "paintover"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "paintover"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "paintover"


class Store:
    """Reads the settings once, writes them when they change.

    Args:
        folder: where the file is.

    Attributes:
        settings: in force.
        problem: one line for the player if the file could not be used, else empty.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or config_folder()) / FILE
        self.problem = ""
        self.settings = Settings()
        if self.path.exists():
            try:
                self.settings = from_json(read_json(self.path), str(self.path))
            except UserError as error:
                self.problem = f"settings are back to what they were at first: {error}"

    def put(self, settings: Settings) -> str:
        """Change and write them; what is wrong if they cannot be written, else nothing. They hold all the same."""
        changed, self.settings = settings != self.settings, settings
        if not changed:
            return ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._set_aside()
            write_json(self.path, to_json(settings))
        except (OSError, UserError) as error:
            return f"settings hold until the end, but are not kept: {error}"
        return ""

    def _set_aside(self) -> None:
        """A file that could not be read may be somebody's work: it is kept under another name."""
        if self.problem:
            self.problem = ""
            with contextlib.suppress(OSError):
                self.path.replace(self.path.with_suffix(".broken.json"))
