"""What needs no server: who is let in, what a message may say, who holds the wheel, what devices do."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("aiohttp", reason="pip install paintover[web]")
pytest.importorskip("aiortc", reason="pip install paintover[web]")

from demos.cli import main
from demos.play.inputs import Inputs
from demos.play.keyboard import Command
from demos.web import actions as act
from demos.web.devices import Devices
from demos.web.gate import Gate
from demos.web.messages import BadMessage, parse
from demos.web.plan import WebPlan, checked_plan
from demos.web.wheel import Wheel
from engine_sim.core.errors import UserError


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "65535"),
        (["--host", "0.0.0.0"], "--tls-cert"),
        (["--host", "192.0.2.7"], "open to other machines"),
        (["--tls-cert", "a.pem"], "both --tls-cert and --tls-key"),
        (["--host", "0.0.0.0", "--tls-cert", "a.pem", "--tls-key", "b.pem"], "--origin"),
        (["--origin", "box.lan"], "expected https://NAME"),
        (["--viewers", "0"], "--viewers"),
        (["--token-file", "no-such-file"], "no-such-file"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line_that_says_what_to_do(words, said, capsys):
    assert main(["web", *words]) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--webrtc", "8081"], "--webrtc: this page itself is where browsers watch and drive, so leave it out"),
        (["--webrtc"], "`paintover play --webrtc PORT`"),
        (["--rtmp", "rtmp://host/live/SECRET"], "`paintover play --rtmp URL` streams to a server"),
        (["--silent-audio"], "--silent-audio"),
        (["--record", "folder"], "by its Record button"),
    ],
)
def test_words_of_play_are_told_what_to_use_instead_and_by_the_right_help(words, said, capsys):
    with pytest.raises(SystemExit) as left:
        main(["web", *words])
    line = capsys.readouterr().err
    assert left.value.code == 2
    assert said in line
    assert line.startswith("paintover web: ")
    assert line.endswith("(see paintover web --help)\n")
    assert line.count("\n") == 1
    assert "SECRET" not in line


def test_tls_files_that_are_none_are_refused(tmp_path, capsys):
    paths = [tmp_path / name for name in ("cert.pem", "key.pem")]
    for path in paths:
        path.write_text("no certificate")
    words = ["--host", "192.0.2.7", "--tls-cert", str(paths[0]), "--tls-key", str(paths[1]), "--preset", "none"]
    assert main(["web", *words]) == 2
    assert "no certificate with its key" in capsys.readouterr().err


def test_other_machines_always_need_a_token(tmp_path):
    plan = WebPlan("box.lan", certificate=tmp_path / "c", key=tmp_path / "k")
    made = {checked_plan(plan).token for _ in range(3)}
    assert len(made) == 3
    assert min(map(len, made)) >= 32
    assert checked_plan(WebPlan()).token == ""
    with pytest.raises(UserError, match="16 to 256"):
        checked_plan(WebPlan(token="short"))


LOCAL = Gate(checked_plan(WebPlan()), 8080)


@pytest.mark.parametrize(
    ("host", "origin", "welcome"),
    [
        ("127.0.0.1:8080", None, True),
        ("localhost:8080", "http://localhost:8080", True),
        ("[::1]:8080", "http://[::1]:8080", True),
        ("127.0.0.1:8080", "http://evil.example", False),
        ("127.0.0.1:8080", "null", False),
        ("127.0.0.1:8080", "http://127.0.0.1:9090", False),
        ("127.0.0.1:8080", "https://127.0.0.1:8080", False),
        ("evil.example:8080", "http://evil.example:8080", False),  # a name that was pointed at this machine
        (None, None, False),
    ],
)
def test_only_pages_of_this_server_come_in(host, origin, welcome):
    refusal = LOCAL.refusal(host, origin)
    assert (refusal == "") == welcome
    assert welcome or "http://127.0.0.1:8080" in refusal


def test_a_named_origin_comes_in_and_the_token_is_compared_whole(tmp_path):
    plan = WebPlan(
        "0.0.0.0", 8443, "0123456789abcdef", tmp_path / "c", tmp_path / "k", origins=("https://Box.lan:8443/",)
    )  # fmt: skip
    gate = Gate(checked_plan(plan), 8443)
    assert gate.main == "https://box.lan:8443"
    assert gate.refusal("box.lan:8443", "https://box.lan:8443") == ""
    assert "0.0.0.0" in gate.refusal("0.0.0.0:8443", None)
    wrong = ("0123456789abcde", "", "ä", "x" * 4000, "\ud800")  # the last is half a character
    assert [gate.knows(t) for t in ("0123456789abcdef", *wrong)] == [True, *[False] * 5]
    assert LOCAL.knows("")


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ({"type": "key", "code": "KeyW", "down": True}, act.Key(26, True)),
        ({"type": "command", "name": "next camera"}, act.Do(Command.CAMERA)),
        ({"type": "prompt", "text": " 雨の山道\nat dusk\x00 "}, act.TakePrompt("雨の山道 at dusk")),
        ({"type": "give", "to": 3, "yes": False}, act.Give(3, False)),
        (
            {"type": "pad", "id": 0, "name": "p", "steer": -0.123456, "throttle": 1, "brake": 0, "buttons": ["a"]},
            act.PadState(0, "p", -0.123456, 1.0, 0.0, ("a",)),
        ),
    ],
)
def test_a_message_is_read_whole(message, meant):
    assert parse(json.dumps(message)) == meant


PAD = {"type": "pad", "id": 0, "name": "p", "steer": 0, "throttle": 0, "brake": 0, "buttons": []}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("", "JSON"),
        ("[" * 100_000, "JSON"),
        ("[]", "unknown type"),
        ({"type": ["key"]}, "unknown type"),
        ({"type": "explode"}, "unknown type"),
        ({"type": "key", "code": "KeyX", "down": True}, "must be one of"),
        ({"type": "key", "code": "KeyW", "down": 1}, "true or false"),
        ({"type": "command", "name": "quit"}, "must be one of"),
        ({"type": "look", "number": True}, "a number"),
        ({"type": "look", "number": 1.5}, "whole number"),
        ({"type": "look", "number": -1}, "must lie in"),
        ({"type": "prompt", "text": "x" * 100_000}, "100000 characters; at most 1000"),
        ({"type": "prompt"}, "must be a text"),
        ({**PAD, "steer": 2}, "must lie in"),
        ('{"type": "ping", "at": NaN}', "a number"),
        ({**PAD, "buttons": ["start"]}, "must be a list of"),
        ({**PAD, "buttons": "a"}, "must be a list of"),
        ({"type": "hello", "token": "x" * 5000}, "at most"),
        ({"type": "offer", "sdp": None}, "must be a text"),
    ],
)
def test_a_message_that_cannot_be_is_told_what_was_expected(message, said):
    with pytest.raises(BadMessage, match=said):
        parse(message if isinstance(message, str) else json.dumps(message))


def test_the_wheel_goes_to_the_first_and_is_given_never_taken():
    wheel = Wheel()
    for who in (1, 2, 3):
        wheel.join(who)
    wheel.ask(3)
    wheel.ask(2)
    wheel.ask(3)  # asking twice moves to the end
    assert (wheel.driver, wheel.asking) == (1, [2, 3])
    assert not wheel.answer(2, 3, True)
    assert wheel.answer(1, 2, False)
    assert (wheel.driver, wheel.asking) == (1, [3])
    assert wheel.answer(1, 3, True)
    assert (wheel.driver, wheel.asking) == (3, [])
    assert not wheel.answer(3, 2, True)


def test_a_driver_who_leaves_hands_over_to_whoever_asked_and_else_the_wheel_is_free():
    wheel = Wheel()
    for who in (1, 2, 3):
        wheel.join(who)
    wheel.ask(3)
    wheel.leave(1)
    assert wheel.driver == 3
    wheel.leave(3)
    assert wheel.driver is None
    wheel.ask(9)  # was never here
    assert wheel.driver is None
    wheel.ask(2)
    assert wheel.driver == 2
    wheel.ask(2, on=False)
    assert wheel.driver == 2


def test_pads_of_a_page_drive_unquantised_and_hands_off_means_nothing_held():
    inputs = Inputs()
    devices = Devices(inputs)
    assert devices.pad(act.PadState(2, "wheel", -0.7, 0.25, 0.0, ("a",)))
    held = inputs.read()
    assert held.steer == pytest.approx((0.7 - 0.1) / 0.9)
    assert (held.throttle, held.brake, held.handbrake, held.digital) == (0.25, 0.0, 1.0, False)
    assert not devices.pad(act.PadState(2, "wheel", 0.0, 0.25, 0.5, ()))
    assert inputs.read()[:4] == (0.0, 0.25, 0.5, 0.0)
    devices.release_all()
    assert inputs.read()[:4] == (0.0, 0.0, 0.0, 0.0)
    assert not devices.pad(act.PadState(2, "wheel", 0.0, 1.0, 0.0, ()))  # nobody plugged it in, and it drives again
    assert inputs.read().throttle == 1.0
    inputs.key(26, True)
    devices.gone(2)
    assert inputs.read().digital
    assert devices.pad(act.PadState(2, "wheel", 0.0, 1.0, 0.0, ()))
