"""Every program that the views may compile, as text: what a strict compiler is given, and what is seen at run time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine_sim.views.gl_context import load_shader
from engine_sim.views.teacher_blocks import source
from engine_sim.views.teacher_families import Family, family_table, painter_source
from engine_sim.views.teacher_scene import TRIANGLE_BITS

SAMPLES = (1, 2, 4, 8)
ONE_WORD = ("ONE_WORD", f"TRIANGLE_BITS {TRIANGLE_BITS}")


class Program(NamedTuple):
    """A name for reports, and its stages as (file name ending, text)."""

    name: str
    stages: tuple[tuple[str, str], ...]


def all_programs() -> list[Program]:
    """All of them, whatever a scene, a look or a machine asks for."""
    return [*_class_view(), *_first_pass(), *_card(), *_families(), *_darkroom()]


def sample_features(samples: int) -> tuple[str, ...]:
    """What the first pass tells the painters about its samples, of two words each."""
    return (f"PER_PIXEL {samples}", *(("MULTISAMPLED",) if samples > 1 else ()))


def _drawn(name: str, vertex: str, fragment: str) -> Program:
    return Program(name, (("vert", vertex), ("frag", fragment)))


def _class_view() -> Iterator[Program]:
    for fragment in ("class_view", "surfaces"):
        for vertex in ("class_view", "sky"):
            yield _drawn(f"{vertex}-{fragment}", load_shader(f"{vertex}.vert"), load_shader(f"{fragment}.frag"))


def _first_pass() -> Iterator[Program]:
    screen = source("teacher_screen.vert")
    for name, words in (("seen", ()), ("seen-one-word", ONE_WORD)):
        vertex, fragment = (
            source("teacher_words.glsl", f"teacher_seen.{end}", features=words) for end in ("vert", "frag")
        )
        yield _drawn(name, vertex, fragment)
    yield _drawn("shadow", source("teacher_shadow.vert"), source("teacher_common.glsl", "teacher_shadow.frag"))
    for samples in SAMPLES:
        features = sample_features(samples) + family_table()
        text = source("teacher_words.glsl", "teacher_samples.glsl", "teacher_sort.frag", features=features)
        yield _drawn(f"sort-{samples}", screen, text)


def _card() -> Iterator[Program]:
    for samples in SAMPLES:
        for shafts in ((), ("SHAFTS",)):
            files = ("teacher_words.glsl", "teacher_samples.glsl", "teacher_paint.comp")
            text = painter_source(tuple(Family), files, sample_features(samples) + ONE_WORD + shafts)
            yield Program("-".join(("card", str(samples), *shafts)), (("comp", text),))


def _families() -> Iterator[Program]:
    screen = source("teacher_screen.vert")
    for family in Family:
        for shafts in ((), ("SHAFTS",)):
            for static in ((), ("STATIC_ONLY",)):
                text = painter_source((family,), ("teacher_paint.frag",), shafts + static)
                yield _drawn("-".join((family.name, *shafts, *static)), screen, text)


def _darkroom() -> Iterator[Program]:
    for step in ("JOIN", "BRIGHT", "BLUR", "PRINT"):
        yield Program(step, (("comp", source("teacher_common.glsl", "teacher_develop.comp", features=(step,))),))
