"""Parts of the server by themselves: the feed of pictures, recordings that are packed, thumbnails."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.play.painter import Order, Picture
from demos.web.archive import Archives
from demos.web.feed import Feed, Shown, to_yuv
from demos.web.thumbnails import HEIGHT, WIDTH, Thumbnails
from demos.web.track import FeedTrack
from engine_sim.core.errors import UserError

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

    archives = Archives()
    asyncio.run(scene(archives))
    kept = archives.find(next(reversed(archives._packed)))
    archives.close()
    assert not kept.exists()


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
