"""The one car of the game, a rear-driven GT: its numbers, SI units.

Kernels see them as compile-time constants. Sources: ordinary values of a 1.25 t GT car (public data sheets); tyres
and aerodynamics are tuned so that 0–100 km/h takes about 4.5 s, top speed is about 270 km/h, and asphalt holds 1.3 g.
"""

from __future__ import annotations

GRAVITY = 9.81

# Body.
MASS = 1250.0  # with driver and fuel
INERTIA = 1900.0  # yaw
FRONT = 1.3  # centre of gravity (= centre of the wheelbase) to the front axle
REAR = 1.3
WHEELBASE = FRONT + REAR
TRACK_WIDTH = 1.62
CG_HEIGHT = 0.44
LENGTH = 4.5
WIDTH = 1.86

# Air: force = factor · speed².
DRAG = 0.55
DOWNFORCE = 0.75
DOWNFORCE_FRONT = 0.44  # share on the front axle

# Tyres.
WHEEL_RADIUS = 0.33
GRIP = 1.42  # friction at nominal load on asphalt
FRONT_BALANCE = 0.97  # front grip relative to rear: a touch of understeer
LOAD_SENSITIVITY = 0.10  # grip lost per nominal load above nominal
PEAK_SLIP_ANGLE = 0.135  # tangent at peak side force on asphalt
PEAK_SLIP_RATIO = 0.11
ROLL_FRONT = 0.56  # share of the lateral load transfer carried by the front axle
SLOW = 3.0  # m/s below which slip is measured against this speed instead: tyres become dampers

# Steering.
LOCK = 0.56  # largest angle of the front wheels
STEER_RATE = 3.6  # rad/s of the front wheels

# Brakes, N m at the axle for a full pedal.
BRAKE_FRONT = 4900.0
BRAKE_REAR = 2300.0
HANDBRAKE_REAR = 3600.0
HELP_FRONT = 0.93  # share of its lengthwise grip that brake help lets an axle use; the rear keeps more in hand
HELP_REAR = 0.80

# Engine, gearbox, axles.
TORQUE_PEAK = 430.0
TORQUE_RPM = 4800.0  # where it peaks
TORQUE_SPAN = 6200.0  # rpm scale of the parabola
TORQUE_DROP = 1.19
IDLE_RPM = 900.0
LAUNCH_RPM = 3600.0  # that a slipping clutch holds at full throttle
LIMIT_RPM = 7600.0
UP_RPM = 7250.0
DOWN_RPM = 5300.0  # rpm that the lower gear may reach when slowing down
KICK_RPM = 6300.0  # … at full throttle
EFFICIENCY = 0.92
ENGINE_BRAKE = 62.0  # N m at the limiter with closed throttle
GEARS = (3.1, 2.9, 2.05, 1.58, 1.28, 1.07, 0.91)  # reverse, then 1 … 6
TOP_GEAR = 6
FINAL_DRIVE = 3.55
ENGINE_INERTIA = 0.12
AXLE_INERTIA = 2.6
SHIFT_TICKS_FULL = 14  # 0.12 s without drive
SHIFT_PAUSE_FULL = 36
REVERSE_HOLD = 30  # ticks of held brake at a standstill before reverse goes in

# Body on its springs: what the pose shows, and what kerbs shake.
PITCH_PER_G = 0.020  # rad per g of braking
ROLL_PER_G = 0.034
SPRING = 170.0  # 1/s²
DAMPING = 15.0  # 1/s
LEAN_TIME = 0.07  # s, suspension lag of the load transfer
