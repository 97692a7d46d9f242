"""The ten lightings: what the air, the sun, the clouds and the lamps do. Looks draw their weather from these ranges."""

from __future__ import annotations

from dataclasses import dataclass

Range = tuple[float, float]


@dataclass(frozen=True)
class Lighting:
    """One named lighting.

    Args:
        phrase: how a prompt says it.
        elevation: of the sun, degrees above the horizon.
        cloud_cover: share of the sky with separate clouds, 0 … 1.
        haze: extinction at the ground, 1/km; half a picture's depth at 1 km is about 0.7.
        wetness: 0 dry … 1 puddles.
        deck: share of a closed cloud deck over everything, 0 … 1; it hides the sun by as much.
        zenith_tint: colour given to the sky overhead, linear RGB around 1.
        deck_tint: colour of the deck, linear RGB around 1.
        haze_height: metres over which haze thins to 1/e.
        turbidity: aerosol against clean air (1).
        key: brightness of a lit grey surface in the picture; 1 is a sunny noon.
        contrast: slope of the grade around mid-grey.
        saturation: of the grade.
        shadow_tint, light_tint: grade of dark and bright parts, linear RGB around 1.
        lamps: how far head, tail and street lamps are on, 0 … 1.
        windows: share of windows with light in them.
        shaft: strength of the shaft of sunlight, 0 … 1.
    """

    phrase: str
    elevation: Range
    cloud_cover: Range
    haze: Range
    wetness: Range = (0.0, 0.0)
    deck: float = 0.0
    zenith_tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    deck_tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    haze_height: float = 700.0
    turbidity: float = 1.0
    key: float = 1.0
    contrast: float = 1.06
    saturation: float = 1.08
    shadow_tint: tuple[float, float, float] = (0.97, 1.0, 1.05)
    light_tint: tuple[float, float, float] = (1.02, 1.0, 0.98)
    lamps: float = 0.0
    windows: float = 0.02
    shaft: float = 0.0


LIGHTING_TABLE: dict[str, Lighting] = {
    "clear midday": Lighting(
        "under a clear midday sun", (44.0, 60.0), (0.2, 0.42), (0.06, 0.18), key=1.18, contrast=1.0,
    ),
    "early morning": Lighting(
        "in early morning light", (10.0, 17.0), (0.08, 0.35), (0.22, 0.5), (0.0, 0.15),
        haze_height=160.0, turbidity=1.4, key=0.86, lamps=0.15, windows=0.1, saturation=1.1,
        shadow_tint=(0.93, 0.99, 1.1), light_tint=(1.05, 1.0, 0.93),
    ),
    "golden hour": Lighting(
        "at golden hour", (6.5, 10.5), (0.12, 0.42), (0.14, 0.36), turbidity=1.5, key=0.72, lamps=0.2, windows=0.08,
        saturation=1.12, shadow_tint=(0.95, 0.98, 1.08), light_tint=(1.07, 1.0, 0.9),
    ),
    "sunset": Lighting(
        "at sunset", (2.2, 4.4), (0.2, 0.55), (0.12, 0.32), (0.0, 0.2), turbidity=1.4, key=0.56, lamps=0.7,
        zenith_tint=(0.8, 0.86, 1.08),
        windows=0.2, saturation=1.14, contrast=1.1, shadow_tint=(0.95, 0.94, 1.12), light_tint=(1.06, 0.99, 0.92),
    ),
    "blue hour": Lighting(
        "in the blue hour after sunset", (-5.0, -3.4), (0.1, 0.45), (0.12, 0.34), (0.0, 0.45), turbidity=0.9,
        key=0.17, lamps=1.0, windows=0.42,
        zenith_tint=(0.2, 0.72, 1.35), saturation=1.06, contrast=1.1,
        shadow_tint=(0.9, 0.97, 1.14), light_tint=(1.04, 0.99, 0.96),
    ),
    "overcast": Lighting(
        "under an overcast sky", (30.0, 52.0), (0.0, 0.1), (0.16, 0.4), (0.0, 0.4), deck=0.94,
        deck_tint=(0.97, 1.0, 1.05), key=0.8, contrast=1.1, saturation=1.08, windows=0.06, lamps=0.1,
        shadow_tint=(0.98, 1.0, 1.03), light_tint=(1.0, 1.0, 1.0),
    ),
    "broken clouds": Lighting(
        "under broken clouds with patches of sun", (28.0, 48.0), (0.42, 0.62), (0.08, 0.22), (0.0, 0.15),
        key=0.96, contrast=1.1,
    ),
    "summer haze": Lighting(
        "in warm summer haze", (32.0, 50.0), (0.0, 0.2), (0.8, 1.5), haze_height=420.0, turbidity=3.4, key=1.0,
        contrast=1.04, saturation=1.04, shadow_tint=(1.0, 1.0, 1.0), light_tint=(1.04, 1.0, 0.93),
    ),
    "morning mist": Lighting(
        "in morning mist", (9.0, 15.0), (0.0, 0.25), (4.0, 8.0), (0.1, 0.5), deck=0.25, haze_height=26.0,
        turbidity=1.8, key=0.84, lamps=0.8, windows=0.2, contrast=1.1, saturation=1.02,
        shadow_tint=(0.95, 1.0, 1.07), light_tint=(1.05, 1.0, 0.94),
    ),
    "storm": Lighting(
        "under a dark storm sky with a shaft of sunlight", (16.0, 28.0), (0.0, 0.1), (0.3, 0.6), (0.55, 1.0),
        deck=0.9, deck_tint=(0.86, 0.97, 1.14), key=0.46, contrast=1.14, saturation=1.06, lamps=0.9, windows=0.26,
        shaft=1.0, shadow_tint=(0.93, 1.0, 1.1), light_tint=(1.05, 1.0, 0.92),
    ),
}  # fmt: skip
"""Order is part of the look's random stream: append only."""
