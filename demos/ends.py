"""How a command ends: its exit code, and at most one line on stderr instead of a traceback."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import NoReturn

from engine_sim.core.errors import UserError
from render_bridge.plain_text import shown

BAD_INPUT = 2
INTERRUPTED = 130
LONGEST = 2000
"""Characters of a line on stderr."""


def guarded(command: str, action: Callable[[], int]) -> int:
    """Run an action; what the user can mend, Ctrl-C and a reader that went away become exit codes.

    Args:
        command: name for the line on stderr.
        action: returns its exit code.
    """
    try:
        with repeated_interrupts():
            return int(action())
    except UserError as error:
        complain(f"paintover {command}: {' '.join(str(error).split())}")
        return BAD_INPUT
    except KeyboardInterrupt:
        complain(f"paintover {command}: stopped")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone; keep the interpreter's last flush quiet too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def complain(line: str) -> None:
    """One line on stderr, without what a terminal would obey; left out if nobody reads stderr and it is full."""
    try:
        _, ready, _ = select.select([], [sys.stderr.fileno()], [], 0.0)
    except (OSError, ValueError):  # no file, or a system on which only sockets can be asked
        ready = [0]
    if ready:
        print(shown(line, LONGEST), file=sys.stderr, flush=True)


AGAIN_S = 0.01
"""From an interrupt that was lost to its repetition: what lost it is over then."""


@contextlib.contextmanager
def repeated_interrupts() -> Iterator[None]:
    """A Ctrl-C that is swallowed is raised again.

    What is raised while an object is taken down is printed and lost, and a signal may well come then: ZeroMQ's frames
    ask for signals whenever one of them is let go.
    """
    before = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            threading.Timer(AGAIN_S, interrupt_main_thread).start()
        else:
            before(unraisable)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def interrupt_main_thread() -> None:
    """Raise KeyboardInterrupt in the main thread, also where Ctrl-C is ignored and only SIGTERM was heard."""
    main = threading.main_thread().ident or 0
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, signal.SIGINT)  # a thread that waits in the system wakes up for it
    else:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(KeyboardInterrupt))


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM, and the end of the terminal, end what runs inside as Ctrl-C does; once: supervisors repeat themselves.

    Outside the main thread, where signals cannot be caught, nothing changes; nor for signals that are ignored already.
    """
    names = ("SIGTERM", "SIGHUP")
    numbers = [n for n in (getattr(signal, name, None) for name in names) if n is not None]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = {n: signal.getsignal(n) for n in numbers if signal.getsignal(n) is not signal.SIG_IGN}

    def stop(_number: int, _frame: object) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def undivided() -> Iterator[None]:
    """Ctrl-C, SIGTERM and the end of the terminal wait until what runs inside is done, then act as they would have.

    Outside the main thread, where signals cannot be caught, nothing changes.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [n for n in (getattr(signal, name, None) for name in names) if n is not None]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = {n: handler for n in numbers if callable(handler := signal.getsignal(n))}
    came: list[int] = []
    for number in before:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in came[:1]:
        before[number](number, None)


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
