from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.recording.record_log import HEAD_SIZE, Appender, LogWriter, create_log, frame_record, log_head, scan_log

PAYLOADS = [b"", b"one", b"\0" * 300, bytes(range(256))]


def write_log(path, payloads=PAYLOADS, size=0):
    create_log(path, "sample", size)
    writer = LogWriter(path, size)
    for payload in payloads:
        writer.append(payload)
    writer.close()


def test_records_come_back_exactly(tmp_path):
    write_log(tmp_path / "a.log")
    scan = scan_log(tmp_path / "a.log", "sample")
    assert scan.payloads() == PAYLOADS
    assert scan.payload(3) == PAYLOADS[3]
    assert scan.starts(2) == [p[:2] for p in PAYLOADS]
    assert scan.damage == ""


def test_nothing_is_readable_before_flush_and_everything_after(tmp_path):
    create_log(tmp_path / "a.log", "sample")
    writer = LogWriter(tmp_path / "a.log")
    writer.append(b"x")
    assert len(scan_log(tmp_path / "a.log", "sample")) == 0
    writer.flush()
    assert scan_log(tmp_path / "a.log", "sample").payloads() == [b"x"]
    writer.close()
    writer.close()


def test_an_existing_file_is_never_overwritten(tmp_path):
    (tmp_path / "a.log").write_bytes(b"mine")
    with pytest.raises(UserError, match="cannot write"):
        create_log(tmp_path / "a.log", "sample")
    assert (tmp_path / "a.log").read_bytes() == b"mine"


def test_fixed_size_is_held(tmp_path):
    write_log(tmp_path / "a.log", [b"1234", b"5678"], 4)
    assert scan_log(tmp_path / "a.log", "sample", 4).payloads() == [b"1234", b"5678"]
    with pytest.raises(UserError, match="belongs to another"):
        scan_log(tmp_path / "a.log", "sample", 4, owner="other")
    with pytest.raises(UserError, match="records have 4 bytes, expected 5"):
        scan_log(tmp_path / "a.log", "sample", 5)
    with pytest.raises(UserError, match="expected a log of notes, got one of sample"):
        scan_log(tmp_path / "a.log", "notes", 4)
    writer = LogWriter(tmp_path / "a.log", 4)
    with pytest.raises(ValueError, match="records of 4 bytes, got 3"):
        writer.append(b"123")
    writer.close()


def test_full_disk_is_one_clear_line():
    writer = Appender(Path("/dev/full"))
    writer.append(b"x")
    with pytest.raises(UserError, match="No space left"):
        writer.flush()
    with pytest.raises(OSError):  # The device cannot be asked to keep its content.
        writer.close()


def test_an_impossible_length_takes_no_memory(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(log_head("sample") + frame_record(b"good") + b"\xff\xff\xff\x7f" + b"\0" * 8)
    scan = scan_log(path, "sample")
    assert scan.payloads() == [b"good"]
    assert "impossible length of 2147483647" in scan.damage


@given(cut=st.integers(0, 1000))
def test_a_log_cut_anywhere_gives_its_whole_records(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("cut") / "a.log"
    write_log(path)
    data = path.read_bytes()
    path.write_bytes(data[: cut % (len(data) + 1)])
    check_prefix(path, cut % (len(data) + 1))


@given(place=st.integers(0, 1000), flip=st.integers(1, 255))
def test_a_log_with_any_byte_changed_gives_the_records_before(tmp_path_factory, place, flip):
    path = tmp_path_factory.mktemp("flip") / "a.log"
    write_log(path)
    data = bytearray(path.read_bytes())
    place %= len(data)
    data[place] ^= flip
    path.write_bytes(data)
    check_prefix(path, place)


def check_prefix(path, whole_bytes):
    if whole_bytes < HEAD_SIZE:
        with pytest.raises(UserError, match=r"is empty or cut short|not that of a log"):
            scan_log(path, "sample")
        return
    found = scan_log(path, "sample").payloads()
    end, expected = HEAD_SIZE, []
    for payload in PAYLOADS:
        end += 8 + len(payload)
        if end > whole_bytes:
            break
        expected.append(payload)
    assert found == expected


@given(junk=st.binary(max_size=400))
def test_any_bytes_are_refused_or_read(tmp_path_factory, junk):
    path = tmp_path_factory.mktemp("junk") / "a.log"
    path.write_bytes(junk)
    with pytest.raises(UserError):
        scan_log(path, "sample")
    path.write_bytes(log_head("sample") + junk)
    assert all(isinstance(p, bytes) for p in scan_log(path, "sample").payloads())
