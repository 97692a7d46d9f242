"""MuJoCo as an engine: its segmentation rendering, geom by geom, becomes class maps.

    python -m demos.external.mujoco_engine ipc:///tmp/paintover.sock

Needs ``pip install mujoco`` and EGL or OSMesa (MUJOCO_GL=osmesa).
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from demos.external.play import options, play, table_of

os.environ.setdefault("MUJOCO_GL", "egl")  # before mujoco is imported: it binds its GL then

import mujoco

WIDTH, HEIGHT, FPS = 448, 256, 24
CLASSES = ("air", "floor", "wall", "ball", "car")
MAPPING = {"air": "sky", "floor": "road", "wall": "barrier", "ball": "rock", "car": "rival_car"}
SCENE = """
<mujoco>
  <option timestep="0.004"/>
  <visual><global offwidth="448" offheight="256"/></visual>
  <worldbody>
    <light pos="0 0 8"/>
    <camera name="chase" pos="0 -9 4" xyaxes="1 0 0 0 0.4 0.92"/>
    <geom name="floor" type="plane" size="30 30 .1"/>
    <geom name="wall-back" type="box" pos="0 6 1" size="8 .2 1"/>
    <geom name="wall-left" type="box" pos="-6 0 .5" size=".2 6 .5"/>
    <geom name="wall-right" type="box" pos="6 0 .5" size=".2 6 .5"/>
    <body pos="0 0 3"><freejoint/><geom name="ball-1" type="sphere" size=".5" mass="1"/></body>
    <body pos=".3 1 5"><freejoint/><geom name="ball-2" type="sphere" size=".4" mass="1"/></body>
    <body name="car" pos="-4 -1 .4">
      <joint name="drive" type="slide" axis="1 0 0" range="-1 9" limited="true"/>
      <geom name="car" type="box" size=".8 .4 .3" mass="2"/>
    </body>
  </worldbody>
  <actuator><position joint="drive" kp="60" kv="20"/></actuator>
</mujoco>
"""


class World:
    """The simulation and its segmentation view."""

    def __init__(self) -> None:
        self._model = mujoco.MjModel.from_xml_string(SCENE)
        self._data = mujoco.MjData(self._model)
        self._renderer = mujoco.Renderer(self._model, HEIGHT, WIDTH)
        self._renderer.enable_segmentation_rendering()
        names = [self._model.geom(k).name.split("-")[0] for k in range(self._model.ngeom)]
        self._class_of_geom = np.array([CLASSES.index(name) for name in names] + [0], np.uint8)  # the last is for -1

    def draw(self, number: int) -> NDArray[np.uint8]:
        """Go on by one video frame and draw it: class map uint8 [H, W]."""
        self._data.ctrl[0] = 4 + 4 * np.sin(number / FPS)
        while self._data.time < (number + 1) / FPS:
            mujoco.mj_step(self._model, self._data)
        self._renderer.update_scene(self._data, "chase")
        object_id, object_type = np.moveaxis(self._renderer.render(), 2, 0)
        geom = np.where(object_type == mujoco.mjtObj.mjOBJ_GEOM, object_id, -1)
        return self._class_of_geom[geom]


def main() -> int:
    """Play."""
    args = options("MuJoCo on the frame protocol")
    table = table_of("mujoco-1", CLASSES)
    return play(
        args, World().draw, engine="MuJoCo", width=WIDTH, height=HEIGHT, table=table, mapping=MAPPING, rate=(FPS, 1)
    )


if __name__ == "__main__":
    raise SystemExit(main())
