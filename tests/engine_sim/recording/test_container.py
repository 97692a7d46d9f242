import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.recording.container import Container, ContainerWriter

ARRAYS = {
    "maps": (np.arange(24, dtype=np.uint8).reshape(2, 3, 4), "zstd"),
    "pictures": (np.arange(72, dtype=np.uint8).reshape(2, 3, 4, 3), "raw"),
    "depth": (np.linspace(0, 9, 6, dtype=np.float16).reshape(2, 3), "zstd"),
    "camera": (np.array([1 / 3, np.inf, -0.0]), "raw"),
    "none": (np.zeros((0, 4)), "raw"),
}


def write(path, kind="sample"):
    with ContainerWriter(path, kind) as writer:
        for name, (array, codec) in ARRAYS.items():
            writer.add(name, array, codec)
        writer.commit({"note": "é", "n": 3})


def test_arrays_come_back_exactly(tmp_path):
    write(tmp_path / "a")
    box = Container(tmp_path / "a", "sample")
    assert box.meta == {"note": "é", "n": 3}
    assert box.names == tuple(ARRAYS)
    for name, (array, _) in ARRAYS.items():
        for back in (box.read(name), box.map(name)):
            assert back.dtype == array.dtype
            assert back.shape == array.shape
            assert back.tobytes() == array.tobytes()
    assert os.listdir(tmp_path) == ["a"]


def test_the_same_content_is_the_same_bytes(tmp_path):
    write(tmp_path / "a")
    write(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_unfinished_container_leaves_nothing(tmp_path):
    with ContainerWriter(tmp_path / "a", "sample") as writer:
        writer.add("x", np.zeros(3))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("array", [np.zeros(2, object), np.zeros(2, bool), np.array(3.0), np.zeros(2, "U3")])
def test_only_plain_numbers_are_stored(tmp_path, array):
    with ContainerWriter(tmp_path / "a", "sample") as writer, pytest.raises(ValueError, match="cannot store 'x'"):
        writer.add("x", array)


def test_a_name_is_used_once(tmp_path):
    with ContainerWriter(tmp_path / "a", "sample") as writer:
        writer.add("x", np.zeros(3))
        with pytest.raises(ValueError, match="cannot store 'x'"):
            writer.add("x", np.zeros(3))


def test_other_kinds_and_missing_names_are_refused(tmp_path):
    write(tmp_path / "a")
    with pytest.raises(UserError, match="expected 'other', got 'sample'"):
        Container(tmp_path / "a", "other")
    with pytest.raises(UserError, match="holds no array 'x'; it has maps, pictures"):
        Container(tmp_path / "a", "sample").read("x")
    with pytest.raises(UserError, match="cannot read"):
        Container(tmp_path / "b", "sample")


def forge(path, **changes):
    """Write a container whose index lies about ``pictures``, with a valid checksum."""
    with ContainerWriter(path, "sample") as writer:
        writer.add("pictures", *ARRAYS["pictures"])
        writer._arrays["pictures"].update(changes)
        writer.commit({})


@pytest.mark.parametrize(
    "changes",
    [{"dtype": "|O"}, {"dtype": "<U9"}, {"shape": [-1, 4]}, {"shape": 72}, {"shape": [1 << 39, 1 << 39]}, {"shape": []},
     {"offset": 1 << 50}, {"bytes": 1 << 50}, {"codec": "pickle"}, {"shape": [2, 3, 4, 4]}, {"offset": -1},
     {"bytes": 71}, {"crc32": 0}, {"crc32": "x"}, {"codec": "zstd"}],
)  # fmt: skip
def test_a_lying_index_is_refused(tmp_path, changes):
    forge(tmp_path / "a", **changes)
    with pytest.raises(UserError):
        Container(tmp_path / "a", "sample").read("pictures")


def test_huge_claims_take_no_memory(tmp_path):
    forge(tmp_path / "a", shape=[15 << 30], codec="zstd")
    with pytest.raises(UserError, match=r"cannot be read|claims"):
        Container(tmp_path / "a", "sample").read("pictures")


@given(place=st.integers(0, 5000), flip=st.integers(0, 255))
def test_damage_anywhere_is_refused_or_harmless(tmp_path_factory, place, flip):
    path = tmp_path_factory.mktemp("damaged") / "a"
    write(path)
    data = bytearray(path.read_bytes())
    place %= len(data)
    if flip:
        data[place] ^= flip
    else:
        del data[place:]
    path.write_bytes(data)
    try:
        box = Container(path, "sample")
        read = {name: box.read(name) for name in box.names}
    except UserError:
        return
    assert flip, "a cut is always noticed"
    for name, (array, _) in ARRAYS.items():  # Only the padding between blobs may change unseen.
        assert read[name].tobytes() == array.tobytes()


def test_the_index_is_plain_json(tmp_path):
    write(tmp_path / "a")
    data = (tmp_path / "a").read_bytes()
    offset, length = np.frombuffer(data[-24:-8], "<u8")
    index = json.loads(data[offset : offset + length])
    entry = index["arrays"]["pictures"]
    blob = data[entry["offset"] : entry["offset"] + entry["bytes"]]
    assert np.frombuffer(blob, entry["dtype"]).reshape(entry["shape"]).tolist() == ARRAYS["pictures"][0].tolist()
    assert entry["offset"] % 64 == 0
