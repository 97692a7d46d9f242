"""The loop of every stage: budget, curves, evaluations, and a state that survives an interruption."""

import json

import pytest
import torch

from diffusion_render.train.loop import CURVE_EVERY, Budget, run_stage
from diffusion_render.train.run import Journal, RunError, save_run, sole_use
from diffusion_render.train.team import ALONE, Team


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


class Exploding(Counter):
    """A trainer whose state is not finite from a step on."""

    def train_step(self, share):
        if self.step == 30:
            self.value += float("nan")
        return super().train_step(share)


def test_a_state_that_is_not_finite_ends_the_run_and_keeps_the_last_good_one(tmp_path):
    trainer = Exploding()
    with pytest.raises(RunError, match=r"after step 40 .* not finite.*keeps the last good one.*lower rate"):
        run_stage(trainer, Budget(80, 1e9, 4), tmp_path, {})
    assert trainer.evaluated == [20]  # at step 40 there is nothing left to score
    assert torch.load(tmp_path / "state.pt", weights_only=True)["step"] == 20
    for line in (tmp_path / "curves.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + bytes(4000)])
def test_a_state_that_is_none_is_refused_by_name(tmp_path, content):
    (tmp_path / "state.pt").write_bytes(content)
    with pytest.raises(RunError, match=r"state\.pt cannot be read as the state of a run .*begins anew"):
        run_stage(Counter(), Budget(5, 1e9, 1), tmp_path, {})
    assert (tmp_path / "state.pt").read_bytes() == content


def test_a_state_of_other_networks_is_refused_by_name(tmp_path):
    save_run(tmp_path, trainer={"weights": torch.zeros(3)}, step=3, seconds=1.0)
    with pytest.raises(RunError, match=r"does not fit these networks.*another preset"):
        run_stage(Counter(), Budget(5, 1e9, 1), tmp_path, {})


def test_a_disk_that_refuses_leaves_the_old_state_and_no_half_one(tmp_path, monkeypatch):
    save_run(tmp_path, trainer={}, step=3, seconds=1.0)
    before = (tmp_path / "state.pt").read_bytes()

    def full(_parts, path):
        path.write_bytes(b"half")
        raise RuntimeError("[enforce fail] unexpected pos")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(RunError, match="is the disk full"):
        save_run(tmp_path, trainer={}, step=4, seconds=2.0)
    assert {p.name for p in tmp_path.iterdir()} == {"state.pt"}
    assert (tmp_path / "state.pt").read_bytes() == before


def test_two_runs_never_share_a_folder(tmp_path):
    with sole_use(tmp_path), pytest.raises(RunError, match="another run is training"):
        run_stage(Counter(), Budget(5, 1e9, 1), tmp_path, {})
    run_stage(Counter(), Budget(5, 1e9, 1), tmp_path, {})  # let go of, it is free


def test_curves_that_were_cut_within_a_line_go_on_with_a_new_one(tmp_path):
    (tmp_path / "curves.jsonl").write_text('{"step": 1}\n{"st')
    journal = Journal(tmp_path, 1.0, "s", {})
    journal.write(2, loss=0.5)
    journal.close()
    lines = (tmp_path / "curves.jsonl").read_text().splitlines()
    assert (lines[:2], json.loads(lines[2])["loss"]) == (['{"step": 1}', '{"st'], 0.5)


@pytest.mark.parametrize("text", ["abc", "-2", "0", "2.5"])
def test_a_team_of_no_size_is_refused_by_name(monkeypatch, text):
    monkeypatch.setenv("WORLD_SIZE", text)
    with pytest.raises(ValueError, match=f"WORLD_SIZE is '{text}'"):
        Team.join()
    monkeypatch.setenv("WORLD_SIZE", "")
    assert Team.join() == ALONE
