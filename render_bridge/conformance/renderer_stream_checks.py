"""What a renderer must do with frames, controls and time, tried from the engine's end (sections 6 to 12)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..protocol.message_base import Message
from ..protocol.messages import Ack, Bye, Credit, Error, Picture, Ping, Pong, Receipt, Welcome
from .renderer_bench import EnginePart, RendererBench
from .report import Check, expect, registrar
from .wire_end import QUIET_S

CHECKS: list[Check] = []
check = registrar(CHECKS)

LEVEL = (1, 0, 0, 0, 0, 0, 1, -2, 0, -1, 0, 0, 0, 0, 0, 1)
"""A camera 2 m above the origin that looks along +y, z up."""
NARROW = (2, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1.5, -1, 0, 0, -1, 0)


@check("R-22")
def no_credit(bench: RendererBench) -> None:
    """A FRAME without a grant is ERROR 303, and the session lives."""
    with bench.session() as part:
        credit = part.credit()
        part.send(part.frame(credit.grant + 1000))
        part.wait_error(303)
        frames = part.send_run(credit)
        part.pictures(len(frames))


@check("R-23", "R-26")
def window(bench: RendererBench) -> None:
    """Grants rise by one from 0 and never exceed the window while nothing is acknowledged; ACK opens it."""
    with bench.session() as part:
        assert part.welcome is not None
        granted: list[Credit] = []
        for _ in range(2 * part.welcome.window):
            credit = part.find_credit(QUIET_S if granted else part.patience)
            if credit is None:
                break
            granted.append(credit)
            part.send_run(credit)
        expect(granted, "no CREDIT came")
        numbers = [c.grant for c in granted]
        expect(numbers == list(range(len(numbers))), f"grants are numbered {numbers}")
        total = sum(c.frames for c in granted)
        expect(total <= part.welcome.window, f"{total} frames granted in a window of {part.welcome.window}")
        part.send(Ack(acknowledged=part.seq - 1))
        part.credit()


@check("R-27")
def sequence(bench: RendererBench) -> None:
    """A repeated number is ERROR 302; so is a gap inside a run, which is given up and granted anew."""
    with bench.session() as part:
        part.serves()
        credit = part.credit()
        part.send(part.frame(credit.grant, seq=part.seq - 1))
        error = part.wait_error(302)
        expect((error.details or {}).get("kind") == "repeat", f"details.kind must be 'repeat', got {error.details}")
        expect(error.about_grant == credit.grant, f"about_grant must name the run {credit.grant}")
        part.seq += 5
        part.serves()
        if part.welcome is not None and part.welcome.run > 1:
            credit = part.credit()
            part.send(part.frame(credit.grant))
            part.send(part.frame(credit.grant, seq=part.seq + 3))
            expect((part.wait_error(302).details or {}).get("kind") == "gap", "details.kind must be 'gap'")


@check("R-28")
def generations(bench: RendererBench) -> None:
    """Older generations are dropped silently; one that nobody announced is ERROR 305."""
    with bench.session(generation=3) as part:
        credit = part.credit()
        part.send(part.frame(credit.grant, generation=2))
        late = part.look(Error, lambda _: True, QUIET_S)
        expect(late is None, f"an old frame was answered with {late and late.code}")
        part.send(part.frame(credit.grant, generation=9))
        part.wait_error(305)
        frames = part.send_run(credit)
        part.pictures(len(frames))


@check("R-29")
def reset(bench: RendererBench) -> None:
    """After a reset nothing of the old generation comes, and credit begins anew; each reset adds 1."""
    with bench.session() as part:
        part.send_run(part.credit())
        part.send(bench.control(1, "reset", generation=1))
        part.wait(Receipt, lambda r: r.stage == "received")
        credit = part.credit(generation=1)
        frames = [part.frame(credit.grant, generation=1) for _ in range(credit.frames)]
        for frame in frames:
            part.send(frame)
        pictures = [m for m in [part.wait(Picture, timeout=bench.render_patience) for _ in frames]]
        old = [p.seq for p in pictures if p.generation != 1]
        expect(not old, f"pictures {old} of the old generation came after the receipt of the reset")
        part.send(bench.control(2, "reset", generation=5))
        part.wait_error(305)


@check("R-25", "R-30", "R-31", "R-33")
def recording(bench: RendererBench) -> None:
    """In record every frame gets its one picture, from the first on, in order; 'last' ends a run early."""
    with bench.session(mode="record") as part:
        sent = [f.seq for f in part.send_run(part.credit())]
        got = [p.seq for p in part.pictures(len(sent))]
        credit = part.credit()
        frames = [part.frame(credit.grant, last=True)]
        part.send(frames[0])
        sent.append(frames[0].seq)
        got += [p.seq for p in part.pictures(1)]
        expect(got == sent, f"frames {sent} were answered by pictures {got}")
        extra = part.look(Picture, lambda _: True, QUIET_S)
        expect(extra is None, f"picture {extra and extra.seq} came twice")


@check("R-32")
def stamps(bench: RendererBench) -> None:
    """Pictures repeat the frame's stamps and add received, started, rendered, sent, in that order."""
    with bench.session() as part:
        frames = part.send_run(part.credit(), stamps={"input": -5, "drawn": 7, "check": 9})
        for frame, picture in zip(frames, part.pictures(len(frames)), strict=True):
            expect(picture.stamps == frame.stamps, f"stamps {frame.stamps} came back as {picture.stamps}")
            expect(picture.tick == frame.tick, f"tick {frame.tick} came back as {picture.tick}")
            names = ("received", "started", "rendered", "sent")
            missing = [n for n in names if n not in picture.renderer_stamps]
            expect(not missing, f"renderer_stamps lack {missing}")
            times = [picture.renderer_stamps[n] for n in names]
            expect(times == sorted(times), f"renderer_stamps run backwards: {picture.renderer_stamps}")


@check("R-34")
def receipts(bench: RendererBench) -> None:
    """A control is received at once, then in force or refused, each once; a repeated id is ERROR 307."""
    with bench.session() as part:
        part.send(bench.control(5))
        part.wait(Receipt, lambda r: (r.id, r.stage) == (5, "received"))
        part.serves()
        later = [m for m in part.seen if isinstance(m, Receipt) and m.id == 5 and m.stage != "received"]
        if not later:
            later = [part.wait(Receipt)]
        later += [m for m in part.gather(QUIET_S) if isinstance(m, Receipt)]
        expect(len({id(m) for m in later}) == 1, f"{len(later)} receipts came after 'received'; expected 1")
        received = [m for m in part.seen if isinstance(m, Receipt) and m.stage == "received"]
        expect(len(received) == 1, f"'received' came {len(received)} times")
        part.send(bench.control(5))
        part.wait_error(307)


@check("R-50")
def camera_of_a_look(bench: RendererBench) -> None:
    """A look with its camera, with half of it, or with one that is none, is acted on like the same look without."""
    cameras: tuple[dict[str, Any], ...] = (
        {},
        {"view": LEVEL, "projection": NARROW},
        {"view": LEVEL},
        {"view": (0,) * 16, "projection": (0,) * 16},
    )
    with bench.session() as part:
        class_map = part.class_map()
        height, width = class_map.shape
        buffers = bench.table.colorize(class_map).tobytes(), class_map.tobytes()
        stages = []
        for number, camera in enumerate(cameras, 1):
            part.send(bench.control(number, "look", width=width, height=height, buffers=buffers, **camera))
            stages.append(_acted_on(part, number))
        expect(len(set(stages)) == 1, f"looks without, with, with half of, and with no possible camera were {stages}")


def _acted_on(part: EnginePart, number: int) -> str:
    """Stage of a control's second receipt, after one more run."""
    part.wait(Receipt, lambda r: (r.id, r.stage) == (number, "received"))
    part.serves()
    found = [m for m in part.seen if isinstance(m, Receipt) and m.id == number and m.stage != "received"]
    return (found or [part.wait(Receipt, lambda r: r.id == number)])[0].stage


@check("R-37")
def heartbeat(bench: RendererBench) -> None:
    """PING is answered with PONG; an idle renderer pings."""
    with bench.session() as part:
        assert part.welcome is not None
        part.calm = False
        part.send(Ping(id=77, time=-3))
        pong = part.wait(Pong, lambda p: p.id == 77)
        expect(pong.time == -3, f"PONG repeats time -3, got {pong.time}")
        part.wait(Ping, timeout=4 * part.welcome.heartbeat_ms / 1000 + part.patience)


@check("R-38")
def silence(bench: RendererBench) -> None:
    """An engine that is silent for dead_ms is parked: then it must greet, and its token is still good."""
    with bench.session() as part:
        assert part.welcome is not None
        expect(any(_is_parked(part, times) for times in (1.5, 4)), "a session that was silent for 4 × dead_ms lives")
        expect(part.greet(resume=part.welcome.session).resumed, "the parked session was not kept")
        part.serves()


def _is_parked(part: EnginePart, times: float) -> bool:
    """After that many dead_ms of silence PING is answered with ERROR 200, by an open session with PONG."""
    assert part.welcome is not None
    time.sleep(times * part.welcome.dead_ms / 1000 + 0.2)
    part.send(Ping(id=round(10 * times), time=0))
    part.calm = False
    answer = part.look(Message, lambda m: isinstance(m, Pong) or getattr(m, "code", 0) == 200, part.patience)
    part.calm = True
    expect(answer, "PING was answered with neither PONG nor ERROR 200")
    return isinstance(answer, Error)


@check("R-40")
def goodbye(bench: RendererBench) -> None:
    """After BYE the session is over: its token opens a new one."""
    with bench.session() as part:
        assert part.welcome is not None
        token = part.welcome.session
        part.send(Bye(text="checking"))
        part.send(Ack(acknowledged=0))
        part.wait_error(200)
        expect(not part.greet(resume=token).resumed, "a session that was ended with BYE was taken up again")


@check("R-41")
def bad_pixels(bench: RendererBench) -> None:
    """An id outside the table is ERROR 300 with its place, and the next frame is drawn."""
    with bench.session() as part:
        pixels = part.class_map()
        pixels[3, 5] = pixels[4, 0] = 255
        credit = part.credit()
        part.send(part.frame(credit.grant, pixels=pixels))
        details = part.wait_error(300).details or {}
        place = (details.get("row"), details.get("column"), details.get("id"))
        expect(place == (3, 5, 255), f"row 3, column 5, id 255 was the first bad pixel; got {place}")
        part.serves()


@check("R-42")
def colors(bench: RendererBench) -> None:
    """Frames in the table's colours are taken; one colour off is ERROR 301 with the share."""
    with bench.session(form="colors") as part:
        picture = bench.table.colorize(part.class_map())
        part.send_run(part.credit(), pixels=picture)
        part.pictures(1)
    with bench.session(form="colors") as part:
        bad = np.array(picture)
        bad[0, 1] ^= 1
        credit = part.credit()
        part.send(part.frame(credit.grant, pixels=bad))
        share = (part.wait_error(301).details or {}).get("share")
        expect(isinstance(share, float) and abs(share - 1 / part.class_map().size) < 1e-9, f"details.share is {share}")


@check("R-07", "R-43")
def corrupt(bench: RendererBench) -> None:
    """Every encoding that is read is read right, and data of another size are refused."""
    for encoding, fault in (("raw", 111), ("zstd", 113), ("rle", 113)):
        with bench.connection() as part:
            part.send(part.hello(encodings=(encoding,)))
            answer = part.get(part.patience)
            if not isinstance(answer, Welcome):
                continue
            part.welcome = answer
            part.serves()
            credit = part.credit()
            part.send(part.frame(credit.grant, buffers=(b"\x00\x01\x00\x00",)))
            part.wait_error(fault)
            part.serves()


@check("R-48")
def out_of_place(bench: RendererBench) -> None:
    """What only a renderer may send is ERROR 306."""
    with bench.session() as part:
        part.send(Credit(generation=0, grant=0, frames=1))
        part.wait_error(306)
        part.serves()


@check("R-24")
def newest(bench: RendererBench) -> None:
    """In play a run may begin with any later frame: skipped numbers are no fault."""
    with bench.session() as part:
        part.serves()
        part.seq += 40
        part.serves()
