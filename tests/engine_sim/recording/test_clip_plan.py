from collections import Counter

import pytest

from engine_sim.core.errors import UserError
from engine_sim.recording.clip_plan import ClipPlan, look_seeds, plan_clips, plan_races, plan_shards
from engine_sim.tracks.catalogue import split_of, track_names
from engine_sim.views.look import look_split

TRAIN = [name for name in track_names("built-in") if split_of(name) == "train"]
PLAN = ClipPlan(seed=3, count=203, width=96, height=64, frames=32, places=3, clips_per_race=20, tracks=tuple(TRAIN[:3]))


def clips(plan):
    return plan_clips(plan, plan_races(plan))


def test_a_plan_is_a_pure_function_of_its_numbers():
    assert plan_shards(PLAN) == plan_shards(ClipPlan(**{**PLAN.to_json(), "tracks": PLAN.tracks, "cameras": ("chase",),
                                                        "planes": (), "sessions": ()}))  # fmt: skip
    other = ClipPlan(seed=4, count=203, width=96, height=64, frames=32, places=3, clips_per_race=20, tracks=PLAN.tracks)
    assert plan_shards(other) != plan_shards(PLAN)


def test_size_and_teacher_do_not_change_what_is_seen():
    large = ClipPlan(**{**vars(PLAN), "width": 672, "height": 384, "teacher": "zstd"})
    assert clips(large) == clips(PLAN)


def test_thousands_of_looks_are_seen_at_several_places_each():
    jobs = clips(PLAN)
    places = Counter(job.look for job in jobs)
    assert len(places) == -(-203 // 3)
    assert set(places.values()) <= {2, 3}
    for look in places:
        mine = [job for job in jobs if job.look == look]
        assert [job.place for job in mine] == list(range(len(mine)))
        assert len({job.race for job in mine}) == len(mine)
    assert (
        len(look_seeds(ClipPlan(count=8000, places=2))) == len(set(look_seeds(ClipPlan(count=8000, places=2)))) == 4000
    )


def test_fewer_looks_give_more_places():
    jobs = clips(ClipPlan(**{**vars(PLAN), "looks": 5}))
    assert sorted(Counter(job.look for job in jobs).values()) == [39, 39, 41, 42, 42]


def test_races_are_few_shared_and_evenly_used():
    races = plan_races(PLAN)
    used = Counter(job.race for job in clips(PLAN))
    assert len(races) == 11
    assert max(used.values()) - min(used.values()) <= 1
    assert {race.setup.track for race in races} == set(PLAN.tracks)
    assert len({race.setup.seed for race in races}) == 11
    assert any(race.restless >= 0 for race in races)
    assert any(race.restless < 0 for race in races)


def test_clips_spread_over_their_race_and_fit_it():
    for race in plan_races(PLAN):
        starts = sorted(job.start for job in clips(PLAN) if job.race == race.name)
        assert starts[0] >= 0
        assert starts[-1] + PLAN.frames <= race.frames
        slice_ = (race.frames - PLAN.frames) / len(starts)
        assert all(k * slice_ - 1 <= start <= (k + 1) * slice_ + 1 for k, start in enumerate(starts))


def test_shards_hold_every_clip_once_and_one_race_each():
    shards = plan_shards(PLAN)
    assert sorted(job.index for shard in shards for job in shard.clips) == list(range(203))
    assert len({shard.name for shard in shards}) == len(shards)
    for shard in shards:
        assert {job.race for job in shard.clips} == {shard.race.name}
        assert len(shard.clips) <= PLAN.clips_per_shard


@pytest.mark.parametrize("split", ["train", "held-out"])
def test_splits_never_mix(split):
    plan = ClipPlan(count=60, split=split)
    if not any(split_of(name) == split for name in track_names("built-in")):
        with pytest.raises(UserError, match="no track"):
            plan_races(plan)
        return
    assert all(split_of(race.setup.track) == split for race in plan_races(plan))
    assert all(look_split(seed) == split for seed in look_seeds(plan))


def test_a_track_of_the_other_split_is_refused():
    with pytest.raises(UserError, match="belongs to the train set, these clips are for held-out"):
        plan_races(ClipPlan(split="held-out", tracks=(TRAIN[0],)))
    with pytest.raises(UserError, match="unknown track 'nowhere'"):
        plan_races(ClipPlan(tracks=("nowhere",)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"count": 0}, "count must be a whole number"),
        ({"frames": 2.5}, "frames must be a whole number"),
        ({"fps": 25}, "frame rate 25"),
        ({"width": 100}, "width 100 is not a multiple of 32"),
        ({"split": "test"}, "split must be of train, held-out, got 'test'"),
        ({"planes": ("depth", "normals")}, "planes must be of depth, motion, object, got 'normals'"),
        ({"cameras": ()}, "at least one camera"),
        ({"cameras": ("drone",)}, "cameras must be of"),
        ({"teacher": "jpeg"}, "teacher must be of"),
        ({"restless": 1.5}, "restless must lie"),
        ({"restless": float("nan")}, "restless must lie"),
        ({"tracks": ("a",), "sessions": ("b",)}, "exclude each other"),
    ],
)
def test_bad_numbers_are_named(changes, words):
    with pytest.raises(UserError, match=words):
        ClipPlan(**changes)


def test_a_clip_longer_than_its_race_is_refused():
    with pytest.raises(UserError, match="a clip of 100 frames does not fit a race of 72 frames"):
        plan_races(ClipPlan(frames=100, race_seconds=3))
