"""Files that people name are ordinary and bounded; what is not says so at once, and takes no memory."""

import os
import sys

import pytest

from engine_sim.core.files import read_given_file


def test_a_file_is_read_up_to_its_bound(tmp_path):
    file = tmp_path / "f"
    file.write_bytes(b"12345")
    assert read_given_file(file, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_given_file(file, 4)


def test_folders_and_missing_files_are_what_the_system_calls_them(tmp_path):
    with pytest.raises(IsADirectoryError, match="Is a directory"):
        read_given_file(tmp_path, 5)
    with pytest.raises(FileNotFoundError):
        read_given_file(tmp_path / "none", 5)


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_devices_and_pipes_without_an_end_are_refused_at_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    open_files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for path in (pipe, "/dev/zero"):
        with pytest.raises(OSError, match="no ordinary file"):
            read_given_file(path, 5)
    assert not open_files or len(os.listdir("/proc/self/fd")) == open_files
