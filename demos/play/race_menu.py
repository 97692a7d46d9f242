"""The pause menu of a race: what it shows and what it does, tied to the desk."""

from __future__ import annotations

from collections.abc import Callable

from .desk import Desk
from .keyboard import Command
from .screens.letters import LetterScreen
from .screens.pause import Acts, Moment, PauseScreen
from .screens.settings import SettingsScreen
from .screens.stack import Stack


def open_pause(
    desk: Desk, replays: bool, home: bool, take_look: Callable[[int], None], send: Callable[[str], None]
) -> None:
    """Open the menu over the picture.

    Args:
        replays: the race is a recording that is played back.
        home: there is a start screen to go to.
        take_look: told the index of a look. send: told a prompt.
    """
    front = desk.front

    def prompt() -> None:
        if overlay.by_pad:
            stack.push(LetterScreen(desk.prompt, send))
            return
        stack.leave()
        front.asked.append(Command.PROMPT)

    acts = Acts(
        ask=front.asked.append,
        view=desk.stage.show_view,
        look=take_look,
        prompt=prompt,
        settings=lambda: stack.push(SettingsScreen(stack, front)),
        revive=desk.revive_renderer,
    )
    stack = Stack(PauseScreen(_moment(desk, replays, home), acts))
    overlay = front.open(stack)


def _moment(desk: Desk, replays: bool, home: bool) -> Moment:
    studio = desk.studio
    return Moment(
        views=desk.stage.views,
        view=desk.stage.view,
        looks=[look.name for look in desk.options.looks],
        look=desk.look,
        paints=studio is not None,
        dead=studio is not None and studio.dead,
        records=desk.options.record is not None,
        replays=replays,
        home=home,
        renderer=studio.lines() if studio is not None else (),
    )
