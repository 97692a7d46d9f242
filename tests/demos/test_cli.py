"""The command line: quick, one-line refusals, the promised exit codes."""

import json
import signal
import subprocess
import sys

import pytest

import demos.commands.tracks as tracks_command
from demos import cli, options, report
from demos.ends import BAD_INPUT, INTERRUPTED, advising, guarded, undivided
from engine_sim.core.errors import UserError
from engine_sim.views import class_view


def run_command(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "demos.cli", *words], capture_output=True, text=True, timeout=120)


def test_help_lists_every_command_and_loads_nothing_heavy():
    script = (
        "import sys, contextlib\nfrom demos.cli import main\n"
        "with contextlib.suppress(SystemExit):\n    main(['--help'])\n"
        "print(sorted({'numpy', 'numba', 'pygame', 'moderngl', 'cv2', 'av'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60).stdout
    assert all(f"    {name} " in out for name in cli.COMMANDS)
    assert out.endswith("[]\n")


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([name, "--help"])
    assert end.value.code == 0
    assert "usage: paintover " + name in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["nonsense"], ["play", "--no-such-option"], ["play", "--seed", "x"]])
def test_a_wrong_call_is_one_line_and_exit_code_2(words, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1


def command_that(action):
    """The tracks command with another body: the shell around every command is the same."""

    def run(args):
        return action()

    return run


def stop():
    raise KeyboardInterrupt


def refuse():
    raise UserError("expected this,\n  got that; do something else")


@pytest.mark.parametrize(
    ("action", "code", "line"),
    [
        (refuse, BAD_INPUT, "paintover tracks: expected this, got that; do something else\n"),
        (stop, INTERRUPTED, "paintover tracks: stopped\n"),
        (lambda: 0, 0, ""),
        (lambda: 1, 1, ""),
    ],
)
def test_ends_of_a_command(monkeypatch, capsys, action, code, line):
    monkeypatch.setattr(tracks_command, "run", command_that(action))
    assert cli.main(["tracks"]) == code
    assert capsys.readouterr().err == line


def test_an_unknown_track_is_refused_by_the_real_program():
    done = run_command("tracks", "no-such-circuit")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "no-such-circuit" in done.stderr


def test_a_reader_that_goes_away_makes_no_noise():
    process = subprocess.Popen(
        [sys.executable, "-m", "demos.cli", "tracks"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    process.wait(60)
    assert b"Traceback" not in error


@pytest.mark.parametrize(("text", "size"), [("448x256", (448, 256)), ("32X64", (32, 64)), ("1344x768", (1344, 768))])
def test_sizes_are_width_by_height(text, size):
    assert options.parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("674x389", "the nearest is 672x384"),
        ("15x15", "the nearest is 32x32"),
        ("99999x99999", "the nearest is 8192x8192"),
        ("9999999x32", "at most 8192x8192; the nearest is 8192x32"),
        ("0x0", "at least 32x32"),
        ("448", "such as 448x256"),
        ("448x-256", "such as 448x256"),
        ("4 48x256", "such as 448x256"),
        ("٤٤٨x256", "such as 448x256"),
    ],
)
def test_other_sizes_are_refused_with_a_way_out(text, words):
    with pytest.raises(UserError, match=words):
        options.parse_size(text)


def test_the_largest_side_is_the_views_own():
    assert (options.SIZE_STEP, options.LARGEST_SIDE) == (class_view.MIN_SIDE, class_view.MAX_SIDE)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["play", "--fps", "24.0"], "--fps: expected a whole number such as 24, got '24.0'"),
        (["play", "--seed", "abc"], "--seed: expected a whole number such as 24, got 'abc'"),
        (["record", "--seconds", "long"], "--seconds: expected a number such as 2.5, got 'long'"),
    ],
)
def test_a_word_that_is_no_number_is_told_what_was_expected(words, expected, capsys):
    with pytest.raises(SystemExit):
        cli.main(words)
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["play", "--track", ""], "--track"),
        (["play", "--headless", "--out", ""], "--out"),
        (["play", "--look="], "--look"),
        (["looks", "--sheet", ""], "--sheet"),
        (["looks", ""], "an argument"),
    ],
)
def test_an_empty_value_is_not_the_default(words, name, capsys):
    assert cli.main(words) == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"paintover {words[0]}: {name} is empty")


def test_only_a_refusal_for_want_of_gl_gets_the_way_without(capsys):
    def refuse_with(text):
        with advising("leave --sheet out"):
            raise UserError(text)

    for text, line in (("no OpenGL", "no OpenGL; leave --sheet out"), ("no track", "no track")):
        assert guarded("looks", lambda text=text: refuse_with(text)) == BAD_INPUT
        assert capsys.readouterr().err == f"paintover looks: {line}\n"


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_lengths_must_be_positive_numbers(value):
    with pytest.raises(UserError, match="--seconds"):
        options.positive(value, "--seconds")


@pytest.mark.parametrize("fps", [25, 0, -24, 50])
def test_a_video_rate_must_divide_the_ticks(fps):
    with pytest.raises(UserError, match="not one of"):
        options.check_fps(fps)


def test_a_look_is_a_seed_a_name_or_a_file():
    assert options.parse_look("7").look.seed == 7
    with pytest.raises(UserError, match="did you mean 'storm'"):
        options.parse_look("strom")
    with pytest.raises(UserError, match=r"nowhere\.json"):
        options.parse_look("nowhere.json")


def test_json_reports_have_no_words_that_json_lacks(capsys):
    report.print_json({"a": 1.5})
    assert json.loads(capsys.readouterr().out) == {"a": 1.5}
    with pytest.raises(ValueError):
        report.print_json({"a": float("nan")})


def test_a_summary_has_median_and_spread():
    assert report.summary([3.0, 1.0, 2.0]) == {"median": 2.0, "low": 1.0, "high": 3.0, "samples": 3}


def test_ctrl_c_waits_for_what_must_not_be_divided():
    before, done = signal.getsignal(signal.SIGINT), []

    def whole():
        with undivided():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        whole()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is before
