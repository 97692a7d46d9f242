"""What an engine must do with credit, frames and pictures, tried from the renderer's end (sections 6 to 8 and 12)."""

from __future__ import annotations

from ..protocol.faults import RemoteProtocolError
from ..protocol.messages import Ack, Frame
from ..protocol.planes import PLANES
from .engine_bench import LINE_AHEAD, EngineBench
from .report import Broken, Check, NotApplicable, expect, registrar
from .wire_end import QUIET_S

CHECKS: list[Check] = []
check = registrar(CHECKS)

PAUSE_S = 1.0
STALL_S = 0.5
"""What a busy machine may add to an engine's frame period."""


@check("R-22")
def waits_for_credit(bench: EngineBench) -> None:
    """No FRAME before CREDIT, and none after a run is used up."""
    before = len(bench.seen)
    bench.take_in()
    bench.gather(QUIET_S)
    early = [m for m in bench.seen[before:] if isinstance(m, Frame) and m.generation == bench.generation]
    expect(not early, f"frames {[f.seq for f in early]} came without credit")
    bench.run(2)
    late = [m for m in bench.gather(QUIET_S) if isinstance(m, Frame)]
    expect(not late, f"frames {[f.seq for f in late]} came after the run of 2 was used up")


@check("R-23")
def names_its_grant(bench: EngineBench) -> None:
    """Each FRAME names its grant; grants are used in order, each for one run of consecutive frames."""
    bench.take_in()
    bench.grant(3)
    bench.grant(2)
    frames = bench.frames(5)
    grants = [f.grant for f in frames]
    expect(grants == [0, 0, 0, 1, 1], f"grants of 3 and 2 frames were used as {grants}")
    for run in (frames[:3], frames[3:]):
        numbers = [f.seq for f in run]
        expect(numbers == list(range(numbers[0], numbers[0] + len(run))), f"a run of frames {numbers} has gaps")


@check("R-24")
def newest_wins(bench: EngineBench) -> None:
    """After a pause the run begins with the newest frame, and 'skipped' counts exactly those left out."""
    if bench.turn_away().mode != "play":
        raise NotApplicable("the engine records")
    bench.take_in(fresh=False)
    (before,) = bench.run(1)
    bench.gather(10 * bench.period + PAUSE_S)
    (after,) = bench.run(1)
    (following,) = bench.run(1)
    left_out = after.seq - before.seq - 1
    counted = after.skipped - before.skipped
    expect(left_out > 0, "no frame was skipped in a pause of ten frame periods: is the engine drawing?")
    expect(left_out == counted, f"{left_out} numbers were left out, 'skipped' rose by {counted}")
    stale = (following.stamps["drawn"] - after.stamps["drawn"]) / 1e9
    limit = LINE_AHEAD * bench.period + STALL_S
    expect(stale <= limit, f"the frame after the pause is {stale:.2f} s older than the next: not the newest")


@check("R-25")
def records_everything(bench: EngineBench) -> None:
    """In record nothing is skipped, and what was not answered comes again, with its number, after a new greeting."""
    if bench.turn_away().mode != "record":
        raise NotApplicable("the engine plays")
    bench.take_in(fresh=False)
    first = bench.run(3)
    bench.answer(first[0])
    bench.wait(Ack)
    bench.gather(QUIET_S)
    second = bench.run(2)
    numbers = [f.seq for f in first + second]
    expect(numbers == list(range(numbers[0], numbers[0] + 5)), f"recorded frames {numbers} have gaps")
    generation = bench.generation
    bench.take_in(resumed=True)
    again = [f.seq for f in bench.run(4)]
    expect(again == numbers[1:], f"frames {numbers[1:]} were not answered; {again} came again")
    expect(bench.generation > generation, "the generation must rise when frames are sent again")


@check("R-26")
def acknowledges(bench: EngineBench) -> None:
    """ACK names the highest picture that was read."""
    bench.take_in()
    frames = bench.run(2)
    for frame in frames:
        bench.answer(frame)
    bench.wait(Ack, lambda a: a.acknowledged == frames[-1].seq)


@check("R-17", "R-41", "R-42", "R-43")
def lossless_maps(bench: EngineBench) -> None:
    """In every encoding that it offers the class map decodes to legal ids (or colours) of its own table."""
    bench.turn_away()
    for encoding in bench.offered_encodings():
        bench.take_in(encoding=encoding)
        (frame,) = bench.run(1)
        try:
            bench.pixels(frame)
        except RemoteProtocolError as error:
            raise Broken(f"{encoding}: {error}") from None


@check("R-18", "R-44")
def chosen_planes(bench: EngineBench) -> None:
    """Exactly the chosen guide planes come, with their types; none when none is chosen."""
    bench.take_in()
    (frame,) = bench.run(1)
    expect(frame.planes == (), f"no plane was chosen, {list(frame.planes)} came")
    offered = bench.offered_planes()
    assert bench.hello is not None
    wrong = [p for p in bench.hello.planes if p["name"] in PLANES and PLANES[p["name"]].offer() != p]
    expect(not wrong, f"offered with other types than the specification's: {wrong}")
    if not offered:
        return
    bench.take_in(planes=tuple(offered))
    (frame,) = bench.run(1)
    try:
        bench.pixels(frame)
    except RemoteProtocolError as error:
        raise Broken(str(error)) from None


@check("R-32")
def stamps(bench: EngineBench) -> None:
    """Every frame carries 'drawn', which never goes back; ticks never go back either."""
    bench.take_in()
    frames = bench.run(4)
    for name, values in (
        ("stamps.drawn", [f.stamps["drawn"] for f in frames]),
        ("tick", [f.tick for f in frames]),
    ):
        expect(values == sorted(values), f"{name} goes back: {values}")


@check("R-28")
def generations(bench: EngineBench) -> None:
    """Every frame carries the greeted generation; credit of an older one is void."""
    bench.take_in()
    (frame,) = bench.run(1)
    expect(frame.generation == bench.generation, f"generation {frame.generation}, greeted {bench.generation}")
    if bench.generation > 0:
        bench.grant(1, generation=bench.generation - 1)
        late = [m for m in bench.gather(QUIET_S) if isinstance(m, Frame)]
        expect(not late, "credit of an old generation was used")


@check("R-27")
def gives_up(bench: EngineBench) -> None:
    """A run that was given up ends at once, and the next grant begins a new run."""
    if bench.turn_away().mode != "play":
        raise NotApplicable("the engine records, where a refusal is fatal")
    bench.take_in(fresh=False)
    credit = bench.grant(50)
    first = bench.frames(1)[0]
    bench.send(bench.error(302, "bad_sequence", about_type=2, about_seq=first.seq, about_grant=credit.grant))
    bench.gather(QUIET_S)
    late = [m for m in bench.gather(QUIET_S) if isinstance(m, Frame)]
    expect(not late, f"frames {[f.seq for f in late]} came under a grant that was given up")
    frames = bench.run(2)
    expect([f.grant for f in frames] == [1, 1], "the next grant was not used")
    expect(frames[0].seq > first.seq, f"frame {frames[0].seq} after frame {first.seq}")
