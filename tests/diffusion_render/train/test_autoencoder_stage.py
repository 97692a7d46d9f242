"""A toy run of the autoencoder stage on clips that the engine's own container wrote."""

import json

import numpy as np
import pytest
import torch

from diffusion_render.train.autoencoder_stage import AutoencoderStage, AutoencoderTrainer
from diffusion_render.train.clip_bank import BankConfig, ClipBank
from diffusion_render.train.shards import ShardError, read_shard, shard_paths
from engine_sim.recording.container import ContainerWriter
from tests.diffusion_render.toys import HEIGHT, TOY_AUTOENCODER, WIDTH, some_maps

CPU = torch.device("cpu")
FRAMES = 12


def write_clips(folder, clips: int = 4):
    """Two shards of clips whose colour is fixed by class and look, with a depth plane."""
    folder.mkdir(exist_ok=True)
    for shard in range(2):
        with ContainerWriter(folder / f"race-{shard}.clips", "paintover-clips-1") as writer:
            metas = []
            for number in range(clips // 2):
                index = shard * (clips // 2) + number
                maps = some_maps(FRAMES, seed=index).numpy()
                colors = np.random.default_rng(index // 2).integers(0, 256, (13, 3), dtype=np.uint8)
                camera = np.tile([0.0, 0, 2, 1, 0, 0, 0, 0, 1, 1.0, 0.3, 2500], (FRAMES, 1))
                depth = np.full((FRAMES, HEIGHT, WIDTH), 10.0, np.float16)
                for name, array in (("class", maps), ("teacher", colors[maps]), ("camera", camera), ("depth", depth)):
                    writer.add(f"{number}/{name}", array, "zstd" if name != "teacher" else "raw")
                metas.append({"index": index, "look_seed": index // 2, "prompt": "a circuit"})
            writer.commit({"clips": metas})
    return folder


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    return write_clips(tmp_path_factory.mktemp("clips"))


def test_the_reader_gives_back_what_the_engine_wrote(clips):
    read = [clip for path in shard_paths(clips) for clip in read_shard(path, ("class", "teacher"))]
    assert [c.meta["index"] for c in read] == [0, 1, 2, 3]
    assert np.array_equal(read[2].arrays["class"], some_maps(FRAMES, seed=2).numpy())
    assert read[0].arrays["teacher"].shape == (FRAMES, HEIGHT, WIDTH, 3)


@pytest.mark.parametrize("cut", [0, 5, 100, -1])
def test_broken_shards_are_refused_by_name(clips, tmp_path, cut):
    data = (clips / "race-0.clips").read_bytes()
    path = tmp_path / "broken.clips"
    path.write_bytes(data[:cut])
    with pytest.raises(ShardError, match=r"broken\.clips"):
        list(read_shard(path, ("class",)))


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ShardError, match="paintover clips"):
        shard_paths(tmp_path)


def test_batches_are_a_function_of_the_step_and_partners_share_the_look(clips):
    bank = ClipBank(clips, CPU)
    a, b = bank.sample(5, 3, 4, 64), bank.sample(5, 3, 4, 64)
    assert torch.equal(a.frames, b.frames)
    assert torch.equal(a.look_table, b.look_table)
    assert not torch.equal(a.frames, bank.sample(6, 3, 4, 64).frames)
    assert bank.partners.tolist() == [1, 0, 3, 2]
    assert a.frames.shape == (3, 4, 3, 64, 64)


def test_guides_come_in_the_stated_share_of_batches(clips):
    always, never = (ClipBank(clips, CPU, BankConfig(guides=share)) for share in (1.0, 0.0))
    noise = always.sample(0, 2, 8, 64).noise
    assert noise is not None
    assert noise.shape == (2, 2, 4, 48, 16, 16)
    assert never.sample(0, 2, 8, 64).noise is None


def stage(steps: int) -> AutoencoderStage:
    return AutoencoderStage(
        steps=steps, seconds=1e9, batch=2, frames=8, crop=64, rate=5e-3, warmup=5, adversarial_from=0.7
    )


def test_a_toy_run_learns_goes_through_the_adversarial_part_and_resumes(clips, tmp_path):
    bank = ClipBank(clips, CPU)
    trainer = AutoencoderTrainer(TOY_AUTOENCODER, stage(20), bank, bank, tmp_path)
    before = trainer.evaluate()
    after = trainer.run()
    assert after["held_out_psnr"] > before["held_out_psnr"] + 1
    assert (tmp_path / "sheet.jpg").stat().st_size > 1000
    rows = [json.loads(line) for line in (tmp_path / "curves.jsonl").read_text().splitlines()]
    assert rows[-1]["step"] == 20
    again = AutoencoderTrainer(TOY_AUTOENCODER, stage(24), bank, bank, tmp_path)
    assert again.step == 20
    same = [torch.equal(a, b) for a, b in zip(trainer.model.parameters(), again.model.parameters(), strict=True)]
    assert all(same)
    again.run()
    assert again.step == 24
