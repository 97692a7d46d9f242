"""The game in its window, live: what is on show is streamed, and a server that dies disturbs nobody's play."""

import numpy as np
import pytest

from engine_sim.core.ticks import TICK_RATE

from .conftest import wait_for
from .play_standins import RGB_CORNERS
from .played_window import CLASS_COLORS
from .rtmp_servers import Nginx, Viewer, nginx_is_missing

pytestmark = pytest.mark.skipif(
    nginx_is_missing(), reason="no RTMP server here (Debian: apt-get install libnginx-mod-rtmp)"
)


def corners(view: np.ndarray) -> np.ndarray:
    """Colours near the corners of a view: top left, top right, bottom left, bottom right."""
    return np.array([view[y, x] for y in (5, -6) for x in (8, -9)], int)


def test_what_the_window_shows_is_streamed_and_play_outlives_the_server(play, tmp_path):
    server = Nginx(tmp_path)
    try:
        game = play(f"rtmp={server.url}").started()
        viewer = Viewer(server.url)
        wait_for(lambda: viewer.newest.shape == (64, 192, 3))
        left, right = viewer.newest[:, :96], viewer.newest[:, 96:]
        assert np.abs(corners(left) - CLASS_COLORS).max() < 40
        assert np.abs(corners(right) - RGB_CORNERS).max() < 40
        viewer.leave()
    finally:
        server.stop()
    wait_for(lambda: any("not live" in line for line in game.so_far()["said"]))
    report = game.leave()
    said = [line for line in report["said"] if line.startswith("stream to")]
    assert [line.split("live/… ")[1].partition(":")[0] for line in said] == ["live", "not live"]
    assert "secret" not in "".join(report["said"])
    assert report["lost_ticks"] < TICK_RATE
    wait_for(game.alone)
