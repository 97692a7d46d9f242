"""A player who only taps keys: full left, full right or nothing; full throttle or full brake or nothing."""

from __future__ import annotations

import math

from engine_sim.racing.controls import Controls
from engine_sim.racing.state import YAW, D, S, U, X, Y
from engine_sim.racing.world import World
from engine_sim.tracks.query import point_at, sample_at


def tap_keys(world: World, pace: float = 0.9) -> Controls:
    """Keys of a player with quick eyes and no feeling for anything between on and off.

    He steers whenever a point ahead on the racing line is not straight before his bonnet, brakes when much too fast.
    """
    car, arrays = world.state.cars[0], world.track.arrays
    speed = max(float(car[U]), 0.0)
    look = 6.0 + 0.55 * speed
    line = sample_at(arrays.line_d, arrays, car[S] + look)
    px, py, _ = point_at(arrays, car[S] + look, line)
    angle = math.atan2(py - car[Y], px - car[X]) - car[YAW]
    angle = (angle + math.pi) % (2.0 * math.pi) - math.pi
    steer = 0.0 if abs(angle) < 0.035 else math.copysign(1.0, angle)
    wanted = pace * min(sample_at(arrays.line_speed, arrays, car[S] + d) for d in (2.0, 0.25 * speed + 2.0))
    throttle = 1.0 if speed < wanted else 0.0
    brake = 1.0 if speed > wanted + 1.5 else 0.0
    return Controls(steer=steer, throttle=throttle, brake=brake, digital=True)


def off_line(world: World) -> float:
    """Metres between the player's car and the racing line."""
    car, arrays = world.state.cars[0], world.track.arrays
    return abs(float(car[D]) - sample_at(arrays.line_d, arrays, car[S]))
