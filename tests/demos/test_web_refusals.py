"""What the server turns away, with its reason: and whoever plays notices nothing of it."""

from __future__ import annotations

import asyncio

import cv2
import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

import aiohttp

from demos.play.painter import Painter
from demos.web.plan import WebPlan, checked_plan
from demos.web.server import MOST_REFERENCE, WebServer
from engine_sim.core.errors import UserError

from . import play_standins as standins
from .http_session import http
from .web_standins import at_the_wheel, driven, serving, visit

TOKEN = "0123456789abcdefghij"


@pytest.fixture(scope="module")
def ring():
    with serving() as running:
        yield running


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("no JSON", "JSON"),
        ('{"type": "prompt", "text": "%s"}' % ("x" * 100_000), "100000 characters; at most 1000"),
        ('{"type": "offer", "sdp": "v=0 and nonsense"}', "cannot be used"),
        ('{"type": "offer", "sdp": ""}', "cannot be used"),
        ('{"type": "look", "number": 9999}', "no look 9999"),
        ('{"type": "prompt", "text": "rain"}', "a prompt is for a renderer"),
    ],
)
def test_a_message_that_cannot_be_is_answered_and_play_goes_on(ring, message, said):
    async def scene(player):
        await at_the_wheel(ring, player)
        await player.socket.send_str(message)
        async with asyncio.timeout(20):
            while not any(said in t["text"] for kind in ("refused", "notice") for t in player.told.get(kind, [])):
                await asyncio.sleep(0.01)
        await player.say(type="key", code="KeyW", down=True)
        await driven(ring, lambda c: c.throttle == 1.0)

    visit(ring, scene)


def test_a_flood_ends_its_own_connection_alone(ring):
    async def scene(player, other):
        await at_the_wheel(ring, player)
        await player.say(type="key", code="KeyW", down=True)
        await other.come()
        await other.hear("welcome")
        await other.socket.send_str("x" * 300_000)
        async with asyncio.timeout(20):
            while not other.closed:
                await asyncio.sleep(0.01)
        await driven(ring, lambda c: c.throttle == 1.0)
        assert not player.closed

    visit(ring, scene, 2)


def test_pages_of_other_origins_and_foreign_names_are_turned_away(ring):
    async def scene():
        async with http() as session:
            for headers, status in (
                ({}, 200),
                ({"Origin": ring.url}, 200),
                ({"Origin": "http://evil.example"}, 403),
                ({"Host": "evil.example"}, 403),
            ):
                async with session.get(f"{ring.url}/", headers=headers) as answer:
                    assert answer.status == status, headers
                    assert status == 200 or "evil.example" in await answer.text()
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await session.ws_connect(f"{ring.url}/ws", headers={"Origin": "http://evil.example"})
            for path in ("/page/../server.py", "/page/%2e%2e%2fserver.py", "/page/nothing.js", "/recordings/x.zip"):
                async with session.get(f"{ring.url}{path}") as answer:
                    assert answer.status == 404, path
            async with session.get(f"{ring.url}/looks/0.jpg") as answer:
                assert answer.status == 403

    asyncio.run(scene())


def picture_file(kind: str = ".png") -> bytes:
    return cv2.imencode(kind, np.full((90, 120, 3), 120, np.uint8))[1].tobytes()


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (picture_file(), 400, "a reference is for a renderer"),
        (picture_file(".webp"), 400, "a reference is for a renderer"),
        (b"", 400, "no picture"),
        (b"just words", 400, "no picture"),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n", 400, "no picture"),
        (picture_file()[:60], 400, "no picture"),
        (picture_file(".jpg")[:3] + b"\0" * 5000, 400, "no picture"),
        (cv2.imencode(".png", np.zeros((4, 4, 3), np.uint8))[1].tobytes(), 400, "sides of at least 16"),
    ],
)
def test_a_dropped_file_that_cannot_be_painted_after_is_told_why(ring, data, status, said):
    async def scene(player):
        await at_the_wheel(ring, player)
        query = {"ticket": (await player.hear("welcome"))["ticket"], "name": "x"}
        async with player._session.post(f"{ring.url}/reference", params=query, data=data) as answer:
            assert (answer.status, said in (await answer.json())["text"]) == (status, True)

    visit(ring, scene)


def test_a_file_of_200_mb_is_refused_before_it_is_read_and_one_that_hides_its_size_when_it_is_too_long(ring):
    async def endless():
        for _ in range(MOST_REFERENCE // 2**20 + 4):
            yield b"\x89PNG\r\n\x1a\n" * 2**17

    async def scene(player):
        await at_the_wheel(ring, player)
        ticket = (await player.hear("welcome"))["ticket"]
        reader, writer = await asyncio.open_connection("127.0.0.1", ring.server.port)
        head = f"POST /reference?ticket={ticket} HTTP/1.1\r\nHost: 127.0.0.1:{ring.server.port}\r\n"
        writer.write(f"{head}Content-Length: {200 * 10**6}\r\n\r\n".encode())
        answer = await asyncio.wait_for(reader.read(2000), 10)
        assert b" 413 " in answer.splitlines()[0]
        assert b"at most 16 MB" in answer
        writer.close()
        async with player._session.post(f"{ring.url}/reference", params={"ticket": ticket}, data=endless()) as answer:
            assert answer.status == 413
        await player.say(type="key", code="KeyW", down=True)
        await driven(ring, lambda c: c.throttle == 1.0)

    visit(ring, scene)


def test_a_reference_needs_the_wheel_and_a_ticket(ring):
    async def scene(player, other):
        await at_the_wheel(ring, player)
        await other.come()
        ticket = (await other.hear("welcome"))["ticket"]
        for query, status in (({"ticket": ticket}, 400), ({"ticket": "guess"}, 403), ({}, 403)):
            async with other._session.post(f"{ring.url}/reference", params=query, data=picture_file()) as answer:
                assert answer.status == status

    visit(ring, scene, 2)


def test_beyond_this_machine_there_is_tls_and_the_token_decides(certificate, monkeypatch):
    monkeypatch.setattr("demos.web.server.GUESS_S", 0.01)
    plan = checked_plan(WebPlan("0.0.0.0", 0, TOKEN, *certificate, origins=("https://box.lan:9",), viewers=2))
    with serving(plan) as running:
        assert running.server.link == f"https://box.lan:9/#token={TOKEN}"

        async def scene(guest, guesser, nobody, second, third):
            await guest.come(TOKEN)
            welcome = await guest.hear("welcome")
            assert (welcome["secure"], welcome["local"]) == (True, False)
            await guesser.come("guess")
            assert (await guesser.hear("refused"))["why"] == "wrong token"
            await nobody.come()
            assert "needs the token" in (await nobody.hear("refused"))["text"]
            await second.come(TOKEN)
            await second.hear("welcome")
            await third.come(TOKEN)
            assert (await third.hear("refused"))["text"] == "all 2 places are taken"
            await guest.say(type="key", code="KeyW", down=True)
            await driven(running, lambda c: c.throttle == 1.0)
            assert "refused" not in guest.told

        visit(running, scene, 5)


def test_a_port_that_is_taken_is_said(ring):
    with pytest.raises(UserError, match="another --port"), serving(WebPlan(port=ring.server.port)):
        pass


def test_a_game_that_cannot_be_played_ends_the_server_with_its_reason(ring):
    options = ring.server.options
    broken = type("Broken", (), {"place": lambda self, o, say: (_ for _ in ()).throw(UserError("no such circuit"))})

    async def main():
        server = WebServer(WebPlan(port=0), options, print, standins_painter, broken())
        await asyncio.wait_for(server.run(), 20)

    with pytest.raises(UserError, match="no such circuit"):
        asyncio.run(main())


def standins_painter(job):
    return Painter(job, standins.open_pattern)
