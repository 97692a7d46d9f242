"""Which tensors fused kernels take, and that a parallel kernel leaves torch's threads as they are."""

import pytest
import torch

from kernels.dispatch import LEAST_WORK, can_fuse, run_parallel

X = torch.ones(2, 3)


def test_fp32_on_the_processor_is_taken_and_nothing_else():
    assert can_fuse(X, None, X)
    for other in (X.double(), X.bfloat16(), X.to("meta"), X.int()):
        assert not can_fuse(X, other)


def test_gradients_that_are_wanted_are_never_lost():
    weight = X.clone().requires_grad_(True)
    assert not can_fuse(X, weight)
    with torch.no_grad():
        assert can_fuse(X, weight)
    with torch.inference_mode():
        assert can_fuse(X, weight)


def test_a_graph_that_is_compiled_holds_plain_operations():
    @torch.compile(backend="eager", fullgraph=True)
    def traced(x):
        return x + (1.0 if can_fuse(x) else 2.0)

    assert torch.equal(traced(X), X + 2.0)


def test_torch_keeps_its_number_of_threads_when_numbas_layer_starts(monkeypatch):
    before, seen = torch.get_num_threads(), []
    # What numba's OpenMP layer does as it starts: the runtime is torch's own.
    monkeypatch.setattr("numba.set_num_threads", lambda count: torch.set_num_threads(before + 3))
    try:
        run_parallel(lambda: seen.append(torch.get_num_threads()), LEAST_WORK)
        assert seen == [before]
        assert torch.get_num_threads() == before
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(("work", "wanted"), [(LEAST_WORK - 1, 1), (LEAST_WORK, 3)])
def test_little_work_keeps_to_one_thread_and_much_takes_torchs(monkeypatch, work, wanted):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    monkeypatch.setattr("numba.config.NUMBA_NUM_THREADS", 8)
    asked = []
    monkeypatch.setattr("numba.set_num_threads", asked.append)
    called = []
    run_parallel(lambda *args: called.append(args), work, 1, 2)
    assert asked == [wanted]
    assert called == [(1, 2)]
