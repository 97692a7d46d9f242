"""What a renderer must do with bytes and greetings, tried from the engine's end (PROTOCOL.md sections 2 to 5)."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..palette import ClassTable, SceneClass
from ..protocol.messages import Ack, Error, Ping, Welcome
from ..protocol.planes import PLANES
from ..protocol.tables import table_to_wire
from .renderer_bench import EnginePart, RendererBench
from .report import Broken, Check, expect, registrar
from .vectors import read_vectors, wire_of
from .wire_end import QUIET_S

CHECKS: list[Check] = []
check = registrar(CHECKS)

FOREIGN = ClassTable("check-1", (SceneClass(0, "floor", (1, 2, 3)), SceneClass(1, "ceiling", (4, 5, 6))))


@check("R-11")
def greeting(bench: RendererBench) -> None:
    """HELLO is answered with WELCOME to that very attempt."""
    with bench.connection() as part:
        part.attempt = 6
        part.greet()


@check("R-12")
def stranger(bench: RendererBench) -> None:
    """A FRAME, a PING and a CONTROL before HELLO are ERROR 200."""
    with bench.connection() as part:
        for message in (Ping(id=1, time=0), bench.control(1), Ack(acknowledged=0)):
            part.send(message)
            expect(not part.wait_error(200).fatal, "ERROR 200 must not be fatal")


@check("R-03")
def version(bench: RendererBench) -> None:
    """A version that nobody speaks is ERROR 102, naming both."""
    with bench.session() as part:
        part.send([b"PFP\x63\x02", b"\x80"])
        details = part.wait_error(102).details or {}
        expect(details.get("theirs") == 0x63 and "ours" in details, f"details must name both versions, got {details}")


def _illegal(rule: str) -> None:
    rows = [r for r in read_vectors("illegal") if r["rule"] == rule and r["frames"] and r["code"] != 102]

    def run(bench: RendererBench) -> None:
        with bench.session() as part:
            for row in rows:
                part.send(wire_of(row))
                try:
                    part.wait_error(row["code"])
                except Broken as broken:
                    raise Broken(f"{row['name']}: {broken}") from None
            part.serves()

    run.__doc__ = "Illegal messages get their ERROR: " + ", ".join(r["name"] for r in rows)
    check(rule)(run)


for _rule in sorted({r["rule"] for r in read_vectors("illegal")} - {"R-03"}):
    _illegal(_rule)


@check("R-09")
def bad_then_good(bench: RendererBench) -> None:
    """One ERROR for each of many bad messages, none for an ERROR, and a frame is drawn afterwards."""
    with bench.session() as part:
        for _ in range(20):
            part.send([b"PFP\x01\x03", b"\xc1"])
        for _ in range(20):
            part.wait_error(104)
        expect(part.look(Error, lambda _: True, QUIET_S) is None, "20 bad messages got more than 20 errors")
        part.send([b"PFP\x01\x23", b"\xc1"])
        expect(part.look(Error, lambda _: True, QUIET_S) is None, "an ERROR was answered with an ERROR")
        part.greet()
        part.serves()


@check("R-13")
def foreign_table(bench: RendererBench) -> None:
    """Another class table without a mapping is ERROR 201 with both tables."""
    with bench.connection() as part:
        error = part.refused(201, table=table_to_wire(FOREIGN))
        details = error.details or {}
        expect(error.fatal and {"ours", "theirs"} <= set(details), f"details must hold both tables, got {set(details)}")
    with bench.connection() as part:
        part.refused(201, table={**table_to_wire(bench.table), "hash": "0" * 16})


@check("R-14")
def mapping(bench: RendererBench) -> None:
    """Foreign classes are mapped by name; what is not mapped, or mapped nowhere, is refused."""
    target = bench.table.classes[0].name
    foreign = table_to_wire(FOREIGN)
    with bench.connection() as part:
        part.refused(206, table=foreign, mapping={"floor": target})
    with bench.connection() as part:
        part.refused(208, table=foreign, mapping={"floor": target, "ceiling": "no such class"})
    with bench.session(table=foreign, mapping={"floor": target}, otherwise=target) as part:
        part.serves()


@check("R-15")
def odd_size(bench: RendererBench) -> None:
    """A size that is not served is ERROR 202, and the size that it names is served."""
    with bench.connection() as part:
        part.send(part.hello(width=71, height=37))
        answer = part.get(part.patience)
        if isinstance(answer, Welcome):
            return
        expect(isinstance(answer, Error) and answer.code == 202, f"expected WELCOME or ERROR 202, got {answer}")
        assert isinstance(answer, Error)
        nearest = (answer.details or {}).get("nearest")
        if not isinstance(nearest, list) or len(nearest) != 2:
            raise Broken(f"details.nearest must be [width, height], got {nearest}")
        part.greet(width=nearest[0], height=nearest[1])


@check("R-16")
def rates(bench: RendererBench) -> None:
    """A rate of nothing, or of a million frames a second, is ERROR 203."""
    for rate in ((0, 1), (24, 0), (1_000_000, 1)):
        with bench.connection() as part:
            part.refused(203, rate=rate)


@check("R-17")
def encodings(bench: RendererBench) -> None:
    """An unknown encoding is ERROR 204; raw is always read; the first known one is chosen."""
    with bench.connection() as part:
        error = part.refused(204, encodings=("smoke-signals",))
        expect("encodings" in (error.details or {}), "details must list the encodings that are read")
    with bench.connection() as part:
        chosen = part.greet(encodings=("smoke-signals", "raw")).encoding
        expect(chosen == "raw", f"offered raw, {chosen!r} was chosen")


@check("R-18", "R-44")
def planes(bench: RendererBench) -> None:
    """Only offered planes are chosen, in the order of the offer; a frame without them is refused."""
    unknown = {"name": "check-plane", "dtype": "uint8", "channels": 1}
    with bench.session(planes=(unknown, *(p.offer() for p in PLANES.values()))) as part:
        assert part.welcome is not None
        chosen = part.welcome.planes
        order = [n for n in PLANES if n in chosen]
        expect(list(chosen) == order, f"offered {list(PLANES)}, chosen {list(chosen)}")
        part.serves()
        if chosen:
            credit = part.credit()
            frame = part.frame(credit.grant, planes=(), plane_encodings=(), buffers=(part.class_map().tobytes(),))
            part.send(frame)
            part.wait_error(308)
            _refuses_endless(part, chosen)


def _refuses_endless(part: EnginePart, chosen: tuple[str, ...]) -> None:
    """A plane with an infinity or NaN is ERROR 309 with its place (R-44)."""
    width, height = part.bench.size
    for name in [n for n in chosen if PLANES[n].dtype.startswith("float")]:
        part.serves()
        bad = np.zeros(PLANES[name].shape(width, height), PLANES[name].dtype)
        bad[1, 2] = np.nan
        frame = part.frame(part.credit().grant)
        buffers = list(frame.buffers)
        buffers[1 + chosen.index(name)] = bad.tobytes()
        part.send(dataclasses.replace(frame, buffers=tuple(buffers)))
        details = part.wait_error(309).details or {}
        place = tuple(details.get(key) for key in ("plane", "row", "column"))
        expect(place == (name, 1, 2), f"plane {name}, row 1, column 2 is not finite; details say {place}")


@check("R-19")
def resume(bench: RendererBench) -> None:
    """The token takes the session up again, and the renderer knows the last frame."""
    with bench.session() as part:
        part.serves()
        last = part.seq - 1
        assert part.welcome is not None
        token = part.welcome.session
        with bench.connection() as again:
            again.instance, again.seq = part.instance, part.seq
            welcome = again.greet(resume=token)
            expect(welcome.resumed and welcome.session == token, "the session was not taken up again")
            expect(welcome.last_seq == last, f"last_seq is {welcome.last_seq}, frame {last} was the last")
            again.serves()
    with bench.connection() as part:
        expect(not part.greet(resume=bytes(16)).resumed, "a token that nobody gave was taken")


@check("R-20")
def taken(bench: RendererBench) -> None:
    """A second engine on a session in use is ERROR 205 with the time to wait."""
    with bench.session() as part, bench.connection() as thief:
        assert part.welcome is not None
        error = thief.refused(205, resume=part.welcome.session)
        wait = (error.details or {}).get("retry_ms")
        expect(isinstance(wait, int) and wait > 0, f"details.retry_ms must be a time, got {wait}")
