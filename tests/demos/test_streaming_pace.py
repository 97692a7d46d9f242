"""The pace of films that go out live while they are made."""

from __future__ import annotations

import numpy as np
import pytest

from demos.streaming.pace import LiveReel, Metronome


def test_a_film_is_shown_at_the_pace_at_which_it_plays():
    now, shown = [100.0], []

    class Stream:
        received = False  # there is no film: it goes at its pace whoever is there

        @property
        def awaited(self):  # until the server has answered, which takes it two seconds
            return now[0] < 102

        def show(self, rgb, media):
            shown.append((round(now[0] - 100, 6), media))

    reel = LiveReel(None, Stream(), 24, Metronome(lambda: now[0], lambda s: now.__setitem__(0, now[0] + s)))
    picture = np.zeros((2, 2, 3), np.uint8)
    for _ in range(48):
        reel.write(picture)
    assert [media for _, media in shown] == [k / 24 for k in range(48)]
    assert shown[0][0] == 0
    assert shown[1][0] == pytest.approx(2, abs=0.05)
    assert shown[-1][0] == pytest.approx(2 + 46 / 24, abs=0.05)
    now[0] += 5.0  # the renderer took a while: it goes on from here, and hurries nothing
    for _ in range(24):
        reel.write(picture)
    assert shown[-1][0] - shown[48][0] == pytest.approx(23 / 24)


def test_a_film_that_is_kept_waits_for_its_stream_while_somebody_receives_it_and_never_else():
    now, shown, written = [100.0], [], []

    class Stream:
        received, awaited = False, True

        def show(self, rgb, media):
            shown.append((now[0], media))

    class Video:
        def write(self, rgb):
            written.append(now[0])

    stream, picture = Stream(), np.zeros((2, 2, 3), np.uint8)
    reel = LiveReel(Video(), stream, 24, Metronome(lambda: now[0], lambda s: now.__setitem__(0, now[0] + s)))
    for _ in range(240):
        reel.write(picture)
    assert now[0] == 100.0
    stream.received = True  # somebody comes: the ten seconds that he missed are not made up for
    for _ in range(25):
        reel.write(picture)
    assert now[0] == pytest.approx(101.0)
    stream.received = False
    for _ in range(24):
        reel.write(picture)
    assert now[0] == pytest.approx(101.0)
    assert [media for _, media in shown] == [k / 24 for k in range(289)]
    LiveReel(Video(), None, 24).write(picture)
    assert len(written) == 290
