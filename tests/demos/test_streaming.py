"""Reconnecting, and streams to servers that refuse, do not answer or die."""

from __future__ import annotations

import os
import signal
import statistics
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from demos.play.desk import Desk
from demos.streaming.address import StreamAddress, parse_address, unknown_host
from demos.streaming.numbered import numbered
from demos.streaming.reconnect import Fault, Reconnect, ReconnectConfig
from demos.streaming.stream import LiveStream, StreamPlan
from demos.streaming.streams import LiveStreams
from demos.web.plan import WebPlan

from .conftest import wait_for
from .rtmp_servers import deaf_server, free_port

KEY = "live_4711_SECRET"


# --- reconnecting


def test_pauses_double_up_to_a_limit_and_begin_anew_after_a_connection_that_held():
    story = Reconnect(ReconnectConfig(first=1, most=5, settled=10))
    assert [story.failed(k, Fault("refused"))[0] for k in range(5)] == [1, 2, 4, 5, 5]
    story.live(10)
    assert story.failed(11, Fault("broken"))[0] == 5  # it held for a second only
    story.live(20)
    assert story.failed(31, Fault("broken"))[0] == 1


def test_an_outage_is_one_line_however_long_it_lasts():
    story = Reconnect()
    lines = [story.failed(k, Fault("connection refused"))[1] for k in range(1000)]
    assert lines == ["not live: connection refused; trying again until it is", *[""] * 999]
    assert story.live(1000) == "live again"
    assert story.failed(1001, Fault("broken pipe"))[1].startswith("not live: broken pipe")
    assert (story.outages, story.connections) == (2, 1)


def test_the_first_connection_is_simply_live():
    assert Reconnect().live(0) == "live"


def test_what_is_likely_behind_a_server_that_closes_depends_on_whether_it_ever_took_the_stream():
    closed = Fault("Input/output error", by_server=True)
    story = Reconnect(ReconnectConfig(settled=10))
    assert "may not know this application, or not take this key" in story.failed(0, closed)[1]
    story.live(5)
    assert "took the stream and soon closed it: it may not take this key" in story.failed(8, closed)[1]
    story.live(20)
    long_lived = story.failed(3600, closed)[1]
    assert "it may have been restarted, or the network failed" in long_lived
    assert "application" not in long_lived
    story.live(3601)
    assert story.failed(3602, closed)[1] == long_lived  # it was good once, so the address is
    assert story.explained(Fault("Connection refused")) == "Connection refused"  # that says it already


def taken_at_last_and_then_gone(pipe, plan):
    """A server that does not take the stream, then does, and closes it later."""
    pipe.send(("absent", Fault("Input/output error", by_server=True)))
    pipe.send(("live", {"sent": 1}))
    pipe.send(("failed", Fault("Broken pipe", by_server=True)))


def test_people_are_told_the_likely_reason_by_what_became_of_their_stream():
    lines: list[str] = []
    plan = StreamPlan(parse_address("rtmp://h/a/k"), reconnect=ReconnectConfig(first=60, settled=0))
    stream = LiveStream(plan, lines.append, body=taken_at_last_and_then_gone)
    wait_for(lambda: len(lines) == 3)
    stream.close()
    assert "not live: Input/output error (the server may not know this application, or not take this key)" in lines[0]
    assert "not live: Broken pipe (the server took the stream before: it may have been restarted, or" in lines[2]


# --- whole streams, to servers that are no good


class Watched:
    """A stream that is shown pictures at 60 a second, and how long showing each took. Whoever waited for a server would
    show few and wait for most of them; one that takes long may be the machine's doing."""

    def __init__(self, url: str, **plan):
        self.lines: list[str] = []
        self._took: list[float] = []
        self.stream = LiveStream(StreamPlan(parse_address(url), **plan), self.lines.append)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show)
        self._thread.start()

    def _show(self):
        number = 0
        while not self._over.wait(1 / 60):
            begun = time.perf_counter()
            self.stream.show(numbered(number, 448, 256), number / 60)
            self._took.append(time.perf_counter() - begun)
            number += 1

    @property
    def usual(self) -> float:
        """Median of what showing a picture took, seconds."""
        return statistics.median(self._took)

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
    assert watched.stream.regret() == watched.lines[0].split(" not live")[0] + " was never live: Connection refused"
    assert not watched.stream.received
    assert not watched.stream.awaited
    assert KEY not in watched.lines[0]
    assert watched.usual < 0.1
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
    assert watched.usual < 0.1
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


def an_audience(pipe, plan):
    """A page on which somebody watches once pictures come, and goes again."""
    counted = {"sent": 0, "repeated": 0, "dropped": 0, "skipped": 0, "visits": 0}
    pipe.send(("live", {**counted, "watching": 0}))
    for watching in (1, 0):
        pipe.recv()
        pipe.recv_bytes()
        pipe.send(("live", {**counted, "visits": 1, "watching": watching}))
    pipe.recv()


def test_a_page_is_received_while_somebody_watches_and_is_missed_by_nobody_else():
    door = WebPlan(port=1)
    stream = LiveStream(StreamPlan(StreamAddress("x", "x"), door=door), lambda _: None, body=an_audience)
    assert not stream.received
    wait_for(lambda: not stream.awaited)
    for watched in (True, False):
        stream.show(numbered(1), 0.0)
        wait_for(lambda watched=watched: stream.received == watched)
    stream.close()
    assert stream.figures()["visits"] == 1
    assert "watching" not in stream.figures()
    assert stream.regret() == ""


def test_a_server_of_which_nobody_has_heard_yet_is_hoped_for_and_not_for_long():
    stream = LiveStream(StreamPlan(parse_address("rtmp://h/a/k"), patience=60), lambda _: None, body=silent)
    assert stream.received
    stream.show(numbered(1), 0.0)
    assert stream.received
    stream._hope_until = time.monotonic() - 1
    assert not stream.received
    assert stream.awaited
    stream.close()
    assert stream.regret() == "stream to rtmp://h/a/… was never live: it ended before there was a connection"
    unused = LiveStream(StreamPlan(parse_address("rtmp://h/a/k")), lambda _: None, body=silent)
    unused.close()
    assert unused.regret() == "stream to rtmp://h/a/… was never live: there was no picture to send"


def test_what_a_window_has_to_say_of_its_streams_at_the_end_outlives_it(capsys):
    streams = LiveStreams((StreamPlan(parse_address("rtmp://h/a/k")),), lambda _: None)
    desk = SimpleNamespace(streams=streams, studio=None, stage=SimpleNamespace(close=lambda: None), _owns_front=False)
    Desk.close(desk)
    assert "stream to rtmp://h/a/… was never live: " in capsys.readouterr().err


def silent(pipe, plan):
    """A server that takes its time."""
    pipe.send(("waiting", {}))
    while pipe.recv() is not None:
        pipe.recv_bytes()


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
