"""The two ends over real sockets: resets, prompts, and runs that fail."""

from render_bridge.protocol.events import PictureTaken, ReceiptTaken, Refused
from render_bridge.stand_in import PaletteFactory
from render_bridge.zmq.engine_end import EngineEnd

from .ends import PATIENCE_S, draw, gather, pictures, say_hello, serving, stand_in


def test_a_reset_flushes_every_stage(address):
    """R-28, R-29, R-34, R-35, case B10: no picture of the old generation after it, receipts in order."""
    slow = PaletteFactory(stand_in(), seconds=0.05)
    with serving(address, factory=slow), EngineEnd(address, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        for k in range(4):
            engine.offer(draw(k))
            engine.events(0.02)
        number = engine.reset(seed=9)
        for k in range(4, 8):
            engine.offer(draw(k))
        events = gather(engine, lambda found: any(isinstance(e, PictureTaken) and e.seq == 7 for e in found))
        assert all(e.seq >= 4 for e in events if isinstance(e, PictureTaken))
        stages = [e.receipt.stage for e in events if isinstance(e, ReceiptTaken) and e.receipt.id == number]
        assert stages == ["received", "in_force"]


def test_controls_take_effect_at_a_chunk_border_and_survive_a_reset(ipc):
    """R-35, R-36, case B08."""
    with serving(ipc, stand_in(run=2, first_run=2)) as (_, loop), EngineEnd(ipc, say_hello(mode="record")) as engine:
        engine.wait_open(PATIENCE_S)
        engine.offer(draw(0))
        engine.control("prompt", text="flames")
        engine.control("schedule", schedule={"chunk": 3})
        engine.offer(draw(1))
        assert len(pictures(engine, 2)) == 2
        (work,) = loop.works.values()
        assert work.renderer.prompt == "flames"
        engine.reset()
        engine.offer(draw(2))
        engine.offer(draw(3))
        assert [p.chunk for p in pictures(engine, 2)] == [1, 1]
        assert work.renderer.prompt == "flames"


def test_a_run_that_fails_is_reported_and_the_session_goes_on(ipc):
    """R-49, case B30."""
    with serving(ipc, factory=Failing()) as _, EngineEnd(ipc, say_hello()) as engine:
        engine.wait_open(PATIENCE_S)
        engine.offer(draw(0))
        gather(engine, lambda found: any(isinstance(e, Refused) and e.code == 400 for e in found))
        engine.offer(draw(1))
        assert [p.seq for p in pictures(engine, 1)] == [1]


class Failing(PaletteFactory):
    """Its first chunk is not a number."""

    def __init__(self):
        super().__init__(stand_in())

    def open(self, opened):
        renderer = super().open(opened)
        draw_well, calls = renderer.render, []

        def render(frames):
            calls.append(1)
            if len(calls) == 1:
                raise ArithmeticError("latents are not a number")
            return draw_well(frames)

        renderer.render = render
        return renderer
