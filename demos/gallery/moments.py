"""Which part of a drive is worth a loop: where cars move, rivals are near and much is to be seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine_sim.recording.reader import Session
from render_bridge.palette import RACING

RIVAL = RACING.id_of("rival_car")
ENOUGH_RIVALS = 0.08
"""Share of the picture; a rival that fills it is no better."""
EACH_CLASS = 0.004
"""What a class adds that covers at least a thousandth of the picture."""
FAST = 20.0
"""Metres a second of the camera; a race that stands on its grid makes a dull loop."""
EVERY = 6
"""Frames from one that is looked at to the next."""


def interest(class_map: NDArray[np.uint8]) -> float:
    """How much there is to see in a class map uint8 ``[H, W]``."""
    shares = np.bincount(class_map.ravel(), minlength=len(RACING)) / class_map.size
    return float(min(ENOUGH_RIVALS, shares[RIVAL]) + EACH_CLASS * np.count_nonzero(shares >= 0.001))


def best_start(scores: Sequence[float], length: int) -> int:
    """Where the run of ``length`` scores with the largest sum begins; of equal ones the first. 0 if there is none."""
    if len(scores) <= length:
        return 0
    sums = np.convolve(np.asarray(scores, np.float64), np.ones(max(1, length)), "valid")
    return int(np.argmax(np.round(sums, 9)))


def best_moment(session: Session, seconds: float) -> float:
    """Game time in seconds at which the most interesting ``seconds`` of a recorded drive begin."""
    step = EVERY / session.header.fps
    seen = {index: class_map for index, class_map in session.iter_maps() if index % EVERY == 0}
    places = np.array([session.frame_state(index).camera.position for index in seen])
    speeds = np.linalg.norm(np.diff(places, axis=0, append=places[-1:]), axis=1) / step
    scores = [interest(seen[k]) * min(1.0, speed / FAST) for k, speed in zip(seen, speeds, strict=True)]
    return best_start(scores, max(1, round(seconds / step))) * step
