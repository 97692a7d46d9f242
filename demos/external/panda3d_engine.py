"""Panda3D as an engine that can only draw colours: every model in the flat colour of its class, exactly.

    python -m demos.external.panda3d_engine ipc:///tmp/paintover.sock

Needs ``pip install panda3d``. It draws with Panda's own software renderer, so neither GL nor a display is needed. The
class map travels colour-coded (R-42 of docs/PROTOCOL.md): one smoothed pixel would be refused.
"""

from __future__ import annotations

import math

import numpy as np
from direct.showbase.ShowBase import ShowBase
from numpy.typing import NDArray
from panda3d.core import CardMaker, NodePath, loadPrcFileData

from demos.external.play import options, play
from render_bridge.palette import ClassTable, SceneClass

WIDTH, HEIGHT, FPS = 448, 256, 24
TABLE = ClassTable(
    "panda-1",
    (SceneClass(0, "air", (0, 0, 255)), SceneClass(1, "lawn", (0, 255, 0)), SceneClass(2, "panda", (255, 0, 0))),
)
MAPPING = {"air": "sky", "lawn": "grass", "panda": "rival_car"}
SETTINGS = f"""
load-display p3tinydisplay
window-type offscreen
win-size {WIDTH} {HEIGHT}
audio-library-name null
framebuffer-multisample 0
notify-level error
"""


class World:
    """A panda on a lawn, and a camera that circles it."""

    def __init__(self) -> None:
        loadPrcFileData("", SETTINGS)
        self._base = ShowBase()
        self._base.disableMouse()
        self._base.setBackgroundColor(*(c / 255 for c in TABLE.classes[0].color))
        maker = CardMaker("lawn")
        maker.setFrame(-60, 60, -60, 60)
        lawn = self._base.render.attachNewNode(maker.generate())
        lawn.setP(-90)
        self._flat(lawn, "lawn")
        for k in range(5):
            panda = self._base.loader.loadModel("models/panda-model")
            panda.setScale(0.004)
            panda.setPos(8 * math.sin(k), 8 * math.cos(k), 0)
            panda.reparentTo(self._base.render)
            self._flat(panda, "panda")

    def draw(self, number: int) -> NDArray[np.uint8]:
        """Circle on and draw: colours uint8 [H, W, 3], row 0 at the top."""
        angle = number / FPS / 2
        self._base.camera.setPos(22 * math.sin(angle), -22 * math.cos(angle), 6)
        self._base.camera.lookAt(0, 0, 2)
        self._base.graphicsEngine.renderFrame()
        shot = self._base.win.getScreenshot()
        rows = np.frombuffer(shot.getRamImageAs("RGB").getData(), np.uint8).reshape(HEIGHT, WIDTH, 3)
        return np.ascontiguousarray(rows[::-1])

    def _flat(self, node: NodePath, name: str) -> None:
        """One colour, whatever textures, lights and vertex colours say."""
        node.setTextureOff(1)
        node.setLightOff(1)
        node.setShaderOff(1)
        node.setColor(*(c / 255 for c in TABLE.classes[TABLE.id_of(name)].color), 1)
        node.setColorScaleOff(1)
        node.setTwoSided(True)


def main() -> int:
    """Play."""
    args = options("Panda3D on the frame protocol")
    return play(
        args, World().draw, engine="Panda3D", width=WIDTH, height=HEIGHT, table=TABLE, mapping=MAPPING,
        form="colors", encodings=("zstd", "raw"), rate=(FPS, 1),
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
