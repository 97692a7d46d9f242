"""Parts of the server by themselves: the feed of pictures, recordings that are packed, thumbnails."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.play.game import PlayOptions
from demos.play.painter import Order, Picture
from demos.web.archive import Archives, CalledOff, Packing
from demos.web.feed import Feed, Shown, to_yuv
from demos.web.hub import Hub, refused_by_renderer
from demos.web.plan import WebPlan
from demos.web.thumbnails import HEIGHT, WIDTH, Thumbnails
from demos.web.track import FeedTrack
from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup

from . import play_standins as standins
from .web_standins import LOOKS


def shown(number: int) -> Shown:
    return Shown(to_yuv(np.full((32, 32, 3), number, np.uint8)), 1_000_000_000 + number, {})


def test_a_reader_that_is_late_gets_the_newest_and_a_still_picture_comes_again():
    """B105, B108: nothing piles up for a track that nobody reads, and a late viewer need not wait for a change."""

    async def scene() -> None:
        feed = Feed()
        track = FeedTrack(feed)
        for number in range(100):
            feed.put(shown(number))
        first = await track.recv()
        assert first.pts == (1_000_000_000 + 99) * 9 // 100_000
        again = await asyncio.wait_for(track.recv(), 2.0)
        assert again.pts > first.pts
        feed.put(shown(7))
        assert (await track.recv()).pts > again.pts
        waiting = asyncio.create_task(FeedTrack(Feed()).recv())
        await asyncio.sleep(0.3)
        assert not waiting.done()
        waiting.cancel()

    asyncio.run(scene())


def test_a_recording_is_packed_under_its_name_and_the_last_three_are_kept(tmp_path):
    async def scene(archives: Archives) -> None:
        secrets = []
        for number in range(4):
            folder = tmp_path / f"drive-{number}"
            folder.mkdir()
            (folder / "session.json").write_text("{}")
            secrets.append(await archives.pack(folder))
            assert not folder.exists()
        assert archives.find(secrets[3]).name == "drive-3.zip"
        with pytest.raises(KeyError):
            archives.find(secrets[0])
        with pytest.raises(OSError, match="drive-9"):
            await archives.pack(tmp_path / "drive-9")

    archives = packed_by(scene)
    kept = archives.find(next(reversed(archives._packed)))
    archives.close()
    assert not kept.exists()


def packed_by(scene, tell=lambda message: None) -> Archives:
    async def main() -> Archives:
        archives = Archives(tell)
        await scene(archives)
        return archives

    return asyncio.run(main())


def session_folder(place, size: int):
    folder = place / "drive"
    folder.mkdir()
    (folder / "maps.log").write_bytes(bytes(size))
    return folder


def test_packing_says_how_far_it_is_and_calling_it_off_leaves_nothing_behind(tmp_path, monkeypatch):
    """The disk is a slow one: a block is written when the last word of progress has been told."""
    monkeypatch.setattr("demos.web.archive.BLOCK", 1000)
    monkeypatch.setattr("demos.web.archive.TELL_S", 0.001)
    told = []

    def tell(message):
        told.append(message)
        if message["done"]:
            assert archives_at[0].call_off()

    async def scene(archives: Archives) -> None:
        archives_at.append(archives)
        with pytest.raises(CalledOff):
            await archives.pack(session_folder(tmp_path, 4_000_000))
        assert not archives.call_off()
        assert list(archives._folder.iterdir()) == list(tmp_path.iterdir()) == []
        await archives.pack(session_folder(tmp_path, 500))  # another one is packed as ever

    archives_at: list[Archives] = []
    archives = packed_by(scene, tell)
    archives.close()
    first, *_, last = told
    assert (first["name"], first["bytes"]) == ("drive", 4_000_000)
    assert any(0 < message["done"] < 4_000_000 for message in told)
    assert (last["type"], last["name"]) == ("packing", "")


def test_a_disk_that_refuses_an_archive_keeps_nothing_of_it(tmp_path, monkeypatch):
    def full(packing, packed, file):
        packed.writestr("part", b"x" * 100)
        raise OSError(28, "No space left on device")

    async def scene(archives: Archives) -> None:
        with pytest.raises(OSError, match="No space left"):
            await archives.pack(session_folder(tmp_path, 500))
        assert list(archives._folder.iterdir()) == list(tmp_path.iterdir()) == []

    monkeypatch.setattr(Packing, "_add", full)
    packed_by(scene).close()


class Person:
    """As much of a viewer as the hub needs."""

    def __init__(self, number: int) -> None:
        self.number, self.ticket = number, str(number)
        self.told: list[dict] = []

    def send(self, message):
        self.told.append(message)

    def send_text(self, text, note=False):
        self.told.append(json.loads(text))

    async def hang_up(self):
        """There was no call."""

    async def dismiss(self):
        """There is no socket."""

    def heard(self, kind: str) -> list[dict]:
        return [message for message in self.told if message["type"] == kind]


def test_a_recording_that_is_packed_while_nobody_drives_waits_for_whoever_drives_next(tmp_path):
    async def scene() -> None:
        hub = Hub(PlayOptions(RaceSetup(track="ring"), LOOKS), WebPlan(), Thumbnails(LOOKS, tmp_path / "none"))
        hub.post = lambda action: True
        first, second, third = (Person(number) for number in (1, 2, 3))
        hub.enter(first)
        await hub.leave(first)
        await hub._pack(session_folder(tmp_path, 500))
        hub.enter(second)
        hub.enter(third)
        (told,) = second.heard("recording")
        assert hub.archives.find(told["path"].removeprefix("recordings/").removesuffix(".zip")).is_file()
        assert [person.heard("recording") for person in (first, third)] == [[], []]
        await hub.hear(third, '{"type": "call off"}')
        await hub.hear(second, '{"type": "call off"}')
        assert "somebody else is at the wheel" in third.heard("refused")[0]["text"]
        assert "no recording is being packed" in second.heard("refused")[0]["text"]
        await hub.close()

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("prompt: the renderer refuses it: not today", "prompt"),
        ("look storm: the renderer refuses it: not today", "reference"),
        ("prompt: rain", ""),
    ],
)
def test_what_the_renderer_refuses_is_told_with_its_place(text, about):
    assert refused_by_renderer(text) == about


class PaintsAtOnce:
    """As much of a painter as thumbnails need."""

    made = 0

    def __init__(self, job):
        PaintsAtOnce.made += 1
        self.look = job.look
        self.done = []

    def open(self, place):
        self.place = place

    def set_look(self, look):
        self.look = look

    def submit(self, frame):
        self.done.append(Picture(Order(frame), np.full((HEIGHT, WIDTH, 3), 90, np.uint8)))

    def poll(self):
        done, self.done = self.done, []
        return done

    def close(self):
        self.closed = True


def draw_thumbnails(folder, make, monkeypatch):
    monkeypatch.setattr("demos.web.thumbnails.scene_hash", lambda place: "a place")
    thumbnails, told = Thumbnails(LOOKS, folder, make), []
    for _ in range(2):  # the second race draws nothing anew
        asyncio.run(thumbnails.draw("a place", standins.frame(0), told.append))
    return thumbnails, told


def test_thumbnails_are_drawn_once_and_kept(tmp_path, monkeypatch):
    PaintsAtOnce.made = 0
    for _ in range(2):
        thumbnails, told = draw_thumbnails(tmp_path, PaintsAtOnce, monkeypatch)
        assert told == thumbnails.ready == [0, 1, 2]
        assert thumbnails.find(1).startswith(b"\xff\xd8")
    assert PaintsAtOnce.made == 1
    next(iter(tmp_path.glob("*.jpg"))).write_bytes(b"\xff\xd8 half of it")
    draw_thumbnails(tmp_path, PaintsAtOnce, monkeypatch)
    assert PaintsAtOnce.made == 2


def test_without_opengl_or_a_folder_to_keep_them_in_looks_have_names_alone(tmp_path, monkeypatch):
    class Refused(PaintsAtOnce):
        def poll(self):
            raise UserError("no OpenGL here")

    assert draw_thumbnails(tmp_path, Refused, monkeypatch)[1] == []
    (tmp_path / "file").write_text("")
    assert draw_thumbnails(tmp_path / "file" / "folder", PaintsAtOnce, monkeypatch)[1] == [0, 1, 2]
