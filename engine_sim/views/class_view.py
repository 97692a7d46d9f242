"""The class view: one class id per pixel of what a camera sees, by a graphics card or by the CPU.

Two painters draw the same list under the same sampling rules; each is the other's oracle. The CPU painter gives the
same bits on every machine, so hashes of its class maps hold everywhere; those of OpenGL hold per renderer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.errors import UserError
from .class_cpu import CpuPainter
from .culling import draw_list
from .frame import Camera, FrameState
from .planes import PLANES, Surfaces, assemble
from .scene_data import DrawList, Scene

BACKENDS = ("auto", "gl", "cpu")
MIN_SIDE, MAX_SIDE = 32, 8192


class Painter(Protocol):
    """What a backend can do: paint a draw list from a camera at its fixed size."""

    name: str
    label: str

    def classes(self, draws: DrawList, camera: Camera) -> NDArray[np.uint8]:
        """Class map uint8 [H, W], a new array."""

    def surfaces(self, draws: DrawList, camera: Camera) -> Surfaces:
        """Class, object and distance of every pixel."""

    def begin(self, draws: DrawList, camera: Camera) -> None:
        """Start a class map."""

    def end(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """The oldest class map begun and not yet ended, in ``out`` if given."""

    def begin_surfaces(self, draws: DrawList, camera: Camera) -> None:
        """Start surfaces."""

    def end_surfaces(self) -> Surfaces:
        """The oldest surfaces begun and not yet ended."""

    def close(self) -> None:
        """Release everything."""


class ClassView:
    """Class maps and guide planes of one scene at one size. ``open_class_view`` makes it.

    Drawing reads the frame and changes nothing but the view's own buffers, so drawing twice gives the same bits.

    Args:
        scene: what to draw.
        painter: backend, owned by the view.
    """

    def __init__(self, scene: Scene, painter: Painter) -> None:
        self._scene = scene
        self._painter = painter
        self._begun = 0
        self._planes_begun: deque[tuple[FrameState, FrameState, Collection[str]]] = deque()

    @property
    def backend(self) -> str:
        """``gl`` or ``cpu``."""
        return self._painter.name

    @property
    def label(self) -> str:
        """Renderer for people and reports; software GL is named as such."""
        return self._painter.label

    def draw(self, frame: FrameState, draws: DrawList | None = None) -> NDArray[np.uint8]:
        """Class map uint8 [H, W], row 0 at the top; sky where nothing stands. ``draws``: culling already done."""
        return self._painter.classes(draw_list(self._scene, frame) if draws is None else draws, frame.camera)

    def begin(self, frame: FrameState, draws: DrawList | None = None) -> None:
        """Start a class map without waiting for it; two or three begun before one is fetched keep a GPU busy."""
        self._painter.begin(draw_list(self._scene, frame) if draws is None else draws, frame.camera)
        self._begun += 1

    def end(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Class map of the oldest ``begin`` not yet fetched, in ``out`` (uint8 [H, W], contiguous) if given.

        Raises RuntimeError if there is none.
        """
        if self._begun == 0:
            raise RuntimeError("end() without a begin(): no class map has been started")
        self._begun -= 1
        return self._painter.end(out)

    def planes(
        self, frame: FrameState, previous: FrameState | None, names: Collection[str]
    ) -> dict[str, NDArray[np.generic]]:
        """Guide planes of a frame, by name; see ``planes.assemble`` for what each holds.

        Args:
            frame: the moment to draw.
            previous: the frame that ``motion`` leads back to; None stands for the frame itself (all zero).
            names: of ``planes.PLANES``.
        Raises:
            UserError: unknown name.
            RuntimeError: planes have been begun and not yet ended.
        """
        if self._planes_begun:
            raise RuntimeError("planes() between begin_planes and end_planes: fetch those that were begun first")
        self.begin_planes(frame, previous, names)
        return self.end_planes()

    def begin_planes(
        self, frame: FrameState, previous: FrameState | None, names: Collection[str], draws: DrawList | None = None
    ) -> None:
        """Start guide planes without waiting for them; see ``planes``. ``draws``: culling already done."""
        unknown = sorted(set(names) - set(PLANES))
        if unknown:
            raise UserError(f"unknown plane {unknown[0]!r}: a class view has {', '.join(PLANES)}")
        self._painter.begin_surfaces(draw_list(self._scene, frame) if draws is None else draws, frame.camera)
        self._planes_begun.append((frame, previous if previous is not None else frame, names))

    def end_planes(self) -> dict[str, NDArray[np.generic]]:
        """Guide planes of the oldest ``begin_planes`` not yet ended. RuntimeError if there is none."""
        if not self._planes_begun:
            raise RuntimeError("end_planes() without a begin_planes(): no planes have been started")
        frame, previous, names = self._planes_begun.popleft()
        return assemble(names, self._painter.end_surfaces(), frame, previous)

    def close(self) -> None:
        """Release everything; the view cannot draw any more."""
        self._painter.close()

    def __enter__(self) -> ClassView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_class_view(scene: Scene, width: int, height: int, backend: str = "auto") -> ClassView:
    """A class view.

    Args:
        scene: from ``scene.build_scene``.
        width, height: pixels, divisible by 32.
        backend: ``gl``, ``cpu``, or ``auto``: a graphics card if there is one, else the CPU, which is faster than
            software GL.
    Raises:
        UserError: size or backend unknown to us, or ``gl`` asked for and not there.
    """
    check_size(width, height)
    if backend not in BACKENDS:
        raise UserError(f"unknown backend {backend!r} of the class view: expected one of {', '.join(BACKENDS)}")
    return ClassView(scene, make_painter(scene, width, height, backend))


def make_painter(scene: Scene, width: int, height: int, backend: str) -> Painter:
    """A painter of any size; ``open_class_view`` is for sizes that the model can take."""
    if backend == "cpu":
        return CpuPainter(scene, width, height)
    from .class_gl import GlPainter  # the CPU painter must work where moderngl cannot be loaded

    if backend == "gl":
        return GlPainter(scene, width, height)
    try:
        painter = GlPainter(scene, width, height)
    except UserError:
        return CpuPainter(scene, width, height)
    if not painter.software:
        return painter
    painter.close()
    return CpuPainter(scene, width, height)


def check_size(width: int, height: int) -> None:
    """Raise UserError unless both sides are multiples of 32 from 32 to 8192."""
    for name, value in (("width", width), ("height", height)):
        if value % 32 or not MIN_SIDE <= value <= MAX_SIDE:
            near = min(max(round(value / 32) * 32, MIN_SIDE), MAX_SIDE)
            raise UserError(
                f"{name} {value} is not a multiple of 32 between {MIN_SIDE} and {MAX_SIDE}; the nearest is {near}"
            )
