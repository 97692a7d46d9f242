"""A game to test, in a process of its own: ``python -m tests.demos.window_under_test REPORT.json [words]``.

Painters' processes import this module again, so it imports nothing heavy until it is run.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    from tests.demos.watched_window import play

    raise SystemExit(play(Path(sys.argv[1]), sys.argv[2:]))
