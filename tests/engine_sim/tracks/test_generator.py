"""Written parameters: read with care, closed and rounded circuits out of them, the same bits every time."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.tracks.generator import make_circuit, read_plan
from engine_sim.tracks.generator.outline import crossings, fit_radii, rounded_polygon
from engine_sim.tracks.generator.parameters import parse_plan
from engine_sim.tracks.generator.relief import through_knots

SQUARE: dict[str, Any] = {
    "kind": "road", "setting": "meadow", "about": "a square", "seed": 1, "width": [10, 12],
    "points": [[0, 0, 40], [300, 0, 40, 5], [300, 300, 40], [0, 300, 40, 1, 4]],
}  # fmt: skip


def _square(**changes: Any) -> dict[str, Any]:
    return {**SQUARE, **changes}


def test_rounded_corners_touch_their_sides() -> None:
    px, py = np.array([0.0, 100.0, 100.0, 0.0]), np.array([0.0, 0.0, 100.0, 100.0])
    x, y, owner = rounded_polygon(px, py, np.full(4, 20.0), 0.5)
    assert x.min() == pytest.approx(0.0)
    assert x.max() == pytest.approx(100.0)
    for k in range(4):
        cx, cy = abs(px[k] - 20.0), abs(py[k] - 20.0)
        radius = np.hypot(x[owner == k] - cx, y[owner == k] - cy)
        assert np.allclose(radius, 20.0)
    steps = np.hypot(np.diff(np.append(x, x[0])), np.diff(np.append(y, y[0])))
    assert steps.min() > 0.0
    assert steps.max() < 2.1


def test_radii_that_do_not_fit_are_made_to_fit() -> None:
    px, py = np.array([0.0, 100.0, 100.0, 0.0]), np.array([0.0, 0.0, 60.0, 60.0])
    radius, tangent = fit_radii(px, py, np.full(4, 80.0))
    assert np.all(radius <= 30.0 + 1e-9)
    assert np.all(tangent[:4] + np.roll(tangent, -1) <= np.array([100.0, 60.0, 100.0, 60.0]) + 1e-9)


def test_heights_pass_through_their_knots_without_overshoot() -> None:
    z = through_knots(np.array([0.1, 0.3, 0.35, 0.9]), np.array([0.0, 10.0, 10.0, -2.0]), 2000)
    assert z[200] == pytest.approx(0.0, abs=1e-9)
    assert z[600] == pytest.approx(10.0, abs=1e-9)
    assert z.max() <= 10.0 + 1e-9
    assert z.min() >= -2.0 - 1e-9
    assert abs(z[0] - z[-1]) < 0.1


def test_a_figure_eight_crosses_itself_once_and_parallel_straights_do_not() -> None:
    t = np.linspace(0.0, 2.0 * math.pi, 400, endpoint=False)
    assert len(crossings(100.0 * np.sin(2.0 * t + 0.4), 200.0 * np.sin(t + 0.2), 1)) == 1
    x, y, _ = rounded_polygon(*(np.array(v) for v in zip((0.0, 0.0), (900.0, 0.0), (900.0, 30.0), (0.0, 30.0))),
                              np.full(4, 15.0), 0.5)  # fmt: skip
    assert len(crossings(x, y, 1)) == 0


def test_the_same_plan_gives_the_same_bits_and_another_seed_other_verges() -> None:
    first, second = (make_circuit(parse_plan("square", _square())) for _ in range(2))
    for a, b in zip((*first.line, *first.section), (*second.line, *second.section), strict=True):
        assert a.tobytes() == b.tobytes()
    other = make_circuit(parse_plan("square", _square(seed=2)))
    assert other.section.barrier_left.tobytes() != first.section.barrier_left.tobytes()
    assert other.line.x.tobytes() == first.line.x.tobytes()


def test_kerbs_lie_at_bends_and_ovals_have_none() -> None:
    road = make_circuit(parse_plan("square", _square())).section
    assert road.kerb_left.max() > 0.5
    assert np.mean(road.kerb_left > 0.0) < 0.6
    oval = make_circuit(parse_plan("square", _square(kind="oval"))).section
    assert oval.kerb_left.max() == oval.kerb_right.max() == 0.0


def test_patches_change_the_road_surface() -> None:
    section = make_circuit(parse_plan("square", _square(surface="dirt", patches=[["asphalt", 0.25, 0.5]]))).section
    share = np.mean(section.surface_road == parse_plan("s", _square()).surface)
    assert 0.24 < share < 0.26


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "river"}, "kind must be one of road, dirt, oval"),
        ({"setting": "moon"}, "unknown setting 'moon'"),
        ({"width": [12, 8]}, "width must be"),
        ({"width": [12]}, "width must be"),
        ({"points": [[0, 0, 10]]}, "at least 3 corners"),
        ({"points": [[0, 0, 10], [1, 1, -3], [5, 5, 1]]}, "radius must be"),
        ({"points": [[0, 0, 10], [0, 0, 10], [5, 5, 1]]}, "away from the point before"),
        ({"points": [[0, 0, 10], [9, 0], [5, 5, 1]]}, "[x, y, radius]"),
        ({"seed": True}, "seed must be"),
        ({"seed": 1e99}, "seed must be"),
        ({"surface": "ice"}, "surface must be one of"),
        ({"patches": [["asphalt", 0.2]]}, "patches must be"),
        ({"lanes": 3}, "unknown parameter 'lanes'"),
    ],
)
def test_bad_parameters_name_circuit_and_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_plan("square", _square(**change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_user_errors(tmp_path: Path) -> None:
    for name, content in (("cut.json", b'{"kind": "road"'), ("list.json", b"[1, 2]"), ("binary.json", b"\xff\xfe\x00")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError):
            read_plan(tmp_path / name)
    with pytest.raises(UserError):
        read_plan(tmp_path / "absent.json")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(sorted(SQUARE)), inner, max_size=6),
    max_leaves=12,
)


@given(st.sampled_from([*SQUARE, "pit", "patches", "ease", "verge"]), _VALUES)
@settings(derandomize=True, max_examples=150, deadline=None)
def test_any_json_is_read_or_refused_with_one_line(field: str, value: Any) -> None:
    message = ""
    try:
        parse_plan("square", _square(**{field: value}))
    except UserError as error:
        message = str(error)
    assert message == "" or message.startswith(("circuit 'square'", "unknown setting"))


def test_plans_survive_their_own_file_format(tmp_path: Path) -> None:
    (tmp_path / "square.json").write_text(json.dumps(SQUARE))
    assert read_plan(tmp_path / "square.json") == parse_plan("square", SQUARE)
