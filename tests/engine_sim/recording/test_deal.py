"""Dealing shards to renderers: all of them once, on the track that is open, in shrinking portions."""

import dataclasses

import pytest

from engine_sim.racing.world import RaceSetup
from engine_sim.recording.clip_plan import RaceJob, ShardJob
from engine_sim.recording.deal import Deal, races_of


def race(number: int, track: str) -> RaceJob:
    return RaceJob(f"race-{number}", RaceSetup(track=track), -1, "", 100, 24, ("chase",))


def shards(job: RaceJob, count: int) -> list[ShardJob]:
    return [ShardJob(f"{job.name}-{k}", job, ()) for k in range(count)]


def deal_of(tracks: str, each: int, renderers: int, racers: int = 1) -> Deal:
    """A race of ``each`` shards for every letter of ``tracks``."""
    missing = [shard for number, track in enumerate(tracks) for shard in shards(race(number, track), each)]
    return Deal(missing, renderers, racers)


@pytest.mark.parametrize("renderers", [1, 2, 3, 7])
def test_every_shard_is_dealt_once_whoever_asks_when(renderers):
    deal = deal_of("abcab", 5, renderers, racers=2)
    taken: list[ShardJob] = []
    racing = [job.name for job in deal.races]
    idle_rounds = 0
    while idle_rounds < 2:
        got = [shard for k in range(renderers) for shard in deal.take(k)]
        taken += got
        idle_rounds = 0 if got or racing else idle_rounds + 1
        if racing:
            deal.race_done(racing.pop(0))
    assert sorted(shard.name for shard in taken) == sorted(f"race-{n}-{k}" for n in range(5) for k in range(5))


def test_a_portion_is_of_one_track():
    deal = deal_of("abc", 9, 2)
    for job in deal.races:
        deal.race_done(job.name)
    dealt = 0
    while any(portions := [deal.take(k) for k in range(2)]):
        dealt += sum(map(len, portions))
        assert all(len({shard.race.setup.track for shard in portion}) == 1 for portion in portions if portion)
    assert dealt == 27


def test_each_renderer_opens_a_track_of_its_own_and_stays_with_it():
    deal = deal_of("abc", 6, 3)
    assert deal.tracks == ["a", "b", "c"]
    for job in deal.races:
        deal.race_done(job.name)
    for _ in range(3):
        for k, track in enumerate("abc"):
            assert {shard.race.setup.track for shard in deal.take(k)} == {track}


def test_portions_shrink_towards_the_end():
    deal = deal_of("a", 24, 2)
    deal.race_done("race-0")
    sizes = []
    while portion := deal.take(len(sizes) % 2):
        sizes.append(len(portion))
    assert sizes[0] == 4
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-4:] == [1, 1, 1, 1]


def test_a_renderer_waits_for_the_race_that_is_being_simulated_on_its_track():
    deal = deal_of("abc", 4, 2, racers=1)
    deal.race_done("race-0")
    assert deal.take(1) == (), "race 1 is under way on track b"
    assert deal.take(0)
    assert deal.tracks == ["a", "b"]


def test_a_renderer_whose_race_is_far_off_helps_where_most_is_left():
    deal = deal_of("abcd", 4, 4, racers=1)
    deal.race_done("race-0")
    assert {shard.race.setup.track for shard in deal.take(3)} == {"a"}
    assert deal.tracks == ["a", "b", "c", "a"]


def test_nothing_missing_is_nothing_to_deal():
    deal = Deal([], 0, 4)
    assert (deal.races, deal.tracks) == ((), [])


def test_races_are_named_once_in_order():
    first, second = race(1, "a"), race(0, "b")
    listed = [*shards(first, 2), *shards(second, 1), dataclasses.replace(shards(first, 1)[0], name="more")]
    assert races_of(listed) == (first, second)
