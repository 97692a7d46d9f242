"""Look, prompt, reference and view of the page, chosen at awkward times: nothing that was accepted is lost."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.play.game import PlayOptions
from demos.play.paint_plan import PaintPlan
from demos.web.hub import Hub
from demos.web.plan import WebPlan
from engine_sim.racing.world import RaceSetup

from . import played_renderers as renderers
from .web_standins import LOOKS, SIZE, HeldLoader, NoThumbnails, at_the_wheel, serving, visit

ORANGE = (220, 120, 30)


def picture_file() -> bytes:
    return cv2.imencode(".png", np.full((90, 120, 3), ORANGE[::-1], np.uint8))[1].tobytes()


async def refer(ring, player, name: str) -> None:
    """Give a picture, as a page does that one is dropped on."""
    query = {"ticket": (await player.hear("welcome"))["ticket"], "name": name}
    async with player._session.post(f"{ring.url}/reference", params=query, data=picture_file()) as answer:
        assert answer.status == 200, await answer.text()


async def until(condition) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.fixture
def diary(tmp_path):
    diary = renderers.Diary()
    with renderers.serving(f"ipc://{tmp_path}/r.sock", diary):
        yield diary


@pytest.fixture
def paint(tmp_path):
    return PaintPlan(address=f"ipc://{tmp_path}/r.sock")


def test_what_is_chosen_while_a_race_loads_is_told_at_once_and_the_race_begins_with_it(diary, paint):
    loader = HeldLoader()

    async def scene(player):
        await player.come()
        await player.say(type="look", number=2)
        await player.hear("notice", lambda n: n["text"].startswith("look: "))
        await refer(ring, player, "dusk")
        await player.say(type="prompt", text="rain on glass")
        await player.say(type="view", name="class")
        chosen = {"look": 2, "reference": "dusk", "prompt": "rain on glass", "view": "class"}
        await player.hear("state", lambda s: s["phase"] == "loading" and chosen.items() <= s.items())
        assert not diary.controls
        await player.say(type="command", name="pause")
        await player.hear("notice", lambda n: n["text"] == "the race is still loading")
        loader.go.set()
        await player.hear("state", lambda s: s["phase"] == "racing" and chosen.items() <= s.items())
        await until(lambda: diary.runs)

    with serving(paint=paint, loader=loader) as ring:
        visit(ring, scene)
    (look,) = diary.controls  # nothing else was painted first
    assert (look.kind, look.text) == ("look", "rain on glass")
    seen = np.frombuffer(look.buffers[0], np.uint8).reshape(SIZE[1], SIZE[0], 3)
    assert np.abs(seen.reshape(-1, 3).mean(0) - ORANGE).max() < 2


def test_a_prompt_holds_whatever_look_is_on_its_way_and_the_looks_own_comes_back(diary, paint):
    async def scene(player):
        await at_the_wheel(ring, player)
        await player.say(type="look", number=1)
        await player.say(type="prompt", text="rain on glass")  # while the look's reference is being drawn
        await until(lambda: [c.text for c in diary.controls][-1:] == ["rain on glass"])
        before = len(diary.controls)
        await player.say(type="command", name="race again")
        await until(lambda: len(diary.controls) > before)
        assert (diary.controls[-1].kind, diary.controls[-1].text) == ("look", "rain on glass")
        await player.say(type="prompt", text="")
        await until(lambda: diary.controls[-1].text != "rain on glass")

    with serving(paint=paint) as ring:
        visit(ring, scene)
    assert diary.controls[-1].kind == "prompt"
    assert len(diary.controls[-1].text) > 20


def test_a_page_that_comes_back_sees_whether_the_session_is_the_same(tmp_path):
    options = PlayOptions(RaceSetup(track="ring"), LOOKS)

    async def sessions() -> list[str]:
        hubs = [Hub(options, WebPlan(), NoThumbnails(LOOKS, tmp_path)) for _ in range(2)]
        told = [hub._welcome(SimpleNamespace(number=n, ticket="")) for hub in hubs for n in (1, 2)]
        for hub in hubs:
            await hub.close()
        return [welcome["session"] for welcome in told]

    first, again, other, other_again = asyncio.run(sessions())
    assert first == again
    assert other == other_again != first
