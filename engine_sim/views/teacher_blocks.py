"""The numbers that shaders read, named once: GLSL declarations and their packed bytes come from the same lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.ticks import TICK_SECONDS
from ..racing.rules import COUNTDOWN_TICKS
from .gl_context import load_shader
from .materials import LINE_REACH, START_LIGHTS, Material
from .teacher_textures import Layer

CARS_LIT = 16
MATERIALS = len(Material)


@dataclass(frozen=True)
class Block:
    """A std140 uniform block of vec4, ivec4 and mat4 members (arrays allowed), each 16 bytes a row.

    Args:
        name: in GLSL.
        members: name → (GLSL type, rows; a mat4 has 4 and is given row-major).
    """

    name: str
    members: Mapping[str, tuple[str, int]]

    @property
    def declaration(self) -> str:
        """GLSL text."""
        lines = []
        for name, (kind, rows) in self.members.items():
            size = "" if kind == "mat4" or rows == 1 else f"[{rows}]"
            lines.append(f"    {kind} {name}{size};")
        return f"layout(std140) uniform {self.name} {{\n" + "\n".join(lines) + "\n};\n"

    @property
    def size(self) -> int:
        """Bytes."""
        return 16 * sum(rows for _, rows in self.members.values())

    @property
    def offsets(self) -> dict[str, int]:
        """Byte at which each member starts."""
        offsets, row = {}, 0
        for name, (_, rows) in self.members.items():
            offsets[name] = 16 * row
            row += rows
        return offsets

    def pack(self, values: Mapping[str, ArrayLike]) -> bytes:
        """All members, in order; shorter vectors are filled with zeros. KeyError for one that is missing."""
        table = np.zeros((self.size // 16, 4), np.float32)
        row = 0
        for name, (kind, rows) in self.members.items():
            value = np.asarray(values[name], np.int32 if kind == "ivec4" else np.float32)
            value = value.T if kind == "mat4" else value.reshape(-1, value.shape[-1] if value.ndim else 1)
            view: NDArray = table[row : row + rows]
            if kind == "ivec4":
                view = view.view(np.int32)
            view[: len(value), : value.shape[1]] = value
            row += rows
        return table.tobytes()


FRAME = Block(
    "FrameBlock",
    {
        "view_right": ("vec4", 1),  # scaled: ray = forward + x right + y up for x, y in −1 … 1
        "view_up": ("vec4", 1),
        "view_forward": ("vec4", 1),
        "eye_at": ("vec4", 1),  # world, w: height over the foot of the haze
        "frame_time": ("vec4", 1),  # seconds, share of the road that is earth
        "frame_size": ("vec4", 1),  # pixels
        "shadow_near": ("mat4", 4),
        "shadow_far": ("mat4", 4),
        "hill_place": ("vec4", 1),  # corner of the picture of hills' shade in the world, 1 / its size
        "car_count": ("ivec4", 1),
        "car_place": ("vec4", CARS_LIT),  # world, w: car number + 1
        "car_turn": ("vec4", CARS_LIT),  # cos and sin of yaw, 1 when braking
    },
)

_V, _I = ("vec4", 1), ("ivec4", 1)
LOOK = Block(
    "LookBlock",
    {
        "sun": _V,  # direction to it, w: brightness of its light
        "sun_flat": _V,  # unit, in the plane
        "sun_light": _V,
        "sun_disc": _V,
        "sh": ("vec4", 9),  # ambient light by normal, over pi
        "ground_light": _V,
        "haze": _V,  # extinction 1/m, height
        "haze_tint": _V,  # w: how far haze covers the sky itself
        "haze_glow": _V,
        "cloud": _V,  # threshold, softness, altitude, darkness of its shadow
        "cloud_shift": _V,  # metres, opacity, veils
        "cloud_bright": _V,
        "cloud_dark": _V,
        "wind": _V,  # m/s
        "deck": _V,  # share, contrast, thin places
        "deck_glow": _V,
        "shaft": _V,  # on, shift, size of the pattern of holes
        "shaft_light": _V,
        "shaft_steps": _I,
        "shadow_bias": _V,  # metres along the normal: near map, far map
        "weather": _V,  # wetness
        "lamp_light": _V,  # head, tail, share of lit windows, their brightness
        "brake_light": _V,
        "lamp_reach": _V,  # square of the distance at which a car still shades or lights, metres²
        "road_state": _V,  # wear, rubber, line wear, kerb stripe
        "plant_state": _V,  # dryness, flowers, mown strength, mown width
        "plant_gaps": _V,
        "surface_state": _V,  # dust, crowd, first brand
        "tower_state": _V,
        "house_third": _V,
        "grade": _V,  # contrast, saturation, bloom, vignette
        "grade_shadow": _V,  # w: how far the dark is lifted, as prints do it: the curve alone leaves shade black
        "grade_light": _V,
        "kind_color": ("vec4", MATERIALS),
        "kind_second": ("vec4", MATERIALS),
        "kind_detail": ("vec4", MATERIALS),  # layer, 1 / metres of a tile
        "livery": ("vec4", 3 * CARS_LIT),  # base + finish, second + pattern, accent + number
        "brand_paint": ("vec4", 32),  # paper, ink
    },
)

_SAMPLERS = """uniform sampler2DArray details;
uniform sampler2D sky_table;
uniform sampler2D print_atlas;
uniform sampler2DShadow shadow_map;
uniform sampler2D hills;
"""
SAMPLER_UNITS = {
    "details": 0, "sky_table": 1, "print_atlas": 2, "shadow_map": 3, "picture": 4, "glow": 5, "seen": 6, "parts": 7,
    "hills": 8,
}  # fmt: skip


def bind_units(program: moderngl.Program | moderngl.ComputeShader) -> None:
    """Point a program's samplers and blocks to their fixed units."""
    for name, unit in SAMPLER_UNITS.items():
        if name in program:
            program[name] = unit
    for binding, block in enumerate((FRAME, LOOK)):
        if block.name in program:
            program[block.name] = binding


def _header(features: tuple[str, ...]) -> str:
    names = [f"const int {m.name} = {int(m)};" for m in Material]
    names.append(f"const float LINE_REACH = {LINE_REACH:.1f};")
    names.append(f"const float START_LIGHTS = {START_LIGHTS / 255.0:.6f};")
    names.append(f"const float COUNTDOWN = {COUNTDOWN_TICKS * TICK_SECONDS:.6f};")
    names += [f"const float LAYER_{layer.name} = {int(layer)}.0;" for layer in Layer]
    defines = "".join(f"#define {name}\n" for name in features)
    return "#version 430 core\n" + defines + "\n".join(names) + "\n" + FRAME.declaration + LOOK.declaration + _SAMPLERS


def source(*parts: str, features: tuple[str, ...] = ()) -> str:
    """One shader's text: version, defines, constants, blocks, samplers, then the named files of ``shaders/``."""
    return _header(features) + "\n".join(load_shader(part) for part in parts)
