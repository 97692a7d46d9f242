"""Mutations of legal messages, drawn from a seeded generator: the same ones in every run."""

import random

import msgpack

from render_bridge.conformance.samples import legal
from render_bridge.protocol.codec import encode

VALUES = [
    None, True, -1, 0, 1, 255, 256, 1 << 31, 1 << 32, (1 << 64) - 1, -(1 << 63), 0.5, float("nan"), float("inf"), "",
    "a", "A" * 5000, "é", b"", b"\xff" * 16, [], [1], [[]], {}, {"a": 1}, {"x-a": {}}, [0] * 2000, "ids", "zstd",
]  # fmt: skip


def seeds():
    """Legal messages as lists of bytes."""
    return [[bytes(b) for b in encode(m)] for m in legal().values()]


def mutants(count, seed=0, starts=None):
    """``count`` lists of frames, each one legal message with one to three wounds."""
    rng = random.Random(seed)
    starts = starts or seeds()
    for _ in range(count):
        frames = list(rng.choice(starts))
        for _ in range(rng.randint(1, 3)):
            rng.choice(WOUNDS)(frames, rng)
        yield frames


def flip(frames, rng):
    """Change some bytes of a frame."""
    if frames:
        k = rng.randrange(len(frames))
        data = bytearray(frames[k])
        for _ in range(rng.randint(1, 4)):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        frames[k] = bytes(data)


def cut(frames, rng):
    """Shorten a frame, or lengthen it with noise."""
    if frames:
        k = rng.randrange(len(frames))
        size = rng.randint(0, len(frames[k]))
        frames[k] = frames[k][:size] if rng.random() < 0.6 else frames[k] + rng.randbytes(rng.randint(1, 64))


def shuffle(frames, rng):
    """Drop, repeat or swap frames."""
    deed = rng.randrange(3)
    if deed == 0 and frames:
        frames.pop(rng.randrange(len(frames)))
    elif deed == 1 and frames:
        frames.insert(rng.randint(0, len(frames)), rng.choice(frames))
    else:
        rng.shuffle(frames)


def retype(frames, rng):
    """Give the message another type or version."""
    if frames and len(frames[0]) == 5:
        frames[0] = frames[0][:3] + bytes((rng.choice((1, 1, 1, 0, 2)), rng.randrange(0x24)))


def change_field(frames, rng):
    """Set, remove or rename a field."""
    if len(frames) < 2:
        return
    try:
        header = msgpack.unpackb(frames[1], strict_map_key=False)
    except Exception:  # wounded before
        return
    if type(header) is not dict or not header:
        return
    name = rng.choice(sorted(header, key=str))
    deed = rng.randrange(4)
    if deed == 0:
        del header[name]
    elif deed == 1:
        header[rng.choice(("x-new", "new", "", 7, b"seq"))] = header[name]
    elif deed == 2 and type(header[name]) is list and header[name]:
        header[name][rng.randrange(len(header[name]))] = rng.choice(VALUES)
    else:
        header[name] = rng.choice(VALUES)
    frames[1] = msgpack.packb(header)


WOUNDS = (flip, flip, cut, shuffle, retype, change_field, change_field, change_field)
