"""One race in the window: keys to the loop, frames to the views, pictures and display to the screen."""

from __future__ import annotations

import time
from enum import Enum

import pygame

from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE

from .desk import Desk
from .game import Game
from .hud_paint import HudPainter
from .keyboard import Command
from .letterbox import Rect, share_at
from .loop import LoopConfig, PlayLoop, Turn
from .overlays import LookMenu, PromptLine
from .painter import PaintJob
from .photo.darkroom import Darkroom
from .photo.mode import PhotoMode
from .race_menu import open_pause
from .settings.help import help_lines
from .sound.hear import heard
from .sound.mixer import Speaker
from .sound.synth import CarSound

STALL_SECONDS = 0.5
"""A shorter stall is seen, and needs no words."""
LONGEST_NAP = 0.004
PHOTO_PATIENCE_S = 8.0
"""A photograph that was taken just before a race is left is still developed, if it takes no longer."""


class Next(Enum):
    """What comes after a race."""

    LEAVE = "leave"
    AGAIN = "again"
    HOME = "home"


ENDINGS = {Command.QUIT: Next.LEAVE, Command.HOME: Next.HOME, Command.RESTART: Next.AGAIN}


class Race:
    """Runs a game until it is left.

    Args:
        desk: window and views.
        game: at its start.
        home: there is a start screen to go back to.
    """

    def __init__(self, desk: Desk, game: Game, home: bool = False) -> None:
        self._desk, self._game, self._home = desk, game, home
        self._painter = HudPainter(game.plan)
        self._loop = PlayLoop(
            LoopConfig(desk.options.fps), time.perf_counter_ns, desk.inputs.read, game.tick, self._frame
        )
        self._held = False
        self._darkroom: Darkroom | None = None
        self._speaker = Speaker(desk.notices.say)
        self._turned_at = time.monotonic()

    def run(self) -> Next:
        """Race; returns what the player wants next."""
        try:
            return self._run()
        finally:
            self._speaker.close()
            if self._darkroom is not None:
                self._darkroom.close(PHOTO_PATIENCE_S)

    def _run(self) -> Next:
        desk, loop = self._desk, self._loop
        while True:
            pumped = desk.pump()
            ending = self._ending(pumped.commands)
            if ending is not None:
                return ending
            for command in pumped.commands:
                self._obey(command)
            if pumped.dragged is not None and desk.stage.wiping:
                desk.stage.wipe.put(share_at(pumped.dragged, desk.stage.size, desk.events.window.size))
            loop.paused = self._waits()
            turn = loop.turn()
            self._account_for(turn)
            fresh = desk.stage.poll() and not desk.stage.follows_paint
            painted = False
            if desk.studio is not None:
                painted = desk.studio.poll(loop.media, not loop.paused and not turn.lost_ticks)
                desk.studio.look_after()
            moved = self._advance()
            self._speaker.turn(desk.front.settings.sound, desk.front.settings.volume, self._heard)
            if self._game.news:
                desk.notices.say(self._game.news)
                self._game.news = ""
            if fresh or painted or moved:
                desk.show_live()
            if desk.events.window.visible and (fresh or painted or moved or desk.due):
                self._show()
                if desk.studio is not None and desk.stage.follows_paint:
                    desk.studio.link.shown()
            time.sleep(min(loop.seconds_to_next_tick(), LONGEST_NAP))

    def _ending(self, commands: list[Command]) -> Next | None:
        if Command.RESTART in commands and self._desk.options.record is not None and not self._game.replays:
            commands.remove(Command.RESTART)  # a recording holds one race
        return next((ENDINGS[command] for command in ENDINGS if command in commands), None)

    def _waits(self) -> bool:
        """True while the race stands still: on request, behind a menu, or in the background."""
        overlay, window = self._desk.events.overlay, self._desk.events.window
        away = self._desk.front.settings.pause_unfocused and not window.focused
        return self._held or away or (overlay is not None and overlay.pauses)

    def _advance(self) -> bool:
        """What moves by the wall's time and not by the race's; True if it looks different."""
        if self._darkroom is not None:
            self._darkroom.poll()
        now = time.monotonic()
        seconds, self._turned_at = min(0.1, now - self._turned_at), now
        return self._desk.stage.wipe.advance(seconds) and self._desk.stage.wiping

    def _frame(self, _number: int, late: bool) -> None:
        seen = not late and (self._desk.events.window.visible or self._desk.streams is not None)
        self._desk.stage.submit(self._game.frame(), self._desk.pumped_at, seen)

    def _account_for(self, turn: Turn) -> None:
        if turn.lost_ticks:
            self._desk.lost_ticks += turn.lost_ticks
            self._game.lost(turn.lost_ticks)
            if turn.lost_ticks >= STALL_SECONDS * TICK_RATE:
                self._desk.notices.say(f"stood still for {turn.lost_ticks / TICK_RATE:.1f} s")

    def _obey(self, command: Command) -> None:
        desk, say = self._desk, self._desk.notices.say
        if desk.inputs.command(command):  # asked for by the menu
            return
        if command is Command.PAUSE:
            self._held = not self._held
        elif command is Command.MENU:
            open_pause(desk, self._game.replays, self._home, self._take_look, self._take_prompt)
        elif command is Command.CAMERA:
            say(f"camera: {self._game.next_camera()}")
            desk.stage.submit(self._game.frame())
        elif command is Command.VIEW:
            say(f"view: {desk.stage.next_view()}")
        elif command is Command.LOOK:
            desk.events.overlay = LookMenu(
                [look.name.replace("-", " ") for look in desk.options.looks], desk.look, self._take_look
            )
        elif command is Command.PROMPT:
            self._open_prompt()
        elif command is Command.PHOTO:
            self._open_photo()
        elif command in (Command.WIPE_LEFT, Command.WIPE_RIGHT):
            self._wipe(1 if command is Command.WIPE_RIGHT else -1)
        elif command is Command.HELP:
            desk.help = not desk.help
        elif command is Command.FULL_SCREEN:
            desk.screen.toggle_full_screen()
        elif command is Command.SCREENSHOT:
            self._save_screenshot()
        desk.touch()

    def _take_look(self, number: int) -> None:
        desk = self._desk
        desk.look, desk.prompt = number, ""
        chosen = desk.options.looks[number]
        if desk.studio is None:
            desk.stage.set_look(chosen.look)
        else:
            desk.studio.look(chosen, self._game.frame())
        desk.notices.say(f"look: {chosen.name}")

    def _open_prompt(self) -> None:
        desk = self._desk
        if desk.studio is None:
            desk.notices.say("a prompt is for a renderer; these are the engine's own views")
            return
        desk.inputs.release_all()  # keys that are held come up unseen while somebody types
        desk.events.overlay = PromptLine(desk.prompt, self._take_prompt)

    def _take_prompt(self, text: str) -> None:
        desk = self._desk
        desk.prompt = text
        if desk.studio is not None:
            desk.studio.prompt(text)
        desk.notices.say(f"prompt: {text}" if text else "prompt: the look's own")

    def _open_photo(self) -> None:
        desk, options, track = self._desk, self._desk.options, self._game.drive.track
        if self._darkroom is None:
            job = PaintJob("teacher", options.width, options.height)
            self._darkroom = Darkroom(job, track, options.photos, desk.notices.say, desk.make_painter)
        name = f"{options.setup.track.replace(':', '-')}-{self._game.world.tick}"
        desk.events.overlay = PhotoMode(desk, self._game.frame(), track, self._darkroom, name)

    def _heard(self) -> CarSound:
        return CarSound() if self._loop.paused else heard(self._game.world)

    def _wipe(self, steps: int) -> None:
        stage = self._desk.stage
        if stage.wiping:
            stage.wipe.move(steps)
        else:
            self._desk.notices.say("the line belongs to the wiped views: V goes through the views")

    def _save_screenshot(self) -> None:
        desk = self._desk
        name = f"{desk.options.setup.track}-{self._game.world.tick}"
        try:
            desk.notices.say(f"saved {desk.screen.screenshot(desk.options.shots, name, desk.stage.shots())}")
        except UserError as error:
            desk.notices.say(str(error))

    def _show(self) -> None:
        self._desk.show(self._desk.stage.compose, self._overlay)

    def _overlay(self, surface: pygame.Surface, _picture: Rect) -> None:
        desk, painter, place = self._desk, self._painter, Rect(0, 0, *surface.get_size())
        overlay = desk.events.overlay
        covered = overlay is not None and overlay.pauses
        if not covered:
            painter.draw(surface, place, self._game.hud(), self._figures())
        standing = desk.studio.lines_on_show() if desk.studio is not None else []
        lines = [*standing, *(desk.stage.progress or desk.notices.lines())]
        if desk.help and not covered:
            page, pad = help_lines(desk.inputs.bindings), desk.inputs.on_pad
            painter.help(surface, place, page, pad, [*(["Paused"] if self._loop.paused else []), *lines])
        else:
            if self._loop.paused and not covered:
                painter.notice(surface, place, ["Paused"], place.height // 12, 0.5)
            if lines and not covered:
                painter.notice(surface, place, lines, max(12, place.height // 26))
        if overlay is not None:
            overlay.paint(surface, place, desk.painter)
        if covered and desk.notices.lines():
            height = 0.7 if isinstance(overlay, PhotoMode) else 0.88  # photo mode has its keys at the lower edge
            painter.notice(surface, place, desk.notices.lines(), max(12, place.height // 26), height)

    def _figures(self) -> str:
        """The small line of rates and times."""
        desk = self._desk
        counts = desk.stage.drawn()
        if desk.studio is None or not desk.stage.shows_paint:
            return desk.pace.text(counts)
        rates = desk.pace.text({**counts, "paint": desk.studio.link.pictures})
        return "   ".join(text for text in (rates, desk.studio.link.figures.text()) if text)
