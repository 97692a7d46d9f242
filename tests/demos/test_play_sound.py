"""Engine and tyres as samples: pure, even, bounded; and the loudspeaker, which opens nothing before it is wanted."""

from __future__ import annotations

import os

import numpy as np
import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.sound import mixer
from demos.play.sound.hear import heard
from demos.play.sound.mixer import BLOCK, Speaker
from demos.play.sound.synth import BURSTS_A_TURN, CarSound, SoundConfig, Voice, noise_loop, pcm, sounded
from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup, World

RATE = SoundConfig().rate
CRUISE = CarSound(rpm=4000.0, throttle=0.5, speed=40.0)


def settled(car: CarSound, count: int = RATE) -> np.ndarray:
    """A second of a car that does not change."""
    return sounded(Voice(last=car), car, count)[1]


def loudness(samples: np.ndarray, low: float = 0.0, high: float = 1e9) -> float:
    """Root of the power between two frequencies."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) / len(samples)
    frequencies = np.fft.rfftfreq(len(samples), 1 / RATE)
    return float(np.sqrt((spectrum[(frequencies >= low) & (frequencies <= high)] ** 2).sum()))


def test_a_car_that_stands_with_its_engine_off_is_silent():
    assert not settled(CarSound()).any()


def test_the_engine_sounds_at_its_firing_rate_and_louder_under_load():
    firing = 4000.0 / 60.0 * BURSTS_A_TURN
    samples = settled(CRUISE._replace(speed=0.0))
    frequencies = np.fft.rfftfreq(len(samples), 1 / RATE)
    loudest = frequencies[np.abs(np.fft.rfft(samples)).argmax()]
    assert loudest == pytest.approx(firing, abs=1.0)
    assert loudness(settled(CRUISE._replace(throttle=1.0))) > 1.3 * loudness(settled(CRUISE._replace(throttle=0.0)))


def test_tyres_squeal_when_they_slide_on_a_road_and_only_then():
    def squeal(**words: float) -> float:
        return loudness(settled(CarSound(speed=30.0, **words)), 650.0, 1500.0)

    rolling, sliding, on_grass = squeal(slip=0.03), squeal(slip=0.3), squeal(slip=0.3, paved=0.0)
    assert sliding > 20 * rolling
    assert rolling < on_grass < 0.5 * sliding


def test_blocks_join_without_a_click_and_however_they_are_cut():
    whole = settled(CRUISE, 4000)
    voice, parts = Voice(last=CRUISE), []
    for count in (1, 999, 1500, 0, 1500):
        voice, samples = sounded(voice, CRUISE, count)
        parts.append(samples)
    assert np.concatenate(parts) == pytest.approx(whole, abs=1e-9)
    jump = sounded(voice, CarSound(rpm=7000.0, throttle=1.0, speed=60.0, slip=0.5), 1024)[1]
    assert abs(jump[0] - parts[-1][-1]) < 0.2


@given(
    st.lists(
        st.builds(
            CarSound, st.floats(0, 2e4), st.floats(0, 1), st.floats(-200, 200), st.floats(0, 50), st.floats(0, 1)
        ),
        min_size=1, max_size=6,
    )
)  # fmt: skip
def test_any_car_stays_within_full_scale_and_sounds_the_same_twice(cars):
    def play() -> np.ndarray:
        voice, parts = Voice(), []
        for car in cars:
            voice, samples = sounded(voice, car, 300)
            parts.append(samples)
        return np.concatenate(parts)

    first = play()
    assert np.abs(first).max() <= 0.9
    assert np.array_equal(first, play())


def test_noise_keeps_to_its_band_and_has_no_seam():
    loop = noise_loop(650.0, 1500.0, RATE)
    assert loudness(loop, 700, 1450) > 50 * loudness(loop, 1700, 5000)
    assert abs(loop[0] - loop[-1]) < 1.0


def test_samples_become_numbers_of_sixteen_bits():
    assert pcm(np.array([0.0, 1.0, -1.0, 2.0]), 1.0).tolist() == [0, 32767, -32767, 32767]
    assert pcm(np.array([0.5]), 0.5).tolist() == [8191]


def test_hearing_a_race_changes_nothing_of_it():
    world = World(RaceSetup("acorn-loop", rivals=0))
    for _ in range(3 * 120 + 60):
        world.step(Controls(throttle=1.0))
    before = world.hash()
    car = heard(world)
    assert world.hash() == before
    assert car.rpm > 1000.0
    assert car.throttle == 1.0
    assert car.speed == world.speed(0)
    assert car.paved == 1.0


@pytest.fixture
def quiet_mixer(monkeypatch):
    """SDL's silent driver, as if whoever started us had asked for it."""
    monkeypatch.setattr(mixer, "SILENCED", False)
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    yield
    pygame.mixer.quit()


def test_the_loudspeaker_keeps_one_block_ahead_and_gives_the_device_back(quiet_mixer):
    said, asked = [], []
    speaker = Speaker(said.append)
    speaker.turn(False, 1.0, lambda: pytest.fail("nobody listens"))
    assert pygame.mixer.get_init() is None
    speaker.turn(True, 0.5, lambda: asked.append(1) or CRUISE)
    assert len(asked) == 2  # one plays, one waits
    speaker.turn(True, 0.5, lambda: asked.append(1) or CRUISE)
    assert len(asked) <= 4
    speaker.turn(False, 0.5, CarSound)
    assert pygame.mixer.get_init() is None
    assert said == []
    assert BLOCK / RATE < 0.1


def test_without_a_device_a_word_is_said_once_and_play_goes_on(monkeypatch):
    monkeypatch.setattr(mixer, "SILENCED", True)
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")

    def refuse(*_):
        assert "SDL_AUDIODRIVER" not in os.environ  # the real device was asked for
        raise pygame.error("no such device")

    monkeypatch.setattr(pygame.mixer, "init", refuse)
    said = []
    speaker = Speaker(said.append)
    for _ in range(3):
        speaker.turn(True, 1.0, CarSound)
    assert said == ["no sound: no such device"]
    assert os.environ["SDL_AUDIODRIVER"] == "dummy"
    speaker.close()
