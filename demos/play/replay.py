"""A recording in the window: its inputs drive the race again; views, looks and photos are as in play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from demos.options import NamedLook
from engine_sim.racing.controls import Controls
from engine_sim.recording.drive import Drive, setup_from_json
from engine_sim.recording.reader import Session, open_session
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import Track
from engine_sim.views.look import Look

from .game import Game, Loader, PlayOptions
from .hud import Hud
from .preparing import compiled_drive, preparation
from .sessions import read_header

CHECK_TICKS = 120
END = "End of the recording"


class PlayedBack(Game):
    """A race that its recording drives; at its end the world stands still.

    Args:
        drive: at its start.
        session: the recording.
    """

    replays = True

    def __init__(self, drive: Drive, session: Session) -> None:
        super().__init__(drive)
        self._session = session
        self._parted = False

    @property
    def over(self) -> bool:
        """True once all has been played."""
        return self.drive.tick >= self._session.ticks

    def tick(self, _controls: Controls) -> None:
        """One recorded tick; what keys say is not heard."""
        now = self.drive.tick
        if now % CHECK_TICKS == 0 and not self._parted and self.world.hash() != self._session.hashes[now]:
            self._parted = True
            self.news = f"this drive has parted from its recording by {now / 120:.0f} s; `paintover replay` says where"
        if not self.over:
            super().tick(self._session.inputs[now])

    def hud(self) -> Hud:
        """As in a race, with a word at the end."""
        hud = super().hud()
        return replace(hud, banner=END) if self.over else hud


class ReplayLoader(Loader):
    """Opens a recording where a race would be set up.

    Args:
        folder: of the session.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._session: Session | None = None

    def again(self, options: PlayOptions) -> PlayOptions:
        """The same drive once more."""
        return options

    def place(self, options: PlayOptions, progress: Callable[[str], None]) -> Track:
        """The recording's circuit. UserError if the session or the circuit cannot be read."""
        progress("reading the recording")
        if self._session is None:
            self._session = open_session(self._folder)
        return load_track(options.setup.track)

    def game(self, options: PlayOptions, place: Track, progress: Callable[[str], None]) -> Game:
        """The drive at its start."""
        assert self._session is not None, "the place comes first"
        progress(preparation("preparing the race"))
        return PlayedBack(compiled_drive(options.setup, options.camera, place), self._session)


def replay_options(folder: Path, options: PlayOptions) -> PlayOptions:
    """Options that show a recording as it was made, with the views and the renderer of ``options``.

    Raises:
        UserError: no session of this version.
    """
    header = read_header(folder)
    looks = options.looks
    if header.look is not None:
        looks = (NamedLook("as-recorded", Look.from_dict(header.look)), *looks)
    return replace(
        options,
        setup=setup_from_json(header.setup, f"{folder}: setup"),
        looks=looks,
        camera=header.camera,
        width=header.width,
        height=header.height,
        fps=header.fps,
        record=None,
    )
