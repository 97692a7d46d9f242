"""The doctor: says what is here, names a remedy for what is not, fails only for essentials."""

import json
import subprocess
import sys

import pytest

from demos import cli
from demos.commands import doctor


def bare_environment(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def test_a_machine_with_the_essentials_passes(monkeypatch, capsys):
    bare_environment(monkeypatch)
    assert cli.main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    parts = {row["part"]: row for row in report["parts"]}
    assert report["ok"]
    assert parts["numpy"]["found"]
    assert parts["video"]["found"]
    assert parts["display"]["found"] == ""
    assert all(row["found"] or row["remedy"] for row in report["parts"])


def test_a_wrong_torcs_folder_is_a_row_like_any_other(monkeypatch, capsys):
    bare_environment(monkeypatch)
    monkeypatch.setenv("PAINTOVER_TORCS", "/nonexistent")
    assert cli.main(["doctor", "--json"]) == 0
    parts = {row["part"]: row for row in json.loads(capsys.readouterr().out.splitlines()[-1])["parts"]}
    assert "'/nonexistent'" in parts["TORCS tracks"]["remedy"]
    assert {"torch", "zmq", "numpy", "OpenGL"} <= set(parts)


def test_a_missing_essential_is_named_and_fails(monkeypatch, capsys):
    lacking = doctor.Finding("video", "", "install it", essential=True)
    monkeypatch.setattr(doctor, "CHECKS", (lambda: [lacking], doctor.check_python))
    assert cli.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "MISSING" in out
    assert "install it" in out
    assert out.splitlines()[-1] == "missing: video"


def test_a_missing_nicety_does_not_fail(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "CHECKS", (lambda: [doctor.Finding("controllers", "", "plug one in")],))
    assert cli.main(["doctor"]) == 0
    assert "plug one in" in capsys.readouterr().out


@pytest.mark.parametrize("error", [ImportError("libxcb.so.1: cannot open"), RuntimeError("numpy 1.x binary")])
def test_a_package_that_does_not_import_is_missing(monkeypatch, error):
    def refuse(name):
        raise error

    monkeypatch.setattr(doctor.importlib, "import_module", refuse)
    findings = doctor.check_packages()
    assert not any(f.found for f in findings)
    assert all(str(error) in f.remedy and "pip install" in f.remedy for f in findings)


def test_without_a_display_no_window_library_complains(tmp_path):
    script = "import demos.play.screen as s; print(s.display_found())"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=60)
    assert done.stdout == "False\n"
    assert done.stderr == ""


def test_a_cache_that_cannot_be_written_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setattr("engine_sim.core.jit.can_be_written", lambda folder: False)
    (finding,) = doctor.check_rules()
    assert not finding.found
    assert "cannot be written" in finding.remedy
    assert "PAINTOVER_CACHE" in finding.remedy
