"""The kernel cache is keyed by every source that a kernel can call."""

from pathlib import Path

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
