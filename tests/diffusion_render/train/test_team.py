"""Several members on one run, as torchrun starts them: other clips each, one and the same weights."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from diffusion_render.train.team import ALONE, Team
from tests.diffusion_render.train.test_autoencoder_stage import write_clips

ROOT = Path(__file__).parents[3]
MEMBER = """
import json, os, sys
from pathlib import Path
import torch
from diffusion_render.model.autoencoder import Autoencoder
from diffusion_render.train.autoencoder_stage import AutoencoderStage, AutoencoderTrainer
from diffusion_render.train.clip_bank import ClipBank
from diffusion_render.train.loop import Budget, run_stage
from diffusion_render.train.team import Team
from tests.diffusion_render.toys import TOY_AUTOENCODER

torch.set_num_threads(1)
clips, out = Path(sys.argv[1]), Path(sys.argv[2])
team = Team.join()
torch.manual_seed(team.rank)
bank = ClipBank(clips, team.device)
stage = AutoencoderStage(batch=1, frames=4, crop=64, warmup=2, adversarial_from=0.5, adversarial_least=0)
trainer = AutoencoderTrainer(Autoencoder(TOY_AUTOENCODER), stage, bank, bank, out, team=team)
first = trainer._batch().frames.mean().item()
scores = run_stage(trainer, Budget(4, 1e9, 2), out / "run", {})
total = sum(p.double().sum().item() for p in trainer.model.parameters())
(out / f"{team.rank}.json").write_text(json.dumps([trainer.step, total, first, team.agree(team.rank), sorted(scores)]))
team.agree(0.0)
os._exit(0)  # torch's gloo now and then aborts while it is taken down, with all work done
"""


def test_one_alone_is_a_team_that_changes_nothing():
    weight = torch.ones(3, requires_grad=True)
    (2 * weight).sum().backward()
    ALONE.average_gradients([weight])
    assert weight.grad is not None
    assert weight.grad.tolist() == [2, 2, 2]
    assert (ALONE.leads, ALONE.agree(0.25), ALONE.draw(7)) == (True, 0.25, 7)


def test_no_two_members_ever_draw_the_same_batch():
    draws = [Team(rank, 3).draw(step) for step in range(5) for rank in range(3)]
    assert sorted(draws) == list(range(15))


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    folder = tmp_path_factory.mktemp("team")
    clips = write_clips(folder / "clips")
    (folder / "member.py").write_text(MEMBER)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*command, str(folder / "member.py"), str(clips), str(folder)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


def test_members_see_other_clips_and_keep_the_same_weights(members):
    (step_a, total_a, first_a, *_), (step_b, total_b, first_b, *_) = members
    assert (step_a, step_b) == (4, 4)
    assert total_a == total_b
    assert first_a != first_b


def test_the_first_member_speaks_for_all_and_scores_alone(members):
    assert [m[3] for m in members] == [0, 0]
    assert "held_out_psnr" in members[0][4]
    assert members[1][4] == ["seconds", "steps"]
