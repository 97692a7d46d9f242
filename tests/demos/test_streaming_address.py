"""Addresses of streams: what may be said of them, and which part of a wrong one is wrong."""

from __future__ import annotations

import pytest

from demos.streaming.address import parse_address
from engine_sim.core.errors import UserError

KEY = "live_4711_SECRET"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rtmp://127.0.0.1:1935/live/key", "rtmp://127.0.0.1:1935/live/…"),
        ("rtmps://ingest.example.org/app/sub/key", "rtmps://ingest.example.org/app/sub/…"),
        ("rtmp://[::1]:1935/live/key", "rtmp://[::1]:1935/live/…"),
        ("rtmp://user:word@host/live/key?auth=1", "rtmp://host/live/…"),
    ],
)
def test_an_address_is_shown_without_its_secrets(text, shown):
    address = parse_address(text)
    assert (address.url, address.shown) == (text, shown)
    assert address.hide(f"cannot open {text}: no") == f"cannot open {shown}: no"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "its scheme must be rtmp or rtmps"),
        ("host/live/key", "does not begin so: its scheme must be"),
        (f"http://host/live/{KEY}", "begins with http://: its scheme must be"),
        (f"{KEY}://host/live/key", "does not begin so: its scheme must be"),
        (f"rtmp:///live/{KEY}", "names no host"),
        (f"rtmp://[::1/live/{KEY}", "numbers of IPv6 stand in brackets"),
        (f"rtmp://a..b/live/{KEY}", "a part between dots that is empty"),
        (f"rtmp://../live/{KEY}", "a part between dots that is empty"),
        (f"rtmp://{64 * 'a'}.org/live/{KEY}", "longer than 63 characters"),
        (f"rtmp://host/{KEY}", "the stream key is missing"),
        (f"rtmp://host/{KEY}/", "the stream key is missing"),
        ("rtmp://host", "application and stream key are missing"),
        (f"rtmp://host:port/live/{KEY}", "its port, behind the host's colon, must be a number from 1 to 65535"),
        (f"rtmp://host:99999/live/{KEY}", "its port"),
        (f"rtmp://host:0/live/{KEY}", "its port"),
        (f"rtmp://host/live/{KEY} x", "a blank, a line break or a letter"),
        (f"rtmp://host/live/{KEY}\n", "a blank, a line break or a letter"),
        (f"rtmp://h/é/{KEY}", "a blank, a line break or a letter"),
        ("rtmp://h/a/" + "k" * 2000, "2011 characters, and at most 1024"),
    ],
)
def test_a_wrong_address_is_refused_by_its_wrong_part_and_never_repeated(text, fault):
    with pytest.raises(UserError, match="--rtmp takes an address such as rtmp://HOST/APPLICATION/KEY") as refused:
        parse_address(text)
    assert fault in str(refused.value)
    assert KEY not in str(refused.value)


def test_an_address_in_capitals_is_one_that_ffmpeg_knows():
    assert parse_address("RTMP://Host/live/Key").url == "rtmp://Host/live/Key"
