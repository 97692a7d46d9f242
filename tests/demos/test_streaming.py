"""Addresses, reconnecting, the pace of films, and streams to servers that refuse, do not answer or die."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from demos.streaming.address import parse_address, unknown_host
from demos.streaming.numbered import numbered
from demos.streaming.pace import LiveReel, Metronome
from demos.streaming.reconnect import Reconnect, ReconnectConfig
from demos.streaming.stream import LiveStream, StreamPlan
from engine_sim.core.errors import UserError

from .conftest import wait_for
from .rtmp_servers import deaf_server, free_port

KEY = "live_4711_SECRET"


# --- addresses


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rtmp://127.0.0.1:1935/live/key", "rtmp://127.0.0.1:1935/live/…"),
        ("rtmps://ingest.example.org/app/sub/key", "rtmps://ingest.example.org/app/sub/…"),
        ("rtmp://[::1]:1935/live/key", "rtmp://[::1]:1935/live/…"),
        ("rtmp://user:word@host/live/key?auth=1", "rtmp://host/live/…"),
    ],
)
def test_an_address_is_shown_without_its_secrets(text, shown):
    address = parse_address(text)
    assert (address.url, address.shown) == (text, shown)
    assert address.hide(f"cannot open {text}: no") == f"cannot open {shown}: no"


@pytest.mark.parametrize(
    "text",
    ["", "host/live/key", f"http://host/live/{KEY}", f"rtmp:///live/{KEY}", f"rtmp://host/{KEY}", "rtmp://host",
     f"rtmp://host:port/live/{KEY}", f"rtmp://host:99999/live/{KEY}", f"rtmp://host/live/{KEY} x", "rtmp://h/é/k",
     "rtmp://h/a/" + "k" * 2000, f"rtmp://host/live/{KEY}\n"],
)  # fmt: skip
def test_a_wrong_address_is_refused_without_repeating_it(text):
    with pytest.raises(UserError, match="rtmp://HOST/APPLICATION/KEY") as refused:
        parse_address(text)
    assert KEY not in str(refused.value)


# --- reconnecting


def test_pauses_double_up_to_a_limit_and_begin_anew_after_a_connection_that_held():
    story = Reconnect(ReconnectConfig(first=1, most=5, settled=10))
    assert [story.failed(k, "refused")[0] for k in range(5)] == [1, 2, 4, 5, 5]
    story.live(10)
    assert story.failed(11, "broken")[0] == 5  # it held for a second only
    story.live(20)
    assert story.failed(31, "broken")[0] == 1


def test_an_outage_is_one_line_however_long_it_lasts():
    story = Reconnect()
    lines = [story.failed(k, "connection refused")[1] for k in range(1000)]
    assert lines == ["not live: connection refused; trying again until it is", *[""] * 999]
    assert story.live(1000) == "live again"
    assert story.failed(1001, "broken pipe")[1].startswith("not live: broken pipe")
    assert (story.outages, story.connections) == (2, 1)


def test_the_first_connection_is_simply_live():
    assert Reconnect().live(0) == "live"


# --- the pace of films


def test_a_film_is_shown_at_the_pace_at_which_it_plays():
    now, shown = [100.0], []

    class Stream:
        def show(self, rgb, media):
            shown.append((round(now[0] - 100, 6), media))

    class Video:
        written = 0

        def write(self, rgb):
            self.written += 1

    video = Video()
    reel = LiveReel(video, Stream(), 24, Metronome(lambda: now[0], lambda s: now.__setitem__(0, now[0] + s)))
    picture = np.zeros((2, 2, 3), np.uint8)
    for _ in range(48):
        reel.write(picture)
    assert [media for _, media in shown] == [k / 24 for k in range(48)]
    assert shown[-1][0] == pytest.approx(47 / 24)
    now[0] += 5.0  # the renderer took a while: it goes on from here, and hurries nothing
    for _ in range(24):
        reel.write(picture)
    assert shown[-1][0] - shown[48][0] == pytest.approx(23 / 24)
    LiveReel(video, None, 24).write(picture)
    assert video.written == 73


# --- whole streams, to servers that are no good


class Watched:
    """A stream that is shown pictures at 60 a second, with the longest time that showing one took."""

    def __init__(self, url: str, **plan):
        self.lines: list[str] = []
        self.longest = 0.0
        self.stream = LiveStream(StreamPlan(parse_address(url), **plan), self.lines.append)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show)
        self._thread.start()

    def _show(self):
        number = 0
        while not self._over.wait(1 / 60):
            begun = time.perf_counter()
            self.stream.show(numbered(number, 448, 256), number / 60)
            self.longest = max(self.longest, time.perf_counter() - begun)
            number += 1

    def leave(self) -> float:
        """End it; how long that took."""
        self._over.set()
        self._thread.join()
        begun = time.monotonic()
        self.stream.close()
        return time.monotonic() - begun


QUICK = ReconnectConfig(first=0.05, most=0.1)


def test_a_server_that_refuses_costs_one_line_and_no_time():
    watched = Watched(f"rtmp://127.0.0.1:{free_port()}/live/{KEY}", reconnect=QUICK)
    wait_for(lambda: watched.lines)
    time.sleep(0.3)
    took = watched.leave()
    assert len(watched.lines) == 1
    assert "not live: Connection refused; trying again" in watched.lines[0]
    assert KEY not in watched.lines[0]
    assert watched.longest < 0.5
    assert took < 3
    figures = watched.stream.figures()
    assert (figures["connections"], figures["outages"], figures["sent"]) == (0, 1, 0)


def test_a_host_that_nobody_knows_is_named(monkeypatch):
    assert unknown_host("rtmp://127.0.0.1/live/key") == unknown_host("") == ""
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: (_ for _ in ()).throw(OSError("unknown")))
    assert unknown_host("rtmp://no.such.host:1935/live/key") == "no machine is known as no.such.host"


def test_a_server_that_never_answers_is_given_up_and_tried_again():
    with deaf_server() as url:
        watched = Watched(url, reconnect=QUICK, patience=0.8)
        wait_for(lambda: watched.lines)
        took = watched.leave()
    assert watched.lines == [
        f"stream to {parse_address(url).shown} not live: the server answers nothing for 0.8 s; trying again until it is"
    ]
    assert watched.longest < 0.5
    assert took < 3
    assert no_child_is_left()


def die_at_once(pipe, plan):
    os._exit(3)


def test_a_sending_process_that_dies_is_replaced():
    lines: list[str] = []
    stream = LiveStream(
        StreamPlan(parse_address("rtmp://h/a/k"), reconnect=QUICK), lines.append, body=die_at_once
    )  # fmt: skip
    wait_for(lambda: lines)
    stream.close()
    assert lines == [
        "stream to rtmp://h/a/… not live: the sending process ended without a word; trying again until it is"
    ]


def test_what_waits_for_the_sending_process_is_bounded_in_number_and_bytes():
    plan = StreamPlan(parse_address("rtmp://h/a/k"), kept=5, reconnect=ReconnectConfig(first=60))
    stream = LiveStream(plan, lambda _: None, body=die_at_once)
    for k in range(100):
        stream.show(np.zeros((4, 8, 3), np.uint8), k / 24)
    assert stream.figures()["dropped"] >= 95
    stream.close()
    stream = LiveStream(replace(plan, kept=50, kept_bytes=1000), lambda _: None, body=die_at_once)
    for k in range(50):
        stream.show(np.zeros((8, 16, 3), np.uint8), k / 24)  # 384 bytes each
    assert stream.figures()["dropped"] >= 48
    stream.close()


def test_a_sending_process_ends_with_its_owner(tmp_path):
    """Killed, the game leaves nothing behind, even while a server keeps the sender in FFmpeg."""
    import subprocess
    import sys

    program = (
        "import sys, time, multiprocessing\n"
        "from demos.streaming import sender\n"
        "from demos.streaming.stream import LiveStream, StreamPlan\n"
        "from demos.streaming.address import parse_address\n"
        "from demos.streaming.numbered import numbered\n"
        "from tests.demos.test_streaming import short_lived\n"
        "if __name__ == '__main__':\n"
        "    stream = LiveStream(StreamPlan(parse_address(sys.argv[1]), patience=60), print, body=short_lived)\n"
        "    stream.show(numbered(1), 0.0)\n"
        "    while not multiprocessing.active_children(): time.sleep(0.02)\n"
        "    print(multiprocessing.active_children()[0].pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with deaf_server() as url:
        script = tmp_path / "game.py"
        script.write_text(program)
        game = subprocess.Popen(
            [sys.executable, str(script), url], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.getcwd()}
        )
        assert game.stdout is not None
        child = int(game.stdout.readline())
        time.sleep(0.5)
        game.send_signal(signal.SIGKILL)
        game.wait()
        game.stdout.close()
        wait_for(lambda: not alive(child))


def short_lived(pipe, plan):
    """The sender, with less time for orphans."""
    from demos.streaming import sender

    sender.ORPHAN_S = 1
    sender.send_stream(pipe, plan)


def alive(pid: int) -> bool:
    """True while the process runs; one that nobody has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def no_child_is_left() -> bool:
    """True if no sending process of ours runs."""
    import multiprocessing

    return not multiprocessing.active_children()
