"""Files that people name: ordinary ones, of a bounded size. ``/dev/zero`` never ends, and a pipe may never begin."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_given_file(path: Path, most: int) -> bytes:
    """What is in a file.

    Args:
        path: as it was given.
        most: bytes that may be in it.

    Raises:
        OSError: it cannot be read, is no ordinary file or is larger; ``strerror`` says which, for people.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most} bytes")
    return data
