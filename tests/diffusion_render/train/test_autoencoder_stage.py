"""A toy run of the autoencoder stage on clips that the engine's own container wrote."""

import json

import numpy as np
import pytest
import torch

from diffusion_render.model.autoencoder import Autoencoder
from diffusion_render.train.autoencoder_stage import AutoencoderStage, AutoencoderTrainer
from diffusion_render.train.clip_bank import BankConfig, ClipBank
from diffusion_render.train.loop import Budget, run_stage
from diffusion_render.train.shards import ShardError, read_shard, shard_paths
from engine_sim.recording.container import ContainerWriter
from tests.diffusion_render.toys import HEIGHT, TOY_ADVERSARY, TOY_AUTOENCODER, WIDTH, same_tensors, some_maps

CPU = torch.device("cpu")
FRAMES = 12


def write_clips(folder, clips: int = 4, frames: int = FRAMES, light: object = None):
    """Two shards of clips whose colour is fixed by class and look, with a depth plane, and with a light if given."""
    folder.mkdir(exist_ok=True)
    for shard in range(2):
        with ContainerWriter(folder / f"race-{shard}.clips", "paintover-clips-1") as writer:
            metas = []
            for number in range(clips // 2):
                index = shard * (clips // 2) + number
                maps = some_maps(frames, seed=index).numpy()
                colors = np.random.default_rng(index // 2).integers(0, 256, (13, 3), dtype=np.uint8)
                camera = np.tile([0.0, 0, 2, 1, 0, 0, 0, 0, 1, 1.0, 0.3, 2500], (frames, 1))
                depth = np.full((frames, HEIGHT, WIDTH), 10.0, np.float16)
                for name, array in (("class", maps), ("teacher", colors[maps]), ("camera", camera), ("depth", depth)):
                    writer.add(f"{number}/{name}", array, "zstd" if name != "teacher" else "raw")
                lit = {} if light is None else {"light": light}
                metas.append({"index": index, "look_seed": index // 2, "prompt": "a circuit", **lit})
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


@pytest.mark.parametrize("place", [64, -60])
def test_a_shard_with_another_byte_is_refused_by_name(clips, tmp_path, place):
    data = bytearray((clips / "race-0.clips").read_bytes())
    data[place] ^= 0xFF  # the first packed class map, or the index
    path = tmp_path / "broken.clips"
    path.write_bytes(data)
    with pytest.raises(ShardError, match=r"broken\.clips is damaged"):
        list(read_shard(path, ("class",)))


def write_shard(folder, meta, **arrays):
    """One clip with these arrays."""
    with ContainerWriter(folder / "race.clips", "paintover-clips-1") as writer:
        for name, array in arrays.items():
            writer.add(f"0/{name}", array, "zstd")
        writer.commit({"clips": [{"index": 0, "look_seed": 0, "prompt": ""}], **meta})
    return folder


MAPS = np.zeros((FRAMES, HEIGHT, WIDTH), np.uint8)


def test_clips_of_another_class_table_are_refused(tmp_path):
    write_shard(tmp_path, {"classes": {"name": "racing-0", "hash": "0123456789abcdef"}}, **{"class": MAPS})
    with pytest.raises(ShardError, match=r"race\.clips: .*class table '0123456789abcdef', .*'paintover clips'"):
        ClipBank(tmp_path, CPU)


def test_clips_without_pictures_are_refused(tmp_path):
    with pytest.raises(ShardError, match="clips have no camera, teacher"):
        ClipBank(write_shard(tmp_path, {}, **{"class": MAPS}), CPU)


def test_classes_that_no_table_has_are_refused(tmp_path):
    arrays = {"class": MAPS + 13, "teacher": np.zeros((*MAPS.shape, 3), np.uint8), "camera": np.zeros((FRAMES, 12))}
    with pytest.raises(ShardError, match="expected classes 0 to 12, found 13"):
        ClipBank(write_shard(tmp_path, {}, **arrays), CPU)


def test_clips_that_are_shorter_than_a_step_are_refused(clips):
    with pytest.raises(ShardError, match=f"takes 40 frames at a time, its clips have {FRAMES}"):
        ClipBank(clips, CPU).sample(0, 1, 40, 64)


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


def test_guides_come_for_the_stated_share_of_clips(clips):
    noise = ClipBank(clips, CPU, BankConfig(guides=0.5)).sample(0, 40, 8, 64).noise
    assert noise is not None
    assert noise.shape == (40, 2, 4, 48, 16, 16)
    assert 0.25 < (noise != 0).flatten(1).any(1).float().mean() < 0.75
    without = ClipBank(clips, CPU, BankConfig(guides=0.0)).sample(0, 2, 8, 64).noise
    assert without is not None
    assert not without.any()


def test_a_share_of_clips_has_no_reference(clips):
    tables = ClipBank(clips, CPU, BankConfig(no_reference=0.5)).sample(0, 64, 4, 64).look_table
    absent = (tables == 0).flatten(1).all(1)
    assert 0.3 < absent.float().mean() < 0.7
    whole = ClipBank(clips, CPU, BankConfig(no_reference=0.0)).sample(0, 64, 4, 64).look_table
    assert not (whole == 0).flatten(1).all(1).any()


def test_a_limit_takes_the_first_clips_whatever_shard_they_lie_in(clips):
    bank = ClipBank(clips, CPU, limit=3)
    assert len(bank) == 3
    assert torch.equal(bank.class_maps[2], some_maps(FRAMES, seed=2))


def test_clips_of_different_sizes_in_one_folder_are_refused(tmp_path):
    for shard, width in enumerate((WIDTH, 64)):
        with ContainerWriter(tmp_path / f"race-{shard}.clips", "paintover-clips-1") as writer:
            writer.add("0/class", np.zeros((FRAMES, HEIGHT, width), np.uint8), "zstd")
            writer.commit({"clips": [{"index": shard, "look_seed": 0, "prompt": ""}]})
    with pytest.raises(ShardError, match=r"race-1\.clips: clips of one folder must be alike"):
        ClipBank(tmp_path, CPU)


STAGE = AutoencoderStage(
    batch=2,
    frames=8,
    crop=64,
    rate=5e-3,
    warmup=5,
    adversarial_from=0.7,
    adversarial_least=0,
    average=0.9,
    adversary=TOY_ADVERSARY,
)


def new_trainer(bank, folder) -> AutoencoderTrainer:
    torch.manual_seed(0)
    return AutoencoderTrainer(Autoencoder(TOY_AUTOENCODER), STAGE, bank, bank, folder)


def test_a_toy_run_learns_goes_through_the_adversarial_part_and_resumes(clips, tmp_path):
    bank = ClipBank(clips, CPU)
    trainer = new_trainer(bank, tmp_path)
    before = trainer.evaluate()
    after = run_stage(trainer, Budget(20, 1e9, 2), tmp_path, trainer.settings())
    assert after["held_out_psnr"] > before["held_out_psnr"] + 1
    assert (tmp_path / "sheet.jpg").stat().st_size > 1000
    rows = [json.loads(line) for line in (tmp_path / "curves.jsonl").read_text().splitlines()]
    assert rows[-1]["step"] == 20
    assert any("judge" in row for row in rows)
    again = new_trainer(bank, tmp_path)
    run_stage(again, Budget(24, 1e9, 1), tmp_path, again.settings())
    assert again.step == 24


def test_a_resumed_run_takes_up_every_weight_and_the_time_spent(clips, tmp_path):
    bank = ClipBank(clips, CPU)
    first, second = new_trainer(bank, tmp_path), new_trainer(bank, tmp_path)
    run_stage(first, Budget(2, 1e9, 1), tmp_path, {})
    spent = run_stage(second, Budget(2, 1e9, 1), tmp_path, {})
    assert second.step == 2
    assert spent["seconds"] > 0
    assert same_tensors(first.model.parameters(), second.model.parameters())
    assert all(
        torch.equal(a, b) for a, b in zip(first.learner.average.values, second.learner.average.values, strict=True)
    )


def test_a_model_that_was_trained_before_is_not_started_anew(clips, tmp_path):
    torch.manual_seed(0)
    model = Autoencoder(TOY_AUTOENCODER)
    before = [p.detach().clone() for p in model.parameters()]
    AutoencoderTrainer(model, STAGE, ClipBank(clips, CPU), ClipBank(clips, CPU), tmp_path, is_trained=True)
    assert same_tensors(before, model.parameters())
