"""How a command ends: its exit code, and at most one line on stderr instead of a traceback."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from engine_sim.core.errors import UserError

BAD_INPUT = 2
INTERRUPTED = 130


def guarded(command: str, action: Callable[[], int]) -> int:
    """Run an action; what the user can mend, Ctrl-C and a reader that went away become exit codes.

    Args:
        command: name for the line on stderr.
        action: returns its exit code.
    """
    try:
        return int(action())
    except UserError as error:
        print(f"paintover {command}: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"paintover {command}: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone; keep the interpreter's last flush quiet too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


@contextlib.contextmanager
def advising(way: str) -> Iterator[None]:
    """Add this command's way without OpenGL to a refusal for want of it; others pass as they are."""
    try:
        yield
    except UserError as error:
        if "no OpenGL" not in str(error):
            raise
        raise UserError(f"{error}; {way}") from None


def leave_at_once(code: int) -> NoReturn:
    """End the process although a thread of it could not be ended in order: one in a compiler, or of torch's gloo."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
