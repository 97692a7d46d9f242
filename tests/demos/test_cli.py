"""The command line: quick, one-line refusals, the promised exit codes."""

import json
import subprocess
import sys

import pytest

import demos.commands.tracks as tracks_command
from demos import cli, options, report
from demos.ends import BAD_INPUT, INTERRUPTED
from engine_sim.core.errors import UserError


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
        ("0x0", "divisible by 32"),
        ("448", "such as 448x256"),
        ("448x-256", "such as 448x256"),
        ("4 48x256", "such as 448x256"),
        ("٤٤٨x256", "such as 448x256"),
        ("9999999x32", "such as 448x256"),
    ],
)
def test_other_sizes_are_refused_with_a_way_out(text, words):
    with pytest.raises(UserError, match=words):
        options.parse_size(text)


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
