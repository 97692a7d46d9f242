"""The WebSocket gateway and the browser client, which node runs here without a browser."""

import asyncio
import contextlib
import json
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from render_bridge.conformance.checker import check_engine
from render_bridge.conformance.vectors import read_vectors
from render_bridge.errors import BridgeError
from render_bridge.gateways.framing import pack, unpack
from render_bridge.gateways.outbox import MOST, MOST_BYTES, Outbox
from render_bridge.gateways.websocket import BROWSER, Gateway, GatewayPlan
from render_bridge.palette import RACING
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.encodings import decode_plane
from render_bridge.protocol.messages import Ping, Welcome

from .bare_engine import greet
from .ends import PATIENCE_S, ipv6_or_skip, serving

HERE = Path(__file__).parent
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: the browser client runs in it")


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=32))
def test_frames_survive_the_packing(frames):
    assert [bytes(f) for f in unpack(pack(frames))] == frames


@given(st.binary(max_size=80))
def test_noise_is_unpacked_or_refused(message):
    try:
        frames = unpack(message)
    except ValueError:
        return
    assert pack(frames) == message


@pytest.fixture
def address(tmp_path):
    return f"ipc://{tmp_path}/gate.sock"


@pytest.fixture
def gateway(address):
    with Gateway(GatewayPlan(address, port=0, connections=2)) as running:
        yield running


def dial(gateway, **options):
    return connect(f"ws://127.0.0.1:{gateway.port}/", **options)


def test_messages_pass_through_unchanged(gateway, address):
    """R-12 through the gateway: the renderer's own answer comes back."""
    with serving(address), dial(gateway) as browser:
        browser.send(pack(encode(Ping(id=1, time=2))))
        assert decode(unpack(browser.recv(timeout=PATIENCE_S))).code == 200


def test_a_browsers_first_greeting_is_kept_until_there_is_a_renderer(gateway, address):
    """R-11 through the gateway: one HELLO is enough, however early."""
    with dial(gateway) as browser:
        browser.send(pack(encode(greet())))
        browser.send(pack(encode(Ping(id=1, time=2))))
        with serving(address):
            assert isinstance(decode(unpack(browser.recv(timeout=PATIENCE_S))), Welcome)


def test_what_is_kept_for_a_renderer_is_bounded_and_the_newest():
    async def kept():
        outbox = Outbox()
        for k in range(3 * MOST):
            outbox.put([bytes([k])])
        assert await outbox.get() == [bytes([2 * MOST])]
        for k in range(3):
            outbox.put([bytes(MOST_BYTES // 2), bytes([k])])
        assert (await outbox.get())[1] == b"\x02"
        outbox.put([bytes(2 * MOST_BYTES)])
        return (await outbox.get())[0]

    assert len(asyncio.run(kept())) == 2 * MOST_BYTES


def test_pages_over_ipv6_are_served(address):
    with ipv6_or_skip(), Gateway(GatewayPlan(address, host="::1", port=0)) as gateway:
        assert gateway.url == f"http://[::1]:{gateway.port}/"
        with urllib.request.urlopen(gateway.url, timeout=PATIENCE_S) as answer:
            assert answer.status == 200
        with connect(f"ws://[::1]:{gateway.port}/", origin=f"http://[::1]:{gateway.port}"):
            pass


def test_pages_of_other_origins_may_not_connect(gateway):
    with pytest.raises(InvalidStatus) as caught, dial(gateway, origin="http://evil.example"):
        pass
    assert caught.value.response.status_code == 403
    with dial(gateway, origin=f"http://localhost:{gateway.port}"):
        pass


@pytest.mark.parametrize("message", ["text", b"", b"\x01\x00\x00\x00", b"\xff\xff\xff\xff" * 3])
def test_what_is_not_packed_right_ends_the_connection_with_a_reason(gateway, message):
    with dial(gateway) as browser:
        browser.send(message)
        with pytest.raises(ConnectionClosed) as caught:
            browser.recv(timeout=PATIENCE_S)
        assert caught.value.rcvd.code == 1002
        assert caught.value.rcvd.reason


def test_no_more_browsers_than_planned(gateway):
    with dial(gateway), dial(gateway), pytest.raises(InvalidStatus) as caught, dial(gateway):
        pass
    assert caught.value.response.status_code == 503


def test_the_client_is_served_and_nothing_else(gateway):
    for name in ("", "client.js", "protocol.js"):
        with urllib.request.urlopen(gateway.url + name, timeout=PATIENCE_S) as answer:
            assert answer.read() == (BROWSER / (name or "index.html")).read_bytes()
    for name in ("../websocket.py", "%2e%2e/websocket.py", "nothing.js", "/etc/passwd"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(gateway.url + name, timeout=PATIENCE_S)
        assert caught.value.code == 404
        caught.value.close()


def test_other_machines_are_not_let_in_by_mistake(address, gateway):
    with pytest.raises(BridgeError, match="is not this machine"):
        Gateway(GatewayPlan(address, host="0.0.0.0"))
    with pytest.raises(BridgeError, match="cannot listen"):
        Gateway(GatewayPlan(address, port=gateway.port))


def node_words(gateway):
    """The command that runs the browser client in node."""
    script = str(HERE / "node_engine.mjs")
    return [NODE, "--experimental-websocket", "--no-warnings", script, f"ws://127.0.0.1:{gateway.port}/"]


@contextlib.contextmanager
def node_engine(gateway):
    """The browser client in node; killed at the end, or when it says nothing for a long time."""
    node = subprocess.Popen(node_words(gateway), stdout=subprocess.PIPE, text=True)
    watch = threading.Timer(6 * PATIENCE_S, node.kill)  # its readers find the end of its output then
    watch.start()
    try:
        yield node
    finally:
        watch.cancel()
        node.kill()
        node.wait()
        node.stdout.close()


@needs_node
def test_the_browser_client_plays_and_survives_a_restart_of_the_renderer(gateway, address):
    with node_engine(gateway) as node:
        for _ in range(2):
            with serving(address):
                lines = [json.loads(node.stdout.readline())]
                while "pictures" not in lines[-1]:
                    lines.append(json.loads(node.stdout.readline()))
                assert lines[-1]["size"]
                assert tuple(lines[-1]["sky"]) == RACING.classes[RACING.id_of("sky")].color
        node.terminate()
        assert node.wait(PATIENCE_S) == 0


@needs_node
def test_the_browser_client_holds_every_rule(gateway, address):
    report = check_engine(address, patience=PATIENCE_S, wait=PATIENCE_S, start=node_words(gateway))
    assert report.broken == [], [f.line() for f in report.findings if f.state == "broken"]
    assert report.not_tried == ["R-25"]


SCRIPT = """
import {{ decode, encode }} from "{folder}/msgpack.js";
import {{ runLengths }} from "{folder}/protocol.js";
import {{ readFileSync }} from "node:fs";
const rows = JSON.parse(readFileSync(0, "utf8"));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const plain = (value) => value instanceof Uint8Array ? {{ hex: hex(value) }}
  : typeof value === "bigint" ? String(value)
  : Array.isArray(value) ? value.map(plain)
  : value !== null && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)])) : value;
const out = rows.map((row) => {{
  const header = decode(new Uint8Array(Buffer.from(row.frames[1], "hex")));
  return {{ fields: plain(header), again: hex(encode(header)) }};
}});
const map = Uint8Array.from({{ length: 70000 }}, (_, k) => k < 66000 ? 1 : k % 3);
console.log(JSON.stringify({{ out, runs: hex(runLengths(map)) }}));
"""


@needs_node
def test_the_vectors_are_read_the_same_way_in_javascript(tmp_path):
    """The files under conformance/vectors, in another language."""
    rows = [*read_vectors("worked_example"), *read_vectors("legal")]
    script = tmp_path / "vectors.mjs"
    script.write_text(SCRIPT.format(folder=BROWSER.as_uri()))
    done = subprocess.run([NODE, str(script)], input=json.dumps(rows), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for row, seen in zip(rows, answer["out"], strict=True):
        expected = json.loads(json.dumps(row["message"]["fields"], default=str), parse_int=_as_javascript)
        assert seen["fields"] == expected, row["name"]
        again = [bytes.fromhex(row["frames"][0]), bytes.fromhex(seen["again"])]
        assert decode([*again, *(bytes.fromhex(f) for f in row["frames"][2:])]) is not None
    class_map = np.array([1 if k < 66000 else k % 3 for k in range(70000)], np.uint8).reshape(1, -1)
    assert np.array_equal(decode_plane(bytes.fromhex(answer["runs"]), "rle", "uint8", class_map.shape), class_map)


def _as_javascript(text):
    """Integers beyond 2^53 come back as text here: JSON has no BigInt."""
    return int(text) if abs(int(text)) <= 1 << 53 else text
