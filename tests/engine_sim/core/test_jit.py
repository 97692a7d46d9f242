"""The kernel cache is keyed by every source that a kernel can call."""

from pathlib import Path

import pytest

from engine_sim.core import jit


def write_package(root: Path, helper: str) -> Path:
    (root / "helper.py").write_text(helper)
    (root / "rules.py").write_text("from . import helper\nfrom .middle import thing\n")
    (root / "middle.py").write_text("from .helper import other\n")
    (root / "unrelated.py").write_text("x = 1\n")
    return (root / "rules.py").resolve()


def test_a_changed_helper_in_another_file_changes_the_key(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = jit.source_key(write_package(tmp_path / "a", "y = 1\n"))
    second = jit.source_key(write_package(tmp_path / "b", "y = 2\n"))
    assert first != second


def test_files_that_are_not_imported_do_not_matter(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    first = write_package(tmp_path / "a", "y = 1\n")
    second = write_package(tmp_path / "b", "y = 1\n")
    (tmp_path / "b" / "unrelated.py").write_text("x = 2\n")
    assert jit.source_key(first) == jit.source_key(second)


def test_exact_maths_lie_in_the_cache_folder_of_their_sources():
    from engine_sim.core import exact

    stats = exact.sincos.stats
    assert stats.cache_path.startswith(str(jit.cache_root()))


@pytest.mark.parametrize("text", ["", "caches"])
def test_a_shared_cache_that_is_no_absolute_path_does_not_count(monkeypatch, tmp_path, text):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PAINTOVER_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", text)
    assert jit.cache_root() == tmp_path / "home" / ".cache" / "paintover" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert jit.cache_root() == tmp_path / "caches" / "paintover" / "kernels"


def test_a_cache_that_cannot_be_written_gives_way_to_one_that_is_keyed_alike(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PAINTOVER_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    assert jit.cache_root() == tmp_path / "__pycache__" / "kernels"


def test_without_any_cache_rules_are_compiled_anew_and_never_kept_beside_their_source(monkeypatch, tmp_path):
    source = "def double(x):\n    return 2 * x\n"
    (tmp_path / "rules.py").write_text(source)
    names: dict[str, object] = {}
    exec(compile(source, str(tmp_path / "rules.py"), "exec"), names)
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    monkeypatch.setattr(jit, "can_be_written", lambda folder: False)
    kernel = jit.kernel(names["double"])
    assert not kernel.stats.cache_path
    assert kernel.py_func(2) == 4
    assert [p.name for p in tmp_path.iterdir()] == ["rules.py"]


def test_a_user_without_a_home_has_a_cache(monkeypatch, tmp_path):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("PAINTOVER_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    assert jit.cache_root() == tmp_path / "__pycache__" / "kernels"
