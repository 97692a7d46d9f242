import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.recording import video
from engine_sim.recording.video import VideoWriter, encoder_works, pick_encoder, read_video, side_by_side


def flat(color, width=96, height=64):
    return np.full((height, width, 3), color, np.uint8)


def times(path):
    return [seconds * 24 for seconds, _ in read_video(path)]


@pytest.mark.parametrize("encoder", [name for name in video.ENCODERS if encoder_works(name)])
@pytest.mark.parametrize("frames", [1, 2, 30])
def test_every_frame_is_counted(tmp_path, encoder, frames):
    with VideoWriter(tmp_path / "v.mp4", 96, 64, 24, encoder=encoder) as writer:
        for k in range(frames):
            writer.write(flat((k, 10, 200)))
    assert times(tmp_path / "v.mp4") == list(range(frames))


@pytest.mark.parametrize("encoder", [name for name in video.ENCODERS if encoder_works(name)])
@pytest.mark.parametrize(
    "color", [(200, 10, 30), (10, 200, 30), (30, 10, 200), (70, 70, 70), (255, 255, 255), (0, 0, 0)]
)
def test_colours_stay_right(tmp_path, encoder, color):
    with VideoWriter(tmp_path / "v.mp4", 96, 64, 24, encoder=encoder) as writer:
        writer.write(flat(color))
    _, picture = next(read_video(tmp_path / "v.mp4"))
    assert np.abs(picture.astype(int) - color).max() <= 6


def test_another_reader_sees_the_same_colours(tmp_path):
    import cv2

    with VideoWriter(tmp_path / "v.mp4", 96, 64, 24) as writer:
        writer.write(flat((200, 10, 30)))
    ok, bgr = cv2.VideoCapture(str(tmp_path / "v.mp4")).read()
    assert ok
    assert np.abs(bgr[..., ::-1].astype(int) - (200, 10, 30)).max() <= 12


def test_top_left_stays_top_left(tmp_path):
    picture = flat((0, 0, 0))
    picture[:32, :48] = (250, 250, 250)
    with VideoWriter(tmp_path / "v.mp4", 96, 64, 24) as writer:
        writer.write(picture)
    _, back = next(read_video(tmp_path / "v.mp4"))
    assert back[8, 8].min() > 200
    assert max(back[8, 88].max(), back[56, 8].max()) < 40


@pytest.mark.parametrize(("width", "height"), [(353, 200), (95, 63), (1, 1), (18, 33)])
def test_odd_sizes_are_padded_to_even_ones_at_open(tmp_path, width, height):
    with VideoWriter(tmp_path / "v.mp4", width, height, 24) as writer:
        writer.write(flat((90, 120, 30), width, height))
    _, picture = next(read_video(tmp_path / "v.mp4"))
    assert picture.shape == (height + height % 2, width + width % 2, 3)
    assert np.abs(picture.astype(int) - (90, 120, 30)).max() <= 12


def test_file_time_is_the_index(tmp_path):
    with VideoWriter(tmp_path / "v.mp4", 96, 64, 24) as writer:
        for index in (0, 1, 240):
            writer.write(flat((index % 250, 0, 0)), index)
        with pytest.raises(ValueError, match="must rise, got 240 after 240"):
            writer.write(flat((0, 0, 0)), 240)
    assert times(tmp_path / "v.mp4") == [0, 1, 240]  # Frame 240 sits at 10.0 s.


@pytest.mark.parametrize(
    "bad", [np.zeros((64, 95, 3), np.uint8), np.zeros((96, 64, 3), np.uint8), np.zeros((64, 96, 3), np.float32),
            np.zeros((64, 96), np.uint8)],
)  # fmt: skip
def test_frames_of_another_size_or_kind_raise(tmp_path, bad):
    with VideoWriter(tmp_path / "v.mp4", 96, 64, 24) as writer:
        writer.write(flat((1, 2, 3)))
        with pytest.raises(UserError, match="expected a picture uint8"):
            writer.write(bad)
    assert len(list(read_video(tmp_path / "v.mp4"))) == 1


def test_a_missing_encoder_gives_the_named_fallback(tmp_path, monkeypatch):
    monkeypatch.setattr(video, "encoder_works", lambda name: name == "mpeg4")
    writer = VideoWriter(tmp_path / "v.mp4", 96, 64, 24)
    writer.write(flat((1, 2, 3)))
    writer.close()
    assert writer.encoder == "mpeg4"
    monkeypatch.setattr(video, "encoder_works", lambda name: False)
    with pytest.raises(UserError, match="no video encoder works here: tried libx264"):
        VideoWriter(tmp_path / "w.mp4", 96, 64, 24)
    assert not (tmp_path / "w.mp4").exists()


def test_an_encoder_that_does_not_exist_does_not_work():
    assert not encoder_works("no-such-encoder")
    assert pick_encoder(("no-such-encoder", "mpeg4")) == "mpeg4"


def test_a_file_cut_short_plays_up_to_there(tmp_path):
    path = tmp_path / "v.mp4"
    noise = np.random.default_rng(0)
    with VideoWriter(path, 96, 64, 24) as writer:
        for _ in range(96):
            writer.write(noise.integers(0, 255, (64, 96, 3), np.uint8))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    found = times(path)
    assert found == list(range(len(found)))
    assert len(found) >= 47


def test_what_is_no_video_is_refused(tmp_path):
    (tmp_path / "v.mp4").write_bytes(b"not a video" * 50)
    for path in (tmp_path / "v.mp4", tmp_path / "missing.mp4"):
        with pytest.raises(UserError, match="cannot read"):
            list(read_video(path))


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(UserError, match="cannot write"):
        VideoWriter(tmp_path / "none" / "v.mp4", 96, 64, 24)
    with pytest.raises(UserError, match="positive size, got 0x64"):
        VideoWriter(tmp_path / "v.mp4", 0, 64, 24)


def test_side_by_side_keeps_both_pictures():
    joined = side_by_side(flat((1, 1, 1)), flat((2, 2, 2), 32), gap=4)
    assert joined.shape == (64, 96 + 4 + 32, 3)
    assert (joined[:, :96] == 1).all()
    assert (joined[:, 96:100] == 0).all()
    assert (joined[:, 100:] == 2).all()
    with pytest.raises(ValueError, match="one height"):
        side_by_side(flat((1, 1, 1)), flat((1, 1, 1), 96, 32))
