"""Windows that were got ready ahead equal those that were not, bit for bit, whatever happens between two windows."""

import copy
import math
from dataclasses import replace

import pytest
from torch.utils._python_dispatch import TorchDispatchMode

from diffusion_render.stream import recorded
from diffusion_render.stream.batch import make_together
from diffusion_render.stream.past import make_past
from diffusion_render.stream.recorded import RecordedWindows, copy_all
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import RenderError
from diffusion_render.stream.window import render_window
from tests.diffusion_render.stream.test_batch import RUN, begin, camera, player, pushed
from tests.diffusion_render.stream.test_recorded import Rerun
from tests.diffusion_render.toys import same_tensors, some_maps, some_picture

WINDOWS = 4


def look(stream):
    stream.change_look(some_picture(9), some_maps(1, 9)[0], -stream.look.text[0], camera(0.3))


def prompt(stream):
    stream.change_look(some_picture(0), some_maps(1, 0)[0], 2 * stream.look.text[0], camera(0))


def reset(stream):
    stream.reset()
    stream.push(*pushed(0, 0, 8))


def seed(stream):
    stream.config = type(stream.config)(77, stream.config.width, stream.config.height, stream.config.schedule)


def schedule(stream):
    stream.change_schedule(Schedule(first=2, history=1, steps=(1.0,), history_noise=0.1))


def remembered(stream):
    """Another past, of which nobody was told."""
    other = [u._replace(latent=-u.latent) for u in stream._memory.history]
    stream._memory = replace(stream._memory, history=other)


CHANGES = look, prompt, reset, seed, schedule, remembered


def window(streams, number, ahead, seen, render=render_window):
    """The next window of each stream, made together if there are several; their pictures."""
    first = 8 + RUN * number
    drafts = [stream.draft(*pushed(k, first, RUN, seen)) for k, stream in enumerate(streams)]
    made = [streams[0].make(drafts[0])]
    if len(streams) > 1:
        made = make_together(streams[0].renderer, drafts, render)
    if ahead:
        for stream, draft, outputs in zip(streams, drafts, made, strict=True):
            stream.draw_ahead(draft, outputs)
    return [p for s, d, m in zip(streams, drafts, made, strict=True) for p in s.finish(d, m)]


def pictures(count, ahead, changes, seen=True, windows=WINDOWS):
    streams = begin([player(2 * k, seen=seen) for k in range(count)])
    made = []
    for number in range(windows):
        made += window(streams, number, ahead, seen)
        if number in changes:
            changes[number](streams[-1])
    return made


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("borders", [(0, 2), (1,)])
def test_a_change_at_any_border_throws_away_what_it_must(change, borders):
    changes = dict.fromkeys(borders, change)
    assert same_tensors(pictures(1, True, changes), pictures(1, False, changes))


def test_changes_at_all_borders_and_no_heading_known():
    for first in range(2):
        changes = dict(enumerate(CHANGES[3 * first : 3 * first + 3]))
        changed = pictures(1, True, changes, seen=False)
        assert same_tensors(changed, pictures(1, False, changes, seen=False))
    assert not same_tensors(changed, pictures(1, True, {}, seen=False))


def test_players_of_a_batch_of_whom_one_changes_his_look():
    assert same_tensors(pictures(2, True, {1: look}, windows=3), pictures(2, False, {1: look}, windows=3))


def test_a_stream_that_is_kept_and_taken_up_again_goes_on_as_it_would_have():
    (stream,) = begin([player(0)])
    window([stream], 0, True, True)
    kept = copy.copy(stream)
    kept._pending = []
    first = window([stream], 1, True, True) + window([stream], 2, True, True)
    again = window([kept], 1, True, True) + window([kept], 2, True, True)
    assert same_tensors(first, again)
    assert kept._memory.ahead is not stream._memory.ahead


def test_a_window_that_came_out_broken_leaves_nothing_behind():
    def go_on(ahead):
        (stream,) = begin([player(0)])
        window([stream], 0, ahead, True)
        whole = stream._memory.decoder
        stream._memory = replace(stream._memory, decoder=tuple(state * math.nan for state in whole))
        with pytest.raises(RenderError, match="NaN"):
            window([stream], 1, ahead, True)
        assert stream._memory.ahead is None
        stream._memory = replace(stream._memory, decoder=whole)
        return window([stream], 1, ahead, True)

    assert same_tensors(go_on(True), go_on(False))


@pytest.mark.parametrize("changes", [{}, {0: look, 1: prompt}])
def test_what_is_ready_is_taken_and_a_look_leaves_it_alone(monkeypatch, changes):
    made = []
    monkeypatch.setattr(
        "diffusion_render.stream.memory.make_past", lambda *given: made.append(given[2].number) or make_past(*given)
    )
    pictures(1, True, changes)
    assert made == list(range(WINDOWS + 2))  # the first window at once; from then on each one once, and ahead


class Operations(TorchDispatchMode):
    """Names of torch's operations."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))


def test_between_the_frames_and_the_launch_nothing_is_computed_but_the_way_to_the_device():
    """A card waits in vain for whatever is computed there. It was 20 operations once."""
    (stream,) = begin([player(0, seen=False)])
    window([stream], 0, True, False)
    maps, _ = pushed(0, 8 + RUN, RUN, False)
    with Operations() as counted:
        stream.draft(maps)
    assert counted.names == ["to", "unsqueeze"]


def test_recorded_windows_copy_only_what_is_new(monkeypatch):
    windows = RecordedWindows(Rerun(), print)
    (stream,) = begin([player(0, seen=False)])
    stream._render = windows
    copied = []
    for number in range(2):
        window([stream], number, True, False)
    monkeypatch.setattr(recorded, "copy_all", lambda pairs: copied.append(len(pairs)) or copy_all(pairs))
    window([stream], 2, True, False)
    # Class maps, the chunk's noise, latents and structure of the history, and the decoder's state.
    assert copied == [4 + len(stream._memory.decoder)]
