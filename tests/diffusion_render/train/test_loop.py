"""The loop of every stage: budget, curves, evaluations, and a state that survives an interruption."""

import json

import pytest
import torch

from diffusion_render.train.loop import CURVE_EVERY, Budget, run_stage
from diffusion_render.train.team import ALONE


class Counter:
    """A trainer that counts, and may be interrupted."""

    def __init__(self, interrupt_at: int | None = None) -> None:
        self.step, self.device, self.team = 0, torch.device("cpu"), ALONE
        self.value = torch.zeros(1)
        self.evaluated: list[int] = []
        self.interrupt_at = interrupt_at

    def train_step(self, share):
        if self.step == self.interrupt_at:
            raise KeyboardInterrupt
        self.step += 1
        self.value += 1
        return {"value": self.value[0].clone(), **({"odd": torch.tensor(1.0)} if self.step % 2 else {})}

    def evaluate(self):
        self.evaluated.append(self.step)
        return {"score": float(self.value)}

    def state(self):
        return {"value": self.value}

    def load(self, state):
        self.value = state["value"]


def test_scores_are_taken_evenly_and_at_the_end(tmp_path):
    trainer = Counter()
    scores = run_stage(trainer, Budget(400, 1e9, 4), tmp_path, {"what": "counting"})
    assert trainer.evaluated == [100, 200, 300, 400]
    assert (scores["score"], scores["steps"]) == (400.0, 400.0)


def test_curves_hold_means_over_the_steps_that_had_the_value(tmp_path):
    run_stage(Counter(), Budget(CURVE_EVERY, 1e9, 1), tmp_path, {})
    row = json.loads((tmp_path / "curves.jsonl").read_text().splitlines()[0])
    assert row["value"] == (CURVE_EVERY + 1) / 2
    assert row["odd"] == 1.0
    assert json.loads((tmp_path / "settings.json").read_text())["budget"]["steps"] == CURVE_EVERY


def test_an_interrupted_run_loses_nothing_and_goes_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_stage(Counter(interrupt_at=7), Budget(20, 1e9, 1), tmp_path, {})
    again = Counter()
    run_stage(again, Budget(20, 1e9, 1), tmp_path, {})
    assert (again.step, float(again.value)) == (20, 20.0)


def test_a_run_that_is_over_only_scores_again(tmp_path):
    run_stage(Counter(), Budget(5, 1e9, 1), tmp_path, {})
    again = Counter()
    assert run_stage(again, Budget(5, 1e9, 1), tmp_path, {})["score"] == 5.0
    assert again.evaluated == [5]


def test_time_ends_a_run_and_counts_across_resumes(tmp_path):
    trainer = Counter()
    run_stage(trainer, Budget(10**9, 0.05, 1), tmp_path, {})
    done = trainer.step
    again = Counter()
    run_stage(again, Budget(10**9, 0.05, 1), tmp_path, {})
    assert again.step == done > 0


@pytest.mark.parametrize("bad", [(0, 1.0, 1), (1, 0.0, 1), (1, 1.0, 0)])
def test_an_empty_budget_is_refused(bad):
    with pytest.raises(ValueError, match="above 0"):
        Budget(*bad)
