"""Anything at all is accepted or refused with the one documented error; sessions live; memory is bounded.

``PAINTOVER_FUZZ=200000`` runs the nightly form.
"""

import os
import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from render_bridge.conformance.samples import frame, hello
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.events import Opened, PictureTaken
from render_bridge.protocol.faults import RemoteProtocolError
from render_bridge.protocol.messages import Bye, Error, Hello
from render_bridge.protocol.states import EngineState

from .link import Link, drawn, offer
from .mutations import mutants, seeds

COUNT = int(os.environ.get("PAINTOVER_FUZZ", "20000"))
MEMORY = 16 << 20


def test_mutated_messages_are_read_or_refused_with_the_one_error():
    """R-04 … R-09."""
    accepted = 0
    tracemalloc.start()
    try:
        for frames in mutants(COUNT // 2, seed=1):
            try:
                message = decode(frames)
            except RemoteProtocolError:
                continue
            accepted += 1
            encode(message)
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
    assert 0.02 < accepted / (COUNT // 2) < 0.6, "mutations must be neither all fatal nor all harmless"


def alive(link):
    """One frame goes through, there and back."""
    before = len(link.of(PictureTaken))
    link.frames()
    link.engine.flow.next_seq = (link.renderer.sessions[link.engine.token].account.last_seq or 0) + 1000
    for _ in range(3):
        if not link.renderer.running(link.engine.token):
            link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(1, class_map=np.zeros((32, 64), np.uint8)))
        link.exchange()
        for taken in link.frames():
            link.answer(taken)
    return len(link.of(PictureTaken)) > before


def test_a_renderer_survives_whatever_an_engine_sends():
    """R-09: after every hundred mutants the same session still serves, unless a mutant was a legal end of it."""
    link = Link(encodings=("raw",))
    link.open()
    starts = [f for f in seeds() if not isinstance(decode(f), Bye | Hello)]
    body = bytes(64 * 32)
    starts += [[bytes(b) for b in encode(frame(buffers=(body,), seq=k))] for k in range(3)]
    served = ended = 0
    for k, frames in enumerate(mutants(COUNT // 4, seed=2, starts=starts)):
        link.renderer.receive(b"peer-0", frames, link.now)
        link.renderer.drain()
        if k % 100 == 99:
            if link.engine.token not in link.renderer.sessions or link.engine.state is not EngineState.OPEN:
                ended += 1
            else:
                link.renderer.ask(link.engine.token, 1)
                served += 1
            link = Link(encodings=("raw",))
            link.open()
            assert alive(link)
    assert served > 3 * ended


def test_a_session_serves_on_between_refused_messages():
    """R-09: the session itself, not a new one, after every refusal."""
    link = Link(encodings=("raw",))
    token = link.open()
    refused = 0
    for frames in mutants(COUNT // 20, seed=3):
        try:
            decode(frames)
        except RemoteProtocolError:
            link.renderer_events += link.renderer.receive(b"peer-0", frames, link.now)
            link.exchange()
            refused += 1
        if refused % 50 == 1:
            assert alive(link)
    assert link.engine.token == token
    assert len(link.of(Opened)) == 1
    assert link.renderer.counters["bad_messages"] >= refused * 0.9
    assert refused > COUNT // 50


def test_strangers_can_say_what_they_like():
    """R-12: no session comes of it but by a legal greeting."""
    link = Link(offer(max_sessions=4))
    link.open()
    for k, frames in enumerate(mutants(COUNT // 4, seed=4)):
        link.renderer.receive(b"stranger-%d" % (k % 50), frames, link.now)
        link.renderer.drain()
    assert len(link.renderer.sessions) <= 4
    assert link.engine.token in link.renderer.sessions


def test_an_engine_survives_whatever_a_renderer_sends():
    """R-09."""
    link = Link(encodings=("raw",))
    link.open()
    starts = [f for f in seeds() if not isinstance(decode(f), Bye)]
    for frames in mutants(COUNT // 4, seed=5, starts=starts):
        link.engine.receive(frames, link.now)
        link.engine.drain()
        if link.engine.state is EngineState.CLOSED:  # a mutant of ERROR that is legal and fatal
            link = Link(encodings=("raw",))
            link.open()
    link.engines.clear()


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=300), max_size=5))
def test_noise_is_refused(frames):
    """R-01, R-02, R-04."""
    try:
        decode(frames)
    except RemoteProtocolError:
        return
    raise AssertionError("noise was read as a message")


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats()
    | st.text(max_size=9)
    | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300)
@given(name=st.sampled_from(sorted(hello().header())), value=PLAIN)
def test_any_value_in_any_field_of_a_greeting_is_taken_or_refused(name, value):
    """R-06, R-13 … R-18: through the renderer, whose answer is WELCOME or one ERROR."""
    import msgpack

    tag, header = encode(hello(width=64, height=32))
    link = Link()
    fields = {**msgpack.unpackb(header), name: value}
    link.renderer.receive(b"peer", [bytes(tag), msgpack.packb(fields)], link.now)
    (answer,) = [decode([bytes(b) for b in wire]) for _, wire in link.renderer.drain()]
    assert answer.type_byte in (0x10, 0x23)


@settings(max_examples=100)
@given(size=st.integers(0, 3000), seed=st.integers(0, 1 << 30), encoding=st.sampled_from(["raw", "zstd", "rle"]))
def test_noise_as_a_class_map_is_refused_with_a_number(size, seed, encoding):
    """R-07, R-41, R-43."""
    link = Link(encodings=(encoding,))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    body = np.random.default_rng(seed).bytes(size)
    link.renderer.receive(b"peer-0", [bytes(b) for b in encode(frame(encoding=encoding, buffers=(body,)))], link.now)
    errors = [m for _, w in link.renderer.drain() if isinstance(m := decode([bytes(b) for b in w]), Error)]
    assert [e.code in (111, 113, 300) for e in errors] == [True]


def test_a_frame_that_is_offered_wrong_never_reaches_the_wire():
    import pytest

    from render_bridge.protocol.faults import LocalProtocolError

    link = Link()
    link.open()
    bad = [np.zeros((32, 63), np.uint8), np.zeros((64, 32), np.uint8), np.zeros((32, 64), np.float32)]
    for class_map in bad:
        with pytest.raises(LocalProtocolError, match=r"a frame is uint8 \[32, 64\]"):
            link.engine.offer(Drawn(tick=0, class_map=class_map, stamps={"drawn": 0}))
    assert link.engine.flow.held == 0
