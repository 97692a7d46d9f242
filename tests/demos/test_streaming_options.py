"""Words of the command line for streams → plans; what cannot be meant is refused before anything starts."""

from __future__ import annotations

import argparse
import socket

import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.streaming.options import add_stream_arguments, parse_place, stream_plans, streams_asked_for
from engine_sim.core.errors import UserError

from .rtmp_servers import free_port


def plans_of(*words: str, fps: int = 24):
    parser = argparse.ArgumentParser()
    add_stream_arguments(parser)
    return stream_plans(parser.parse_args(words), fps)


def test_a_server_and_a_page_at_once():
    port = free_port()
    server, page = plans_of("--rtmp", "rtmp://host/live/key", "--webrtc", str(port), "--silent-audio", fps=30)
    assert (server.title, server.output.sound, server.door) == ("stream to rtmp://host/live/…", True, None)
    assert page.title == f"stream at http://127.0.0.1:{port}/"
    assert (page.output.fps, page.output.sound, page.door.port, page.door.token) == (30, False, port, "")


def test_port_0_takes_a_free_one_and_its_address_is_known_at_once():
    (page,) = plans_of("--webrtc", "0")
    assert page.door.port > 0
    assert page.address.url == f"http://127.0.0.1:{page.door.port}/"


def test_a_token_stands_behind_the_hash_of_the_link(tmp_path):
    (tmp_path / "token").write_text("0123456789abcdefghij\n")
    (page,) = plans_of("--webrtc", "0", "--token-file", str(tmp_path / "token"))
    assert page.address.shown.endswith("/#token=0123456789abcdefghij")


def test_without_words_there_is_no_stream():
    assert plans_of() == ()
    assert not streams_asked_for(argparse.Namespace(rtmp=None, webrtc=None))
    assert streams_asked_for(argparse.Namespace(rtmp=None, webrtc="0"))


@pytest.mark.parametrize("words", [("--tls-cert", "c.pem"), ("--token-file", "t"), ("--origin", "https://box.lan")])
def test_a_door_without_a_page_is_refused(words):
    with pytest.raises(UserError, match=f"{words[0]} is for a page on which browsers watch: add --webrtc PORT"):
        plans_of(*words)


def test_a_port_that_is_taken_is_said_before_anything_starts():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"cannot listen at 127.0.0.1:{port}: .*; name another port"):
            plans_of("--webrtc", str(port))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("8081", ("127.0.0.1", 8081)),
        ("box.lan:443", ("box.lan", 443)),
        ("[::1]:80", ("::1", 80)),
        ("::1:80", ("::1", 80)),
    ],
)
def test_places(text, place):
    assert parse_place(text) == place


@pytest.mark.parametrize("text", ["", ":", ":80", "box", "box:", "box:x", "65536", "-1", "8 0", "٨٠"])
def test_places_that_cannot_be_are_refused(text):
    with pytest.raises(UserError, match="--webrtc takes a port such as 8081, or HOST:PORT"):
        parse_place(text)
