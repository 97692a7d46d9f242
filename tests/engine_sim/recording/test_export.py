import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.recording.export import export_video
from engine_sim.recording.video import read_video
from render_bridge.palette import RACING

from . import samples


@pytest.mark.parametrize("frames", [1, 2, 30])
def test_every_frame_is_exported_in_class_colours(tmp_path, frames):
    samples.write(tmp_path / "s", frames)
    assert export_video(tmp_path / "s", tmp_path / "v.mp4", progress=False) == frames
    times = [seconds for seconds, _ in read_video(tmp_path / "v.mp4")]
    assert [round(t * samples.FPS) for t in times] == list(range(frames))


def test_colours_are_those_of_the_table(tmp_path):
    samples.write(tmp_path / "s", 1)
    export_video(tmp_path / "s", tmp_path / "v.mp4", progress=False)
    _, picture = next(read_video(tmp_path / "v.mp4"))
    wanted = RACING.colorize(samples.class_map(0)).astype(int)
    inner = np.s_[3::8, 3::8]  # Chroma is shared by blocks, so look at the middle of the squares.
    assert np.abs(picture[inner] - wanted[inner]).max() <= 40
    assert np.abs(picture[inner] - wanted[inner]).mean() <= 6


def test_side_by_side_pairs_the_right_frames(tmp_path):
    samples.write(tmp_path / "s", 12, "lossless")
    export_video(tmp_path / "s", tmp_path / "v.mp4", "both", progress=False)
    pictures = [rgb for _, rgb in read_video(tmp_path / "v.mp4")]
    assert len(pictures) == 12
    assert pictures[0].shape == (samples.HEIGHT, 2 * samples.WIDTH + 4, 3)
    right = pictures[11][:, samples.WIDTH + 4 :].astype(int)
    assert np.abs(right - samples.teacher(11)).mean() < 4


def test_a_stall_keeps_file_time(tmp_path):
    writer = samples.write(tmp_path / "s", 2, finish=False)
    samples.add_ticks(writer)
    samples.add_frame(writer, 2, "none")
    writer.finish()
    export_video(tmp_path / "s", tmp_path / "v.mp4", progress=False)
    assert [round(t * samples.FPS) for t, _ in read_video(tmp_path / "v.mp4")] == [0, 1, 3]


def test_bad_requests_leave_no_file(tmp_path):
    samples.write(tmp_path / "s", 1)
    for kind, words in (("gif", "kind of video"), ("teacher", "no teacher frames"), ("both", "no teacher frames")):
        with pytest.raises(UserError, match=words):
            export_video(tmp_path / "s", tmp_path / "v.mp4", kind, progress=False)
    assert not (tmp_path / "v.mp4").exists()
