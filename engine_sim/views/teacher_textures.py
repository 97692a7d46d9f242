"""The detail textures of the teacher view: tiling pictures made from integer noise at start-up.

Each layer is 512 × 512 RGBA with mip levels, so a surface far away reads its own average and cannot shimmer.
R is brightness around 0.5, G a second tone (hue, wear or mask), B and A the slope of the surface around 0.5.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from .teacher_noise import Image, blurred, fractal, normals, pack, stones, stretch, value_noise, white

SIZE = 512


class Layer(IntEnum):
    """Order of the layers; the shaders' copy of these numbers is made from this class."""

    NOISE = 0  # four independent fractal noises
    ASPHALT = 1
    WEAR = 2  # R cracks (dark lines), G blotches, B streaks along u, A fine noise
    GRASS = 3
    GRAVEL = 4
    ROCK = 5
    LEAVES = 6
    NEEDLES = 7
    BARK = 8
    PLASTER = 9
    SAND = 10
    SOIL = 11
    CROWD = 12  # RGB colours of people, A person or seat
    PUFFS = 13  # rounded clumps of foliage


def _noise() -> NDArray[np.uint8]:
    return pack(*(fractal(SIZE, 4, 6, 11 + 7 * i, 0.55) for i in range(4)))


def _asphalt() -> NDArray[np.uint8]:
    coarse, tone = stones(SIZE, 88, 21)
    fine, fine_tone = stones(SIZE, 170, 24)
    bed = fractal(SIZE, 24, 3, 29)
    shows = (tone > 0.45).astype(np.float32)
    stone = np.clip(coarse * 2.2 - 0.5, 0, 1) * shows
    fill = np.clip(fine * 2.0 - 0.5, 0, 1)
    light = 0.34 + 0.12 * bed + 0.16 * fill * fine_tone + stone * (0.08 + 0.42 * tone**3)
    height = 0.6 * stone + 0.4 * fill + 0.2 * bed
    return pack(light, stone, *normals(blurred(height, 0.8), 0.3))


def _cracks(seed: int, cells: int, width: float) -> Image:
    """Thin dark lines along the borders of warped cells, broken up."""
    warp = 22.0
    shift_x = (fractal(SIZE, 6, 4, seed) - 0.5) * warp
    shift_y = (fractal(SIZE, 6, 4, seed + 3) - 0.5) * warp
    _, number = stones(SIZE, cells, seed + 9)
    y, x = np.mgrid[:SIZE, :SIZE].astype(np.float32)
    tiled = np.pad(number, 32, mode="wrap")
    warped = cv2.remap(tiled, x + 32 + shift_x, y + 32 + shift_y, cv2.INTER_NEAREST)
    edge = (warped != np.roll(warped, 1, 0)) | (warped != np.roll(warped, 1, 1))
    line = blurred(edge.astype(np.float32), width)
    return np.clip(line * 2.2, 0, 1)


def _wear() -> NDArray[np.uint8]:
    crack = _cracks(40, 5, 0.9) * np.clip(fractal(SIZE, 4, 3, 44) * 3.0 - 1.5, 0, 1)
    crack = np.maximum(crack, 0.8 * _cracks(47, 13, 0.7) * np.clip(fractal(SIZE, 5, 2, 49) * 4.0 - 2.7, 0, 1))
    blotch = fractal(SIZE, 5, 5, 51, 0.6)
    streak = fractal(SIZE, (96, 2), 2, 55, 0.6) * 0.65 + 0.35 * fractal(SIZE, (40, 1), 2, 58)
    return pack(1.0 - crack, blotch, stretch(streak), fractal(SIZE, 64, 3, 60))


def _strokes(count: int, seed: int, length: tuple[float, float], lean: float, width: int, sway: float
             ) -> tuple[Image, Image, Image]:  # fmt: skip
    """Overlapping strokes, later ones brighter: brightness, a tone per stroke, depth."""
    values = white(count, 6, seed).astype(np.float64)
    light, tone = np.full((SIZE, SIZE), 0.1, np.float32), np.full((SIZE, SIZE), 0.5, np.float32)
    depth = np.zeros((SIZE, SIZE), np.float32)
    for i, (u, v, a, b, c, d) in enumerate(values):
        rank = i / count
        angle = lean + sway * (a - 0.5) * 2.0
        reach = length[0] + (length[1] - length[0]) * b
        x0, y0 = u * SIZE, v * SIZE
        x1, y1 = x0 + reach * np.cos(angle), y0 - reach * np.sin(angle)
        shade = 0.16 + 0.62 * rank**1.2 * (0.55 + 0.45 * c)
        for ox in _wraps(x0, x1):
            for oy in _wraps(y0, y1):
                ends = (round(x0 + ox), round(y0 + oy)), (round(x1 + ox), round(y1 + oy))
                cv2.line(light, *ends, shade, width)
                cv2.line(tone, *ends, d, width)
                cv2.line(depth, *ends, rank, width)
    return light, tone, depth


def _wraps(first: float, last: float) -> tuple[int, ...]:
    low, high = min(first, last) - 4, max(first, last) + 4
    return (0, *(() if low >= 0 else (SIZE,)), *(() if high < SIZE else (-SIZE,)))


def _grass() -> NDArray[np.uint8]:
    light, tone, depth = _strokes(9000, 71, (9.0, 30.0), np.pi / 2, 1, 1.7)
    clump = fractal(SIZE, 10, 3, 75)
    light = blurred(light, 0.6) * (0.7 + 0.6 * clump)
    height = blurred(depth, 0.8) * 0.5 + clump
    tone = 0.6 * tone + 0.4 * fractal(SIZE, 6, 3, 79)
    return pack(stretch(light, 0.2, 99.8) * 0.9 + 0.05, tone, *normals(height, 0.9))


def _gravel() -> NDArray[np.uint8]:
    big, big_tone = stones(SIZE, 30, 81)
    small, small_tone = stones(SIZE, 66, 84)
    on_top = (big_tone > 0.35) & (big > 0.25)
    height = np.where(on_top, np.sqrt(big) * 1.1, np.sqrt(small) * 0.7).astype(np.float32)
    tone = np.where(on_top, big_tone, small_tone).astype(np.float32)
    light = height * 0.62 * (0.6 + 0.5 * tone) + 0.08 * value_noise(SIZE, 128, 87)
    return pack(light, tone, *normals(blurred(height, 0.8), 0.55))


def _rock() -> NDArray[np.uint8]:
    warp = fractal(SIZE, 4, 4, 91) * 9.0
    y = np.mgrid[:SIZE, :SIZE][0].astype(np.float32) / SIZE
    band = 0.5 + 0.5 * np.sin(2.0 * np.pi * (y * 7.0 + warp * 0.55)).astype(np.float32)
    chips, chip_tone = stones(SIZE, 13, 95, 0.5)
    crack = _cracks(98, 7, 1.2)
    rough = fractal(SIZE, 12, 6, 93, 0.62)
    light = 0.3 * band + 0.42 * rough + 0.2 * chip_tone - 0.4 * crack + 0.12
    height = 0.35 * band + rough * 1.1 + 0.5 * chip_tone + 0.2 * chips - 0.5 * crack
    return pack(light, fractal(SIZE, 5, 5, 99, 0.6), *normals(blurred(height, 0.7), 0.9))


def _leaves() -> NDArray[np.uint8]:
    count = 2600
    values = white(count, 7, 111).astype(np.float64)
    light: Image = np.full((SIZE, SIZE), 0.02, np.float32)
    tone = np.full((SIZE, SIZE), 0.5, np.float32)
    lean_x, lean_y = np.full((SIZE, SIZE), 0.5, np.float32), np.full((SIZE, SIZE), 0.5, np.float32)
    clump = fractal(SIZE, 7, 3, 115)
    for i, (u, v, a, b, c, d, e) in enumerate(values):
        rank = i / count
        x0, y0 = u * SIZE, v * SIZE
        if rank > 0.5 and clump[int(y0), int(x0)] < 0.15 + 0.25 * rank:
            continue
        axes = (round(8 + 7 * b), round(4 + 3 * c))
        shade = 0.1 + 0.8 * rank * (0.7 + 0.3 * d)
        for ox in _wraps(x0 - 14, x0 + 14):
            for oy in _wraps(y0 - 14, y0 + 14):
                place = (round(x0 + ox), round(y0 + oy))
                for plane, value in ((light, shade), (tone, e), (lean_x, 0.2 + 0.6 * c), (lean_y, 0.2 + 0.6 * a)):
                    cv2.ellipse(plane, place, axes, 360.0 * a, 0, 360, value, -1)
    soft = [blurred(p, 0.7) for p in (light, tone, lean_x, lean_y)]
    return pack(soft[0] * (0.75 + 0.4 * clump), *soft[1:])


def _puffs() -> NDArray[np.uint8]:
    """Clumps of three sizes pushed into each other, warped so that no grid shows."""
    y, x = np.mgrid[:SIZE, :SIZE].astype(np.float32)
    height: Image = np.zeros((SIZE, SIZE), np.float32)
    tone = np.zeros((SIZE, SIZE), np.float32)
    for cells, weight, seed in ((8, 0.5, 181), (19, 0.32, 184), (44, 0.18, 187)):
        puff, number = stones(SIZE, cells, seed)
        warp = 0.5 * SIZE / cells
        shift_x, shift_y = ((fractal(SIZE, cells, 2, seed + 10 + k) - 0.5) * warp for k in (0, 1))
        pad = int(warp) + 2
        grid = x + pad + shift_x, y + pad + shift_y
        height += weight * cv2.remap(np.pad(np.sqrt(puff), pad, mode="wrap"), *grid, cv2.INTER_LINEAR)
        tone += weight * cv2.remap(np.pad(number, pad, mode="wrap"), *grid, cv2.INTER_NEAREST)
    height = blurred(height, 1.0)
    return pack(stretch(height), tone, *normals(height, 1.4))


def _needles() -> NDArray[np.uint8]:
    light, tone, depth = _strokes(5200, 121, (14.0, 40.0), -np.pi / 2, 2, 1.1)
    clump = fractal(SIZE, 9, 3, 125)
    light = stretch(blurred(light, 0.6) * (0.45 + 1.0 * clump), 0.2, 99.8)
    height = blurred(depth, 1.2) * 0.7 + clump
    return pack(light * 0.92, 0.5 * tone + 0.5 * clump, *normals(height, 1.2))


def _bark() -> NDArray[np.uint8]:
    ridge = fractal(SIZE, (5, 26), 3, 131, 0.6)
    plates, _ = stones(SIZE, 14, 134, 0.4)
    height = ridge * 0.8 + np.clip(plates * 2.0, 0, 1) * 0.5 + 0.25 * fractal(SIZE, 32, 3, 137)
    return pack(stretch(height) * 0.8 + 0.1, fractal(SIZE, 5, 4, 139), *normals(height, 0.8))


def _plaster() -> NDArray[np.uint8]:
    blotch, drip = fractal(SIZE, 4, 5, 141, 0.6), fractal(SIZE, (2, 44), 3, 144, 0.6)
    pores = np.clip(value_noise(SIZE, 128, 147) * 3.0 - 2.1, 0, 1)
    grain = fractal(SIZE, 48, 3, 149, 0.7)
    light = 0.5 + 0.2 * (blotch - 0.5) + 0.14 * (grain - 0.5) - 0.2 * pores
    return pack(light, drip, *normals(grain * 0.5 - pores, 0.35))


def _sand() -> NDArray[np.uint8]:
    y, x = np.mgrid[:SIZE, :SIZE].astype(np.float32) / SIZE
    bend = fractal(SIZE, 4, 3, 151) * 2.2
    phase = 2.0 * np.pi * (14.0 * y + 2.0 * x + bend)
    ripple = (0.5 + 0.5 * np.sin(phase + 0.6 * np.sin(phase))).astype(np.float32)
    patch = np.clip(fractal(SIZE, 4, 3, 154) * 2.0 - 0.6, 0.15, 1)
    grain = white(SIZE, SIZE, 157)
    height = ripple * patch
    light = 0.4 + 0.16 * height + 0.16 * (grain - 0.5) + 0.1 * fractal(SIZE, 8, 4, 158)
    return pack(light, patch, *normals(height, 1.6))


def _soil() -> NDArray[np.uint8]:
    clods = fractal(SIZE, 14, 6, 161, 0.62)
    pebble, tone = stones(SIZE, 44, 164)
    shows = np.clip(pebble * 3.0 - 0.8, 0, 1) * (tone > 0.72)
    height = clods + 0.5 * shows
    return pack(0.22 + 0.5 * clods + 0.22 * shows * tone, shows, *normals(blurred(height, 0.6), 1.0))


_CLOTHES = (
    (196, 52, 48), (44, 82, 158), (236, 232, 224), (40, 42, 48), (222, 176, 54), (70, 132, 84), (150, 160, 170),
    (214, 116, 52), (98, 62, 118), (224, 206, 184), (110, 166, 196), (128, 40, 52), (86, 92, 100), (236, 200, 204),
)  # fmt: skip
_SKIN = ((224, 182, 152), (198, 150, 118), (150, 104, 76), (104, 70, 52))
_HAIR = ((52, 38, 28), (30, 26, 24), (120, 88, 52), (170, 140, 96), (196, 52, 48), (236, 232, 224))


def _crowd() -> NDArray[np.uint8]:
    """8 × 8 seats of 64 pixels: a person in each, v up; the shader decides which seats are taken."""
    picture = np.zeros((SIZE, SIZE, 4), np.uint8)
    values = white(64, 6, 171).astype(np.float64)
    for k, (a, b, c, d, e, f) in enumerate(values):
        x, y = (k % 8) * 64 + 32 + int(6 * (a - 0.5)), (k // 8) * 64
        cloth, skin, hair = _CLOTHES[int(b * 14)], _SKIN[int(c * 4)], _HAIR[int(d * 6)]
        top = y + 8 + int(7 * e)
        torso = [(-20, 64), (-22, 34), (-17, 20), (-6, 14), (6, 14), (17, 20), (22, 34), (20, 64)]
        cv2.fillPoly(picture, [np.array([(x + u, min(y + 63, top + v)) for u, v in torso])], (*cloth, 255))
        if f > 0.78:
            side = 1 if a > 0.5 else -1
            cv2.line(picture, (x + 18 * side, top + 24), (x + 25 * side, top - 2), (*skin, 255), 6)
        cv2.circle(picture, (x, top + 6), 9, (*skin, 255), -1)
        cv2.ellipse(picture, (x, top + 4), (10, 8), 0, 180, 360, (*hair, 255), -1)
    # Row 0 of a texture is its bottom: turn so that heads point up the rows.
    return np.ascontiguousarray(picture[::-1])


@lru_cache(maxsize=1)
def detail_layers() -> NDArray[np.uint8]:
    """uint8 ``[layers, 512, 512, 4]``, level 0 of every layer; cached for the process."""
    makers = (
        _noise, _asphalt, _wear, _grass, _gravel, _rock, _leaves, _needles, _bark, _plaster, _sand, _soil, _crowd,
        _puffs,
    )  # fmt: skip
    layers = np.stack([make() for make in makers])
    layers.setflags(write=False)
    return layers
