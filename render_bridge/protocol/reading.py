"""FRAME buffers → arrays in the renderer's own ids, checked against the greeting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..palette import ClassTable
from .encodings import PLANE_ENCODINGS, decode_plane
from .events import Planes
from .faults import Fault, RemoteProtocolError
from .messages import Frame, Hello
from .offer import Terms
from .planes import PLANES, check_finite, check_planes
from .run_length import highest_value
from .tables import check_ids, ids_of_colors


def read_class_map(
    frame: Frame, hello: Hello, terms: Terms, ours: ClassTable, own_buffers: bool = False
) -> NDArray[np.uint8]:
    """Class map uint8 ``[H, W]`` in the ids of ``ours``, writable. RemoteProtocolError names what is wrong with it.

    ``own_buffers``: nobody else has the frame's buffers, so the class map may be what lies in one.
    """
    if frame.encoding != terms.encoding:
        text = f"the greeting chose {terms.encoding!r}, the frame is {frame.encoding!r}"
        raise RemoteProtocolError(Fault.WRONG_ENCODING, text)
    shape = (hello.height, hello.width) if hello.form == "ids" else (hello.height, hello.width, 3)
    plane: NDArray[np.uint8] = decode_plane(frame.buffers[0], frame.encoding, "uint8", shape, own_buffers)
    if hello.form == "colors":
        plane = ids_of_colors(plane, terms.table)
    elif not (frame.encoding == "rle" and highest_value(frame.buffers[0]) < len(terms.table)):
        check_ids(plane, len(terms.table))
    return plane if terms.lookup is None else terms.lookup[plane]


def read_planes(frame: Frame, hello: Hello, terms: Terms, own_buffers: bool = False) -> Planes:
    """Guide planes by name, each with its registered type and shape. RemoteProtocolError otherwise."""
    check_planes(frame.planes, terms.planes)
    planes = {}
    for name, encoding, buffer in zip(frame.planes, frame.plane_encodings, frame.buffers[1:], strict=True):
        if encoding not in PLANE_ENCODINGS:
            text = f"plane {name!r} is encoded {encoding!r}; planes use {' or '.join(PLANE_ENCODINGS)}"
            raise RemoteProtocolError(Fault.WRONG_ENCODING, text)
        kind = PLANES[name]
        shape = kind.shape(hello.width, hello.height)
        planes[name] = decode_plane(buffer, encoding, kind.dtype, shape, own_buffers)
        check_finite(name, planes[name], RemoteProtocolError)
    return planes
