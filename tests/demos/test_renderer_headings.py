"""Where the light is: the cameras of look and frames on their way to a model that reads headings."""

import math
from dataclasses import replace

import numpy as np
import pytest

from demos.renderer import factory as factories
from diffusion_render.model.renderer import PRESETS
from tests.demos.renderer_toys import FIRST, RUN, look, looking, prompt, run_of, toy_factory, toy_renderer

TOY = PRESETS["toy"]
HEADED = replace(
    TOY, autoencoder=replace(TOY.autoencoder, noise_octaves=0), generator=replace(TOY.generator, heading=True)
)


@pytest.fixture
def renderer(monkeypatch):
    """On a toy model that reads headings and no depth."""
    monkeypatch.setitem(factories.PRESETS, "toy", HEADED)
    return toy_renderer(toy_factory())


def heading(renderer):
    """Degrees of the reference's camera, as the stream knows it."""
    return math.degrees(renderer._stream.look.heading)


def painted(renderer, reference, degrees):
    """The last picture of a stream that looks one way, under a look that was taken another way; None is unknown."""
    renderer.apply(look(1, camera=None if reference is None else looking(reference)))
    renderer.reset(None)
    camera = None if degrees is None else looking(degrees)
    return renderer.render(run_of(0, FIRST, camera=camera))[-1]


def test_a_model_that_reads_headings_alone_asks_for_no_depth(monkeypatch):
    monkeypatch.setitem(factories.PRESETS, "toy", HEADED)
    assert toy_factory().offer.planes == ()


def test_only_the_turn_from_the_references_camera_counts(renderer):
    ahead, turned = painted(renderer, 30, 30), painted(renderer, 30, 120)
    assert not np.array_equal(ahead, turned)
    assert np.array_equal(painted(renderer, -60, 30), turned)
    unknown = painted(renderer, None, 30)
    assert not np.array_equal(unknown, ahead)
    assert np.array_equal(painted(renderer, None, 120), unknown)


def test_the_camera_of_a_look_comes_with_it_and_goes_with_the_next(renderer):
    painted(renderer, 200, 0)
    assert heading(renderer) == pytest.approx(-160)
    renderer.apply(prompt("rain"))
    renderer.render(run_of(FIRST, RUN, camera=looking(0)))
    assert heading(renderer) == pytest.approx(-160)
    renderer.apply(look(2, side=160, camera=looking(45)))
    renderer.render(run_of(FIRST + RUN, RUN, camera=looking(0)))
    assert heading(renderer) == pytest.approx(45)
    renderer.apply(look(3))
    renderer.render(run_of(FIRST + 2 * RUN, RUN, camera=looking(0)))
    assert math.isnan(heading(renderer))


def test_a_reference_that_the_model_dreamt_was_seen_by_the_camera_of_the_frame_at_hand(renderer):
    renderer.render(run_of(0, FIRST, camera=looking(70)))
    assert heading(renderer) == pytest.approx(70)
    renderer.apply(prompt("snow"))
    renderer.render(run_of(FIRST, RUN, camera=looking(-20)))
    assert heading(renderer) == pytest.approx(-20)


def test_a_look_whose_matrices_are_no_camera_is_taken_without_one(renderer):
    """R-50: zeros, a mirror, and a projection of another shape."""
    good = look(1, camera=looking(30))
    mirror = (-1.0, *good.view[1:])
    for camera in (
        {"view": (0.0,) * 16},
        {"view": mirror},
        {"projection": None},
        {"projection": (2 * good.projection[0], *good.projection[1:])},
    ):
        renderer.apply(replace(good, **camera))
        renderer.reset(None)
        renderer.render(run_of(0, FIRST))
        assert math.isnan(heading(renderer)), camera
