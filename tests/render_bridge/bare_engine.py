"""An engine's socket without an engine behind it."""

import zmq

from render_bridge.conformance.samples import hello
from render_bridge.palette import RACING
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.tables import table_to_wire

from .ends import HEIGHT, PATIENCE_S, WIDTH


class BareEngine:
    """A DEALER that says and reads only what a test tells it to; like ours, it forgets what it has not read in time."""

    def __init__(self, address, **options):
        self._context = zmq.Context()
        self.socket = self._context.socket(zmq.DEALER)
        for name, value in {"IMMEDIATE": 1, **options}.items():
            self.socket.setsockopt(getattr(zmq, name), value)
        self.socket.connect(address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._context.destroy(linger=0)

    def say(self, message):
        assert self.socket.poll(1000 * PATIENCE_S, zmq.POLLOUT)
        self.socket.send_multipart(message if isinstance(message, list) else encode(message))

    def hear(self, kind):
        while True:
            assert self.socket.poll(1000 * PATIENCE_S), f"no {kind.__name__} came"
            message = decode(self.socket.recv_multipart())
            if isinstance(message, kind):
                return message


def greet(attempt=1):
    """A greeting that the stand-in likes."""
    return hello(width=WIDTH, height=HEIGHT, table=table_to_wire(RACING), attempt=attempt)
