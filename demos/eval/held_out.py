"""The held-out suite: races on circuits and under looks that no training has seen, recorded once and kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from demos.options import parse_look
from diffusion_render.evaluate.footage import ScoredDrive
from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.reader import Session, open_session
from engine_sim.recording.record import record_session
from engine_sim.tracks.catalogue import split_of, track_names
from engine_sim.views.look import look_names, look_split

from .drives import MOVING, DriveOptions, session_drive

TRACKS = ("vineyard-hill", "lighthouse-point")
LOOKS = ("golden-hour", "clear-midday", "storm")
"""Of the suite unless others are asked for: roads through hills and along a coast, in warm, plain and dark light."""


@dataclass(frozen=True)
class SuitePlan:
    """What to drive: every track under every look.

    Args:
        tracks, looks: names; looks may be seeds.
        seconds: of each stream; the countdown before it is recorded too.
        width, height, fps: of the class maps.
        rivals, seed: of the races.

    Raises:
        UserError: a track or look that was trained on, or is not there.
    """

    tracks: tuple[str, ...] = TRACKS
    looks: tuple[str, ...] = LOOKS
    seconds: float = 60.0
    width: int = 448
    height: int = 256
    fps: int = 24
    rivals: int = 7
    seed: int = 1

    def __post_init__(self) -> None:
        known = track_names()
        for name in self.tracks:
            if name not in known:
                raise UserError(f"unknown track {name!r}; 'paintover tracks' lists them")
            if split_of(name) != "held-out":
                raise UserError(f"track {name!r} belongs to the train set: a suite scores what was held out")
        for name in self.looks:
            look = parse_look(name).look
            if name not in look_names() and look_split(look.seed) != "held-out":
                raise UserError(f"look {name!r} belongs to the train set: a suite scores what was held out")
        if not self.tracks or not self.looks:
            raise UserError("a suite needs at least one track and one look")

    @property
    def recorded(self) -> float:
        """Seconds that are recorded, from the grid on."""
        return MOVING + self.seconds

    def folder(self, out: Path, track: str, look: str) -> Path:
        """Where a drive is kept; its name says all that decides it."""
        place = f"{track.replace(':', '-')}-{look}".replace("/", "-")
        shape = f"{self.recorded:g}s-{self.width}x{self.height}-{self.fps}fps-{self.rivals}r-{self.seed}"
        return out / "drives" / f"{place}-{shape}"


def suite_drives(plan: SuitePlan, out: Path, options: DriveOptions, progress: bool) -> Iterator[ScoredDrive]:
    """Record what is missing and give every drive; the teacher view is drawn while it is scored."""
    options = options if options.start is not None else replace(options, start=MOVING)
    for track in plan.tracks:
        for look in plan.looks:
            folder = plan.folder(out, track, look)
            _record(plan, folder, track, look, progress)
            with session_drive(folder, options) as drive:
                yield ScoredDrive(f"{track} {look}", drive.footage, drive.references, drive.impulse, drive.notes)


def _record(plan: SuitePlan, folder: Path, track: str, look: str, progress: bool) -> None:
    if folder.is_dir():
        _check_whole(open_session(folder), plan)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    record_session(
        RaceSetup(track=track, seed=plan.seed, rivals=plan.rivals, laps=200),
        folder,
        plan.recorded,
        fps=plan.fps,
        size=(plan.width, plan.height),
        look=parse_look(look).look,
        progress=progress,
    )
    end = open_session(folder).header.finished
    if end is not None and end.reason == "interrupted":
        shutil.rmtree(folder)
        raise KeyboardInterrupt


def _check_whole(session: Session, plan: SuitePlan) -> None:
    wanted = round(plan.recorded * plan.fps)
    if len(session.frames) != wanted:
        raise UserError(f"{session.path} holds {len(session.frames)} of {wanted} frames; remove it and run again")
