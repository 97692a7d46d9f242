"""A process in the renderer's place: says its words, then stays, does not listen, or fails."""

import signal
import sys
import time

if __name__ == "__main__":
    habit = sys.argv[-1]
    if habit == "fail":
        sys.exit("paintover serve: no weights here")
    if habit == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(" ".join(sys.argv[1:]), flush=True)
    time.sleep(600)
