"""One race in the window: keys to the loop, frames to the views, pictures and display to the screen."""

from __future__ import annotations

import time

import pygame

from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE

from .desk import Desk
from .game import Game
from .hud_paint import HudPainter
from .keyboard import Command
from .letterbox import Rect
from .loop import LoopConfig, PlayLoop, Turn
from .overlays import LookMenu, PromptLine

STALL_SECONDS = 0.5
"""A shorter stall is seen, and needs no words."""
LONGEST_NAP = 0.004


class Race:
    """Runs a game until it is left.

    Args:
        desk: window and views.
        game: at its start.
    """

    def __init__(self, desk: Desk, game: Game) -> None:
        self._desk, self._game = desk, game
        self._painter = HudPainter(game.plan)
        self._loop = PlayLoop(
            LoopConfig(desk.options.fps), time.perf_counter_ns, desk.inputs.read, game.tick, self._frame
        )

    def run(self) -> bool:
        """Race. True if the player wants another one."""
        desk, loop = self._desk, self._loop
        while True:
            commands = desk.pump().commands
            if Command.QUIT in commands:
                return False
            if Command.RESTART in commands and desk.options.record is None:
                return True
            for command in commands:
                self._obey(command)
            turn = loop.turn()
            self._account_for(turn)
            fresh = desk.stage.poll() and not desk.stage.follows_paint
            painted = False
            if desk.studio is not None:
                painted = desk.studio.poll(loop.media, not loop.paused and not turn.lost_ticks)
                desk.studio.look_after()
            if desk.events.window.visible and (fresh or painted or desk.due):
                self._show()
                if desk.studio is not None and desk.stage.follows_paint:
                    desk.studio.link.shown()
            time.sleep(min(loop.seconds_to_next_tick(), LONGEST_NAP))

    def _frame(self, _number: int, late: bool) -> None:
        seen = not late and self._desk.events.window.visible
        self._desk.stage.submit(self._game.frame(), self._desk.pumped_at, seen)

    def _account_for(self, turn: Turn) -> None:
        if turn.lost_ticks:
            self._desk.lost_ticks += turn.lost_ticks
            self._game.lost(turn.lost_ticks)
            if turn.lost_ticks >= STALL_SECONDS * TICK_RATE:
                self._desk.notices.say(f"stood still for {turn.lost_ticks / TICK_RATE:.1f} s")

    def _obey(self, command: Command) -> None:
        desk, say = self._desk, self._desk.notices.say
        if command is Command.PAUSE:
            self._loop.paused = not self._loop.paused
        elif command is Command.CAMERA:
            say(f"camera: {self._game.next_camera()}")
            desk.stage.submit(self._game.frame())
        elif command is Command.VIEW:
            say(f"view: {desk.stage.next_view()}")
        elif command is Command.LOOK:
            desk.events.overlay = LookMenu([look.name for look in desk.options.looks], desk.look, self._take_look)
        elif command is Command.PROMPT:
            self._open_prompt()
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
        painter.draw(surface, place, self._game.hud(), self._figures())
        standing = desk.studio.lines() if desk.studio is not None else []
        lines = [*standing, *(desk.stage.progress or desk.notices.lines())]
        if desk.help:
            painter.help(surface, place, [*(["Paused"] if self._loop.paused else []), *lines])
        else:
            if self._loop.paused:
                painter.notice(surface, place, ["Paused"], place.height // 12, 0.5)
            if lines:
                painter.notice(surface, place, lines, max(12, place.height // 26))
        if desk.events.overlay is not None:
            desk.events.overlay.paint(surface, place, desk.painter)

    def _figures(self) -> str:
        """The small line of rates and times."""
        desk = self._desk
        counts = desk.stage.drawn()
        if desk.studio is None or not desk.stage.shows_paint:
            return desk.pace.text(counts)
        rates = desk.pace.text({**counts, "paint": desk.studio.link.pictures})
        return "   ".join(text for text in (rates, desk.studio.link.figures.text()) if text)
