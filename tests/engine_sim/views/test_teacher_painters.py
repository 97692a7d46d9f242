"""Graphics cards paint in one compute shader, software GL family by family: the same pictures, whatever the look."""

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import load_track
from engine_sim.views.gl_context import GlContext, open_gl
from engine_sim.views.look import LIGHTINGS, sample_look
from engine_sim.views.posed import posed_frame
from engine_sim.views.scene import build_scene
from engine_sim.views.teacher_paint import CardPainter
from engine_sim.views.teacher_seen import SeenPass
from engine_sim.views.teacher_view import open_teacher_view

SIZE = (96, 64)
SHOTS = (("acorn-loop", 300.0), ("grand-boulevard", 250.0))


@pytest.fixture(scope="module", params=SHOTS, ids=[track for track, _ in SHOTS])
def pair(request):
    """One moment, and two views of it: as software GL draws it, and with a card's first pass and painter."""
    try:
        open_gl().close()
    except UserError as error:
        pytest.skip(f"compute shaders need OpenGL 4.3: {error}")
    name, place = request.param
    track = load_track(name)
    scene, look = build_scene(track), sample_look(1)
    views = [open_teacher_view(scene, *SIZE, look) for _ in range(2)]
    with views[1]._gl as ctx:
        views[1]._seen = SeenPass(ctx, SIZE, 4, one_word=True)
        views[1]._painter = CardPainter(ctx, views[1]._seen.features)
    yield posed_frame(track, place), views
    for view in views:
        view.close()


@pytest.mark.parametrize("lighting", LIGHTINGS)
def test_a_card_would_paint_what_software_gl_paints(pair, lighting):
    frame, views = pair
    look = sample_look(7, lighting)
    pictures = []
    for view in views:
        view.set_look(look)
        pictures.append(view.draw(frame).astype(np.int16))
        assert view._gl.ctx.error == "GL_NO_ERROR"
    apart = np.abs(pictures[0] - pictures[1])
    assert apart.mean() < 0.25
    assert (apart.max(-1) > 16).mean() < 0.004


@pytest.mark.parametrize("samples", [1, 2, 4])
def test_a_card_takes_any_number_of_samples(pair, monkeypatch, samples):
    """Everything as on a card: its painter, finer shadows, more cars lit."""
    frame, views = pair
    look = sample_look(1, "early morning")
    monkeypatch.setattr(GlContext, "software", False)
    other = open_teacher_view(views[0]._scene, *SIZE, look, samples)
    picture = other.draw(frame).astype(np.int16)
    assert isinstance(other._painter, CardPainter)
    assert other._gl.ctx.error == "GL_NO_ERROR"
    other.close()
    views[0].set_look(look)
    assert np.abs(picture - views[0].draw(frame)).mean() < (2 if samples == 4 else 9)
