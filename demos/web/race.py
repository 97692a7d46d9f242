"""One race in the browser: what pages ask for to the loop, frames to the views, pictures to the feed."""

from __future__ import annotations

import time
from typing import Any

from demos.play.game import Game
from demos.play.keyboard import Command
from demos.play.loop import LoopConfig, PlayLoop, Turn
from demos.play.paint_link import PaintLink
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE
from engine_sim.racing.controls import Controls

from . import actions as act
from .choices import choose
from .desk import WebDesk
from .feed import Shown, to_yuv

STALL_SECONDS = 0.5
"""A shorter stall is seen, and needs no words."""
LONGEST_NAP = 0.004
IDLE_NAP = 0.03
TELL_S = 0.1
LONGEST_RECORDING_S = 1800.0


class WebRace:
    """Runs a game until another one is wanted.

    Args:
        desk: views, devices, choices.
        game: at its start.
    """

    def __init__(self, desk: WebDesk, game: Game) -> None:
        self._desk, self._game = desk, game
        self._wants: str | None = None
        self._pressed = time.monotonic_ns()
        self._told_at = 0.0
        self._outline: Any = [[round(x, 4), round(y, 4)] for x, y in game.plan.outline.tolist()]
        self._loop = PlayLoop(
            LoopConfig(desk.options.fps), time.perf_counter_ns, desk.inputs.read, self._tick, self._frame
        )

    def run(self, leaves: Any) -> str | None:
        """Race until ``leaves()`` is true (None) or another race is wanted: ``again`` or ``record``."""
        desk, loop = self._desk, self._loop
        try:
            while self._wants is None and not leaves():
                self._pressed = time.monotonic_ns()
                asked = desk.take()
                for action in asked:
                    self._obey(action)
                loop.paused = desk.paused or not desk.watched
                self._account_for(loop.turn())
                self._show()
                self._tell(bool(asked))
                time.sleep(IDLE_NAP if loop.paused else min(loop.seconds_to_next_tick(), LONGEST_NAP))
        finally:
            self._end_recording()
        return self._wants

    def _tick(self, controls: Controls) -> None:
        try:
            self._game.tick(controls)
        except UserError as error:  # the disk, mostly; the tick itself has been made
            self._desk.outlet.notice(f"the recording ends: {error}")
            self._end_recording()

    def _frame(self, _number: int, late: bool) -> None:
        frame = self._game.frame()
        self._desk.remember(self._game, frame, self._pressed)
        self._desk.stage.submit(frame, self._pressed, not late)

    def _account_for(self, turn: Turn) -> None:
        if turn.lost_ticks:
            self._game.lost(turn.lost_ticks)
            if turn.lost_ticks >= STALL_SECONDS * TICK_RATE:
                self._desk.outlet.notice(f"stood still for {turn.lost_ticks / TICK_RATE:.1f} s")
        if self._desk.recording is not None and self._game.world.tick >= LONGEST_RECORDING_S * TICK_RATE:
            self._desk.outlet.notice(f"a recording ends after {LONGEST_RECORDING_S / 60:.0f} minutes")
            self._end_recording()

    # --- pictures

    def _show(self) -> None:
        desk, loop = self._desk, self._loop
        fresh = desk.stage.poll() and not desk.stage.follows_paint
        if desk.studio is not None:
            fresh = desk.studio.poll(loop.media, not loop.paused) or fresh
            desk.studio.look_after()
        if not fresh or not desk.watched:
            return
        shown = time.monotonic_ns()
        pixels = desk.stage.compose(*desk.stage.size)
        desk.outlet.picture(Shown(to_yuv(pixels), shown, self._note(shown)))
        if desk.studio is not None and desk.stage.follows_paint:
            desk.studio.link.shown()

    def _note(self, shown: int) -> dict[str, Any]:
        """What the page draws: the display of the very moment, and how long each stage of the picture took, ms."""
        desk = self._desk
        tick = desk.stage.tick
        moment = None if tick is None else desk.moments.get(tick)
        note: dict[str, Any] = {"tick": tick, "hud": None if moment is None else moment.hud}
        follows = desk.studio is not None and desk.stage.follows_paint
        stages = paint_stages(desk.studio.link) if follows and desk.studio is not None else {}
        if moment is not None:
            total = (shown - moment.pressed) / 1e6
            waiting = max(0.0, total - sum(stages.values()))
            note["stages"] = {**stages, "waiting": waiting} if follows else {"engine": total}
        return note

    def _tell(self, asked: bool) -> None:
        now = time.monotonic()
        if asked or now - self._told_at > TELL_S:
            self._told_at = now
            desk = self._desk
            lines = [*(desk.studio.lines_on_show() if desk.studio is not None else []), *desk.stage.progress]
            desk.tell("racing", lines, self._game.drive.rig.kind, self._outline)

    # --- what pages ask for

    def _obey(self, action: act.Action) -> None:
        desk = self._desk
        if isinstance(action, act.Do):
            self._command(action.command)
        elif isinstance(action, act.Record):
            self._record(action.on)
        elif not choose(desk, action, self._game.frame()):
            obey_device(desk, action)

    def _command(self, command: Command) -> None:
        desk = self._desk
        if desk.inputs.command(command):
            return
        if command is Command.PAUSE:
            desk.paused = not desk.paused
        elif command is Command.CAMERA:
            desk.outlet.notice(f"camera: {self._game.next_camera()}")
            desk.stage.submit(self._game.frame())
        elif command is Command.RESTART:
            self._wants = "again"

    # --- recording

    def _record(self, on: bool) -> None:
        if on and self._desk.recording is None:
            self._wants = "record"
        elif not on:
            self._end_recording()

    def _end_recording(self) -> None:
        """Complete the folder and hand it over; the race goes on without a tape."""
        desk = self._desk
        if desk.recording is None:
            return
        folder, desk.recording = desk.recording, None
        try:
            self._game.close()
        except UserError as error:
            desk.outlet.notice(f"the recording is cut short: {error}")
        fresh = Game(self._game.drive)
        fresh.started_tick = self._game.started_tick
        self._game = fresh
        desk.outlet.recorded(folder)


def obey_device(desk: WebDesk, action: act.Action) -> None:
    """What works at any time, a race or none: devices, and whether anybody is there."""
    if isinstance(action, act.Key):
        desk.inputs.key(action.scancode, action.down)
    elif isinstance(action, act.PadState):
        if desk.devices.pad(action):
            desk.outlet.notice(f"{action.name} connected")
    elif isinstance(action, act.PadGone):
        desk.devices.gone(action.instance)
    elif isinstance(action, act.Release):
        desk.devices.release_all()
    elif isinstance(action, act.Watch):
        desk.watched = action.on


def paint_stages(link: PaintLink) -> dict[str, float]:
    """Milliseconds that the engine and the renderer worked on the picture on show."""
    picture = link.showing
    if picture is None or "input" not in picture.stamps:
        return {}
    theirs = picture.renderer_stamps
    render = theirs.get("rendered", 0) - theirs.get("started", 0)
    return {
        "engine": max(0.0, (picture.stamps["drawn"] - picture.stamps["input"]) / 1e6),
        "renderer": max(0.0, render / 1e6),
    }
