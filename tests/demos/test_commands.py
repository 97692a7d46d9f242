"""The engine's subcommands, the real thing in small."""

import json

import cv2
import pytest

from demos import cli
from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import split_of, track_names
from engine_sim.views.gl_context import open_gl
from engine_sim.views.look import look_names

SMALL = ("--track", "acorn-loop", "--rivals", "2", "--size", "96x64")


@pytest.fixture
def run(capsys):
    """Runs a subcommand: (exit code, lines of its output, lines of its complaints)."""

    def call(*words: str) -> tuple[int, list[str], list[str]]:
        code = cli.main(list(words))
        captured = capsys.readouterr()
        return code, captured.out.splitlines(), captured.err.splitlines()

    return call


def has_gl() -> bool:
    try:
        open_gl().close()
    except UserError:
        return False
    return True


needs_gl = pytest.mark.skipif(not has_gl(), reason="no OpenGL here (Debian: apt-get install libegl1 libgl1)")


def test_tracks_lists_every_circuit_with_its_split(run):
    code, out, _ = run("tracks", "--source", "built-in", "--json")
    assert code == 0
    listed = json.loads(out[-1])["tracks"]
    assert [row["name"] for row in listed] == track_names("built-in")
    assert all(row["split"] == split_of(row["name"]) for row in listed)
    assert len(out) == len(listed) + 1


def test_tracks_races_say_who_came_home(run):
    code, out, _ = run("tracks", "coin-bowl", "--race", "--json")
    report = json.loads(out[-1])
    assert (code, report["clean"]) == (0, 1)
    assert report["races"][0]["finished"] == report["races"][0]["cars"] == 16


def test_tracks_surveys_and_draws_the_ones_that_are_named(run, tmp_path):
    sheet = tmp_path / "sheet.png"
    code, out, _ = run("tracks", "acorn-loop", "coin-bowl", "--survey", "--json", "--sheet", str(sheet))
    assert code == 0
    rows = json.loads(out[-1])["tracks"]
    assert [row["kind"] for row in rows] == ["road", "oval"]
    assert all(row["length"] > 500 and row["left"] + row["right"] == row["corners"] for row in rows)
    assert "km" in out[0]
    assert cv2.imread(str(sheet)).std() > 5


@needs_gl
def test_tracks_draws_a_place_of_each_under_a_look_of_its_own(run, monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr("demos.sheet.write_sheet", lambda path, cells: drawn.extend(cells))
    assert run("tracks", "acorn-loop", "--pictures", str(tmp_path / "places.jpg"), "--size", "64x32")[0] == 0
    ((caption, picture),) = drawn
    assert caption == f"acorn-loop  {look_names()[0]}"
    assert picture.shape == (32, 64, 3)
    assert picture.std() > 15


def test_looks_lists_the_curated_ones_and_gives_them_whole(run):
    code, out, _ = run("looks", "--json")
    assert code == 0
    looks = json.loads(out[-1])["looks"]
    assert [look["name"] for look in looks] == look_names()
    assert all(look["weather"]["lighting"].replace(" ", "-") == look["name"] for look in looks)


def test_a_look_written_as_json_is_read_back(run, tmp_path):
    _, out, _ = run("looks", "7", "--json")
    whole = json.loads(out[-1])["looks"][0]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({k: v for k, v in whole.items() if k != "name"}))
    assert run("looks", "--prompt", str(path))[1] == run("looks", "--prompt", "7")[1]


@needs_gl
def test_looks_draws_one_place_in_each(run, tmp_path):
    sheet = tmp_path / "looks.png"
    words = ("looks", "golden-hour", "storm", "--track", "acorn-loop", "--size", "96x64", "--sheet", str(sheet))
    assert run(*words)[0] == 0
    picture = cv2.imread(str(sheet))
    left, right = picture[30:80, 10:90], picture[30:80, 110:190]
    assert left.mean() > right.mean() + 5  # the storm is darker


@pytest.mark.parametrize("words", [("--sheet", "l.xyz"), ("--sheet", "new/l.png"), ("--sheet", "l.png", "--size", "0"),
                                   ("--sheet", "l.png", "--track", "nowhere")])  # fmt: skip
def test_looks_checks_before_it_lists(run, monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    code, out, errors = run("looks", *words)
    assert (code, out, len(errors)) == (2, [], 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--track", "acorn-loop"), "--track"),
        (("storm", "--track", "nowhere", "--json"), "--track"),
        (("--size", "96x64"), "--size"),
        (("--prompt", "storm", "--track", "acorn-loop"), "--track"),
        (("--prompt", "storm", "--sheet", "l.png"), "--prompt"),
    ],
)
def test_looks_refuses_what_would_change_nothing(run, monkeypatch, tmp_path, words, named):
    monkeypatch.chdir(tmp_path)
    code, out, errors = run("looks", *words)
    assert (code, out, len(errors)) == (2, [], 1)
    assert named in errors[0]
    assert "--sheet" in errors[0]
    assert list(tmp_path.iterdir()) == []


def test_record_and_replay_agree(run, tmp_path):
    folder = str(tmp_path / "drive")
    code, out, _ = run("record", *SMALL, "--seconds", "1", "--out", folder, "--quiet", "--json")
    assert code == 0
    recorded = json.loads(out[-1])
    assert (recorded["ticks"], recorded["frames"]) == (120, 24)
    code, out, _ = run("replay", folder, "--quiet", "--json")
    assert code == 0
    assert out[-2] == "identical"
    assert json.loads(out[-1])["identical"]


def test_replay_names_the_tick_that_differs(run, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, seed in ((one, "1"), (other, "2")):
        run("record", *SMALL, "--seed", seed, "--seconds", "1", "--out", str(folder), "--quiet")
    head = 56  # of a log; it says whose it is
    mine, foreign = ((folder / "hashes.log").read_bytes() for folder in (one, other))
    (one / "hashes.log").write_bytes(mine[:head] + foreign[head:])
    code, out, _ = run("replay", str(one), "--quiet", "--json")
    assert code == 1
    assert json.loads(out[-1])["first_tick"] == 0
    assert out[-2] == "NOT identical"


def test_replay_renders_anew_at_another_size(run, tmp_path):
    folder = tmp_path / "drive"
    run("record", *SMALL, "--seconds", "0.5", "--out", str(folder), "--quiet")
    words = ("replay", str(folder), "--render", "--size", "64x64", "--teacher", "none", "--quiet", "--json")
    code, out, _ = run(*words)
    assert code == 0
    assert json.loads(out[-1])["render"] == f"{folder}-rendered"
    assert json.loads((tmp_path / "drive-rendered" / "session.json").read_text())["width"] == 64


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("record", "--track", "nowhere"), "nowhere"),
        (("record", *SMALL, "--fps", "25"), "25"),
        (("record", *SMALL, "--seconds", "-1"), "positive"),
        (("replay", "no-such-folder"), "no-such-folder"),
        (("looks", "--prompt", "strom"), "storm"),
        (("looks", "-1"), "unknown look"),
        (("tracks", "acorn-lop"), "acorn-loop"),
        (("tracks", "--sheet", "/proc/nowhere/sheet.png", "acorn-loop"), "cannot write"),
        (("tracks", "acorn-loop", "--pictures", "/proc/nowhere/places.png"), "cannot write"),
        (("tracks", "acorn-loop", "--pictures", "places.png", "--size", "40x40"), "divisible by 32"),
        (("tracks", "acorn-loop", "--size", "64x64"), "--pictures"),
        (("bench", "engine", "--sizes", "40x40"), "divisible by 32"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, capsys, monkeypatch, tmp_path, words, expected):
    monkeypatch.chdir(tmp_path)
    try:
        code, _, complaints = run(*words)
    except SystemExit as end:  # argparse's own refusals
        code, complaints = end.code, capsys.readouterr().err.splitlines()
    assert code == 2
    assert len(complaints) == 1
    assert expected in complaints[0]
    assert list(tmp_path.iterdir()) == []


def test_bench_engine_reports_every_figure(run):
    words = ("bench", "engine", "--track", "acorn-loop", "--sizes", "64x32", "--seconds", "0.1", "--json")
    code, out, _ = run(*words)
    assert code == 0
    report = json.loads(out[-1])
    assert report["realtime_factor_16_cars"] > 1
    assert report["class_view_fps"]["64x32"] > 1
    assert report["class_view"]["cpu"]["cores"] == 1
    assert not has_gl() or report["teacher_view_fps"]["64x32"] > 0
    assert not has_gl() or report["teacher_view"]["64x32"]["pass_ms"]["paint"]["mean"] > 0
    assert report["versions"]["numpy"]
