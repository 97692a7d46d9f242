"""The peer under test as a process of the checker's, which may suspend it and ask it to end (R-39, R-47)."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence

from ..errors import BridgeError
from .report import NotApplicable, expect

END_S = 2.0
"""R-47."""
TEARDOWN_S = 1.0
"""What a process may take beyond its bridge's end: an interpreter and its libraries go too."""


class PeerProcess:
    """A command in a session of its own, so that its children are suspended and ended with it.

    Args:
        words: of the command. Its stdout is thrown away, its stderr is ours.

    Raises:
        BridgeError: it cannot be started, or this system knows no such signals.
    """

    def __init__(self, words: Sequence[str]) -> None:
        if not hasattr(os, "killpg"):
            raise BridgeError("--start needs a system with POSIX signals; start the peer yourself")
        self._command = shlex.join(words)
        try:
            self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            raise BridgeError(f"cannot start {words[0]!r}: {error.strerror}") from None

    def suspend(self, seconds: float) -> None:
        """Let it stand still for so long."""
        self._signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            self._signal(signal.SIGCONT)

    def end(self) -> None:
        """Ask it to end as Ctrl-C does; Broken unless it does in time."""
        self._signal(signal.SIGINT)
        began = time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S + TEARDOWN_S)
        expect(
            self._process.poll() is not None,
            f"it was asked to end and still ran {time.monotonic() - began:.1f} s later",
        )

    def check_alive(self) -> None:
        """BridgeError if it has failed: nobody need be waited for. A script that ends well may leave a peer."""
        status = self._process.poll()
        if status:
            how = f"with status {status}" if status >= 0 else f"by signal {-status}"
            raise BridgeError(f"the command of --start ended {how} before there was anything to check: {self._command}")

    def close(self) -> None:
        """Whatever is left of it ends at once."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


def needed(process: PeerProcess | None) -> PeerProcess:
    """The process. NotApplicable if the peer is none of ours."""
    if process is None:
        raise NotApplicable("needs the peer's process: let the checker start it with --start COMMAND")
    return process
