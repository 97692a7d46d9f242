"""Too little memory for a training stage is one line, in whichever words it is said; other faults stay faults."""

import pytest

from demos import cli
from demos.commands import train

SHORTAGES = [
    MemoryError(),  # numpy and Python say nothing, or something of their own
    RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB.\nmore lines"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: you tried"),
]


def run(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(train, "_open", fail)
    clips = str(tmp_path / "clips")
    words = ["--clips", clips, "--held-out", clips, "--folder", str(tmp_path / "run"), "--seconds", "1"]
    return cli.main(["train", "autoencoder", *words])


@pytest.mark.parametrize("error", SHORTAGES)
def test_a_shortage_is_one_line_that_says_what_takes_less(tmp_path, monkeypatch, capsys, error):
    assert run(tmp_path, monkeypatch, error) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--batch" in line


def test_another_fault_is_not_taken_for_one(tmp_path, monkeypatch):
    with pytest.raises(RuntimeError, match="shapes"):
        run(tmp_path, monkeypatch, RuntimeError("shapes do not match"))
