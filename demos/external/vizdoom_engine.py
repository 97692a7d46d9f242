"""VizDoom as an engine: its labels buffer for things, and walls, floor and ceiling by rule from its depth buffer.

    python -m demos.external.vizdoom_engine ipc:///tmp/paintover.sock

Needs ``pip install vizdoom``, which brings Freedoom along. No display is opened.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import vizdoom
from numpy.typing import NDArray

from demos.external.play import options, play, table_of

FPS = 35
WIDTH, HEIGHT = 640, 480
CLASSES = ("ceiling", "floor", "wall", "thing", "monster")
MAPPING = {"ceiling": "sky", "floor": "road", "wall": "building", "thing": "vegetation", "monster": "rival_car"}
MONSTERS = ("Zombieman", "ShotgunGuy", "ChaingunGuy", "DoomImp", "Demon", "Cacodemon", "MarineChainsaw")
ACTIONS = ([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0])


class World:
    """The game, and the rule."""

    def __init__(self, scenario: str = "basic.cfg") -> None:
        self._game = vizdoom.DoomGame()
        self._game.load_config(str(Path(vizdoom.scenarios_path) / scenario))
        self._game.set_screen_resolution(vizdoom.ScreenResolution.RES_640X480)
        self._game.set_labels_buffer_enabled(True)
        self._game.set_depth_buffer_enabled(True)
        self._game.set_render_hud(False)
        self._game.set_window_visible(False)
        self._game.set_sound_enabled(False)
        self._game.set_seed(1)
        self._game.set_doom_config_path(os.devnull)  # else Doom writes its settings where it stands
        self._game.init()
        self._choice = random.Random(1)
        self._action = ACTIONS[0]

    def draw(self, number: int) -> NDArray[np.uint8]:
        """One tic, and its class map uint8 [H, W]."""
        if number % 12 == 0:
            self._action = self._choice.choice(ACTIONS)
        self._game.make_action(self._action)
        if self._game.is_episode_finished():
            self._game.new_episode()
        state = self._game.get_state()
        class_map = structure(state.depth_buffer)
        for label in state.labels:
            kind = "monster" if label.object_name in MONSTERS else "thing"
            class_map[state.labels_buffer == label.value] = CLASSES.index(kind)
        return class_map


def structure(depth: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Walls, floor and ceiling from depth uint8 [H, W].

    The view of this engine never tilts. So along a column a wall keeps its depth, while floor and ceiling come nearer
    towards the edges of the picture: below the horizon that is floor, above it ceiling.
    """
    near = np.abs(np.diff(depth.astype(np.int16), axis=0, prepend=depth[:1]))
    changes = np.cumsum(near != 0, axis=0)
    reach = 12  # rows: a far floor keeps its coarse depth for a few of them
    padded = np.pad(changes, ((reach, reach), (0, 0)), mode="edge")
    flat = padded[2 * reach :] == padded[: -2 * reach]
    below = np.arange(len(depth))[:, None] >= len(depth) // 2
    return np.where(flat, CLASSES.index("wall"), np.where(below, CLASSES.index("floor"), 0)).astype(np.uint8)


def main() -> int:
    """Play."""
    args = options("VizDoom on the frame protocol")
    table = table_of("doom-1", CLASSES)
    return play(
        args, World().draw, engine="VizDoom", width=WIDTH, height=HEIGHT, table=table, mapping=MAPPING, rate=(FPS, 1),
        tick_rate=FPS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
