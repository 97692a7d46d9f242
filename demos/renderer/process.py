"""How a process that draws with torch is set up. Nothing may import torch before ``quiet_waiting`` has run."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from demos.report import usable_cores
from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    import torch

ENOUGH_THREADS, MOST_THREADS = 8, 64
WAITING = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
"""OpenMP threads that wait actively starve the engine beside them, and then wait for it themselves: a chunk of 77 ms
took 2,040. Read once, when torch loads."""

TOO_LITTLE = re.compile(r"not enough memory|out of memory|can't allocate memory", re.IGNORECASE)


def quiet_waiting() -> None:
    """Make OpenMP's threads sleep while they wait; what the user has set himself stays. Before torch is imported."""
    for name, value in WAITING.items():
        os.environ.setdefault(name, value)


def need_torch() -> None:
    """UserError with the line that installs it, unless torch is there. Takes a second or so: it is loaded."""
    quiet_waiting()
    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise UserError(f"the renderer needs torch ({error}): pip install -e '.[render]'") from None


def default_threads() -> int:
    """Two on two cores: with sleeping waits the second pays even with the engine beside it.

    On more cores one is left to the engine; operations as small as those of a laptop's model gain nothing from many.
    """
    cores = usable_cores()
    return cores if cores <= 2 else min(cores - 1, ENOUGH_THREADS)


def set_up_torch(threads: int | None) -> None:
    """Threads of this process (None: ``default_threads()``); numbers too small for a processor's fast paths are zero.

    To be called by the thread that draws, before its first operation: OpenMP's workers inherit the mode from it.
    UserError for a number of threads that cannot be meant.
    """
    import torch

    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise UserError(f"--threads must be 1 to {MOST_THREADS}, got {threads}")
    torch.set_num_threads(threads or default_threads())
    torch.set_flush_denormal(True)


def lacks_memory(error: Exception) -> bool:
    """Whether an error is torch's word, on any device, for too little memory."""
    return bool(TOO_LITTLE.search(str(error)))


def check_device(name: str) -> torch.device:
    """The device of that name. UserError if there is none such here."""
    import torch

    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"--device {name}: torch cannot use it here ({reason}); cpu is always there") from None
    return device


def device_name(device: torch.device) -> str:
    """What people call it: the graphics card's name, or ``cpu``."""
    import torch

    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
