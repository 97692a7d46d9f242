"""Lines for people that never hold up whoever says them, even if nobody reads our output."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections import deque
from typing import TextIO

from render_bridge.plain_text import shown

KEPT = 200
"""Lines that wait for a reader; later ones are counted and left out."""
LONGEST = 1000
UNREAD = "nobody read them"
FAREWELL_S = 0.3
"""How long the end of a command waits for a reader of its last lines."""


class Lines:
    """A printer in a thread of its own. As a context it ends with its last lines printed, if anybody reads them.

    Args:
        stream: where to; None: stdout.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._waiting: deque[str] = deque()
        self._left_out = 0
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="lines", daemon=True)
        self._thread.start()

    def say(self, line: str) -> None:
        """Print a line soon. Whatever a terminal would obey in it is escaped."""
        with self._changed:
            if len(self._waiting) < KEPT:
                self._waiting.append(shown(line, LONGEST))
            else:
                self._left_out += 1
            self._changed.notify()

    def close(self) -> None:
        """Print what waits, for a moment."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        self._thread.join(FAREWELL_S)

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._left_out or self._ended)
                if self._waiting:
                    line = self._waiting.popleft()
                elif self._left_out:
                    line = f"{self._left_out} lines were left out: {UNREAD}"
                    self._left_out = 0
                else:
                    return
            with contextlib.suppress(OSError, ValueError):  # a reader that went away costs its lines only
                _print(line, self._stream or sys.stdout)


def _print(line: str, stream: TextIO) -> None:
    """Past the stream's buffer, whose lock a thread that waits for a reader would keep for ever."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):  # it is no file: a test reads along
        print(line, file=stream, flush=True)
        return
    rest = (line + "\n").encode(stream.encoding or "utf-8", "replace")
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # whoever started us made the pipe so
            time.sleep(0.05)
