import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from engine_sim.core.errors import UserError
from engine_sim.gym_env import ENV_ID, OWN_FEATURES, STATE_SIZE, PaintoverRaceEnv, state_vector
from engine_sim.tracks.catalogue import track_names
from render_bridge.palette import PLAYER_CAR, RACING

TRACK = track_names("built-in")[0]
SMALL = {"track": TRACK, "width": 96, "height": 64, "views": "cpu", "rivals": 2}
GO = np.array([0.0, 1.0, 0.0], np.float32)


def make(**changes):
    return gymnasium.make(ENV_ID, **{**SMALL, **changes})


@pytest.mark.parametrize("observation", ["state", "class_map", "teacher"])
def test_gymnasiums_checker_is_content(observation):
    env = make(observation=observation, render_mode="rgb_array")
    with warnings.catch_warnings():
        # A remark of the checker that we answer: steering is not symmetric to the pedals.
        warnings.filterwarnings("ignore", message=".*symmetric and normalized space.*")
        check_env(env.unwrapped)
    env.close()


def test_the_environment_opens_without_arguments():
    env = gymnasium.make(ENV_ID)
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert np.isfinite(env.observation_space.high).all()
    env.close()


def test_the_same_seed_gives_the_same_episode():
    def episode(seed):
        env = PaintoverRaceEnv(**SMALL, observation="class_map")
        first, _ = env.reset(seed=seed)
        env.action_space.seed(1)
        rest = [env.step(env.action_space.sample()) for _ in range(10)]
        env.close()
        return [first, *(step[0] for step in rest)], [step[1] for step in rest], [step[4] for step in rest]

    maps, rewards, infos = episode(7)
    again = episode(7)
    assert all(np.array_equal(a, b) for a, b in zip(maps, again[0], strict=True))
    assert (rewards, infos) == again[1:]
    assert any(not np.array_equal(a, b) for a, b in zip(maps, episode(8)[0], strict=True))


def test_every_reset_without_a_seed_is_another_race():
    env = PaintoverRaceEnv(**SMALL)
    env.reset(seed=1)
    first = env.unwrapped._drive.world.setup.seed
    env.reset()
    assert env.unwrapped._drive.world.setup.seed != first


def test_full_throttle_is_rewarded_by_the_metres_driven():
    env = PaintoverRaceEnv(**SMALL)
    _, info = env.reset(seed=3)
    total = 0.0
    for _ in range(48):
        _, reward, terminated, truncated, after = env.step(GO)
        assert not terminated
        assert not truncated
        total += reward
    assert total > 10.0
    assert total == pytest.approx(after["progress"] - info["progress"])
    assert after["tick"] - info["tick"] == 48 * 5
    assert after["speed"] > 5.0


def test_episodes_begin_at_the_green_light():
    env = PaintoverRaceEnv(**SMALL)
    _, info = env.reset(seed=3)
    assert env.unwrapped._drive.world.countdown_ticks == 0
    assert info["position"] == 3


def test_standing_still_is_truncated_by_patience_and_time():
    env = PaintoverRaceEnv(**SMALL, patience=1.0)
    env.reset(seed=3)
    ends = [env.step(np.zeros(3, np.float32))[2:4] for _ in range(24)]
    assert ends[-1] == (False, True)
    assert ends[0] == (False, False)
    env = PaintoverRaceEnv(**SMALL, max_seconds=3.5)
    env.reset(seed=3)
    assert [env.step(GO)[3] for _ in range(12)] == [False] * 11 + [True]


def test_finishing_the_race_terminates():
    from engine_sim.racing.state import FINISH_TICK

    env = PaintoverRaceEnv(**SMALL)
    env.reset(seed=3)
    env.unwrapped._drive.world.state.marks[0, FINISH_TICK] = 900
    _, _, terminated, truncated, _ = env.step(GO)
    assert (terminated, truncated) == (True, False)


def test_observations_show_the_race():
    env = PaintoverRaceEnv(**SMALL, observation="class_map", render_mode="rgb_array")
    class_map, _ = env.reset(seed=3)
    RACING.check(class_map)
    assert (class_map == PLAYER_CAR).any()
    assert np.array_equal(env.render(), RACING.colorize(class_map))
    assert PaintoverRaceEnv(**SMALL).render() is None
    env.close()
    env.close()


def test_the_state_vector_has_a_meaning_for_every_entry():
    env = PaintoverRaceEnv(**SMALL)
    state, _ = env.reset(seed=3)
    assert state.shape == (STATE_SIZE,)
    assert len(OWN_FEATURES) == 13
    for _ in range(24):
        state, *_ = env.step(GO)
    drive = env.unwrapped._drive
    assert state[0] == np.float32(drive.world.speed(0))
    assert state[6] + state[7] == pytest.approx(
        drive.track.arrays.width_left[0] + drive.track.arrays.width_right[0], rel=0.3
    )
    assert state[11] > 0.9  # Along the road.
    rivals = state[21:].reshape(3, 4)
    assert rivals[:, 3].tolist() == [1.0, 1.0, 0.0]
    assert rivals[0, 0] ** 2 + rivals[0, 1] ** 2 <= rivals[1, 0] ** 2 + rivals[1, 1] ** 2
    assert np.array_equal(state_vector(drive), state)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"observation": "pixels"}, "observation must be one of"),
        ({"render_mode": "human"}, "render_mode must be"),
        ({"track": "no-such"}, "no-such"),
        ({"track": None}, "track must be the name of a circuit, got None"),
        ({"width": 100}, "width 100 is not a multiple of 32"),
        ({"rivals": 16}, "rivals must be"),
    ],
)
def test_bad_arguments_are_named(changes, words):
    with pytest.raises(UserError, match=words):
        PaintoverRaceEnv(**{**SMALL, **changes})


def test_bad_actions_are_named():
    env = PaintoverRaceEnv(**SMALL)
    with pytest.raises(RuntimeError, match="call reset before step"):
        env.step(GO)
    env.reset(seed=1)
    with pytest.raises(UserError, match="'throttle' must lie in"):
        env.step(np.array([0.0, 2.0, 0.0], np.float32))
    with pytest.raises(UserError, match="'steer' must lie in"):
        env.step(np.array([np.nan, 0.0, 0.0], np.float32))
