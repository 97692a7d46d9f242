"""Packing behind the drawing: order, errors of its threads, and shards that were never closed."""

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.recording import packing
from engine_sim.recording.clips import Clip, Shard
from engine_sim.recording.packing import Packing
from engine_sim.views.look import sample_look

LOOK = sample_look(1)


def clip(value: int) -> Clip:
    maps = np.full((2, 32, 32), value, np.uint8)
    return Clip({"index": value}, maps, None, np.zeros((2, 12)), np.zeros((2, 1, 10)), {"object": maps})


def test_shards_hold_their_clips_in_order_with_prompts(tmp_path):
    with Packing("none") as packed:
        for part in range(3):
            writer = packed.shard(tmp_path / f"{part}.clips")
            for number in range(4):
                packed.clip(writer, clip(4 * part + number), LOOK)
            packed.close(writer, 24, {"part": part})
    for part in range(3):
        shard = Shard(tmp_path / f"{part}.clips")
        assert [meta["index"] for meta in shard.metas] == [4 * part + k for k in range(4)]
        assert all(meta["prompt"] for meta in shard.metas)
        for number in range(4):
            got = shard.clip(number)
            assert (got.class_maps == 4 * part + number).all()
            assert (got.planes["object"] == got.class_maps).all()


def test_a_stop_keeps_closed_shards_and_drops_the_one_under_way(tmp_path):
    with pytest.raises(KeyboardInterrupt), Packing("none") as packed:  # noqa: PT012 - the block is what is tested
        whole = packed.shard(tmp_path / "whole.clips")
        packed.clip(whole, clip(1), LOOK)
        packed.close(whole, 24, {})
        packed.clip(packed.shard(tmp_path / "half.clips"), clip(2), LOOK)
        raise KeyboardInterrupt
    assert [p.name for p in tmp_path.iterdir()] == ["whole.clips"]
    assert len(Shard(tmp_path / "whole.clips")) == 1


def test_an_error_of_the_disk_comes_out_and_leaves_no_file(tmp_path, monkeypatch):
    def full(*_):
        raise UserError("cannot write: no space left on device")

    monkeypatch.setattr(packing, "write_clip", full)
    with pytest.raises(UserError, match="no space left"), Packing("none") as packed:  # noqa: PT012
        writer = packed.shard(tmp_path / "a.clips")
        packed.clip(writer, clip(1), LOOK)
        packed.close(writer, 24, {})
    with pytest.raises(UserError, match="no space left"), Packing("none") as packed:  # noqa: PT012
        writer = packed.shard(tmp_path / "b.clips")
        for number in range(5):
            packed.clip(writer, clip(number), LOOK)
        pytest.fail("the third clip should have told that the first was not written")
    assert list(tmp_path.iterdir()) == []
