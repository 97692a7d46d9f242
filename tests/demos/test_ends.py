"""How commands end: also if the interrupt comes at a moment in which Python loses it."""

import signal
import time

import pytest

from demos.ends import INTERRUPTED, guarded


class Swallows:
    """Stands in for a ZeroMQ frame: it is taken down just when Ctrl-C comes."""

    def __del__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_an_interrupt_that_comes_while_an_object_is_taken_down_is_not_lost(capsys, handler):
    """With Ctrl-C ignored it was SIGTERM."""
    before = signal.signal(signal.SIGINT, handler)

    def action():
        thing = Swallows()
        del thing
        for _ in range(1000):  # a command that would go on
            time.sleep(0.001)
        return 0

    try:
        assert guarded("engine", action) == INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "paintover engine: stopped\n"


def test_other_faults_of_objects_that_are_taken_down_are_told_as_before(monkeypatch):
    told = []
    monkeypatch.setattr("sys.unraisablehook", told.append)

    class Fails:
        def __del__(self):
            raise ValueError("no")

    def action():
        thing = Fails()
        del thing
        return 0

    assert guarded("engine", action) == 0
    assert [fault.exc_type for fault in told] == [ValueError]
