"""Prompts that come into force over several runs: rows step by step, alone and in a session."""

import pytest
import torch

from demos.renderer.fades import PromptFade, take_blend
from tests.demos.renderer_toys import FIRST, RUN, look, prompt, run_of, schedule, toy_factory, toy_renderer

FACTORY = toy_factory()


def rows(value: float) -> torch.Tensor:
    return torch.full((2, 3), value)


def test_rows_go_in_equal_steps_and_arrive_exactly():
    fade = PromptFade(rows(0.0))
    fade.runs = 4
    fade.to(rows(1.0), at_once=False)
    seen = []
    for _ in range(6):
        moved = fade.step()
        seen.append((moved, float(fade.rows[0, 0])))
    assert seen == [(True, 0.25), (True, 0.5), (True, 0.75), (True, 1.0), (False, 1.0), (False, 1.0)]


def test_a_cut_needs_no_step():
    fade = PromptFade(rows(0.0))
    fade.to(rows(1.0), at_once=False)
    assert not fade.step()
    assert torch.equal(fade.rows, rows(1.0))
    fade.runs = 5
    fade.to(rows(2.0), at_once=True)
    assert not fade.step()
    assert torch.equal(fade.rows, rows(2.0))


def test_another_prompt_on_the_way_goes_on_from_where_it_is():
    fade = PromptFade(rows(0.0))
    fade.runs = 2
    fade.to(rows(1.0), at_once=False)
    fade.step()
    fade.to(rows(0.0), at_once=False)
    fade.step()
    assert torch.equal(fade.rows, rows(0.25))
    assert fade.finish()
    assert not fade.finish()
    assert torch.equal(fade.rows, rows(0.0))


def test_a_blend_is_read_from_a_schedule_and_checked():
    assert take_blend({"chunk": 1, "blend": 6}) == (6, {"chunk": 1})
    assert take_blend({"chunk": 1}) == (None, {"chunk": 1})
    for bad in (0, 65, -1):
        with pytest.raises(ValueError, match=f"blend must be 1 to 64, got {bad}"):
            take_blend({"blend": bad})


def text_rows(renderer) -> torch.Tensor:
    """What the stream is painted with."""
    return renderer._stream.look.text[0]


def test_a_session_blends_a_prompt_over_its_runs_and_reads_nothing_old_afterwards():
    renderer = toy_renderer(FACTORY)
    renderer.apply(look(1, text="sun"))
    renderer.render(run_of(0, FIRST))
    old, new = FACTORY._prompts.encode("sun"), FACTORY._prompts.encode("rain")
    assert torch.equal(text_rows(renderer), old)
    renderer.apply(schedule(blend=3))
    renderer.apply(prompt("rain"))
    for k, share in enumerate((1 / 3, 2 / 3, 1.0)):
        renderer.render(run_of(FIRST + RUN * k, RUN))
        assert torch.allclose(text_rows(renderer), old + (new - old) * share)
    assert torch.equal(text_rows(renderer), new)
    before = renderer._stream.look
    renderer.render(run_of(FIRST + 3 * RUN, RUN))
    assert renderer._stream.look is before


def test_looks_that_carry_the_same_words_do_not_begin_the_blend_again():
    renderer = toy_renderer(FACTORY)
    renderer.apply(look(1, text="sun"))
    renderer.render(run_of(0, FIRST))
    renderer.apply(schedule(blend=2))
    for k in range(2):
        renderer.apply(look(2 + k, text="rain"))
        renderer.render(run_of(FIRST + RUN * k, RUN))
    assert torch.equal(text_rows(renderer), FACTORY._prompts.encode("rain"))


def test_the_first_prompt_and_one_after_a_reset_are_whole():
    renderer = toy_renderer(FACTORY)
    renderer.apply(schedule(blend=8))
    renderer.apply(look(1, text="sun"))
    renderer.render(run_of(0, FIRST))
    assert torch.equal(text_rows(renderer), FACTORY._prompts.encode("sun"))
    renderer.apply(prompt("rain"))
    renderer.render(run_of(FIRST, RUN))
    renderer.reset(None)
    renderer.render(run_of(0, FIRST))
    assert torch.equal(text_rows(renderer), FACTORY._prompts.encode("rain"))


def test_without_a_reference_every_prompt_is_a_cut():
    renderer = toy_renderer(FACTORY)
    renderer.render(run_of(0, FIRST))
    renderer.apply(schedule(blend=8))
    renderer.apply(prompt("rain"))
    renderer.render(run_of(FIRST, RUN))
    assert torch.equal(text_rows(renderer), FACTORY._prompts.encode("rain"))
