"""``python -m demos.play.tied WORDS``: a ``paintover`` command that ends with whoever started it.

Its standard input is a pipe that nobody writes to: it ends when the process at its other end is gone, however that
went. Without this a game that was killed would leave a renderer behind that holds two cores for ever.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import time

PATIENCE_S = 2.0


def watch() -> None:
    """Wait for the end of standard input, then stop the command: asked first, at once after two seconds."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    _thread.interrupt_main()
    time.sleep(PATIENCE_S)
    os._exit(1)


if __name__ == "__main__":
    from demos.cli import main

    threading.Thread(target=watch, name="tied", daemon=True).start()
    raise SystemExit(main())
