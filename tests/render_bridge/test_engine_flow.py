"""The engine's frames between drawing and sending, without a renderer."""

import pytest

from render_bridge.protocol.engine_flow import FrameFlow

from .link import drawn


def sent(flow):
    """(number, grant, tick) of everything that may go out now."""
    found = []
    while (due := flow.next_due()) is not None:
        found.append((due.seq, due.grant, due.drawn.tick))
    return found


@pytest.mark.parametrize("keep_all", [False, True])
def test_the_last_frame_leaves_the_rest_of_its_run_unused(keep_all):
    """R-33."""
    flow = FrameFlow(keep_all)
    flow.grant(0, 8)
    found = []
    for tick in range(3):
        flow.offer(drawn(tick, last=tick == 1))
        found += sent(flow)
    assert found == [(0, 0, 0), (1, 0, 1)]
    flow.grant(1, 1)
    assert sent(flow) == [(2, 1, 2)]


def test_frames_that_a_reset_voids_are_counted_as_skipped():
    """R-24, R-29."""
    flow = FrameFlow(False)
    for tick in range(5):
        flow.offer(drawn(tick))
    flow.mark()
    flow.flush()
    flow.offer(drawn(5))
    flow.grant(0, 1)
    assert sent(flow) == [(5, 0, 5)]
    assert flow.skipped == 5


def test_numbers_of_an_earlier_process_are_passed_over_in_play_and_never_in_a_recording():
    """R-19, R-25."""
    for keep_all, first in ((False, 9), (True, 2)):
        flow = FrameFlow(keep_all, next_seq=2)
        flow.offer(drawn(0))
        flow.go_on_after(8)
        flow.go_on_after(4)
        flow.grant(0, 1)
        assert sent(flow) == [(first, 0, 0)]
        assert flow.next_seq == first + 1


def test_a_recording_sends_again_what_was_not_answered_before_what_was_not_sent():
    """R-25."""
    flow = FrameFlow(True)
    flow.grant(0, 3)
    for tick in range(5):
        flow.offer(drawn(tick))
    assert [seq for seq, _, _ in sent(flow)] == [0, 1, 2]
    flow.answered(0)
    assert flow.first_open_seq == 1
    flow.void_grants()
    flow.grant(0, 4)
    assert [seq for seq, _, _ in sent(flow)] == [1, 2, 3, 4]
    assert (flow.held, flow.unanswered, flow.skipped) == (0, 4, 0)
