"""Streams to a real RTMP server: no growth of delay, a restart survived, sizes, sound, colours.

``PAINTOVER_STREAM=60`` runs the nightly form: so many seconds of an undisturbed stream.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Iterator

import av
import numpy as np
import pytest

from demos.streaming.address import parse_address
from demos.streaming.numbered import BRIGHT, numbered
from demos.streaming.output import OutputConfig, RtmpOutput
from demos.streaming.reconnect import Fault, ReconnectConfig
from demos.streaming.sender import fault_of
from demos.streaming.stream import LiveStream, StreamPlan

from .conftest import wait_for
from .rtmp_servers import Nginx, Seen, Viewer, nginx_is_missing

pytestmark = pytest.mark.skipif(
    nginx_is_missing(), reason="no RTMP server here (Debian: apt-get install libnginx-mod-rtmp)"
)
SECONDS = float(os.environ.get("PAINTOVER_STREAM", "3"))
FPS = 24
MOST_DELAY = 1.5
"""Seconds, on a machine that has other things to do; an idle one needs 0.05."""


@pytest.fixture
def nginx(tmp_path) -> Iterator[Nginx]:
    """A server, gone with the test."""
    server = Nginx(tmp_path)
    yield server
    server.stop()


class Source:
    """Shows numbered pictures at 24 a second, as a game would; remembers when."""

    def __init__(self, server: Nginx, sound: bool = False, patience: float = 6.0) -> None:
        self.lines: list[str] = []
        plan = StreamPlan(
            parse_address(server.url),
            OutputConfig(FPS, sound, key_seconds=0.5),
            ReconnectConfig(first=0.1, most=0.4),
            patience,
        )
        self.stream = LiveStream(plan, self.lines.append)
        self.size = (128, 64)
        self.noise = False
        self.shown: dict[int, float] = {}
        self.longest = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait until so much more of the source has been shown."""
        until = len(self.shown) + round(seconds * FPS)
        wait_for(lambda: len(self.shown) >= until, seconds + 60)

    def stand_still(self) -> int:
        """Show no more pictures; the number of the last."""
        self._over.set()
        self._thread.join()
        return max(self.shown)

    def leave(self) -> None:
        """End source and stream."""
        self._over.set()
        self._thread.join()
        self.stream.close()

    def delays(self, seen: list[Seen]) -> list[float]:
        """From showing a picture to seeing it."""
        return [s.at - self.shown[s.number] for s in seen]

    def _run(self) -> None:
        begun, number, random = time.monotonic(), 0, np.random.default_rng(0)
        while not self._over.wait(max(0.0, begun + number / FPS - time.monotonic())):
            picture = numbered(number, *self.size)
            if self.noise:
                picture = np.clip(picture + random.integers(-80, 80, picture.shape), 0, 255).astype(np.uint8)
            self.shown[number] = before = time.monotonic()
            self.stream.show(picture, number / FPS)
            self.longest = max(self.longest, time.monotonic() - before)
            number += 1


def test_a_stream_keeps_its_delay_and_carries_silence_true_colours_and_new_sizes(nginx):
    source = Source(nginx, sound=True)
    wait_for(lambda: source.lines)
    viewer = Viewer(nginx.url)
    wait_for(lambda: viewer.seen)
    source.wait(SECONDS)
    moving = list(viewer.seen)
    check_steady(source, viewer, moving)

    still = source.stand_still()
    late = Viewer(nginx.url)
    wait_for(lambda: late.seen and late.seen[-1].number == still)
    assert late.seen[-1].at - late.joined < 4
    late.leave()
    for number, size in ((still + 1, (160, 96)), (still + 2, (97, 63)), (still + 3, (128, 64))):
        picture = np.full((63, 97, 3), 200, np.uint8) if size == (97, 63) else numbered(number, *size)
        source.stream.show(picture, number)
        even = size[0] + size[0] % 2, size[1] + size[1] % 2
        wait_for(lambda even=even: viewer.seen[-1].size == even)
    wait_for(lambda: viewer.seen[-1].number == still + 3)
    viewer.leave()
    source.leave()
    assert source.lines == [f"stream to {parse_address(nginx.url).shown} live"]
    figures = source.stream.figures()
    assert (figures["connections"], figures["outages"]) == (1, 0)


def check_steady(source: Source, viewer: Viewer, seen: list[Seen]) -> None:
    """No growth of delay, nothing out of order, stamps that tell the clock's time, sound beside them, true colours."""
    numbers = [s.number for s in seen]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) >= 0.8 * (SECONDS - 0.5) * FPS
    assert seen[0].at - viewer.joined < 4
    late = source.delays(seen)
    tenth = max(12, len(late) // 10)
    assert max(late[tenth:]) < MOST_DELAY
    assert statistics.median(late[-tenth:]) - statistics.median(late[:tenth]) < 0.3
    assert abs(seen[-1].stamp - viewer.sound[-1]) < 0.5
    assert abs((seen[-1].stamp - seen[0].stamp) - (seen[-1].at - seen[0].at)) < 0.5
    color = np.mean([s.color for s in seen], axis=0)
    assert np.abs(color - BRIGHT).max() < 12
    print("delay, ms: median", round(1000 * statistics.median(late)), "largest", round(1000 * max(late)))


def test_a_server_that_is_there_and_does_not_know_the_application_is_told_from_one_that_is_absent(nginx):
    def fault(url: str) -> Fault:
        with pytest.raises((OSError, av.FFmpegError)) as failed:
            RtmpOutput(url, 64, 32, OutputConfig(FPS))
        return fault_of(failed.value, url)

    assert fault(nginx.url.replace("/live/", "/studio/")).by_server
    nginx.stop()
    assert not fault(nginx.url).by_server


def test_a_server_that_dies_or_stalls_is_found_again_and_play_never_waits(nginx):
    source = Source(nginx, patience=1.0)
    wait_for(lambda: source.lines)
    viewer = Viewer(nginx.url)
    wait_for(lambda: viewer.seen)

    nginx.stop()
    wait_for(lambda: len(source.lines) == 2)
    nginx.start()
    wait_for(lambda: len(source.lines) == 3)
    back = len(viewer.seen)
    wait_for(lambda: len(viewer.seen) > back + FPS // 2)

    source.noise, source.size = True, (512, 320)  # enough to fill what the system holds for a server
    nginx.freeze()
    wait_for(lambda: len(source.lines) == 4)
    nginx.thaw()
    wait_for(lambda: len(source.lines) == 5)
    again = len(viewer.seen)
    wait_for(lambda: len(viewer.seen) > again + FPS // 2)
    viewer.leave()
    source.leave()

    assert source.longest < 0.5
    words = [line.partition("live/… ")[2].partition(":")[0] for line in source.lines]
    assert words == ["live", "not live", "live again", "not live", "live again"]
    assert "nothing for 1 s" in source.lines[3]
    assert max(source.delays(viewer.seen[-6:])) < MOST_DELAY
    figures = source.stream.figures()
    assert (figures["connections"], figures["outages"]) == (3, 2)
