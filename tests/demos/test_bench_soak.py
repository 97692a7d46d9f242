"""`paintover bench soak` on the toy model: every change happens, and a difference between the twins would be seen."""

import json

import numpy as np
import pytest

from demos import cli
from demos.benches.players import blocks_of_classes
from demos.benches.soak import PARTS, Differences, Soak, SoakPlan
from tests.demos.renderer_toys import RUN, SIDE, toy_factory


def test_a_stream_with_every_change_is_measured_part_by_part(capsys):
    words = "--preset", "toy", "--random-weights", "--threads", "1", "--size", "64x64", "--seconds", "5", "--depth"
    assert cli.main(["bench", "soak", *words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    changes = [part["begins_with"] for part in report["parts"]]
    assert changes == ["", "look", "", "prompt", "", "reset", "", "", "", ""]
    assert sum(part["ms"]["samples"] for part in report["parts"]) == report["ms"]["samples"] == 15
    assert report["media_s"] == 5.0
    assert report["recompiles"] == 0
    assert set(report["memory_growth_mb"]) == {"process_mb"}
    assert report["launched_anew"]["chunks"] == 0  # nothing is recorded on a processor, so there is no twin


def twins(other_seed: bool) -> Soak:
    factory = toy_factory()
    plan = SoakPlan(factory.plan, (SIDE, SIDE))
    streams = [factory.renderer(plan.size), factory.renderer(plan.size, recorded=False)]
    streams[1].reset(int(other_seed))
    return Soak(plan, streams, blocks_of_classes(plan.size, RUN, 13, depth=False))


@pytest.mark.parametrize("other_seed", [False, True])
def test_twins_are_compared_through_every_change(other_seed):
    soak = twins(other_seed)
    soak.begin()
    for part in range(PARTS):
        soak.change(part)
        soak.run(1)
    assert soak.differences.chunks == PARTS + 4
    assert (soak.differences.largest > 0) == other_seed
    assert (soak.differences.unequal == soak.differences.chunks) == other_seed


def test_a_single_level_is_a_difference():
    differences = Differences()
    picture = np.zeros((4, 4, 3), np.uint8)
    other = picture.copy()
    other[3, 3, 2] = 1
    differences.add([picture, picture], [picture, picture])
    differences.add([picture, picture], [picture, other])
    assert differences == Differences(chunks=2, unequal=1, largest=1)


def test_a_rate_is_refused_where_nothing_is_paced_and_where_ticks_do_not_divide(capsys):
    assert cli.main(["bench", "decoder", "--fps", "24"]) == 2
    assert cli.main(["bench", "soak", "--preset", "toy", "--random-weights", "--fps", "7"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "--fps" in first
    assert "7" in second
