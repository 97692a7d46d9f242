"""Runs of several sessions drawn as one batch on the toy model: each gets its own pictures, each its own faults."""

import argparse
from dataclasses import replace

import numpy as np
import pytest
import torch

from demos.commands import serve
from demos.renderer import batches
from demos.renderer.batches import sizes_up_to
from demos.renderer.factory import cut_schedule
from demos.renderer.session import MemoryShortage
from diffusion_render.stream.profile import Profiler
from diffusion_render.stream.profile_report import counters, lines, table
from diffusion_render.stream.session import RenderError
from engine_sim.core.errors import UserError
from render_bridge import serving
from render_bridge.protocol.events import PictureTaken
from render_bridge.work import SharingFactory
from tests.demos.renderer_toys import RUN, SIDE, look, run_of, schedule, toy_factory, toy_renderer
from tests.render_bridge.link import drawn
from tests.render_bridge.stage import Stage

SHORT = {"schedule": cut_schedule(8, 8)}
FIRST = RUN
FACTORY = toy_factory(batch=2, **SHORT)


def players(count, factory=FACTORY):
    """Sessions with looks of their own that have drawn their first run."""
    made = [toy_renderer(factory) for _ in range(count)]
    for k, renderer in enumerate(made):
        renderer.apply(look(k))
        renderer.reset(k)
        renderer.render(run_of(k, FIRST, depth=20))
    return made


def runs(renderers, count=RUN):
    return [(renderer, run_of(40 + k, count, depth=20)) for k, renderer in enumerate(renderers)]


@pytest.fixture
def groups(monkeypatch):
    """Sizes of the batches that are made."""
    made, make = [], batches.make_together

    def booked(model, drafts, *how):
        made.append(len(drafts))
        return make(model, drafts, *how)

    monkeypatch.setattr(batches, "make_together", booked)
    return made


def test_players_of_a_batch_get_what_they_would_get_alone(groups):
    together = FACTORY.render_many(runs(players(2)))
    alone = [renderer.render(frames) for renderer, frames in runs(players(2))]
    assert groups == [2]
    for mine, plain in zip(together, alone, strict=True):
        assert len(mine) == RUN
        assert max(np.abs(a.astype(int) - b).max() for a, b in zip(mine, plain, strict=True)) <= 1
    assert not np.array_equal(together[0][0], together[1][0])


def test_a_batch_is_one_tree_of_the_profiler_with_all_its_parts_inside():
    """One window, and each run's frames and pictures by themselves."""
    two = players(2)
    with Profiler().active() as profiler:
        FACTORY.render_many(runs(two))
    (tree,) = profiler.trees()
    rows = {row.name: row for row in table([tree], "batch")}
    assert (rows["batch"].calls, rows["window"].calls, rows["window"].depth) == (1, 1, 1)
    assert [rows[name].calls for name in ("frames together", "draft", "copy out", "draft ahead", "wait")] == [2] * 5
    assert (rows["decode"].calls, rows["decode"].depth) == (2, 2)
    counted = counters([tree], "batch")
    assert counted["chunks"] == 2
    assert f"bytes of pictures: {2 * 3 * RUN * SIDE * SIDE:g} a batch" in lines(list(rows.values()), counted)
    assert table([tree]) == []


def test_nan_of_one_player_is_his_own_affair(groups):
    two = players(2)
    stream = two[0]._stream
    sick = [u._replace(latent=u.latent * torch.nan) for u in stream._memory.history]
    stream._memory = replace(stream._memory, history=sick)
    failure, pictures = FACTORY.render_many(runs(two))
    assert groups == [2]
    assert isinstance(failure, RenderError)
    assert len(pictures) == RUN
    assert [renderer._stream.window_index for renderer in two] == [0, 2]
    assert len(two[0].render(run_of(60, FIRST))) == FIRST


def test_a_run_that_cannot_even_be_prepared_is_no_hindrance(groups, monkeypatch):
    two = players(2)

    def refuse(*_):
        raise RuntimeError("can't allocate memory: you tried to allocate 4096 bytes")

    monkeypatch.setattr(two[0], "_laid", refuse)
    drawn = FACTORY.render_many(runs(two))
    assert isinstance(drawn[0], MemoryShortage)
    assert len(drawn[1]) == RUN
    assert groups == []


def test_runs_of_several_kinds_make_several_batches_in_sizes_that_there_are(groups):
    """Three of one kind are 2 + 1; those of another schedule go together too."""
    five = players(5)
    for renderer in five[1:3]:
        renderer.apply(schedule(steps=1))
    assert len({renderer.kind(frames) for renderer, frames in runs(five)}) == 2
    drawn = FACTORY.render_many(runs(five))
    assert [len(pictures) for pictures in drawn] == [RUN] * 5
    assert groups == [2, 2]


def test_a_session_that_begins_a_stream_or_a_look_is_drawn_alone():
    fresh, (going,) = toy_renderer(FACTORY), players(1)
    assert fresh.kind(run_of(0, FIRST)) is None
    assert going.kind(run_of(30, RUN)) is not None
    going.apply(look(9))
    assert going.kind(run_of(30, RUN)) is None


def test_a_batch_too_large_for_the_memory_is_drawn_one_by_one_and_is_not_tried_again(monkeypatch):
    lines = []
    factory = toy_factory(batch=2, **SHORT)
    factory._batches._say = lines.append

    def refuse(*_):
        raise RuntimeError("CUDA out of memory. Tried to allocate 90 GiB.")

    expected = [renderer.render(frames) for renderer, frames in runs(players(2))]
    two = players(2, factory)
    with monkeypatch.context() as patch:
        patch.setattr(batches, "make_together", refuse)
        drawn = factory.render_many(runs(two))
    assert all(np.array_equal(a, b) for mine, plain in zip(drawn, expected) for a, b in zip(mine, plain))
    assert factory.sizes == (1,)
    assert len(lines) == 1
    assert "2 chunks cannot be drawn at once, at most 1 from now on: CUDA out of memory" in lines[0]


def test_only_few_sizes_of_a_batch_occur_and_a_processor_draws_one_by_one():
    assert [sizes_up_to(most) for most in (1, 2, 7, 8)] == [(1,), (1, 2), (1, 2, 4), (1, 2, 4, 8)]
    with pytest.raises(ValueError, match="at least 1 run, got 0"):
        sizes_up_to(0)
    factory = toy_factory()
    assert factory.sizes == (1,)
    assert isinstance(factory, SharingFactory)


def test_warming_up_tells_what_a_chunk_costs_and_how_many_can_be_drawn_at_once(monkeypatch):
    factory, sizes = toy_factory(batch=4, **SHORT), []
    assert factory.pixel_seconds == 0
    seconds = {1: 0.08, 2: 0.12}

    def draw(streams):
        sizes.append(len(streams))
        if len(streams) == 4:
            raise RuntimeError("CUDA out of memory. Tried to allocate 90 GiB.")
        return seconds[len(streams)]

    monkeypatch.setattr(factory, "_draw_blank", draw)
    factory.warm_up()
    assert sizes == [1, 1, 1, 1, 1, 2, 4]
    assert factory.pixel_seconds == pytest.approx(0.08 / (RUN * SIDE * SIDE))
    assert factory.shares == pytest.approx((1, 0.75))
    assert factory.sizes == (1, 2)
    factory._batches.give_up(2, RuntimeError("no room while somebody plays"))
    assert factory.shares == (1,)


def test_warming_up_draws():
    factory = toy_factory(**SHORT)
    factory.warm_up()
    assert factory.shares == (1,)
    assert 1e-9 < factory.pixel_seconds < 1e-2


def test_players_of_a_serving_loop_are_drawn_together_when_their_runs_are_complete_together(groups):
    """From the frames of two engines to the pictures that they get, and those are the ones that each gets alone."""
    factory = toy_factory(batch=2, **SHORT)

    def pictures(*peers):
        run = {"run": RUN, "first_run": RUN, "window": 3 * RUN}
        stage = Stage(make=lambda offer: factory, offer=run, mode="record")
        for peer in peers:
            if peer not in stage.link.engines:
                stage.link.join(peer, instance=peer[-6:].rjust(8), mode="record")
        stage.link.elapse(50)
        stage.turn()
        for number in range(2 * RUN):
            for peer in peers:
                stage.link.engines[peer].offer(drawn(number + 3 * (peer == b"peer-1")))
            stage.link.exchange()
            stage.turn()
        return [[p.pixels for p in stage.link.of(PictureTaken, peer)] for peer in peers]

    both = pictures(b"peer-0", b"peer-1")
    assert groups == [2]
    (alone,) = pictures(b"peer-0")
    assert [len(of_one) for of_one in both] == [2 * RUN] * 2
    assert max(np.abs(a.astype(int) - b).max() for a, b in zip(both[0], alone, strict=True)) <= 1
    assert not np.array_equal(both[0][-1], both[1][-1])


def arguments(*words):
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    parser.set_defaults(run=serve.run)
    return parser.parse_args(words)


def test_the_words_of_serve_say_how_many_are_drawn_together_and_whether_too_many_are_taken_in(monkeypatch, tmp_path):
    assert serve.plan_of(arguments("--random-weights", "--batch", "3"), "toy").batch == 3
    with pytest.raises(UserError, match="--batch must be at least 1 and at most 32, got 0"):
        serve.plan_of(arguments("--batch", "0"), "toy")
    told = []
    monkeypatch.setattr(serving, "serve", lambda *args, overbook, **words: told.append(overbook))
    for words in ([], ["--overbook"]):
        serve.run(arguments("--renderer", "palette", "--address", f"ipc://{tmp_path}/bridge", *words))
    assert told == [False, True]
