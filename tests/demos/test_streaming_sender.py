"""The sender, with a server and a clock of our own: stamps, skipped slots, sizes, still scenes."""

from __future__ import annotations

import itertools
import multiprocessing
import threading

import numpy as np

from demos.streaming import sender as senders
from demos.streaming.output import OutputConfig
from demos.streaming.reconnect import Fault, Reconnect, ReconnectConfig
from demos.streaming.sender import Sender, SenderPlan, Shown

from .conftest import wait_for

FPS = 20


class Clock:
    def __init__(self):
        self.now = 50.0

    def __call__(self):
        return self.now


class Notebook:
    """A connection that writes down what is sent; ``takes`` seconds a picture."""

    def __init__(self, clock, takes=0.0, opens=0.0):
        self.clock, self.takes, self.opens = clock, takes, opens
        self.sent: list[tuple[int, int]] = []
        self.opened: list[tuple[str, int, int]] = []
        self.closed = 0

    def open(self, url, width, height, config):
        self.clock.now += self.opens
        self.rate = config.fps
        self.opened.append((url, width, height))
        return self

    def write(self, rgb, slot):
        self.sent.append((slot, int(rgb[0, 0, 0])))
        self.clock.now += self.takes

    def close(self):
        self.closed += 1


def picture(value: int, width: int = 8, height: int = 4) -> np.ndarray:
    return np.full((height, width, 3), value, np.uint8)


def sender_of(takes=0.0, opens=0.0) -> tuple[Sender, Notebook, Clock]:
    clock = Clock()
    notebook = Notebook(clock, takes, opens)
    return Sender(SenderPlan("rtmp://h/a/k", OutputConfig(FPS)), notebook.open, clock), notebook, clock


def rest(sender: Sender, clock: Clock) -> None:
    """One turn, and time passes until the next; the connection may have let some pass already."""
    wait = sender.turn()
    clock.now += max(1e-6, wait)


def play(sender: Sender, clock: Clock, seconds: float, first: int = 0, rate: int = 20) -> int:
    """Pictures at 20 a second into the sender; the number after the last."""
    end, number = clock.now + seconds, first
    start = clock.now
    while clock.now < end - 1e-9:
        while start + (number - first) / rate <= clock.now + 1e-9:
            sender.put(Shown(number / rate, start + (number - first) / rate, FPS, picture(number % 256)))
            number += 1
        rest(sender, clock)
    return number


def test_stamps_begin_at_zero_and_count_slots():
    sender, notebook, clock = sender_of()
    clock.now += 3.3
    play(sender, clock, 2)
    assert [slot for slot, _ in notebook.sent] == list(range(len(notebook.sent)))
    assert 39 <= len(notebook.sent) <= 41
    assert sender.counters()["skipped"] == 0


def test_without_a_picture_nothing_is_sent_and_nothing_connected():
    sender, notebook, clock = sender_of()
    for _ in range(50):
        rest(sender, clock)
    assert notebook.opened == []


def test_slots_that_pass_in_a_slow_server_are_skipped_and_stamps_stay_true():
    sender, notebook, clock = sender_of(takes=0.12)  # 20 slots a second would need 0.05
    begun = clock.now
    play(sender, clock, 6)
    slots = [slot for slot, _ in notebook.sent]
    assert all(b - a in (2, 3) for a, b in itertools.pairwise(slots))
    assert abs(slots[-1] - 20 * (clock.now - begun)) <= 6
    values = [value for _, value in notebook.sent]
    assert abs(values[-1] - slots[-1]) <= 3  # what goes out is new, however slow the server
    counted = sender.counters()
    assert counted["skipped"] == slots[-1] + 1 - len(slots)


def test_a_slow_greeting_delays_nothing_that_comes_after_it():
    sender, notebook, clock = sender_of(opens=2.0)
    play(sender, clock, 6)
    assert notebook.sent[0][0] == 0
    assert clock.now > 54
    last = [value for _, value in notebook.sent][-1]
    assert last >= 6 * 20 - 4


def test_a_server_that_is_not_there_yet_is_tried_again_by_the_same_sender(monkeypatch):
    """A process for each attempt would cost a second of a processor each time."""
    monkeypatch.setattr(senders, "set_alarm", lambda seconds: None)
    refusals = [ConnectionRefusedError(111, "Connection refused")] * 3
    notebook = Notebook(Clock())

    def open_output(*place):
        if refusals:
            raise refusals.pop()
        return notebook.open(*place)

    ours, theirs = multiprocessing.Pipe()
    over = threading.Event()
    sender = Sender(SenderPlan("rtmp://127.0.0.1/a/k", OutputConfig(FPS)), open_output)
    sender.put(Shown(0.0, 0.0, FPS, picture(7)))
    story = Reconnect(ReconnectConfig(first=0.01, most=0.02))
    thread = threading.Thread(target=senders._run, args=(theirs, sender, over, None, story))
    thread.start()
    wait_for(lambda: notebook.sent)
    over.set()
    thread.join()
    told = [ours.recv() for _ in iter(lambda: ours.poll(), False)]
    ours.close()
    theirs.close()
    kinds = [kind for kind, _ in told]
    assert [value for kind, value in told if kind == "absent"] == [Fault("Connection refused")] * 3
    assert kinds[0] == "waiting"
    assert "failed" not in kinds
    assert (notebook.sent[0][1], story.connections) == (7, 1)


def test_another_size_begins_a_new_connection_with_stamps_from_zero():
    sender, notebook, clock = sender_of()
    number = play(sender, clock, 1)
    sender.put(Shown(number / 20, clock.now, FPS, picture(7, 16, 8)))
    for _ in range(4):
        clock.now += 0.05
        sender.turn()
    assert notebook.opened == [("rtmp://h/a/k", 8, 4), ("rtmp://h/a/k", 16, 8)]
    assert notebook.closed == 1
    assert (0, 7) in notebook.sent[-4:]


def test_a_still_scene_is_sent_again_and_again():
    sender, notebook, clock = sender_of()
    sender.put(Shown(0.0, clock.now, FPS, picture(9)))
    for _ in range(100):
        rest(sender, clock)
    assert len(notebook.sent) >= 95
    assert {value for _, value in notebook.sent} == {9}


def test_a_source_of_another_rate_begins_a_connection_of_that_rate_by_the_same_sender():
    sender, notebook, clock = sender_of()
    for number in range(60):
        sender.put(Shown(number / 60, clock.now, 60, picture(number)))
        clock.now += 1 / 60
        sender.turn()
    assert (notebook.rate, len(notebook.opened)) == (60, 1)
    assert len(notebook.sent) >= 57
    assert [slot for slot, _ in notebook.sent] == list(range(len(notebook.sent)))
    sender.put(Shown(0.0, clock.now, FPS, picture(7)))
    clock.now += 2 / FPS
    sender.turn()
    assert (notebook.rate, len(notebook.opened), notebook.closed) == (FPS, 2, 1)
    assert notebook.sent[-1] == (0, 7)
