"""What is broken about peers that break one rule: changes to messages on their way in or out."""

import dataclasses

import numpy as np

from render_bridge.protocol.codec import encode
from render_bridge.protocol.messages import (
    Ack,
    Bye,
    Control,
    Credit,
    Error,
    Frame,
    Hello,
    Picture,
    Pong,
    Receipt,
    Welcome,
)


def change(kind, **values):
    """Replace fields of every message of a kind; a callable gets the message."""

    def hook(message):
        if not isinstance(message, kind):
            return [message]
        made = {k: v(message) if callable(v) else v for k, v in values.items()}
        return [dataclasses.replace(message, **made)]

    return hook


def drop(kind, match=lambda m: True):
    return lambda m: [] if isinstance(m, kind) and match(m) else [m]


def drop_errors(*codes):
    return drop(Error, lambda m: m.code in codes)


def repeat(kind, match=lambda m: True):
    return lambda m: [m, m] if isinstance(m, kind) and match(m) else [m]


def pass_on(message):
    return [message]


class NeverSkips:
    """A renderer that takes consecutive numbers only."""

    def __init__(self):
        self.next = None

    def __call__(self, message):
        if isinstance(message, Hello):
            self.next = None
        if isinstance(message, Frame):
            if self.next is not None and message.seq != self.next:
                return []
            self.next = message.seq + 1
        return [message]


def upside_down(picture):
    """The pixels of a picture, its last row first."""
    pixels = np.frombuffer(picture.buffers[0], np.uint8).reshape(picture.height, picture.width, 3)
    return (pixels[::-1].tobytes(),)


class ForgetsItsPrompt:
    """A reset comes with another prompt on its heels."""

    def __call__(self, message):
        if isinstance(message, Control) and message.kind == "reset":
            return [message, Control(id=message.id + 1, generation=message.generation, kind="prompt", text="")]
        return [message]


def knows_no_camera(message):
    """A look with a camera, as an end of an earlier draft reads it: with a field that it does not know."""
    if not isinstance(message, Control) or message.view is None:
        return [message]
    tag, header, *buffers = encode(message)
    return [[tag, header.replace(b"\xa4view", b"\xa4viem"), *buffers]]


RENDERER_BREAKS = {
    "R-01": (pass_on, drop_errors(100)),
    "R-02": (pass_on, drop_errors(101)),
    "R-03": (pass_on, change(Error, details=None)),
    "R-04": (pass_on, drop_errors(104)),
    "R-05": (pass_on, drop_errors(106)),
    "R-06": (pass_on, drop_errors(107)),
    "R-07": (pass_on, drop_errors(110)),
    "R-08": (pass_on, drop_errors(109)),
    "R-09": (pass_on, repeat(Error)),
    "R-10": (pass_on, drop_errors(108)),
    "R-11": (pass_on, change(Welcome, attempt=lambda m: m.attempt + 1)),
    "R-12": (pass_on, drop_errors(200)),
    "R-13": (pass_on, change(Error, details=None)),
    "R-14": (pass_on, drop_errors(208)),
    "R-15": (pass_on, change(Error, details=lambda m: {"nearest": [3, 3]} if m.code == 202 else m.details)),
    "R-16": (pass_on, drop_errors(203)),
    "R-17": (pass_on, drop_errors(204)),
    "R-18": (pass_on, change(Welcome, planes=lambda m: m.planes[::-1])),
    "R-19": (pass_on, change(Welcome, resumed=False)),
    "R-20": (pass_on, drop_errors(205)),
    "R-21": (pass_on, drop_errors(207)),
    "R-22": (pass_on, drop_errors(303)),
    "R-23": (pass_on, change(Credit, grant=lambda m: m.grant + 1)),
    "R-24": (NeverSkips, pass_on),
    "R-25": (pass_on, drop(Picture, lambda m: m.seq == 1)),
    "R-26": (pass_on, change(Welcome, window=1)),
    "R-27": (pass_on, drop_errors(302)),
    "R-28": (pass_on, drop_errors(305)),
    "R-29": (pass_on, change(Picture, generation=0)),
    "R-30": (pass_on, repeat(Picture)),
    "R-31": (pass_on, drop(Picture, lambda m: m.seq == 0)),
    "R-32": (pass_on, change(Picture, renderer_stamps={})),
    "R-33": (change(Frame, last=False), pass_on),
    "R-34": (pass_on, repeat(Receipt, lambda m: m.stage == "in_force")),
    "R-35": (pass_on, change(Receipt, chunk=lambda m: None if m.chunk is None else 0)),
    "R-36": (ForgetsItsPrompt, pass_on),
    "R-37": (pass_on, drop(Pong)),
    "R-38": (pass_on, change(Welcome, dead_ms=300)),
    "R-40": (drop(Bye), pass_on),
    "R-41": (pass_on, change(Error, details=lambda m: {"row": 0} if m.code == 300 else m.details)),
    "R-42": (pass_on, drop_errors(301)),
    "R-43": (pass_on, drop_errors(111, 113)),
    "R-44": (pass_on, change(Welcome, planes=lambda m: m.planes[::-1])),
    "R-45": (pass_on, change(Picture, buffers=upside_down)),
    "R-48": (pass_on, drop_errors(306)),
    "R-49": (pass_on, change(Error, details=lambda m: None if m.code == 400 else m.details)),
    "R-50": (knows_no_camera, pass_on),
}  # fmt: skip
"""What is done to messages on their way in, and out. R-39, R-46 and R-47 are broken elsewhere: see ``test_checker``."""


def spoil(message):
    """Class map data that end too early."""
    if not isinstance(message, Frame):
        return [message]
    return [dataclasses.replace(message, buffers=(bytes(message.buffers[0])[:-1], *message.buffers[1:]))]


def extra_frame(message):
    """One frame more than was granted."""
    if not isinstance(message, Frame):
        return [message]
    return [message, dataclasses.replace(message, seq=message.seq + 1000)]


def other_types(message):
    """Depth is offered as something else."""
    return [{"name": "depth", "dtype": "float32", "channels": 1} if p["name"] == "depth" else p for p in message.planes]


class DropsEveryThird:
    def __init__(self):
        self.count = 0

    def __call__(self, message):
        if isinstance(message, Frame):
            self.count += 1
            if self.count % 3 == 0:
                return []
        return [message]


ENGINE_BREAKS = {
    "R-03": (pass_on, drop_errors(102)),
    "R-05": (pass_on, drop_errors(106)),
    "R-09": (pass_on, repeat(Error)),
    "R-11": (pass_on, change(Hello, attempt=1)),
    "R-12": (drop_errors(200), pass_on),
    "R-13": (pass_on, change(Hello, table=lambda m: {**m.table, "hash": "0" * 16})),
    "R-17": (pass_on, change(Frame, encoding="raw")),
    "R-18": (pass_on, change(Frame, planes=(), plane_encodings=(), buffers=lambda m: m.buffers[:1])),
    "R-19": (pass_on, change(Hello, resume=None)),
    "R-20": (change(Error, code=lambda m: 200 if m.code == 205 else m.code, fatal=False), pass_on),
    "R-22": (pass_on, extra_frame),
    "R-23": (pass_on, change(Frame, grant=0)),
    "R-24": (pass_on, change(Frame, skipped=0)),
    "R-25": (pass_on, DropsEveryThird),
    "R-26": (pass_on, drop(Ack)),
    "R-27": (change(Error, about_grant=None), pass_on),
    "R-28": (pass_on, change(Frame, generation=lambda m: m.generation + 1)),
    "R-32": (pass_on, change(Frame, stamps=lambda m: {"drawn": -m.stamps["drawn"]})),
    "R-37": (pass_on, drop(Pong)),
    "R-38": (change(Welcome, dead_ms=60_000), pass_on),
    "R-40": (drop(Bye), pass_on),
    "R-41": (pass_on, spoil),
    "R-42": (pass_on, spoil),
    "R-43": (pass_on, spoil),
    "R-44": (pass_on, change(Hello, planes=other_types)),
    "R-48": (pass_on, drop_errors(306)),
}
