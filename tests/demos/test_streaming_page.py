"""A stream on a page of our own: who watches sees the newest picture; who may not come is told why."""

from __future__ import annotations

import asyncio
import statistics
import urllib.request
from urllib.error import HTTPError

import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

import av

from demos.streaming import theatre as theatres
from demos.streaming.audience import LINE, PacketTrack, codec_of
from demos.streaming.encoders import CODECS, PictureEncoder
from demos.streaming.numbered import BRIGHT, numbered
from demos.streaming.output import OutputConfig

from .conftest import wait_for
from .spectators import FPS, staged, watch

TOKEN = "0123456789abcdefghij"
MOST_DELAY = 1.5
"""Seconds, on a machine that has other things to do."""


@pytest.mark.parametrize("codec", CODECS)
def test_pictures_come_in_order_at_their_rate_in_true_colours_and_soon(codec):
    async def scene(viewer):
        await viewer.come(codec, frames=FPS)
        await viewer.go()
        seen = viewer.seen
        numbers = [s.number for s in seen]
        assert numbers == sorted(numbers)
        delays = [s.at - stage.shown[s.number] for s in seen]
        assert statistics.median(delays) < MOST_DELAY
        steps = np.diff([s.stamp for s in seen])
        assert np.allclose(steps * FPS, np.round(steps * FPS), atol=0.01)
        assert statistics.median(steps) == pytest.approx(1 / FPS, abs=0.001)
        color = np.mean([s.color for s in seen], axis=0)
        assert np.abs(color - BRIGHT).max() < 12, color

    with staged() as stage:
        stage.play()
        watch(stage.url, scene)


def test_who_comes_to_a_scene_that_stands_still_sees_it_and_new_sizes_reach_everybody():
    async def scene(first, late):
        stage.show(numbered(5), 5)
        await first.come()
        await late.come("VP8")
        assert late.seen[0].number == 5
        assert late.seen[0].at - late.joined < 10
        for number, size in ((6, (160, 96)), (7, (97, 63)), (8, (128, 64))):
            picture = np.full((63, 97, 3), 200, np.uint8) if size == (97, 63) else numbered(number, *size)
            stage.show(picture, number)
            even = size[0] + size[0] % 2, size[1] + size[1] % 2
            for viewer in (first, late):
                await viewer.until(lambda viewer=viewer, even=even: viewer.seen[-1].size == even)
        assert first.seen[-1].stamp > first.seen[0].stamp
        await first.go()
        await late.go()

    with staged() as stage:
        watch(stage.url, scene, 2)
        assert stage.theatre.visits == 2


def test_nothing_is_encoded_for_an_empty_house_and_places_become_free(monkeypatch):
    encoded = []

    class Counting(PictureEncoder):
        def encode(self, rgb, number, key):
            encoded.append(key)
            return super().encode(rgb, number, key)

    monkeypatch.setattr(theatres, "PictureEncoder", Counting)

    async def scene(first, second, third):
        stage.play()
        await asyncio.sleep(0.2)
        assert not encoded
        await first.come()
        assert encoded[0]
        with pytest.raises(AssertionError, match="all 1 places are taken"):
            await second.come()
        await second.go(politely=False)
        await first.go()
        await asyncio.sleep(0.1)
        before = len(encoded)
        await asyncio.sleep(0.2)
        assert len(encoded) <= before + 1
        await third.come()
        assert third.seen[0].at - stage.shown[third.seen[0].number] < MOST_DELAY  # nothing had been kept for nobody
        await third.go()

    with staged(viewers=1) as stage:
        watch(stage.url, scene, 3)


def test_who_closes_his_player_without_a_word_is_forgotten():
    async def scene(rude, next_one):
        await rude.come()
        await rude.go(politely=False)
        wait_for(lambda: stage.theatre._audience.watching == 0, 40)
        await next_one.come()
        await next_one.go()

    with staged(viewers=1) as stage:
        stage.play()
        watch(stage.url, scene, 2)


# --- one viewer's line of packets


def packets(count: int, keys: tuple[int, ...]) -> list[av.Packet]:
    encoder = PictureEncoder("H264", 64, 32, OutputConfig(FPS, key_seconds=100))
    made = [encoder.encode(numbered(k, 64, 32), k, k in keys) for k in range(count)]
    return [packet for some in made for packet in some]


def test_a_viewer_begins_with_a_key_frame():
    async def scene():
        track = PacketTrack()
        first = asyncio.create_task(track.recv())
        await asyncio.sleep(0)
        assert track.needs_key
        for packet in packets(6, (0, 4))[1:]:
            track.put(packet)
        assert (await first).pts == 4
        assert (await track.recv()).pts == 5
        assert not track.needs_key

    asyncio.run(scene())


def test_a_viewer_who_falls_behind_goes_on_at_the_next_key_frame_and_what_waits_is_bounded():
    async def scene():
        track = PacketTrack()
        first = asyncio.create_task(track.recv())
        await asyncio.sleep(0)
        some = packets(LINE + 12, (0, LINE + 8))
        for packet in some:
            track.put(packet)
            assert len(track._line) <= LINE
        assert (await first).pts == LINE + 8
        assert not track.needs_key

    asyncio.run(scene())


# --- who is turned away


@pytest.fixture(scope="module")
def closed():
    with staged(token=TOKEN) as stage:
        yield stage


def ask(url: str, data: bytes | None = b"v=0", method: str = "POST", **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(url, data, {k.replace("_", "-"): v for k, v in headers.items()}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


@pytest.mark.parametrize(
    ("data", "headers", "code", "said"),
    [
        (b"v=0", {}, 401, "needs the token in the link"),
        (b"v=0", {"Authorization": "Bearer guess"}, 401, "this token is wrong"),
        (b"v=0", {"Authorization": TOKEN}, 401, "needs the token in the link"),
        (b"v=0", {"Authorization": f"Bearer {TOKEN}", "Origin": "https://evil.example"}, 403, "evil.example may not"),
        (b"v=0", {"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 403, "this server is not evil.example"),
        (b"v=0 and nonsense", {"Authorization": f"Bearer {TOKEN}"}, 400, "cannot be used"),
        (b"", {"Authorization": f"Bearer {TOKEN}"}, 400, "cannot be used"),
        (b"\xff\xfe", {"Authorization": f"Bearer {TOKEN}"}, 400, "codec can't decode"),
        (b"x" * 200_000, {"Authorization": f"Bearer {TOKEN}"}, 413, "size"),
    ],
)
def test_an_offer_that_cannot_be_is_answered_and_takes_no_place(closed, monkeypatch, data, headers, code, said):
    monkeypatch.setattr(theatres, "GUESS_S", 0.01)
    status, text = ask(closed.url + "/whep", data, **headers)
    assert (status, said in text) == (code, True), text
    assert closed.theatre._audience.watching == 0


def test_nobody_else_can_end_a_visit_and_no_other_file_is_served(closed):
    assert ask(closed.url + "/whep/guess", None, "DELETE")[0] == 404
    assert ask(closed.url + "/page/..%2fsender.py", None, "GET")[0] == 404
    assert ask(closed.url + "/page/sender.py", None, "GET")[0] == 404
    assert ask(closed.url + "/page/watch.js", None, "GET")[0] == 200


def test_a_visit_that_is_over_is_told_so_and_a_stream_that_ends_says_that_it_does():
    async def asked(viewer):
        answer = asyncio.get_running_loop().run_in_executor(None, ask, stage.url + viewer.place, None, "GET")
        seat = stage.theatre._audience._seats[viewer.place.rsplit("/", 1)[1]]
        await viewer.until(lambda: seat.left._waiters)
        return answer

    async def scene(rest, other):
        stage.show(numbered(3), 3)
        await rest.come()
        await other.come()
        over = await asked(other)
        await other.go()
        assert (await over)[0] == 410  # it is he who has gone
        assert (await asyncio.to_thread(ask, stage.url + other.place, None, "GET"))[0] == 404
        assert stage.theatre.watching == 1
        over = await asked(rest)
        await asyncio.to_thread(stage.theatre.__exit__)
        assert (await over)[0] == 200
        await rest.go(politely=False)

    with staged() as stage:
        watch(stage.url, scene, 2)


def test_whoever_knows_the_token_watches(closed):
    async def scene(viewer):
        closed.show(numbered(3), 3)
        await viewer.come(Authorization=f"Bearer {TOKEN}")
        await viewer.go()

    watch(closed.url, scene)


def test_beyond_this_machine_the_picture_comes_by_tls(certificate):
    async def scene(viewer):
        stage.show(numbered(3), 3)
        await viewer.come(Authorization=f"Bearer {TOKEN}")
        await viewer.go()

    with staged(token=TOKEN, certificate=certificate[0], key=certificate[1]) as stage:
        assert stage.url.startswith("https://")
        watch(stage.url, scene)


SOUND_ONLY = "m=audio 9 UDP/TLS/RTP/SAVPF 96\r\na=rtpmap:96 opus/48000\r\na=sendonly\r\n"
AV1_ONLY = "m=video 9 UDP/TLS/RTP/SAVPF 45\r\na=rtpmap:45 AV1/90000\r\na=sendonly\r\n"
NOT_WANTED = "m=video 9 UDP/TLS/RTP/SAVPF 97\r\na=rtpmap:97 VP8/90000\r\na=inactive\r\n"


@pytest.mark.parametrize("answer", ["", SOUND_ONLY, AV1_ONLY, NOT_WANTED])
def test_an_answer_without_a_picture_is_no_answer(answer):
    with pytest.raises(ValueError, match="no video in H264 or VP8"):
        codec_of(answer)


def test_a_port_that_is_taken_is_an_error_of_the_stream(closed):
    with pytest.raises(OSError), theatres.Theatre(closed.theatre._plan):
        pass
