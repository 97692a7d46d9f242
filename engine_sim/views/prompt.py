"""A look in plain English: light, style, and the colour of every kind of thing that occurs.

Deterministic: words follow from the look alone. Colours are named from the look's actual values. Order is by weight in
the picture, so that a text encoder that cuts long prompts loses the small print first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine_sim.core.random import Stream
from render_bridge import palette as table

from .look import Look
from .look_color import color_name

_STYLE_WORDS = {
    "lush summer": "lush summer countryside", "spring": "fresh spring countryside",
    "dry summer": "parched late-summer land", "autumn": "autumn woodland", "mediterranean": "Mediterranean hills",
    "alpine": "alpine valley", "northern": "bleak northern land", "desert": "desert", "tropical": "tropical landscape",
    "first frost": "frosted winter land", "pastel": "pastel-coloured dream world", "candy": "candy-coloured toy world",
    "retro poster": "landscape in the colours of an old travel poster",
    "dreamlike": "strange, dreamlike world of unreal colours",
    "ink wash": "nearly colourless world like an ink wash",
}  # fmt: skip
_WEAR = ((0.35, "smooth"), (0.7, "used"), (1.01, "worn and cracked"))
_WET = ((0.03, ""), (0.2, "damp "), (0.55, "wet "), (1.01, "rain-soaked, mirror-wet "))
_CROWD = ((0.5, "half empty"), (0.8, "well filled"), (1.01, "packed with people"))
_CLOUDS = (
    (0.12, "cloudless"), (0.3, "dotted with small clouds"), (0.48, "with drifting clouds"),
    (1.01, "full of broken clouds"),
)  # fmt: skip
_SKIES = {
    "clear midday": "deep blue sky", "early morning": "pale morning sky", "golden hour": "golden sky",
    "sunset": "burning orange sky", "blue hour": "violet-blue dusk sky", "broken clouds": "blue sky",
    "summer haze": "milky blue sky", "morning mist": "veiled sky",
}  # fmt: skip


def write_prompt(look: Look, classes: Iterable[int] | None = None) -> str:
    """One paragraph about a look.

    Args:
        classes: ids of the class table that occur in the drive; None speaks of all. The light is always told.

    Returns:
        three to ten sentences, 30 to about 120 words.
    """
    present = set(range(len(table.RACING))) if classes is None else {int(c) for c in classes}
    words = Stream(look.seed, "look-prompt")
    openings = ("A racing circuit", "A race track", "A motor race", "A circuit for racing cars")
    sentences = [f"{words.choice(openings)} {look.lighting.phrase}, {_article(_STYLE_WORDS[look.style])}."]
    for needed, write in _SENTENCES:
        if present & set(needed):
            sentences.append(write(look, present))
    return " ".join(s for s in sentences if s)


def _article(words: str) -> str:
    if words.endswith(("hills", "land", "countryside")):
        return f"in {words}"
    return f"in {'an' if words[0] in 'aeiou' else 'a'} {words}"


def _step(steps: tuple[tuple[float, str], ...], value: float) -> str:
    return next(text for limit, text in steps if value < limit)


def _both(first: str, second: str) -> str:
    """Names of two colours, once if they are called the same."""
    a, b = color_name(first), color_name(second)
    return a if a == b else f"{a} and {b}"


def _player(look: Look, _: set[int]) -> str:
    car = look.player
    finish = {"gloss": "", "metallic": "metallic ", "matte": "matte "}[car.finish]
    extra = "" if car.pattern == "plain" else _PATTERN_WORDS[car.pattern].format(color_name(car.second))
    return f"The player's car is {finish}{color_name(car.base)}{extra}, number {car.number}."


_PATTERN_WORDS = {
    "centre stripes": " with {} stripes along the middle", "side bands": " with {} bands along the sides",
    "diagonal sash": " with a sash of {}", "two-tone": ", {} below", "hoops": " with {} hoops",
}  # fmt: skip


def _rivals(look: Look, _: set[int]) -> str:
    names: list[str] = []
    for livery in look.rivals:
        name = color_name(livery.base)
        if name not in names and len(names) < 3:
            names.append(name)
    return f"The rivals drive cars in {', '.join(names[:-1])} and {names[-1]}." if len(names) > 1 else ""


def _road(look: Look, present: set[int]) -> str:
    wet = _step(_WET, look.weather.wetness)
    text = f"The {wet}road is {_step(_WEAR, look.surfaces.road_wear)} asphalt of {color_name(look.palette.asphalt)}"
    if table.ROAD_EDGE in present:
        kerbs = _both(look.palette.kerb_a, look.palette.kerb_b)
        text += f", with {color_name(look.palette.line)} edge lines and {kerbs} kerbs"
    return text + "."


def _grass(look: Look, _: set[int]) -> str:
    dry = look.surfaces.dryness > 0.35
    text = f"The grass is {_both(look.palette.grass, look.palette.wild)}"
    text += f", dry and {color_name(look.palette.grass_dry)} in places" if dry else ""
    return text + (", with flowers." if look.surfaces.flowers > 0.25 else ".")


def _terrain(look: Look, _: set[int]) -> str:
    return f"Bare ground is {color_name(look.palette.soil)}, run-off {_both(look.palette.gravel, look.palette.sand)}."


def _plants(look: Look, _: set[int]) -> str:
    conifers = color_name(look.palette.needles)
    return f"Trees are {_both(look.palette.leaves_a, look.palette.leaves_b)}, conifers {conifers}."


def _rock(look: Look, _: set[int]) -> str:
    return f"Rocks are {color_name(look.palette.rock)}."


def _barrier(look: Look, _: set[int]) -> str:
    tyres = _both(look.palette.tyres_a, look.palette.tyres_b)
    return f"Barriers are {color_name(look.palette.barrier)} concrete, steel, and {tyres} tyre walls."


def _buildings(look: Look, _: set[int]) -> str:
    lit = ", windows lit" if look.lighting.windows > 0.15 else ""
    walls = _both(look.palette.wall_a, look.palette.wall_b)
    return f"Houses are {walls} under {color_name(look.palette.roof_a)} roofs{lit}."


def _stands(look: Look, _: set[int]) -> str:
    seats = _both(look.palette.seats_a, look.palette.seats_b)
    return f"Grandstands have {seats} seats, {_step(_CROWD, look.surfaces.crowd)}."


def _sky(look: Look, _: set[int]) -> str:
    weather = look.weather
    if weather.lighting == "overcast":
        return "The sky is an even grey cloud cover."
    if weather.lighting == "storm":
        return "Dark storm clouds hang low, and the sun breaks through in places."
    haze = ", and mist lies over the ground" if weather.lighting == "morning mist" else ""
    return f"A {_SKIES[weather.lighting]}, {_step(_CLOUDS, weather.cloud_cover)}{haze}."


_SENTENCES: tuple[tuple[tuple[int, ...], Callable[[Look, set[int]], str]], ...] = (
    ((table.SKY,), _sky),
    ((table.PLAYER_CAR,), _player),
    ((table.ROAD, table.ROAD_EDGE), _road),
    ((table.GRASS,), _grass),
    ((table.VEGETATION,), _plants),
    ((table.TERRAIN,), _terrain),
    ((table.ROCK,), _rock),
    ((table.BUILDING,), _buildings),
    ((table.GRANDSTAND,), _stands),
    ((table.RIVAL_CAR,), _rivals),
    ((table.BARRIER,), _barrier),
)
