"""Addresses and key files: loopback freely, others only with keys."""

import os
import stat

import pytest

from render_bridge.errors import BridgeError
from render_bridge.protocol.encodings import ENCODINGS
from render_bridge.zmq.address import check_address, encodings_for, is_loopback
from render_bridge.zmq.keys import make_keys, read_keys


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("tcp://127.0.0.1:5555", "tcp://127.0.0.1:5555"),
        ("localhost:5555", "tcp://localhost:5555"),
        (":5555", "tcp://127.0.0.1:5555"),
        ("tcp://[::1]:5555", "tcp://[::1]:5555"),
        ("[::1]:5555", "tcp://[::1]:5555"),
        ("::1:5555", "tcp://[::1]:5555"),
        ("ipc:///tmp/a.sock", "ipc:///tmp/a.sock"),
    ],
)
def test_this_machine_needs_no_keys(given, used):
    """R-46."""
    assert check_address(given, with_keys=False) == used


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:5555", "tcp://*:5555", "0.0.0.0:5555", "tcp://example.org:5555"])
def test_other_machines_need_keys(address):
    """R-46."""
    with pytest.raises(BridgeError, match="paintover keys"):
        check_address(address, with_keys=False)
    assert check_address(address, with_keys=True).endswith(":5555")


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("http://127.0.0.1:80", "expected ipc://PATH or tcp://HOST:PORT"),
        ("bridge", "expected ipc://PATH"),
        ("tcp://127.0.0.1", "a port from 1"),
        ("tcp://127.0.0.1:0", "a port from 1"),
        ("tcp://127.0.0.1:99999", "a port from 1"),
        ("tcp://127.0.0.1:http", "a port from 1"),
        ("tcp://::1:5555", r"an IPv6 host in brackets, such as tcp://\[::1\]:5555"),
        ("ipc://", "a path of 1 to 100 bytes"),
        ("ipc:///" + "a" * 120, "a path of 1 to 100 bytes"),
        ("ipc:///no/such/folder/x.sock", "does not exist"),
    ],
)
def test_addresses_that_mean_nothing_are_refused(address, text):
    with pytest.raises(BridgeError, match=text):
        check_address(address, with_keys=False)


def test_loopback_is_told_by_number_not_by_prefix():
    assert is_loopback("127.8.8.8")
    assert not is_loopback("127.0.0.1.example.org")


def test_keys_are_made_once_and_kept_private(tmp_path):
    public, secret = make_keys(tmp_path / "me")
    assert stat.S_IMODE(os.stat(secret).st_mode) == 0o600
    keys = read_keys(secret, [public])
    assert keys.peers == (keys.public,)
    assert keys.secret not in repr(keys)
    with pytest.raises(BridgeError, match="never overwritten"):
        make_keys(tmp_path / "me")


def test_files_that_are_no_keys_are_refused(tmp_path):
    public, secret = make_keys(tmp_path / "me")
    with pytest.raises(BridgeError, match="not a secret key file"):
        read_keys(public, [public])
    with pytest.raises(BridgeError, match="give the other end's"):
        read_keys(secret, [])
    with pytest.raises(BridgeError, match="cannot read"):
        read_keys(tmp_path / "nothing", [public])
    with pytest.raises(BridgeError, match="cannot write"):
        make_keys(tmp_path / "no" / "me")


@pytest.mark.parametrize(
    ("address", "first"),
    [
        ("ipc:///tmp/x.sock", "raw"),
        ("tcp://127.0.0.1:5555", "raw"),
        ("tcp://[::1]:5555", "raw"),
        ("tcp://192.168.1.7:5555", "zstd"),
        ("tcp://elsewhere:5555", "zstd"),
    ],
)
def test_frames_are_packed_for_a_network_and_copied_on_one_machine(address, first):
    """R-17: an order of preference; everything that we can write is in it."""
    order = encodings_for(address)
    assert order[0] == first
    assert sorted(order) == sorted(ENCODINGS)
