"""The suite on toy streams: the same drives, side by side, a second at a time."""

import itertools
import json
import math
from dataclasses import dataclass

import pytest
import torch

from diffusion_render.evaluate.footage import (
    CONTROL,
    DECODER,
    OTHER_PLACE,
    OWN,
    HeldFootage,
    Impulse,
    Reference,
    ScoredDrive,
    Shots,
)
from diffusion_render.evaluate.goals import GOALS, Goal, compare
from diffusion_render.evaluate.lanes import DecoderLane, SessionLane, run_lanes
from diffusion_render.evaluate.scorer import Judges
from diffusion_render.evaluate.segmenter import Segmenter, SegmenterConfig
from diffusion_render.evaluate.streaming import Drive, score_streams
from diffusion_render.evaluate.suite import FORMAT, SuiteConfig, run_suite
from diffusion_render.stream.guides import Guides
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import RenderError, SessionConfig
from tests.diffusion_render.stream.test_guides import noisy_renderer
from tests.diffusion_render.toys import HEIGHT, WIDTH, heading_renderer, some_maps, toy_renderer

FPS = 8
CPU = torch.device("cpu")
SCHEDULE = Schedule(first=2, chunk=1, history=1)
COLORS = torch.randint(0, 256, (13, 3), generator=torch.Generator().manual_seed(4), dtype=torch.uint8)


def footage(frames: int, motion: bool = True) -> HeldFootage:
    """A scene that slides two pixels a frame to the left, with grain that sticks to it."""
    wide = some_maps(1, seed=3)[0].repeat(1, 4)
    grain = torch.randint(-20, 21, (3, *wide.shape), generator=torch.Generator().manual_seed(6))
    picture = (COLORS[wide.long()].permute(2, 0, 1).long() + grain).clamp(0, 255).to(torch.uint8)
    cuts = [slice(2 * k, 2 * k + WIDTH) for k in range(frames)]
    maps = torch.stack([wide[:, c] for c in cuts])
    planes = torch.zeros(frames, HEIGHT, WIDTH, 2) + torch.tensor([2.0, 0.0]) if motion else None
    return HeldFootage(Shots(maps, torch.stack([picture[:, :, c] for c in cuts]), planes), FPS)


def reference_of(film: HeldFootage, frame: int = 0) -> Reference:
    return Reference(film.shots.teacher[frame], film.shots.class_maps[frame])


class Perfect:
    """A lane that gives the teacher's own pictures, or a change of them, some frames late."""

    def __init__(self, change=lambda picture, frame: picture, chunk: int = 4) -> None:
        self.change, self.chunk = change, chunk
        self.waiting: list[torch.Tensor] = []
        self.frame = 0

    def push(self, shots: Shots) -> list[torch.Tensor]:
        self.waiting += list(shots.teacher)
        whole = len(self.waiting) // self.chunk * self.chunk
        ready, self.waiting = self.waiting[:whole], self.waiting[whole:]
        ready = [self.change(p, self.frame + k) for k, p in enumerate(ready)]
        self.frame += whole
        return ready


@dataclass
class Breaking(Perfect):
    """A lane whose model makes NaN in its second push."""

    pushes: int = 0

    def __post_init__(self) -> None:
        Perfect.__init__(self)

    def push(self, shots: Shots) -> list[torch.Tensor]:
        self.pushes += 1
        if self.pushes > 1:
            raise RenderError("window 1 has NaN")
        return super().push(shots)


def test_the_teacher_itself_has_perfect_scores():
    record = run_lanes({"x": Perfect()}, footage(26), Judges(), CPU)["x"]
    mean = record.mean
    assert [len(v) for v in record.per_second.values()] == [3] * len(record.per_second)
    assert (mean["ssim"], mean["edge_f1"], mean["detail"]) == pytest.approx((1, 1, 1), abs=1e-5)
    assert mean["look"] == pytest.approx(0, abs=1e-6)
    assert mean["drift"] == pytest.approx(0, abs=1e-6)
    assert mean["flicker_border"] == pytest.approx(1)
    assert mean["psnr"] > 100
    assert math.isnan(mean["perceptual"])
    assert math.isnan(mean["structure"])
    assert record.warped


def test_a_half_second_at_the_end_counts_and_less_does_not():
    assert len(run_lanes({"x": Perfect(chunk=1)}, footage(20), Judges(), CPU)["x"].per_second["psnr"]) == 3
    assert len(run_lanes({"x": Perfect(chunk=1)}, footage(19), Judges(), CPU)["x"].per_second["psnr"]) == 2
    assert len(run_lanes({"x": Perfect(chunk=1)}, footage(3), Judges(), CPU)["x"].per_second["psnr"]) == 1


def test_the_size_of_chunks_never_changes_a_score():
    def jitter(picture, frame):
        return (picture.long() + 10 * (frame % 3)).clamp(0, 255).to(torch.uint8)

    one, other = (run_lanes({"x": Perfect(jitter, n)}, footage(24), Judges(), CPU)["x"] for n in (1, 12))
    assert str(one) == str(other)


def test_frames_at_the_borders_of_seconds_are_compared_too():
    def jump(picture, frame):
        return picture // 2 + (60 if frame >= FPS else 0)

    record = run_lanes({"x": Perfect(jump)}, footage(2 * FPS), Judges(), CPU)["x"]
    # The jump is the first step of the second second, which crosses a unit border.
    assert record.per_second["flicker_border"][1] > 3 * record.per_second["flicker_border"][0]
    assert record.mean["flicker_border_over_inside"] > 2


def test_without_motion_flicker_says_that_it_was_not_warped():
    assert not run_lanes({"x": Perfect()}, footage(16, motion=False), Judges(), CPU)["x"].warped


def test_lanes_are_independent_and_a_broken_one_keeps_what_it_had():
    lanes = {"good": Perfect(), "broken": Breaking(), "late": Perfect(chunk=8)}
    records = run_lanes(lanes, footage(24), Judges(), CPU)
    assert len(records["good"].per_second["psnr"]) == 3
    assert len(records["broken"].per_second["psnr"]) == 1
    assert "NaN" in records["broken"].error
    assert records["late"].mean["psnr"] == records["good"].mean["psnr"]


def test_structure_stands_beside_that_of_the_teacher():
    torch.manual_seed(0)
    judges = Judges(Segmenter(SegmenterConfig(widths=(4, 8, 8, 8))).eval())
    records = run_lanes(
        {"x": Perfect(), "grey": Perfect(lambda p, _: torch.full_like(p, 128))}, footage(16), judges, CPU
    )
    assert records["x"].mean["structure"] == records["x"].mean["structure_ceiling"]
    assert records["x"].mean["structure_share"] == pytest.approx(1)
    assert records["grey"].mean["structure_ceiling"] == records["x"].mean["structure_ceiling"]
    assert records["grey"].mean["structure"] != records["x"].mean["structure"]


def test_a_segmenter_that_reads_nothing_right_gives_no_share():
    class Blind(Segmenter):
        def read(self, pictures, batch=8):
            return torch.zeros(len(pictures), *pictures.shape[2:], dtype=torch.uint8)

    film = footage(8)
    maps = film.shots.class_maps.clamp(min=1)
    sightless = HeldFootage(film.shots._replace(class_maps=maps), FPS)
    judges = Judges(Blind(SegmenterConfig(widths=(4, 8, 8, 8))))
    mean = run_lanes({"x": Perfect()}, sightless, judges, CPU)["x"].mean
    assert mean["structure_ceiling"] == 0
    assert math.isnan(mean["structure_share"])


def test_what_is_watched_is_what_was_made_in_order():
    seen = []
    run_lanes(
        {"x": Perfect()}, footage(24), Judges(), CPU, lambda second, made: seen.append((second.number, made["x"]))
    )
    assert [number for number, _ in seen] == [0, 1, 2]
    assert torch.equal(torch.cat([made for _, made in seen]), footage(24).shots.teacher)


def test_the_decoder_alone_streams_like_the_whole_clip():
    renderer, film = noisy_renderer(), footage(12)
    guides = Guides(
        torch.full((12, HEIGHT, WIDTH), 20.0), torch.tensor([[0.0, 0, 2, 1, 0, 0, 0, 0, 1, 1, 0.3, 2500]] * 12)
    )
    shots = film.shots._replace(guides=guides)
    whole = DecoderLane(renderer, reference_of(film)).push(shots)
    lane = DecoderLane(renderer, reference_of(film))
    parts = [lane.push(shots.part(a, b)) for a, b in itertools.pairwise((0, 1, 7, 12))]
    assert [len(p) for p in parts] == [0, 4, 8]
    assert torch.equal(torch.stack(whole), torch.stack([p for part in parts for p in part]))
    blind = DecoderLane(renderer, reference_of(film)).push(film.shots)
    assert not torch.equal(torch.stack(whole), torch.stack(blind))  # the noise that guides anchor was drawn
    with pytest.raises(ValueError, match="reference picture"):
        DecoderLane(renderer, Reference(None, film.shots.class_maps[0]))


def toy_drive(name: str = "toy", frames: int = 20) -> ScoredDrive:
    film = footage(frames)
    references = {OWN: reference_of(film), OTHER_PLACE: reference_of(film, frames - 1)}
    references[CONTROL] = Reference(255 - film.shots.teacher[0], film.shots.class_maps[0])
    calm = film.shots.class_maps
    changed = calm.clone()
    changed[10:] = changed[10:].flip(-1)
    return ScoredDrive(name, film, references, Impulse(calm, changed, 10), ("a note",))


@pytest.fixture(scope="module")
def record():
    return run_suite(toy_renderer(), [toy_drive(), toy_drive("again")], Judges(), SuiteConfig(schedule=SCHEDULE))


def test_a_suite_scores_every_stream_and_says_so_in_json(record):
    values = json.loads(json.dumps(record.to_json(), allow_nan=False))
    assert values["format"] == FORMAT
    assert [d["name"] for d in values["drives"]] == ["toy", "again"]
    assert list(values["drives"][0]["streams"]) == [OWN, OTHER_PLACE, CONTROL, DECODER]
    own = values["drives"][0]["streams"][OWN]
    assert len(own["per_second"]["psnr"]) == 3
    assert own["mean"]["perceptual"] is None
    assert values["drives"][0]["notes"] == ["a note"]
    assert values["config"]["schedule"]["first"] == 2


def test_drives_do_not_depend_on_their_neighbours(record):
    first, second = record.drives
    assert str(first.streams) == str(second.streams)
    assert record.means[OWN]["psnr"] == pytest.approx(first.streams[OWN].mean["psnr"])


def test_the_control_is_told_by_its_ratio(record):
    means = record.means
    assert means[CONTROL]["look_ratio"] == pytest.approx(means[CONTROL]["look"] / means[OWN]["look"])


def test_a_few_seconds_are_called_doubtful(record):
    assert "these seconds alone" in record.doubt


def test_response_is_measured_through_the_stream(record):
    response = record.drives[0].response
    assert response.map == 0
    assert response.picture is None or response.shown >= response.picture


def test_sheets_have_moments_with_every_stream(record):
    moments = record.drives[0].moments
    assert [round(m.second, 2) for m in moments] == [0.88, 1.88]
    assert set(moments[0].pictures) == {"class map", "teacher", OWN, OTHER_PLACE, CONTROL, DECODER}
    assert all(p.shape == (HEIGHT, WIDTH, 3) for m in moments for p in m.pictures.values())


def test_goals_are_held_against_the_means():
    goal = Goal("drift", OWN, "drift", 0.15, False)
    results = [compare({OWN: {"drift": v}}, (goal,))[0].met for v in (0.1, 0.15, 0.2, math.nan)]
    assert results == [True, True, False, None]
    assert compare({}, GOALS)[0].met is None
    assert compare({OWN: {"psnr": 25.0}}, (Goal("psnr", OWN, "psnr", 21, True),))[0].met is True


def test_no_drives_are_no_suite():
    with pytest.raises(ValueError, match="at least one drive"):
        run_suite(toy_renderer(), [], Judges())


def test_a_drive_that_does_not_fill_the_first_window_is_refused_by_name():
    begun: list[str] = []
    with pytest.raises(ValueError, match="tiny: 7 frames do not fill the stream's first window of 8"):
        run_suite(
            toy_renderer(),
            [toy_drive("tiny", 7)],
            Judges(),
            SuiteConfig(schedule=SCHEDULE),
            lambda drive: begun.append(drive.name),
        )
    assert not begun  # so no video of it is begun


def test_the_stream_is_the_session_as_it_is_played():
    renderer, film = toy_renderer(), footage(16)
    config = SessionConfig(0, WIDTH, HEIGHT, SCHEDULE)
    made = SessionLane(renderer, config, reference_of(film)).push(film.shots)
    assert len(made) == 16
    assert made[0].dtype == torch.uint8


def test_the_camera_of_a_reference_reaches_the_stream():
    renderer, film = heading_renderer(), footage(12).shots
    row = torch.tensor([0.0, 0, 2, 1, 0, 0, 0, 0, 1, 1, 0.3, 2500]).double()
    guides = Guides(torch.full((12, HEIGHT, WIDTH), 20.0), row.expand(12, -1))
    behind = torch.cat([row[:3], -row[3:6], row[6:]])
    drives = [
        Drive(film.class_maps, film.teacher, film.teacher[0], film.class_maps[0], None, None, guides, camera)
        for camera in (row, behind, None)
    ]
    assert len({score_streams(renderer, SCHEDULE, [drive], fps=FPS).detail for drive in drives}) == 3


def test_training_gets_its_curves_and_its_sheet(tmp_path):
    film = footage(20).shots
    drive = Drive(film.class_maps, film.teacher, film.teacher[0], film.class_maps[0])
    scores = score_streams(toy_renderer(), SCHEDULE, [drive, drive], tmp_path / "sheet.jpg", FPS)
    assert len(scores.psnr) == len(scores.look) == 3
    assert scores.border > 0
    assert (tmp_path / "sheet.jpg").stat().st_size > 1000
    with pytest.raises(ValueError, match="could be scored"):
        score_streams(toy_renderer(), SCHEDULE, [])
