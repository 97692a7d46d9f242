"""The real window and the real race, with quick stand-ins for the views; writes down what happened.

Run as ``python -m tests.demos.window_under_test REPORT.json [words]``; words switch on habits: ``slow-load``, ``pad``,
``no-gl``.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from pathlib import Path

from demos.options import looks_from
from demos.play.game import PlayOptions, load_drive
from demos.play.painter import Painter
from demos.play.window import PlayWindow
from engine_sim.racing.world import RaceSetup

from . import play_standins as standins
from .virtual_pad import VirtualPad

TRACK = "acorn-loop"


def busy_load(options, progress):
    """Four seconds of plain Python, the worst case for the thread that pumps events."""
    progress("thinking hard")
    end = time.monotonic() + 4.0
    while time.monotonic() < end:
        sum(range(1000))
    return load_drive(options, progress)


def wiggle(pad: VirtualPad) -> None:
    """Steer right at full throttle for half a second, then pull the plug."""
    time.sleep(0.3)
    pad.axis(0, 32767)
    pad.axis(5, 32767)
    time.sleep(0.5)
    pad.unplug()


def main(report: Path, words: list[str]) -> None:
    opener = standins.open_class_only if "no-gl" in words else standins.open_pattern
    options = PlayOptions(
        RaceSetup(track=TRACK, rivals=3), looks_from("golden-hour"), width=96, height=64, shots=report.parent
    )
    load = busy_load if "slow-load" in words else load_drive
    window = PlayWindow(options, lambda job: Painter(job, opener), load)
    driven: list[tuple[float, float, bool]] = []
    note = {"ticks": driven, "started": time.monotonic()}

    drive = window._drive
    pump = window.events.pump
    pumped: list[float] = []

    def timed_pump():
        pumped.append(time.monotonic())
        return pump()

    window.events.pump = timed_pump

    def watched(game):
        tick = game.tick

        def watched_tick(controls):
            driven.append((controls.throttle, controls.steer, controls.digital))
            tick(controls)

        game.tick = watched_tick
        note["loading_gaps"] = sorted(b - a for a, b in itertools.pairwise(pumped))
        report.with_suffix(".ready").touch()
        if "pad" in words:
            threading.Thread(target=wiggle, args=(VirtualPad(),), daemon=True).start()
        return drive(game)

    window._drive = watched
    try:
        window.run()
    finally:
        note.update(
            lost_ticks=window.lost_ticks, view=window.stage.view,
            pads=window.inputs.pads.names(),
        )  # fmt: skip
        report.write_text(json.dumps(note))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
