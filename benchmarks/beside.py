"""How shapes are measured beside one another: one chunk of each in turn, with what its arithmetic comes to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

from benchmarks.chunk import Chunk
from benchmarks.public_dit import PublicDit, PublicDitConfig
from demos.benches.parts import PartsPlan, model_facts
from demos.benches.spread import spread
from demos.renderer.factory import RendererPlan
from diffusion_render.model.encoder import FRAMES
from diffusion_render.model.renderer import Renderer
from diffusion_render.stream.recorded import CudaRecorder
from diffusion_render.stream.window import denoise, render_window

WARM_UP, LEAST = 2, 3
Work = Callable[[], object]
ON_PROCESSORS = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
"""The one kernel for attention that torch's counter of operations does not know."""


@dataclass(frozen=True)
class PeersPlan:
    """What to measure.

    Args:
        renderer: our model; device and number type are the peer's, too.
        size: of our pictures, pixels.
        public: the peer's shape.
        seconds: of each figure.
        compile: compile both.
        recorded: run both as CUDA graphs.
    """

    renderer: RendererPlan
    size: tuple[int, int] = (1344, 768)
    public: PublicDitConfig = field(default_factory=PublicDitConfig)
    seconds: float = 5.0
    compile: bool = False
    recorded: bool = False


class Peer(NamedTuple):
    """One shape: its name, the video frames of a chunk and the pixels of each, and the work for a chunk."""

    name: str
    frames: int
    pixels: int
    work: Work


@torch.inference_mode()
def measure(plan: PeersPlan, say: Callable[[str], None]) -> dict[str, Any]:
    """Figures of the public shape, of our generator, and of our whole chunk. UserError: no such device."""
    chunk = Chunk(PartsPlan(replace(plan.renderer, compile=False), plan.size))
    public = build_public(plan.public, chunk)
    peers = [public_peer(public, chunk), *our_peers(chunk)]
    counted = [gigaflops(peer.work) for peer in peers]
    if plan.compile:  # after counting, which compiled code hides from
        torch._dynamo.reset()  # it counts the variants of earlier runs too
        chunk.bench.model.compile_for_play()
        for block in public.blocks:
            block.compile(dynamic=False)
    peers = [peer._replace(work=ready(peer.work, plan.recorded)) for peer in peers]
    times = take_turns([peer.work for peer in peers], chunk.bench.device, plan.seconds)
    rows = [row(peer, gflop, ms) for peer, gflop, ms in zip(peers, counted, times, strict=True)]
    for line in lines(rows):
        say(line)
    facts = model_facts(plan.renderer, chunk.bench.model, plan.size)
    shape = {name: getattr(plan.public, name) for name in plan.public.__dataclass_fields__}
    how = {"compiled": plan.compile, "recorded": plan.recorded}
    return {"bench": "peers", **facts, "public_shape": shape, **how, "rows": rows}


def build_public(config: PublicDitConfig, chunk: Chunk) -> PublicDit:
    """The peer with random weights, beside our model."""
    with torch.random.fork_rng(devices=[]), torch.device(chunk.bench.device):
        torch.manual_seed(0)
        return PublicDit(config).to(chunk.bench.dtype).eval().requires_grad_(False)


def public_peer(public: PublicDit, chunk: Chunk) -> Peer:
    """The peer's chunk in full swing."""
    config, like = public.config, public.patch.weight
    noise = torch.randn(1, config.tokens, config.patch).to(like)
    state = public.begin()
    return Peer("public shape, transformer", 4 * config.frames, config.pixels, lambda: public.chunk(noise, *state))


def our_peers(chunk: Chunk) -> list[Peer]:
    """Our generator with the structure encoder, and our chunk from class maps to bytes."""
    model, bench = chunk.bench.model, chunk.bench
    inputs, noises = chunk.inputs(chunk.prefix(model)), list(chunk.noise_maker(model, True)())
    frames, pixels, name = FRAMES * bench.schedule.chunk, bench.width * bench.height, model.config.preset

    def whole() -> object:
        return render_window(model, chunk.steps, inputs, noises)

    return [
        Peer(f"our {name}, transformer", frames, pixels, lambda: generate(model, chunk.steps, inputs)),
        Peer(f"our {name}, class maps to bytes", frames, pixels, whole),
    ]


def generate(model: Renderer, steps: tuple[float, ...], inputs: Any) -> torch.Tensor:
    """Structure, history and all steps of a chunk: what ``render_window`` does before it decodes."""
    structure = model.structure(inputs.maps.unflatten(1, (-1, FRAMES)), inputs.structure_table)
    return denoise(model, steps, inputs, structure)


def gigaflops(work: Work) -> float:
    """Products and sums of a call's matrix products, convolutions and attention, in 10⁹."""
    with FlopCounterMode(display=False, custom_mapping={ON_PROCESSORS: _attention_flop}) as counter:
        work()
    return counter.get_total_flops() / 1e9


def _attention_flop(query: torch.Size, key: torch.Size, value: torch.Size, *rest: Any, **more: Any) -> int:
    return sdpa_flop_count(query, key, value)


def ready(work: Work, recorded: bool) -> Work:
    """The work after its warm-up, as a replay if it is to be recorded."""
    for _ in range(WARM_UP):
        work()
    if not recorded:
        return work
    made, replay = CudaRecorder()(work)

    def again() -> object:
        replay()
        return made

    return again


def take_turns(works: list[Work], device: torch.device, seconds: float) -> list[list[float]]:
    """Milliseconds of each, one after the other in turn, for so many seconds each."""
    times: list[list[float]] = [[] for _ in works]
    end = time.monotonic() + seconds * len(works)
    while len(times[0]) < LEAST or time.monotonic() < end:
        for work, taken in zip(works, times, strict=True):
            began = time.perf_counter()
            work()
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            taken.append(1000 * (time.perf_counter() - began))
    return times


def row(peer: Peer, gflop: float, times: list[float]) -> dict[str, Any]:
    """A peer's figures."""
    ms = spread(times)
    fps = 1000 * peer.frames / ms["median"]
    return {
        "shape": peer.name,
        "ms": ms,
        "frames": peer.frames,
        "fps": round(fps, 2),
        "megapixels_a_second": round(fps * peer.pixels / 1e6, 2),
        "gflop_a_chunk": round(gflop, 3),
        "gflop_a_frame": round(gflop / peer.frames, 3),
        "tflop_a_second": round(gflop / ms["median"], 3),
    }


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """The table for people."""
    made = [f"{'shape':<34} {'ms a chunk':>10} {'p95':>9} {'frames':>6} {'fps':>9} {'MP/s':>9} {'GFLOP/frame':>12}"]
    for r in rows:
        made.append(
            f"{r['shape']:<34} {r['ms']['median']:>10.2f} {r['ms']['p95']:>9.2f} {r['frames']:>6} {r['fps']:>9.1f} "
            f"{r['megapixels_a_second']:>9.1f} {r['gflop_a_frame']:>12.2f}"
        )
    return made
