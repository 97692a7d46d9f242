"""How fast the class view draws given frames, and how far its two painters agree: for ``paintover bench engine``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from render_bridge.palette import RACING

from .class_view import open_class_view
from .culling import draw_list
from .frame import FrameState
from .scene_data import DrawList, Scene

SIZES = ((448, 256), (672, 384), (1344, 768))


def bench_class_view(
    scene: Scene, frames: Sequence[FrameState], sizes: Sequence[tuple[int, int]] = SIZES, backend: str = "auto"
) -> dict[str, Any]:
    """Time whole class maps, from frame to array: culling, drawing and reading back, one after the other.

    Args:
        scene: what to draw.
        frames: moments of a drive; each is drawn once per size, after one warm-up that compiles and uploads.
        sizes: (width, height) in pixels, divisible by 32.
        backend: as for ``open_class_view``.

    Returns:
        ``backend``, ``renderer``, ``frames``, ``triangles`` (median of a frame's list), and by size ``"WxH"``:
        ``fps`` (1 / median), ``median_ms``, ``p95_ms``.
    Raises:
        UserError: bad size or backend.
    """
    result: dict[str, Any] = {
        "backend": backend,
        "frames": len(frames),
        "triangles": int(np.median([triangle_count(scene, draw_list(scene, frame)) for frame in frames])),
        "fps": {},
        "median_ms": {},
        "p95_ms": {},
    }
    for width, height in sizes:
        with open_class_view(scene, width, height, backend) as view:
            result["backend"], result["renderer"] = view.backend, view.label
            view.draw(frames[0])
            seconds = [_seconds(view.draw, frame) for frame in frames]
        key = f"{width}x{height}"
        result["fps"][key] = round(1.0 / float(np.median(seconds)), 1)
        result["median_ms"][key] = round(1e3 * float(np.median(seconds)), 3)
        result["p95_ms"][key] = round(1e3 * float(np.quantile(seconds, 0.95)), 3)
    return result


def compare_painters(
    scene: Scene, frames: Sequence[FrameState], width: int = 448, height: int = 256
) -> dict[str, float | int]:
    """Draw frames with both painters and count where they part.

    Returns:
        ``frames``, ``mean_percent`` and ``max_percent`` of pixels whose classes differ, and ``foreign_pixels``: how
        many, of both, hold no id of the class table.
    Raises:
        UserError: without OpenGL.
    """
    shares, foreign = [], 0
    with open_class_view(scene, width, height, "gl") as gl, open_class_view(scene, width, height, "cpu") as cpu:
        for frame in frames:
            a, b = gl.draw(frame), cpu.draw(frame)
            shares.append(100.0 * float((a != b).mean()))
            foreign += int((a >= len(RACING)).sum()) + int((b >= len(RACING)).sum())
    return {
        "frames": len(frames),
        "mean_percent": float(np.mean(shares)),
        "max_percent": max(shares),
        "foreign_pixels": foreign,
    }


def triangle_count(scene: Scene, draws: DrawList) -> int:
    """Triangles that a draw list sends to the painter."""
    scenery = sum(
        len(batch.instances) * len(scene.prototypes[batch.prototype].lods[batch.lod].indices) for batch in draws.batches
    )
    return (int(draws.ranges[:, 1].sum()) + scenery) // 3


def _seconds(draw: Any, frame: FrameState) -> float:
    start = time.perf_counter()
    draw(frame)
    return time.perf_counter() - start
