"""One session on the toy model: what a run, a look, a prompt, a schedule and a reset do, and what faults do not."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from demos.renderer.looks import fit_class_map
from demos.renderer.session import MemoryShortage
from diffusion_render.stream.session import RenderError
from tests.demos.renderer_toys import (
    FIRST,
    RUN,
    SIDE,
    class_map,
    look,
    prompt,
    run_of,
    schedule,
    toy_factory,
    toy_renderer,
)

FACTORY = toy_factory()


@pytest.fixture
def renderer():
    return toy_renderer(FACTORY)


def same(one, two):
    return len(one) == len(two) and all(np.array_equal(a, b) for a, b in zip(one, two))


def stream(renderer, runs=1):
    """Pictures of a first window and so many runs after it."""
    made = list(renderer.render(run_of(0, FIRST)))
    for k in range(runs):
        made += renderer.render(run_of(FIRST + RUN * k, RUN))
    return made


def test_every_frame_of_a_run_gets_one_picture(renderer):
    made = stream(renderer)
    assert len(made) == FIRST + RUN
    assert all(p.shape == (SIDE, SIDE, 3) and p.dtype == np.uint8 and p.flags["C_CONTIGUOUS"] for p in made)
    assert not np.array_equal(made[0], made[-1])


def test_the_last_run_may_be_shorter(renderer):
    stream(renderer, 0)
    assert len(renderer.render(run_of(FIRST, 5, last=True))) == 5


def test_a_given_look_decides_the_pictures_from_the_next_run_on(renderer):
    renderer.apply(look(1))
    first = stream(renderer)
    assert same(stream(toy_renderer(FACTORY)), stream(toy_renderer(FACTORY)))
    other = toy_renderer(FACTORY)
    other.apply(look(2))
    assert not same(first, stream(other))
    later = toy_renderer(FACTORY)
    later.apply(look(1))
    begin = stream(later)
    later.apply(look(2))
    assert same(begin, first)
    goes_on = later.render(run_of(FIRST + RUN, RUN))
    assert not same(goes_on, renderer.render(run_of(FIRST + RUN, RUN)))


def test_a_look_of_another_size_is_cut_at_its_middle_and_fitted(renderer):
    renderer.apply(look(1, side=160))
    assert len(stream(renderer)) == FIRST + RUN
    wide = np.zeros((40, 100), np.uint8)
    wide[:, 30:70] = 5
    wide[:20, 30:70] = 7
    fitted = fit_class_map(wide, SIDE, SIDE)
    assert set(np.unique(fitted)) == {5, 7}
    assert (fitted[:32] == 7).all()


def test_a_look_that_cannot_be_used_is_refused_and_the_old_one_stays(renderer):
    renderer.apply(look(1))
    before = stream(renderer)
    bad = class_map(0)
    bad[3, 5] = 200
    with pytest.raises(ValueError, match="holds 200 at row 3, column 5; classes are 0 to 12"):
        renderer.apply(look(2, ids=bad))
    with pytest.raises(ValueError, match="at least 16"):
        renderer.apply(look(2, side=8))
    renderer.reset(None)
    assert same(stream(renderer), before)


def test_a_prompt_keeps_the_reference_that_the_engine_gave(renderer):
    renderer.apply(look(1))
    stream(renderer)
    reference = renderer._stream.look.reference
    renderer.apply(prompt("rain"))
    renderer.render(run_of(40, RUN))
    assert torch.equal(renderer._stream.look.reference.latents, reference.latents)
    assert renderer._stream.look.text.any()


def test_without_a_reference_a_new_prompt_makes_the_model_dream_another(renderer):
    before = stream(renderer)
    dreamt = renderer._dreamt
    assert dreamt is not None
    renderer.render(run_of(36, RUN))
    assert renderer._dreamt is dreamt
    renderer.apply(prompt("snow"))
    renderer.render(run_of(44, RUN))
    assert renderer._dreamt is not dreamt
    renderer.reset(None)
    assert not same(stream(renderer), before)


def test_a_reset_is_a_fresh_session_and_a_seed_another_one(renderer):
    fresh = stream(renderer)
    renderer.reset(None)
    assert same(stream(renderer), fresh)
    renderer.reset(7)
    other = stream(renderer)
    assert not same(other, fresh)
    renderer.reset(None)
    assert same(stream(renderer), other)


def test_a_schedule_holds_from_the_next_run_on(renderer):
    stream(renderer)
    renderer.apply(schedule(chunk=1, steps=1, history=3, sink=1))
    assert renderer.run == 4
    assert len(renderer.render(run_of(36, RUN))) == RUN  # asked for before the change: drawn as one window
    assert len(renderer.render(run_of(44, 4))) == 4
    session = renderer._stream
    assert (len(session._memory.history), len(session._memory.sink)) == (3, 1)
    assert session.window_index == 4
    with pytest.raises(ValueError, match="most: 22"):
        renderer.apply(schedule(chunk=6))
    assert renderer.run == 4


def test_guides_reach_the_decoder_when_every_frame_has_them(renderer):
    renderer.apply(look(1))
    plain = stream(renderer, 0)
    renderer.reset(None)
    assert not same(renderer.render(run_of(0, FIRST, depth=20)), plain)
    renderer.reset(None)
    half = [*run_of(0, FIRST - 1, depth=20), *run_of(FIRST - 1, 1)]
    assert same(renderer.render(half), plain)


def test_nan_fails_the_run_and_the_stream_begins_anew(renderer):
    renderer.apply(look(1))
    stream(renderer)
    history = renderer._stream._memory.history
    sick = [u._replace(latent=u.latent * torch.nan) for u in history]
    renderer._stream._memory = replace(renderer._stream._memory, history=sick)
    with pytest.raises(RenderError, match="NaN or infinite latents"):
        renderer.render(run_of(36, RUN))
    made = renderer.render(run_of(44, RUN))  # a short run, since it had been asked for already
    assert len(made) == RUN
    assert renderer._stream.window_index == 1


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 3 GiB", "2.50 GiB"),
        ("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096000 bytes.", "4096000 bytes"),
    ],
)
def test_too_little_memory_says_how_much_and_the_session_goes_on(renderer, monkeypatch, text, amount):
    renderer.apply(look(1))
    stream(renderer)

    def refuse(*_):
        raise RuntimeError(text)

    with monkeypatch.context() as patch:
        patch.setattr(renderer._model.autoencoder.decoder.head, "forward", refuse)
        with pytest.raises(MemoryShortage, match=f"cpu has too little memory for 64x64: another {amount}"):
            renderer.render(run_of(36, RUN))
    assert len(renderer.render(run_of(44, RUN))) == RUN


def test_sessions_on_one_model_do_not_touch_each_other():
    one, two = toy_renderer(FACTORY), toy_renderer(FACTORY)
    one.apply(look(1))
    two.apply(look(2))
    alone = toy_renderer(FACTORY)
    alone.apply(look(1))
    made = list(one.render(run_of(0, FIRST)))
    two.render(run_of(0, FIRST))
    two.apply(schedule(chunk=1))
    two.reset(9)
    made += one.render(run_of(FIRST, RUN))
    assert same(made, stream(alone))
