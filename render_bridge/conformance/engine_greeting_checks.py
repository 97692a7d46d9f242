"""What an engine must do with bytes and greetings, tried from the renderer's end (PROTOCOL.md sections 2 to 5)."""

from __future__ import annotations

from ..protocol.faults import RemoteProtocolError
from ..protocol.messages import Ack, Error, Hello
from ..protocol.tables import table_from_wire
from .engine_bench import EngineBench
from .report import Broken, Check, expect, registrar
from .wire_end import QUIET_S

CHECKS: list[Check] = []
check = registrar(CHECKS)


@check("R-11")
def speaks_first(bench: EngineBench) -> None:
    """The engine's first message is HELLO, and attempts rise."""
    expect(isinstance(bench.first, Hello), f"the first message was {type(bench.first).__name__.upper()}")
    assert isinstance(bench.first, Hello)
    again = bench.turn_away()
    expect(again.attempt > bench.first.attempt, f"attempt {again.attempt} after {bench.first.attempt}")


@check("R-12")
def greets_again(bench: EngineBench) -> None:
    """ERROR 200 makes the engine greet again, with the token of its session."""
    welcome = bench.take_in()
    hello = bench.turn_away()
    expect(hello.resume == welcome.session, "HELLO does not carry the session's token in 'resume'")


@check("R-19")
def goes_on(bench: EngineBench) -> None:
    """When the engine greets again its token is that of the session, and its numbers go on."""
    welcome = bench.take_in()
    last = bench.run(2)[-1]
    hello = bench.turn_away()
    expect(hello.resume == welcome.session, "HELLO does not carry the session's token in 'resume'")
    expect(hello.generation >= bench.generation, f"generation {hello.generation} after {bench.generation}")
    floor = last.seq - 1 if bench.records else last.seq + 1
    expect(hello.next_seq >= floor, f"next_seq is {hello.next_seq} after frame {last.seq}")


@check("R-13")
def own_table(bench: EngineBench) -> None:
    """The class table is injective and hashes to its hash."""
    hello = bench.turn_away()
    try:
        table_from_wire(hello.table)
    except RemoteProtocolError as error:
        raise Broken(str(error)) from None


@check("R-09", "R-03", "R-05")
def survives_rubbish(bench: EngineBench) -> None:
    """Illegal messages are answered with one ERROR each, and the session lives."""
    rubbish = {
        104: [b"PFP\x01\x11", b"\xc1"],
        102: [b"PFP\x63\x11", b"\x80"],
        106: [b"PFP\x01\x22", b"\x82\xa4text\xa1a\xa3new\x01"],
    }
    bench.take_in()
    for code, wire in rubbish.items():
        bench.send(wire)
        bench.wait_error(code)
    bench.send([b"PFP\x01\x23", b"\xc1"])
    expect(bench.look(Error, lambda _: True, QUIET_S) is None, "an ERROR was answered with an ERROR")
    bench.run(1)


@check("R-48")
def out_of_place(bench: EngineBench) -> None:
    """What only an engine may send is ERROR 306."""
    bench.take_in()
    bench.send(Ack(acknowledged=0))
    bench.wait_error(306)
    bench.run(1)
