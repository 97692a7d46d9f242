"""A renderer that streams: one session on air, its pictures by media time, and its own work as ever."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from demos import cli
from demos.streaming import serving
from demos.streaming.address import parse_address
from demos.streaming.output import OutputConfig
from demos.streaming.stream import StreamPlan
from render_bridge.protocol.events import FrameTaken, PictureTaken, SessionOpened
from render_bridge.protocol.messages import Control
from render_bridge.stand_in import PaletteFactory
from render_bridge.work import SharingFactory
from tests.render_bridge.link import drawn
from tests.render_bridge.stage import Stage
from tests.render_bridge.test_serving_groups import Sharing

PLANS = (StreamPlan(parse_address("rtmp://host/live/key")),)


class Notebook:
    """In the streams' place."""

    def __init__(self, plans):
        (self.plan,) = plans
        self.shown, self.closed = [], False
        self.rate = self.plan.output.fps

    def show(self, rgb, media):
        self.shown.append((round(media, 4), rgb.shape))

    def take_rate(self, fps):
        self.rate = fps

    def close(self):
        self.closed = True
        return ["never live"]


@pytest.fixture
def made(monkeypatch):
    """Streams that were opened."""
    opened = []
    monkeypatch.setattr(serving, "LiveStreams", lambda plans, say: opened.append(Notebook(plans)) or opened[-1])
    return opened


@pytest.fixture
def factory(made):
    plan = StreamPlan(parse_address("rtmp://host/live/key"), OutputConfig(sound=True))
    return serving.streamed(PaletteFactory(), (plan,), lambda line: None)


def session(rate=(24, 1), tick_rate=120):
    """A session that opens, as far as a renderer looks at it."""
    return SessionOpened(b"s" * 16, SimpleNamespace(rate=rate, tick_rate=tick_rate), (), False, True, 0)


def frames(first, count, ticks=4):
    map_ = np.zeros((4, 6), np.uint8)
    return [
        FrameTaken(b"s" * 16, 0, 0, first + k, ticks * (first + k), map_, {}, {}, 0, False, False, None, None)
        for k in range(count)
    ]


def test_the_pictures_of_a_run_go_out_by_their_media_time_at_the_rate_of_the_session(factory, made):
    renderer = factory.open(session((30, 1)))
    pictures = renderer.render(frames(3, 2))
    assert [p.shape for p in pictures] == [(4, 6, 3)] * 2
    (live,) = made  # whoever waits on the page notices nothing of another rate
    assert live.rate == 30
    assert live.shown == [(0.1, (4, 6, 3)), (round(4 / 30, 4), (4, 6, 3))]
    factory.close()
    assert live.closed


def test_one_session_is_on_air_until_it_ends_and_then_the_next(factory, made):
    first, second = factory.open(session()), factory.open(session((30, 1)))
    second.render(frames(0, 3))
    assert made[0].shown == []
    first.render(frames(0, 1))
    first.close()
    second.render(frames(3, 1))
    second.close()
    second.close()
    assert [media for media, _ in made[0].shown] == [0.0, 0.1]
    assert len(made) == 1


def test_the_streams_are_there_before_a_session_and_end_without_one(factory, made):
    assert factory.offer == PaletteFactory().offer
    assert [(stream.rate, stream.closed) for stream in made] == [(24, False)]
    factory.close()
    assert made[0].closed


def test_a_stream_that_was_never_live_is_told_at_the_end_alone(made):
    lines: list[str] = []
    factory = serving.streamed(PaletteFactory(), PLANS, lines.append)
    factory.open(session((30, 1)))
    assert not made[0].closed
    assert lines == []
    factory.close()
    assert lines == ["never live"]


class StreamedStage(Stage):
    """Two players who are past their first run, on a factory that draws together and streams."""

    def __init__(self, **sharing):
        self.inner = None

        def make(offer):
            self.inner = Sharing(offer, **sharing)
            return serving.streamed(self.inner, PLANS, lambda line: None)

        super().__init__(make=make)
        self.engines = [self.link.engine, self.link.join(b"peer-1", instance=b"another!")]
        self.link.elapse(50)
        self.turn().both_offer(0)
        self.inner.groups.clear()

    def both_offer(self, number):
        for engine in self.engines:
            engine.offer(drawn(number))
        self.link.exchange()
        return self.turn()

    def pictures(self, peer):
        return [p.seq for p in self.link.of(PictureTaken, peer)]


def test_players_are_drawn_together_with_a_stream_as_without_and_the_one_on_air_is_seen(made):
    stage = StreamedStage()
    stage.both_offer(1)
    assert stage.inner.groups == [[0, 1]]
    assert [stage.pictures(peer) for peer in (b"peer-0", b"peer-1")] == [[0, 1], [0, 1]]
    assert len(made[0].shown) == 2, "each picture of the first player once, none of the second's"
    stage.engines[0].close()
    stage.link.exchange()
    stage.turn().engines.pop(0)
    stage.both_offer(2)
    assert len(made[0].shown) == 3


def test_a_failure_within_a_batch_shows_nothing_of_its_session_and_the_other_goes_on(made):
    stage = StreamedStage()
    stage.inner.broken = {0: ArithmeticError("not a number")}
    stage.both_offer(1)
    assert [stage.pictures(peer) for peer in (b"peer-0", b"peer-1")] == [[0], [0, 1]]
    assert len(made[0].shown) == 1


def test_what_drawing_costs_is_known_with_a_stream_too(made):
    sharing = Sharing(PaletteFactory().offer, sizes=(1, 2), shares=(1, 0.6), pixel_seconds=1e-8)
    factory = serving.streamed(sharing, PLANS, lambda line: None)
    assert isinstance(factory, SharingFactory)
    assert (factory.sizes, factory.shares, factory.pixel_seconds) == ((1, 2), (1, 0.6), 1e-8)
    sharing.sizes = (1,)  # too little memory for two at once
    assert factory.sizes == (1,)
    assert not isinstance(serving.streamed(PaletteFactory(), PLANS, lambda line: None), SharingFactory)


@pytest.mark.parametrize(("rate", "fps"), [((1000, 1), 60), ((1, 10), 1), ((2997, 100), 30)])
def test_odd_rates_become_whole_ones_that_viewers_know(factory, made, rate, fps):
    factory.open(session(rate))
    assert made[0].rate == fps


def test_a_control_reaches_the_renderer(factory):
    renderer = factory.open(session())
    renderer.apply(Control(id=1, generation=0, kind="prompt", text="rain"))
    assert renderer.painter.prompt == "rain"
    renderer.reset(3)
    assert renderer.run is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rtmp", "rtmp://host/SECRET"), "--rtmp takes an address such as"),
        (("--silent-audio",), "--silent-audio is for a stream"),
        (("--silent-audio", "--webrtc", "0"), "--silent-audio is for a stream"),
        (("--webrtc", "here"), "--webrtc takes a port such as 8081"),
        (("--webrtc", "99999"), "--webrtc takes a port such as 8081"),
        (("--webrtc", ":8081"), "--webrtc takes a port such as 8081"),
        (("--webrtc", "0.0.0.0:8081"), "--webrtc 0.0.0.0 is open to other machines, which takes TLS"),
        (("--webrtc", "192.0.2.1:8081", "--tls-cert", "c.pem", "--tls-key", "k.pem"), "no TLS file c.pem"),
        (("--webrtc", "8081", "--viewers", "0"), "--viewers must be at least 1"),
    ],
)
def test_serve_refuses_a_stream_that_cannot_be_meant(capsys, words, said):
    assert cli.main(["serve", "--renderer", "palette", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "SECRET" not in error
