"""From the start screen to a race and back, as often as the player likes, in one window."""

from __future__ import annotations

from collections.abc import Callable

from engine_sim.core.errors import UserError

from .front import Front
from .game import Game, PlayOptions
from .race import Next
from .replay import ReplayLoader, replay_options
from .sessions import Shelf
from .start import Chosen, Painters, StartRoom
from .window import PlayWindow, played


class Evening:
    """Start screen, race, start screen, until the player leaves.

    Args:
        options: what the command line said.
        painters: who can paint, the default first.
        shelf: where recordings are.
        make_window: opens a race; tests put one with stand-ins here.
    """

    def __init__(
        self,
        options: PlayOptions,
        painters: Painters,
        shelf: Shelf | None = None,
        make_window: Callable[..., PlayWindow] = PlayWindow,
    ) -> None:
        self._options, self._painters, self._shelf = options, painters, shelf or Shelf()
        self._make_window = make_window
        self.front = Front((options.width, options.height), "Paintover")
        self.loading = False
        self.lost_ticks = 0

    def run(self) -> Game | None:
        """Until the player leaves; returns the last race, or None if there was none."""
        game = None
        try:
            while True:
                chosen = StartRoom(self.front, self._options, self._painters, self._shelf).run()
                if chosen is None:
                    return game
                try:
                    window = self._open(chosen)
                except UserError as error:
                    self.front.say(str(error))
                    continue
                game = self._play(window) or game
                if window.left_for is Next.LEAVE:
                    return game
        finally:
            self.front.close()

    def _open(self, chosen: Chosen) -> PlayWindow:
        if chosen.recording is None:
            return self._make_window(chosen.options, front=self.front)
        options = replay_options(chosen.recording, chosen.options)
        return self._make_window(options, loader=ReplayLoader(chosen.recording), front=self.front)

    def _play(self, window: PlayWindow) -> Game | None:
        """One race; what the player can mend brings him back to the start screen, with a word."""
        try:
            return window.run()
        except UserError as error:
            self.front.say(str(error))
            window.left_for = Next.HOME
            return None
        finally:
            self.loading = self.loading or window.loading
            self.lost_ticks += window.desk.lost_ticks


def play_from_start(options: PlayOptions, painters: Painters) -> int:
    """Open the start screen; prints how the last race went. Returns the exit code, or ends the process itself."""
    return played(Evening(options, painters))
