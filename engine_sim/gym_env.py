"""The race as a Gymnasium environment, ``paintover/Race-v0``.

    import gymnasium, engine_sim.gym_env
    env = gymnasium.make("paintover/Race-v0", track="kestrel-valley", observation="class_map")

Actions are float32 ``[steer −1 … 1, throttle 0 … 1, brake 0 … 1]``, held for one step of 5 ticks (1/24 s). The
reward is the progress of the step along the circuit in metres; driving backwards costs as much. An episode
terminates when the player has finished the race, and is truncated when its time is over or the player has got
nowhere for a while.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from render_bridge.palette import RACING

from .core.errors import UserError
from .core.exact import cos, sin
from .core.ticks import TICK_RATE
from .racing.controls import Controls
from .racing.state import FINISH_TICK, OFF_TRACK, PROGRESS, RPM, STEER, YAW, YAW_RATE, D, S, U, V, X, Y
from .racing.world import RaceSetup
from .recording.drive import Drive
from .recording.record import RecordOptions, Views
from .tracks.catalogue import load_track
from .tracks.query import heading_at, sample_at
from .views.look import Look, sample_look

ENV_ID = "paintover/Race-v0"
DEFAULT_TRACK = "kestrel-valley"
OBSERVATIONS = ("class_map", "teacher", "state")
RENDER_FPS = 24
_TICKS = TICK_RATE // RENDER_FPS
_IDLE = Controls()


@dataclass(frozen=True)
class StateScales:
    """What the state vector looks at.

    Args:
        ahead: distances at which it reads the curvature of the road, metres.
        rivals: number of nearest rivals that it holds.
    """

    ahead: tuple[float, ...] = (5.0, 10.0, 20.0, 30.0, 45.0, 60.0, 80.0, 110.0)
    rivals: int = 3


SCALES = StateScales()
OWN_FEATURES = (
    "forward speed, m/s", "leftward speed, m/s", "yaw rate, rad/s", "steering angle, rad", "engine speed, 1000 rpm",
    "distance to the left of the centre line, m", "road to the left of the car, m", "road to the right of the car, m",
    "free space to the left barrier, m", "free space to the right barrier, m", "sine of the heading to the road",
    "cosine of the heading to the road", "1 off the track, else 0",
)  # fmt: skip
"""The first entries of the state vector. Then curvature at each of SCALES.ahead (1/m, left positive); then 4 numbers
for each of the nearest rivals: ahead and left in the car's axes (m), speed less one's own (m/s), and 1; or 4 zeros."""
STATE_SIZE = len(OWN_FEATURES) + len(SCALES.ahead) + 4 * SCALES.rivals
_OWN_BOUND = (150, 150, 60, 2, 30, 1000, 1000, 1000, 1000, 1000, 1, 1, 1)
_RIVAL_BOUND = (20_000, 20_000, 300, 1)
STATE_BOUND = np.array((*_OWN_BOUND, *(1,) * len(SCALES.ahead), *_RIVAL_BOUND * SCALES.rivals), np.float32)
"""Largest magnitude of each entry of an observed state, far beyond what a race brings; entries are cut to it."""


class PaintoverRaceEnv(gymnasium.Env):
    """One race from the green light on; ``reset`` draws another race from the environment's own generator.

    Args:
        track: name of the circuit; ``kestrel-valley`` by default.
        observation: ``class_map`` (uint8 ``[H, W]``), ``teacher`` (uint8 ``[H, W, 3]`` RGB) or ``state`` (float32
            ``[STATE_SIZE]``, held within STATE_BOUND).
        rivals, laps: of the race.
        width, height: of pictures, divisible by 32.
        camera: ``chase``, ``cockpit`` or ``trackside``.
        look: of the teacher view, a seed or a Look.
        views: back end of the class view.
        max_seconds: simulated seconds after which an episode is truncated.
        patience: seconds without a metre of progress after which it is truncated.
        render_mode: ``rgb_array`` or None.

    Raises:
        UserError: unknown track, observation, camera, look, render mode or size.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": RENDER_FPS}  # noqa: RUF012 - Gymnasium's own name and type

    def __init__(
        self,
        track: str = DEFAULT_TRACK,
        observation: str = "state",
        rivals: int = 3,
        laps: int = 1,
        width: int = 448,
        height: int = 256,
        camera: str = "chase",
        look: Look | int = 0,
        views: str = "auto",
        max_seconds: float = 300.0,
        patience: float = 10.0,
        render_mode: str | None = None,
    ) -> None:
        if observation not in OBSERVATIONS:
            raise UserError(f"observation must be one of {', '.join(OBSERVATIONS)}, got {observation!r}")
        if render_mode not in (None, "rgb_array"):
            raise UserError(f"render_mode must be 'rgb_array' or None, got {render_mode!r}")
        self.render_mode = render_mode
        self._kind = observation
        self._setup = RaceSetup(track, rivals=rivals, laps=laps)
        self._camera, self._backend = camera, views
        self._limit, self._patience = round(max_seconds * TICK_RATE), round(patience * TICK_RATE)
        drawn = sample_look(look) if isinstance(look, int) else look
        self._options = RecordOptions(
            width=width, height=height, look=drawn, teacher="lossless" if observation == "teacher" else "none"
        )
        load_track(track)
        self.action_space = spaces.Box(np.array([-1, 0, 0], np.float32), np.ones(3, np.float32))
        self.observation_space = _space(observation, width, height)
        self._drive: Drive | None = None
        self._views: Views | None = None
        self._best, self._best_tick, self._seen_events = 0.0, 0, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray, dict[str, Any]]:
        """Begin another race, at the green light. The same ``seed`` gives the same race.

        Args:
            seed: of the generator that draws the race; None goes on with the present one.
            options: not used.
        """
        super().reset(seed=seed)
        setup = dataclasses.replace(self._setup, seed=int(self.np_random.integers(2**62)))
        self._drive = Drive(setup, self._camera)
        while self._drive.world.countdown_ticks > 0:
            self._drive.step(_IDLE)
        self._best, self._best_tick = self._progress(), self._drive.tick
        self._seen_events = len(self._drive.world.events)
        return self._observe(), self._info()

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray, float, bool, bool, dict[str, Any]]:
        """Hold an action for 1/24 s.

        Returns:
            Observation, progress in metres, whether the player has finished, whether time is over, and what else
            happened.

        Raises:
            UserError: an action outside the action space.
        """
        drive = self._running()
        steer, throttle, brake = (float(v) for v in np.asarray(action).reshape(3))
        controls = Controls(steer, throttle, brake).checked()
        before = self._progress()
        for _ in range(_TICKS):
            drive.step(controls)
        after = self._progress()
        if after > self._best + 1.0:
            self._best, self._best_tick = after, drive.tick
        finished = bool(drive.world.state.marks[0, FINISH_TICK])
        over = drive.tick >= self._limit or drive.tick - self._best_tick >= self._patience
        return self._observe(), after - before, finished, over and not finished, self._info()

    def render(self) -> NDArray[np.uint8] | None:
        """The present moment as RGB uint8 ``[H, W, 3]``: the teacher's picture if observed, else class colours."""
        if self.render_mode is None:
            return None
        return self._picture() if self._kind == "teacher" else RACING.colorize(self._class_map())

    def close(self) -> None:
        """Release the views."""
        if self._views is not None:
            self._views.close()
            self._views = None

    def _running(self) -> Drive:
        if self._drive is None:
            raise RuntimeError("call reset before step or render")
        return self._drive

    def _progress(self) -> float:
        return float(self._running().world.state.cars[0, PROGRESS])

    def _info(self) -> dict[str, Any]:
        world = self._running().world
        events = world.events[self._seen_events :]
        self._seen_events = len(world.events)
        return {
            "tick": world.tick,
            "progress": self._progress(),
            "laps": world.laps_done(0),
            "position": world.standings().index(0) + 1,
            "speed": world.speed(0),
            "off_track": bool(world.state.marks[0, OFF_TRACK]),
            "events": tuple(event.kind for event in events if 0 in (event.car, event.other)),
        }

    def _observe(self) -> NDArray:
        if self._kind == "state":
            return np.clip(state_vector(self._running()), -STATE_BOUND, STATE_BOUND)
        return self._picture() if self._kind == "teacher" else self._class_map()

    def _open_views(self) -> Views:
        if self._views is None:
            self._views = Views(self._running(), self._options, self._backend)
        return self._views

    def _class_map(self) -> NDArray[np.uint8]:
        drive = self._running()
        return self._open_views().classes.draw(drive.frame())

    def _picture(self) -> NDArray[np.uint8]:
        drive, teacher = self._running(), self._open_views().teacher
        if teacher is None:
            raise RuntimeError("this environment has no teacher view")
        return teacher.draw(drive.frame())


def state_vector(drive: Drive) -> NDArray[np.float32]:
    """The race as the player feels it: float32 ``[STATE_SIZE]``, entries as in OWN_FEATURES and below it."""
    world, arrays = drive.world, drive.track.arrays
    row = world.state.cars[0]
    s, d = float(row[S]), float(row[D])
    tangent_x, tangent_y = heading_at(arrays, s)
    nose_x, nose_y = cos(row[YAW]), sin(row[YAW])
    left, right, wall_left, wall_right = (
        sample_at(field, arrays, s)
        for field in (arrays.width_left, arrays.width_right, arrays.barrier_left, arrays.barrier_right)
    )
    own = [
        row[U], row[V], row[YAW_RATE], row[STEER], row[RPM] / 1000.0,
        d, left - d, right + d, wall_left - d, wall_right + d,
        tangent_x * nose_y - tangent_y * nose_x, tangent_x * nose_x + tangent_y * nose_y,
        world.state.marks[0, OFF_TRACK],
    ]  # fmt: skip
    road = [sample_at(arrays.curvature, arrays, s + ahead) for ahead in SCALES.ahead]
    return np.array(own + road + _rivals(world.state.cars, nose_x, nose_y), np.float32)


def _rivals(cars: NDArray[np.float64], nose_x: float, nose_y: float) -> list[float]:
    me = cars[0]
    rows = []
    for car in cars[1:].tolist():
        dx, dy = car[X] - me[X], car[Y] - me[Y]
        rows.append((dx * dx + dy * dy, [dx * nose_x + dy * nose_y, dy * nose_x - dx * nose_y, car[U] - me[U], 1.0]))
    rows.sort(key=lambda item: item[0])
    flat = [value for _, values in rows[: SCALES.rivals] for value in values]
    return flat + [0.0] * (4 * SCALES.rivals - len(flat))


def _space(observation: str, width: int, height: int) -> spaces.Box:
    if observation == "class_map":
        return spaces.Box(0, len(RACING) - 1, (height, width), np.uint8)
    if observation == "teacher":
        return spaces.Box(0, 255, (height, width, 3), np.uint8)
    return spaces.Box(-STATE_BOUND, STATE_BOUND, dtype=np.float32)


if ENV_ID not in gymnasium.registry:
    gymnasium.register(ENV_ID, entry_point="engine_sim.gym_env:PaintoverRaceEnv")
