"""Both state machines joined back to back: who is taken in, on which terms, and who is refused."""

import msgpack
import numpy as np
import pytest

from render_bridge.conformance.samples import hello, welcome
from render_bridge.palette import RACING, ClassTable, SceneClass
from render_bridge.protocol.codec import encode
from render_bridge.protocol.engine_side import EngineSide
from render_bridge.protocol.events import Opened, PeerBroke, Refused, SessionOpened
from render_bridge.protocol.faults import Fault, LocalProtocolError
from render_bridge.protocol.messages import Frame
from render_bridge.protocol.offer import Sizes
from render_bridge.protocol.states import EngineState

from .link import FOREIGN, HEIGHT, MS, WIDTH, Link, drawn, greeting, offer, put, raw_frame, sent_by


def test_the_engine_speaks_first_and_is_taken_in():
    """R-11."""
    link = Link()
    link.exchange()
    assert link.wires_seen == []
    link.elapse(50)
    kinds = [type(m).__name__ for m in sent_by(link, "engine") + sent_by(link, "renderer")]
    assert kinds == ["Hello", "Welcome"]
    assert len(link.of(Opened)) == len(link.told(SessionOpened)) == 1


def test_a_welcome_to_an_older_greeting_is_ignored():
    """R-11."""
    engine = EngineSide(greeting(), 0)
    engine.advance(MS)
    engine.advance(200 * MS)
    answer = {"table_name": RACING.name, "table_hash": RACING.hash, "encoding": "zstd"}
    assert engine.receive(encode(welcome(attempt=1, **answer)), 201 * MS) == []
    assert engine.state is EngineState.GREETING
    assert isinstance(engine.receive(encode(welcome(attempt=2, **answer)), 202 * MS)[0], Opened)


def test_a_welcome_that_chooses_what_was_not_offered_is_refused():
    """R-17, R-18."""
    engine = EngineSide(greeting(encodings=("raw",)), 0)
    engine.advance(MS)
    events = engine.receive(encode(welcome(encoding="zstd")), 2 * MS)
    assert isinstance(events[0], PeerBroke)
    assert engine.state is EngineState.GREETING


def test_whatever_comes_before_a_greeting_is_answered_with_not_greeted():
    """R-12."""
    link = Link()
    put(link, raw_frame(), b"stranger")
    assert [(m.code, m.fatal) for m in sent_by(link, "renderer")] == [(200, False)]


REFUSALS = [
    pytest.param({"table": FOREIGN}, Fault.TABLE_DIFFERS, {"ours", "theirs"}, id="R-13 foreign table"),
    pytest.param({"table": FOREIGN, "mapping": {"floor": "road"}}, Fault.UNMAPPED_CLASS, {"classes"}, id="R-14"),
    pytest.param({"table": FOREIGN, "mapping": {"floor": "lava", "blue": "sky"}}, Fault.UNKNOWN_TARGET, {"target"},
                 id="R-14 target"),
    pytest.param({"width": 100}, Fault.SIZE_NOT_SERVED, {"nearest"}, id="R-15"),
    pytest.param({"rate": (0, 1)}, Fault.RATE_NOT_SERVED, set(), id="R-16 nothing"),
    pytest.param({"rate": (24, 0)}, Fault.RATE_NOT_SERVED, set(), id="R-16 no seconds"),
    pytest.param({"rate": (2000, 1)}, Fault.RATE_NOT_SERVED, set(), id="R-16 too fast"),
    pytest.param({"encodings": ("png",)}, Fault.NO_COMMON_ENCODING, {"encodings"}, id="R-17"),
    pytest.param({"encodings": ("rle",), "form": "colors"}, Fault.NO_COMMON_ENCODING, {"encodings"}, id="R-43 rle"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "fault", "details"), REFUSALS)
def test_a_greeting_that_does_not_fit_is_refused_for_good(changes, fault, details):
    """R-13, R-14, R-15, R-16, R-17."""
    link = Link(**changes)
    link.elapse(400)
    refusal = link.of(Refused)[0]
    assert (refusal.code, refusal.fatal, set(refusal.details)) == (int(fault), True, details)
    assert link.engine.state is EngineState.CLOSED
    assert len(sent_by(link, "engine")) == 1
    assert link.renderer.sessions == {}


@pytest.mark.parametrize(
    ("size", "nearest"),
    [
        ((674, 389), (672, 384)),
        ((15, 15), (32, 32)),
        ((16, 16), (32, 32)),
        ((5000, 31), (2048, 32)),
        ((48, 80), (64, 96)),
    ],
)
def test_the_nearest_size_that_is_served_is_named(size, nearest):
    """R-15, case B12."""
    assert Sizes(32, (2048, 2048)).nearest(*size) == nearest
    only = Sizes(only=((448, 256), (672, 384)))
    assert only.nearest(*size) in only.only


def test_after_a_refused_size_a_good_one_is_taken():
    """R-15, case B12: the renderer is as before."""
    link = Link(width=100)
    link.elapse(100)
    link.join(b"peer-1")
    link.elapse(100)
    assert link.of(Opened, b"peer-1")


def test_the_engines_first_known_encoding_is_chosen():
    """R-17."""
    link = Link(encodings=("png", "rle", "zstd"))
    link.open()
    assert link.engine.welcome.encoding == "rle"


def test_planes_travel_only_when_both_ends_want_them():
    """R-18, R-44."""
    depth = np.full((HEIGHT, WIDTH), 65504, np.float16)
    depth[0, 0] = 1.5
    moving = np.zeros((HEIGHT, WIDTH, 2), np.float32)
    for wanted in ((), ("depth",)):
        link = Link(offer(planes=wanted), planes=("motion", "depth"))
        link.open()
        link.renderer.ask(link.engine.token, 1)
        link.engine.offer(drawn(0, planes={"depth": depth, "motion": moving}))
        link.exchange()
        (taken,) = link.frames()
        assert tuple(taken.planes) == wanted
        assert len(sent_by(link, "engine", Frame)[0].buffers) == 1 + len(wanted)
        for name in wanted:
            assert np.array_equal(taken.planes[name], depth)
            assert taken.planes[name].dtype == np.float16


def test_a_frame_without_the_chosen_planes_is_refused():
    """R-18."""
    link = Link(offer(planes=("depth",)), planes=("depth",), encodings=("raw",))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    put(link, raw_frame())
    assert [r.code for r in link.of(Refused)] == [308]
    with pytest.raises(LocalProtocolError, match="offered in the greeting, not drawn"):
        link.engine.offer(drawn(0))


def test_a_frame_that_was_drawn_before_the_planes_were_chosen_is_left_out():
    """R-18, R-24."""
    link = Link(offer(planes=("depth",)), planes=("depth",))
    link.engine.offer(drawn(0))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(1, planes={"depth": np.ones((HEIGHT, WIDTH), np.float16)}))
    link.exchange()
    assert [f.seq for f in link.frames()] == [1]
    assert link.engine.flow.skipped == 1


def test_foreign_ids_arrive_as_ours():
    """R-14."""
    link = Link(table=FOREIGN, mapping={"floor": "road", "blue": "sky"}, encodings=("zstd",))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    link.engine.offer(drawn(0, value=1))
    link.exchange()
    assert set(np.unique(link.frames()[0].class_map)) == {RACING.id_of("sky")}


def test_color_coded_frames_arrive_as_ids_and_lossy_ones_are_refused():
    """R-42."""
    link = Link(form="colors")
    link.open()
    link.renderer.ask(link.engine.token, 2)
    link.exchange()
    colors = RACING.colorize(np.full((HEIGHT, WIDTH), 4, np.uint8))
    link.engine.offer(drawn(0, class_map=colors))
    link.exchange()
    smoothed = colors.copy()
    smoothed[3, 4] += 1
    link.engine.offer(drawn(1, class_map=smoothed))
    link.exchange()
    assert set(np.unique(link.frames()[0].class_map)) == {4}
    assert link.of(Refused)[0].details == {"share": 1 / (WIDTH * HEIGHT), "row": 3, "column": 4}


@pytest.mark.parametrize("size", [(0, 0), (0, 32), (8193, 32)])
def test_a_size_of_nothing_is_refused_and_the_next_greeting_is_taken(size):
    """R-06, R-08, case B12."""
    link = Link()
    with pytest.raises(LocalProtocolError):
        EngineSide(greeting(width=size[0], height=size[1]), 0)
    tag, header = encode(hello())
    fields = {**msgpack.unpackb(header), "width": size[0], "height": size[1]}
    put(link, [bytes(tag), msgpack.packb(fields)], b"peer-0")
    assert [(m.code, m.fatal) for m in sent_by(link, "renderer")] == [(108, False)]
    link.open()
    assert link.engine.state is EngineState.OPEN


def test_colors_that_are_easily_mistaken_are_noted_in_the_welcome():
    """R-42, case B115: and a renderer's own lines for people are there too."""
    near = ClassTable("near-1", (SceneClass(0, "floor", (5, 5, 5)), SceneClass(1, "wall", (5, 6, 5))))
    mapping = {"floor": "road", "wall": "barrier"}
    for form, count in (("ids", 1), ("colors", 2)):
        link = Link(offer(notes=("made for this",)), table=near, mapping=mapping, form=form)
        link.open()
        assert len(link.engine.welcome.notes) == count
        assert link.engine.welcome.notes[0] == "made for this"
    assert "'floor' and 'wall' differ by 1 level" in link.engine.welcome.notes[1]
    with pytest.raises(LocalProtocolError, match="256 bytes"):
        offer(notes=("é" * 129,))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "dtype", "channels"), [("depth", np.float16, 1), ("motion", np.float32, 2)])
def test_a_plane_with_a_number_that_is_none_is_refused_with_its_place(name, dtype, channels, value):
    """R-44: at both ends; the largest finite numbers are none of them."""
    shape = (HEIGHT, WIDTH) if channels == 1 else (HEIGHT, WIDTH, channels)
    edge = np.finfo(dtype).max
    good = np.full(shape, edge, dtype)
    good[:2] = -edge
    bad = good.copy()
    bad[3, 5] = bad[4, 0] = value
    link = Link(offer(planes=(name,)), planes=(name,), encodings=("raw",))
    link.open()
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    with pytest.raises(LocalProtocolError, match="row 3, column 5"):
        link.engine.offer(drawn(0, planes={name: bad}))
    planes = {"planes": (name,), "plane_encodings": ("raw",)}
    put(link, raw_frame(**planes, buffers=(bytes(WIDTH * HEIGHT), bad.tobytes())))
    (refused,) = link.of(Refused)
    assert (refused.code, refused.name) == (309, "bad_plane")
    assert refused.details == {"plane": name, "row": 3, "column": 5}
    link.renderer.ask(link.engine.token, 1)
    link.exchange()
    put(link, raw_frame(**planes, seq=1, grant=1, buffers=(bytes(WIDTH * HEIGHT), good.tobytes())))
    assert np.array_equal(link.frames()[0].planes[name], good)


def test_rle_for_colours_is_refused_without_a_contradiction():
    """R-17, R-43: what is offered instead is what is read for this very form."""
    link = Link(form="colors", encodings=("rle",))
    link.elapse(50)
    (refused,) = link.of(Refused)
    assert refused.code == 204
    assert refused.details == {"encodings": ["zstd", "raw"]}
    assert refused.text.endswith("(rle holds ids only): you write rle; we read zstd, raw")
