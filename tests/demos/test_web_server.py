"""The server with visitors that are no browsers: wheel, colours, late comers, and what is left when people go."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.web.plan import WebPlan
from demos.web.server import serve_web

from . import play_standins as standins
from .conftest import wait_for
from .web_standins import SIZE, Visitor, at_the_wheel, driven, serving, visit


@pytest.fixture(scope="module")
def ring():
    with serving() as running:
        yield running


def test_keys_reach_the_car_and_a_closed_tab_lets_go_of_them(ring):
    async def scene(player):
        await at_the_wheel(ring, player)
        await player.say(type="key", code="ArrowUp", down=True)
        await player.say(type="key", code="KeyA", down=True)
        await driven(ring, lambda c: (c.throttle, c.steer, c.digital) == (1.0, 1.0, True))
        await player.say(type="release")
        await driven(ring, lambda c: c.throttle == 0.0)
        await player.say(type="key", code="KeyW", down=True)
        await driven(ring, lambda c: c.throttle == 1.0)

    async def next_scene(player):
        await at_the_wheel(ring, player)
        await driven(ring, lambda c: c.throttle == 0.0)

    visit(ring, scene)
    visit(ring, next_scene)


def test_the_world_stands_still_while_nobody_is_there(ring):
    async def scene(player):
        await at_the_wheel(ring, player)
        tick = ring.world.tick
        await driven(ring, lambda _: ring.world.tick > tick)

    visit(ring, scene)
    wait_for(lambda: not ring.server.show.desk.watched)
    tick = ring.world.tick
    threading.Event().wait(0.3)
    assert ring.world.tick <= tick + 4


def test_the_picture_keeps_its_colours_and_its_sides(ring):
    """B39, B68: red is red on the other side, and the top left is at the top left."""

    async def scene(player):
        await at_the_wheel(ring, player)
        await player.watch(frames=8)
        height, width = player.frames[-1].shape[:2]
        assert (width, height) == SIZE
        corners = [player.frames[-1][y, x].astype(int) for y in (6, height - 7) for x in (8, width - 9)]
        for seen, meant in zip(corners, standins.RGB_CORNERS, strict=True):
            assert np.abs(seen - meant).max() < 40, (corners, standins.RGB_CORNERS)

    visit(ring, scene)


def test_the_size_may_change_while_people_watch(ring):
    """B110: side by side is twice as wide; the encoder follows."""

    async def scene(player):
        await at_the_wheel(ring, player)
        await player.watch()
        await player.say(type="view", name="both")
        async with asyncio.timeout(20):
            while player.frames[-1].shape[1] != 2 * SIZE[0]:
                await asyncio.sleep(0.01)
        await player.say(type="view", name="teacher")
        async with asyncio.timeout(20):
            while player.frames[-1].shape[1] != SIZE[0]:
                await asyncio.sleep(0.01)
        await player.say(type="view", name="x-ray")
        assert "x-ray" in (await player.hear("notice", lambda n: "view" in n["text"]))["text"]

    visit(ring, scene)


def test_a_paused_game_shows_its_picture_to_whoever_comes_late(ring):
    """B108: nothing changes any more, and still the late one sees it."""

    async def scene(player, late):
        await at_the_wheel(ring, player)
        await player.watch()
        await player.say(type="command", name="pause")
        await player.hear("state", lambda s: s["paused"])
        await late.come()
        await late.hear("state", lambda s: s["paused"])
        await asyncio.wait_for(late.watch(frames=2), 10)
        await player.say(type="command", name="pause")
        await player.hear("state", lambda s: not s["paused"])

    visit(ring, scene, 2)


def test_one_drives_the_other_watches_asks_and_is_given_the_wheel(ring):
    async def scene(player, other):
        await at_the_wheel(ring, player)
        await other.come()
        me, you = (await other.hear("welcome"))["you"], (await player.hear("welcome"))["you"]
        await player.say(type="key", code="KeyW", down=True)
        await driven(ring, lambda c: c.throttle == 1.0)
        await other.say(type="key", code="KeyS", down=True)
        assert "at the wheel" in (await other.hear("refused"))["text"]
        await other.say(type="give", to=me, yes=True)
        await other.hear("refused", lambda r: "not yours" in r["text"])
        assert ring.world.controls[-1][:3] == (0.0, 1.0, 0.0)
        await other.say(type="ask", on=True)
        await player.hear("people", lambda p: p["asking"] == [me] and p["driver"] == you)
        await player.say(type="give", to=me, yes=True)
        await other.hear("people", lambda p: p["driver"] == me)
        await driven(ring, lambda c: c.throttle == 0.0)  # what the last driver held is released
        await other.say(type="key", code="KeyS", down=True)
        await driven(ring, lambda c: c.brake == 1.0)
        await player.say(type="key", code="KeyW", down=True)
        await player.hear("refused")

    visit(ring, scene, 2)


async def no_more_than(ring, before: dict[str, int]) -> None:
    """Wait until the server holds what it held before; a wait of its own more or less does not count."""
    async with asyncio.timeout(20):
        while True:
            now = ring.census()
            if now.pop("tasks") <= before["tasks"] + 2 and now.items() <= before.items():
                return
            await asyncio.sleep(0.05)


def test_people_who_come_and_go_leave_nothing_behind(ring):
    async def come_and_go(session):
        other = await Visitor(session, ring).come()
        await other.watch()
        await other.go()

    async def scene(player):
        await at_the_wheel(ring, player)
        await player.watch()
        before, threads = ring.census(), None
        for _ in range(3):
            await come_and_go(player._session)
            threads = threads or threading.active_count()
        await no_more_than(ring, before)
        assert before["Vp8Encoder"] == before["Viewer"] == 1
        assert threading.active_count() <= threads + 1
        seen = len(player.frames)
        async with asyncio.timeout(20):
            while len(player.frames) < seen + 5:
                await asyncio.sleep(0.01)

    visit(ring, scene)


def test_calling_again_and_again_ends_the_call_before(ring):
    async def scene(player):
        await at_the_wheel(ring, player)
        await player.watch()
        before = ring.census()
        for _ in range(2):
            player.told.pop("answer", None)
            await player._peer.close()
            await player.watch(len(player.frames) + 1)
        await no_more_than(ring, before)

    visit(ring, scene)


def test_another_race_begins_for_everybody(ring):
    async def scene(player):
        await at_the_wheel(ring, player)
        races = len(ring.loader.games)
        await player.say(type="command", name="race again")
        async with asyncio.timeout(20):
            while len(ring.loader.games) == races:
                await asyncio.sleep(0.01)
        await player.watch()
        await player.say(type="key", code="KeyW", down=True)
        await driven(ring, lambda c: c.throttle == 1.0)

    visit(ring, scene)


def test_serve_web_tells_where_the_page_is_and_ends_with_its_game(ring, monkeypatch):
    lines = []
    monkeypatch.setattr("demos.web.server.Show", OverAtOnce)
    assert serve_web(WebPlan(port=0), ring.server.options, lines.append) == 0
    assert lines[0].startswith("open http://127.0.0.1:")
    assert "only this machine" in lines[1]


class OverAtOnce:
    """A game that is over as soon as it begins."""

    error, loading = None, False

    def __init__(self, options, hub, *rest):
        hub.failed("over")

    def post(self, action):
        return True

    def close(self):
        return
