"""What an evaluation that is cut off leaves behind: whole videos alone."""

from types import SimpleNamespace

import pytest

from demos.eval import scoring


class StubVideo:
    """A file that is there from its beginning."""

    def __init__(self, path, drive):
        self.path = path
        path.write_bytes(b"video")

    def close(self):
        pass


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "DriveVideo", StubVideo)
    return scoring._Files(tmp_path, film=True, progress=False)


def drive(name):
    return SimpleNamespace(name=name, footage=[])


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_video_of_a_drive_that_was_cut_off_is_deleted_and_those_before_stay(files, tmp_path):
    files.begin(drive("first"))
    files.begin(drive("second"))
    files.give_up()
    assert left(tmp_path) == ["first.mp4"]


def test_giving_up_between_two_drives_deletes_nothing(files, tmp_path):
    files.begin(drive("first"))
    files.close()
    files.give_up()
    assert left(tmp_path) == ["first.mp4"]
