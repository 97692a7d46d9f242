"""The toy model with random weights, and frames and controls as the bridge hands them over."""

import time
from dataclasses import replace

import numpy as np
import torch

from demos.renderer.factory import RendererPlan, StreamFactory
from demos.renderer.session import StreamRenderer
from diffusion_render.model.prompt import EncodedPrompt, empty_prompt
from engine_sim.views.frame import Camera, projection_matrix, view_matrix
from render_bridge.palette import RACING
from render_bridge.protocol.engine_flow import Drawn
from render_bridge.protocol.events import FrameTaken
from render_bridge.protocol.messages import Control

torch.set_num_threads(1)
SIDE = 64
PLAN = RendererPlan("toy", random_weights=True, number_type="float32")
CAMERA = Camera((3.0, 4.0, 2.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), 1.0)
FIRST, RUN = 28, 8


class LettersEncoder:
    """Rows that depend on the text, without a network."""

    def read(self, text):
        rows = empty_prompt()
        rows[: len(text)] = 1.0
        rows[:, 0] = float(sum(map(ord, text)) % 97)
        return EncodedPrompt(rows, "")


def toy_factory(**changes):
    """A factory on the toy model whose bridge takes no silence for death."""
    factory = StreamFactory(replace(PLAN, **changes), say=lambda line: None, open_encoder=LettersEncoder)
    factory.offer = replace(factory.offer, heartbeat_ms=100, dead_ms=60_000)
    return factory


def toy_renderer(factory):
    return StreamRenderer(factory.model, factory._prompts, (SIDE, SIDE), factory.plan.schedule, 22)


def class_map(number, side=SIDE):
    """Blocks of 8 × 8 pixels, different in every frame."""
    random = np.random.default_rng(number)
    return np.repeat(np.repeat(random.integers(0, 13, (side // 8, side // 8), np.uint8), 8, 0), 8, 1)


def picture(seed=0, side=SIDE):
    return np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)


def matrices(camera=CAMERA, side=SIDE):
    view, projection = view_matrix(camera).ravel(), projection_matrix(camera, side, side).ravel()
    return tuple(map(float, view)), tuple(map(float, projection))


def looking(degrees):
    """A level camera; 0 looks along x, 90 along y."""
    angle = np.deg2rad(degrees)
    return CAMERA._replace(forward=(float(np.cos(angle)), float(np.sin(angle)), 0.0))


def taken(number, depth=None, last=False, camera=None):
    """A frame as the loop hands it to a renderer; with a constant depth it has a camera too."""
    planes = {} if depth is None else {"depth": np.full((SIDE, SIDE), depth, np.float16)}
    camera = camera or (None if depth is None else CAMERA)
    view, projection = (None, None) if camera is None else matrices(camera)
    return FrameTaken(
        b"s" * 16, 0, 0, number, 5 * number, class_map(number), planes, {}, 0, last, last, view, projection
    )


def run_of(first, count, **values):
    return [taken(first + k, **values) for k in range(count)]


def drawn(number):
    """A frame as an engine offers it."""
    now = time.monotonic_ns()
    view, projection = matrices()
    planes = {"depth": np.full((SIDE, SIDE), 30, np.float16)}
    return Drawn(5 * number, class_map(number), {"input": now, "drawn": now}, planes, view, projection)


def look(seed=0, side=SIDE, ids=None, text=None, camera=None):
    buffers = picture(seed, side).tobytes(), (class_map(seed, side) if ids is None else ids).tobytes()
    view, projection = (None, None) if camera is None else matrices(camera, side)
    return Control(
        id=1, generation=0, kind="look", width=side, height=side, text=text, view=view, projection=projection,
        buffers=buffers,
    )  # fmt: skip


def prompt(text):
    return Control(id=2, generation=0, kind="prompt", text=text)


def schedule(**values):
    return Control(id=3, generation=0, kind="schedule", schedule=values)


def greeting(**changes):
    from tests.render_bridge.ends import say_hello

    return say_hello(**{"width": SIDE, "height": SIDE, "table": RACING, "planes": ("depth",), **changes})
