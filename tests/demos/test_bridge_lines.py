"""Lines of the commands on the bridge: nobody waits for a reader, and what is left out is counted."""

import contextlib
import os
import signal
import sys
import time

import pytest

from demos.bridge import lines as lines_module
from demos.bridge.lines import KEPT, Lines
from demos.ends import INTERRUPTED, complain, guarded, stoppable


class Pipe:
    """Stands in for a stdout whose reader is told when to read."""

    encoding = "utf-8"

    def __init__(self):
        self.read_end, self._write_end = os.pipe()

    def fileno(self):
        return self._write_end

    def fill(self):
        os.set_blocking(self._write_end, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(self._write_end, b"." * 4096)
        os.set_blocking(self._write_end, True)

    def everything(self):
        os.close(self._write_end)
        with os.fdopen(self.read_end, encoding="utf-8") as found:
            return found.read()


@pytest.fixture
def pipe():
    return Pipe()


def test_lines_are_printed_in_order_and_clean(pipe):
    with Lines(pipe) as lines:
        for k in range(50):
            lines.say(f"line {k}\x1b[2J")
    assert pipe.everything().splitlines() == [f"line {k}\\x1b[2J" for k in range(50)]


def test_nobody_waits_for_a_reader_and_the_rest_is_counted(pipe):
    pipe.fill()
    lines = Lines(pipe)
    began = time.monotonic()
    for k in range(10 * KEPT):
        lines.say(f"line {k}")
    lines.close()
    assert time.monotonic() - began < 5.0
    assert lines._thread.is_alive()
    assert os.read(pipe.read_end, 1 << 16)  # the reader is back
    lines._thread.join(20)
    assert not lines._thread.is_alive()
    found = pipe.everything().splitlines()
    assert found[-1].endswith(f"lines were left out: {lines_module.UNREAD}")
    assert int(found[-1].split()[0]) >= 9 * KEPT - 1


def test_a_reader_that_went_away_costs_its_lines_only(pipe):
    os.close(pipe.read_end)
    with Lines(pipe) as lines:
        lines.say("nobody hears this")
    assert not lines._thread.is_alive()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_these_signals_end_a_command_as_ctrl_c_does(name, capsys):
    number = getattr(signal, name)
    outside = signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may ignore it, as nohup does
    try:
        ends_by_signal(number, capsys)
    finally:
        signal.signal(number, outside)


def ends_by_signal(number, capsys):
    before = signal.getsignal(number)
    ended = []

    def action():
        with stoppable():
            try:
                signal.raise_signal(number)
            finally:
                signal.raise_signal(signal.SIGTERM)  # a supervisor that repeats itself disturbs no farewell
                ended.append(True)
        return 0

    assert guarded("serve", action) == INTERRUPTED
    assert ended == [True]
    assert signal.getsignal(number) is before
    assert capsys.readouterr().err == "paintover serve: stopped\n"


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stoppable():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_complaint_is_clean_and_waits_for_nobody(capsys, monkeypatch):
    complain("bad \x1b[31m name")
    assert capsys.readouterr().err == "bad \\x1b[31m name\n"
    full = Pipe()
    full.fill()
    monkeypatch.setattr(sys, "stderr", full)
    complain("nobody reads this")
    assert b"nobody" not in os.read(full.read_end, 1 << 20)
    full.everything()
