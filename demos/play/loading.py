"""Slow work off the main thread, so that the window answers and can be closed meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Loading(Generic[T]):
    """Runs one function on a thread of its own.

    Args:
        work: gets a callback for its progress text and returns the loaded thing.
    """

    def __init__(self, work: Callable[[Callable[[str], None]], T]) -> None:
        self.progress = ""
        self._work = work
        self._result: list[T] = []
        self._error: BaseException | None = None
        # A daemon: closing the window must not wait for a compiler.
        self._thread = threading.Thread(target=self._run, name="loading", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result.append(self._work(self._say))
        except BaseException as error:  # re-raised in the thread that asks
            self._error = error

    def _say(self, text: str) -> None:
        self.progress = text

    @property
    def running(self) -> bool:
        """True until the work has ended, either way."""
        return self._thread.is_alive()

    def result(self) -> T:
        """What was loaded; waits for it. Raises whatever the work raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result[0]
