"""Lines for people: none of a peer's characters reaches a terminal as a command, and no peer can write a million."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from render_bridge.plain_text import shown
from render_bridge.protocol.events import PeerBroke, Refused, SessionOpened, TurnedAway
from render_bridge.protocol.faults import Fault
from render_bridge.protocol.messages import Bye
from render_bridge.serving import ServeLoop
from render_bridge.talk import NOBODY, Talk, TalkLimits

from .link import opened, put
from .stage import DirectEnd, Factory

EVIL = "\x1b]0;owned\x07\x1b[2J\r\n\x9b31m\u202e\u2028 naïve ✓"


@given(st.text(max_size=60))
def test_what_is_shown_prints_and_is_bounded(text):
    made = shown(text, 20)
    assert len(made) <= 20
    assert all(unicodedata.category(c)[0] != "C" and c not in "\u2028\u2029" for c in made)
    assert shown(made, 20) == made


def test_escapes_are_readable_and_other_languages_stay():
    assert shown(EVIL) == r"\x1b]0;owned\x07\x1b[2J\r\n\x9b31m\u202e\u2028 naïve ✓"
    assert shown("a" * 500, 10) == "a" * 9 + "…"


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_a_session_that_talks_too_much_is_counted_and_others_are_heard():
    said, clock = [], Clock()
    talk = Talk(said.append, TalkLimits(of_one=3, of_all=8, seconds=10), clock=clock)
    for k in range(50):
        talk.line(b"loud", f"loud {k}")
    talk.line(b"calm", "calm")
    assert said == ["loud 0", "loud 1", "loud 2", "calm"]
    clock.now += 10
    talk.tick()
    assert said[4:] == ["session 6c6f7564: 47 more lines were left out"]
    talk.line(b"loud", "again")
    assert said[5:] == ["again"]


def test_a_crowd_that_talks_too_much_is_counted_as_one():
    said, clock = [], Clock()
    talk = Talk(said.append, TalkLimits(of_one=3, of_all=8, seconds=10), clock=clock)
    for k in range(50):
        talk.line(bytes([k]), "hello")
        talk.forget(bytes([k]))
    assert len(said) == 8
    assert talk._windows == {}
    clock.now += 10
    talk.tick()
    assert said[8:] == ["42 more lines of all were left out"]


def test_a_line_that_says_the_last_again_is_only_counted():
    said, clock = [], Clock()
    talk = Talk(said.append, clock=clock)
    for text in ("a", "a", "b", "b", "b", "a"):
        talk.line(b"same", text)
    talk.line(b"else", "a")
    assert said == ["a", "b", "a", "a"]
    clock.now += 10
    talk.tick()
    assert said[4:] == ["session 73616d65: 3 more lines were left out"]


def test_what_a_session_was_too_loud_to_say_is_told_when_it_ends():
    said = []
    talk = Talk(said.append, TalkLimits(of_one=1), clock=Clock())
    for _ in range(3):
        talk.line(NOBODY, "x")
    talk.forget(NOBODY)
    assert said == ["x", "peers without a session: 2 more lines were left out"]


def test_nothing_of_a_peers_reaches_the_log_raw():
    """Names, reasons and texts: everything that an engine can make a renderer say."""
    said = []
    link = opened(engine=EVIL[:20])
    loop = ServeLoop(DirectEnd(link), Factory(link.offer), said.append)
    token = link.engine.token
    opening = link.told(SessionOpened)[0]
    link.renderer_events += [
        Refused(300, EVIL, EVIL * 50, False, {}, token), PeerBroke(Fault.BAD_TAG, EVIL, token), TurnedAway(EVIL),
    ]  # fmt: skip
    put(link, Bye(text=EVIL))
    loop.turn(0.0)
    assert opening.hello.engine == EVIL[:20]
    assert len(said) == 5
    assert all(line.isprintable() and len(line) <= 600 for line in said)
    assert "begins" in said[0]
    assert "ended: the engine ended" in said[-1]
