"""Pictures a second, counted over the last second."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Rates of several counters.

    Args:
        clock: seconds of any monotonic clock.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since = clock()
        self._base: dict[str, int] = {}
        self._line = ""

    def text(self, drawn: dict[str, int]) -> str:
        """One line such as ``class 24 fps   teacher 8 fps``; changes once a second."""
        passed = self._clock() - self._since
        if passed >= 1.0:
            rates = {name: (count - self._base[name]) / passed for name, count in drawn.items() if name in self._base}
            self._line = "   ".join(f"{name} {rate:.0f} fps" for name, rate in rates.items())
            self._since, self._base = self._clock(), dict(drawn)
        elif not self._base:
            self._base = dict(drawn)
        return self._line
