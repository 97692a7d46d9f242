"""Frames on their way to a graphics card and pictures on theirs back, with a way that stands in for the card's."""

import numpy as np
import pytest
import torch

from demos.renderer import staging
from demos.renderer.staging import Laying, depth_kind
from tests.demos.renderer_toys import FIRST, RUN, SIDE, look, run_of, toy_factory, toy_renderer
from tests.demos.test_renderer_session import same
from tests.diffusion_render.stream.transports import SlowTransport

CPU = torch.device("cpu")
FACTORY = toy_factory()


def planes(count, kind=np.uint8):
    return [np.random.default_rng(k).uniform(0, 250, (6, 10)).astype(kind) for k in range(count)]


@pytest.mark.parametrize("workers", [1, 3, 8])
@pytest.mark.parametrize("count", [1, 4, 28])
def test_every_plane_lands_in_its_place_and_travels_once(monkeypatch, workers, count):
    monkeypatch.setattr(staging, "_worker_count", lambda: workers)
    transport, given = SlowTransport(), planes(count)
    laid = Laying(given, torch.uint8, CPU, transport).arrive()
    assert np.array_equal(laid, np.stack(given))
    assert np.array_equal(torch.cat(transport.sent), laid)  # whole already when it set out, and in order
    assert len(transport.sent) == min(workers, count)


def test_arriving_once_is_enough():
    transport = SlowTransport()
    laying = Laying(planes(4), torch.uint8, CPU, transport)
    assert laying.arrive() is laying.arrive() is laying.tensor
    assert sum(map(len, transport.sent)) == 4


@pytest.mark.parametrize("transport", [None, SlowTransport()])
def test_depth_in_half_precision_stays_so_and_all_other_is_float32(transport):
    halves, singles, doubles = planes(4, np.float16), planes(4, np.float32), planes(4, np.float64)
    assert depth_kind(halves) == torch.float16
    assert {depth_kind(singles), depth_kind(doubles), depth_kind([*halves, *singles])} == {torch.float32}
    laid = Laying(halves, depth_kind(halves), CPU, transport).arrive()
    assert np.array_equal(laid.float(), np.stack(halves).astype(np.float32))
    mixed = [*halves, *doubles]
    laid = Laying(mixed, depth_kind(mixed), CPU, transport)
    assert np.array_equal(laid.arrive(), np.float32(np.stack(mixed)))


def test_a_plane_that_does_not_fit_fails_where_it_is_waited_for():
    laying = Laying([*planes(3), np.zeros((5, 5), np.uint8)], torch.uint8, CPU, SlowTransport())
    with pytest.raises(ValueError, match="broadcast"):
        laying.arrive()


def drawn(renderer, depth):
    renderer.apply(look(1))
    made = list(renderer.render(run_of(0, FIRST, depth=depth)))
    made += renderer.render(run_of(FIRST, RUN, depth=depth))
    return made + list(renderer.render(run_of(FIRST + RUN, 3, depth=depth)))  # the last run, cut short


@pytest.mark.parametrize("depth", [None, 20])
def test_a_stream_over_the_card_s_ways_is_the_same_to_the_bit(depth):
    near, far = toy_renderer(FACTORY), toy_renderer(FACTORY)
    far._transport = transport = SlowTransport()
    made = drawn(far, depth)
    assert same(made, drawn(near, depth))
    assert len(made) == FIRST + RUN + 3
    assert sum(part.numel() for part in transport.sent) == (len(made) + 1) * SIDE * SIDE * (1 if depth is None else 2)


def test_players_of_a_batch_over_the_card_s_ways():
    def batch(way):
        factory = toy_factory(batch=2)
        two = [toy_renderer(factory) for _ in range(2)]
        for k, renderer in enumerate(two):
            renderer._transport = way
            renderer.apply(look(k + 1))
            renderer.render(run_of(30 * k, FIRST))
        runs = [(renderer, run_of(60 + 10 * k, RUN)) for k, renderer in enumerate(two)]
        return [picture for drawn in factory.render_many(runs) for picture in drawn]

    assert same(batch(SlowTransport()), batch(None))


def test_pictures_belong_to_the_bridge_and_are_not_written_to_again():
    renderer = toy_renderer(FACTORY)
    renderer._transport = SlowTransport()
    renderer.apply(look(1))
    first = list(renderer.render(run_of(0, FIRST)))
    kept = [picture.copy() for picture in first]
    renderer.render(run_of(FIRST, RUN))
    assert same(first, kept)


def test_cameras_that_nobody_reads_are_not_looked_at(monkeypatch):
    """Without depth the decoder has no use for them."""
    renderer = toy_renderer(FACTORY)
    renderer.apply(look(1))
    monkeypatch.setattr(renderer, "_camera_rows", None)
    assert len(renderer.render(run_of(0, FIRST))) == FIRST
