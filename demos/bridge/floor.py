"""What ZeroMQ alone takes to carry so many bytes from one process to another: no bridge can be quicker on this machine.

A bare pair of sockets, with as long pauses between messages as video has: what falls asleep between two frames of the
bridge falls asleep here too.
"""

from __future__ import annotations

import subprocess
import sys
import time

import zmq

from demos.bridge.limits import FPS

WARM_UP = 8
READY_MS = 20_000


def bare_pair(address: str, size: int, seconds: float) -> list[float]:
    """Milliseconds of each message of ``size`` bytes, from the call that sends it to the call that has received it.

    The receiver is a process of its own and reads the same monotonic clock.
    """
    receiver = subprocess.Popen([sys.executable, "-m", "demos.bridge.floor", address])
    ways = []
    try:
        with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
            socket.setsockopt(zmq.LINGER, 0)
            socket.connect(address)
            message = bytes(size)
            for _ in range(WARM_UP + round(seconds * FPS)):
                began = time.monotonic()
                socket.send_multipart([time.monotonic_ns().to_bytes(8, "little"), message], copy=False)
                if not socket.poll(READY_MS):
                    raise TimeoutError(f"no answer from a bare socket at {address} in {READY_MS / 1000:g} s")
                ways.append(int.from_bytes(socket.recv(), "little") / 1e6)
                time.sleep(max(0.0, began + 1 / FPS - time.monotonic()))
    finally:
        receiver.terminate()
        receiver.wait(10)
    return ways[WARM_UP:]


def answer(address: str) -> None:
    """Tell the sender of each message how many nanoseconds it took."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        socket.bind(address)
        while True:
            peer, stamp, _ = socket.recv_multipart(copy=False)
            took = time.monotonic_ns() - int.from_bytes(stamp.bytes, "little")
            socket.send_multipart([peer, took.to_bytes(8, "little")])


if __name__ == "__main__":
    answer(sys.argv[1])
