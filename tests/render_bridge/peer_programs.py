"""Our own ends as programs for the checker to start: ``python -m tests.render_bridge.peer_programs WHICH ADDRESS HOW``.

WHICH is ``renderer`` or ``engine``; HOW is ``right``, or what is broken: ``R-39`` or ``R-47``.
"""

import signal
import sys
import time

from render_bridge.protocol.pulse import Pulse
from render_bridge.serving import serve
from render_bridge.stand_in import PaletteFactory
from render_bridge.zmq.engine_end import EngineEnd

from .ends import draw, say_hello, stand_in


def believe_the_clock(pulse, now):
    """A pulse that takes any gap for silence."""
    pulse.last_step = max(0, now - pulse._now)
    pulse._now = now
    pulse._unheard += pulse.last_step
    pulse._unspoken += pulse.last_step


def drive(address):
    """Draw until Ctrl-C."""
    with EngineEnd(address, say_hello(rate=(60, 1))) as engine:
        number = 0
        while True:
            engine.offer(draw(number))
            engine.events()
            time.sleep(1 / 60)
            number += 1


def main(which, address, how):
    if how == "R-39":
        Pulse.advance = believe_the_clock
    if how == "R-47":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if which == "engine":
            drive(address)
        serve(address, PaletteFactory(stand_in(dead_ms=400)))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main(*sys.argv[1:])
