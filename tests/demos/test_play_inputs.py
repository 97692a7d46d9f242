"""Keys and pads as plain events: what the car is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.play.inputs import Inputs
from demos.play.keyboard import COMMAND_KEYS, DRIVING_KEYS, Command, Keyboard
from demos.play.pad import FULL_SCALE, Pads, stick_value, trigger_value
from engine_sim.racing.controls import Controls

W, A, S, D, LEFT, RIGHT, UP, SPACE = 26, 4, 22, 7, 80, 79, 82, 44
LEFT_X, LEFT_TRIGGER, RIGHT_TRIGGER = 0, 4, 5
BUTTON_A, BUTTON_B, BUTTON_Y, BUTTON_START, BUTTON_LEFT = 0, 1, 3, 6, 13


def pressed(*scancodes: int) -> Controls:
    keyboard = Keyboard()
    for scancode in scancodes:
        keyboard.press(scancode)
    return keyboard.controls()


def test_arrows_and_letters_drive_alike():
    assert pressed(LEFT, UP, SPACE) == pressed(A, W, SPACE) == Controls(1.0, 1.0, 0.0, 1.0, digital=True)
    assert pressed(D, S) == Controls(steer=-1.0, brake=1.0, digital=True)


def test_the_newer_of_two_directions_wins_and_the_older_returns():
    keyboard = Keyboard()
    keyboard.press(LEFT)
    keyboard.press(RIGHT)
    assert keyboard.controls().steer == -1.0
    keyboard.release(RIGHT)
    assert keyboard.controls().steer == 1.0


def test_two_keys_of_one_action_release_one_by_one():
    keyboard = Keyboard()
    keyboard.press(W)
    keyboard.press(UP)
    keyboard.release(W)
    assert keyboard.controls().throttle == 1.0


@given(st.lists(st.tuples(st.integers(-5, 300), st.booleans())))
def test_any_order_of_key_events_gives_legal_controls(events):
    inputs = Inputs()
    for scancode, down in events:
        inputs.key(scancode, down)
    inputs.read().checked()
    inputs.release_all()
    assert inputs.read() == Controls(digital=True)


def test_every_command_has_a_key_and_no_command_key_is_a_driving_key():
    assert set(COMMAND_KEYS.values()) == set(Command) - {Command.QUIT, Command.HOME}
    assert len(DRIVING_KEYS) == 9


def test_losing_the_focus_lets_go_of_every_device():
    inputs = Inputs()
    inputs.pads.add(3, "pad")
    inputs.key(W, True)
    inputs.command(Command.RESET)
    inputs.release_all()
    assert inputs.read() == Controls(digital=True)
    inputs.pad_axis(3, RIGHT_TRIGGER, FULL_SCALE)
    inputs.release_all()
    assert inputs.read() == Controls()


def test_a_pad_takes_the_lowest_free_seat_and_is_known_by_instance():
    inputs = Inputs()
    inputs.pads.add(0, "A")
    inputs.pads.add(1, "B")
    inputs.pad_removed(0)
    inputs.pads.add(2, "A")
    inputs.pad_axis(2, LEFT_X, 20000)
    inputs.pad_axis(1, LEFT_X, -20000)
    assert inputs.pads.players() == [2, 1]
    assert inputs.read().steer > 0.5  # instance 1 moved last
    inputs.pad_axis(0, LEFT_X, 30000)  # an event that was still in the queue
    assert inputs.read().steer > 0.5


def test_a_trigger_counts_from_its_first_event_and_rests_at_zero():
    pads = Pads()
    pads.add(0, "pad")
    assert pads.find(0).controls(pads.config) == Controls()
    # SDL's mapping turns raw -0.98 of a full-range axis into 0.01 of the trigger's own range, and 0 into its half.
    pads.axis(0, RIGHT_TRIGGER, round(0.01 * FULL_SCALE))
    assert pads.find(0).controls(pads.config).throttle == pytest.approx(0.01, abs=1e-4)
    pads.axis(0, LEFT_TRIGGER, 16383)
    assert pads.find(0).controls(pads.config).brake == pytest.approx(0.5, abs=1e-4)


def test_a_device_without_mapping_never_reads_an_unknown_axis_as_a_trigger():
    pads = Pads()
    pads.add(0, "wheel", mapped=False)
    for axis in range(1, 8):
        assert not pads.axis(0, axis, -FULL_SCALE)
    assert pads.find(0).controls(pads.config) == Controls()
    pads.button(0, 0, True)
    pads.axis(0, 0, -FULL_SCALE)
    assert pads.find(0).controls(pads.config) == Controls(steer=1.0, throttle=1.0)
    assert pads.button(0, 3, True) is Command.MENU


def test_the_dead_zone_is_cut_out_and_the_rest_re_scaled():
    assert stick_value(128, 0.10) == stick_value(0.08 * FULL_SCALE, 0.10) == 0.0
    assert stick_value(0.11 * FULL_SCALE, 0.10) == pytest.approx(0.0111, abs=1e-4)
    assert stick_value(-32768, 0.10) == -1.0
    assert stick_value(FULL_SCALE, 0.10) == 1.0


@given(st.integers(-32768, 32766), st.floats(0.0, 0.5))
def test_a_stick_is_odd_monotone_and_in_range(raw, dead_zone):
    value = stick_value(raw, dead_zone)
    assert -1.0 <= value <= stick_value(raw + 1, dead_zone) <= 1.0
    assert raw == -32768 or stick_value(-raw, dead_zone) == -value


def test_sticks_are_not_quantised():
    steps = {stick_value(raw, 0.10) for raw in range(4000, 30000)}
    assert len(steps) == 26000
    assert trigger_value(12345) == 12345 / FULL_SCALE


def test_a_resting_pad_leaves_the_keyboard_driving():
    inputs = Inputs()
    inputs.pads.add(0, "worn")
    idle = inputs.read()
    for raw in (128, round(0.08 * FULL_SCALE)):
        inputs.pad_axis(0, LEFT_X, raw)
        assert inputs.read() == idle
    inputs.key(A, True)
    inputs.pad_axis(0, LEFT_X, 130)
    assert inputs.read() == Controls(steer=1.0, digital=True)


def test_the_device_touched_last_drives_until_it_is_unplugged():
    inputs = Inputs()
    inputs.pads.add(0, "pad")
    inputs.key(A, True)
    inputs.pad_axis(0, RIGHT_TRIGGER, FULL_SCALE)
    assert inputs.read() == Controls(throttle=1.0)
    inputs.pad_removed(0)
    assert inputs.read() == Controls(steer=1.0, digital=True)


def test_buttons_ask_for_commands_once_and_steer_by_the_cross():
    inputs = Inputs()
    inputs.pads.add(0, "pad")
    assert inputs.pad_button(0, BUTTON_Y, True) is Command.CAMERA
    assert inputs.pad_button(0, BUTTON_Y, False) is None
    assert inputs.pad_button(0, BUTTON_START, True) is Command.MENU
    assert inputs.pad_button(0, 99, True) is None
    assert inputs.pad_button(7, BUTTON_Y, True) is None
    inputs.pad_button(0, BUTTON_LEFT, True)
    inputs.pad_button(0, BUTTON_A, True)
    assert inputs.read() == Controls(steer=1.0, handbrake=1.0)


def test_resets_and_shifts_are_read_once():
    inputs = Inputs()
    assert inputs.command(Command.RESET)
    assert inputs.command(Command.SHIFT_DOWN)
    assert not inputs.command(Command.PAUSE)
    assert inputs.read() == Controls(gear_shift=-1, reset=True, digital=True)
    assert inputs.read() == Controls(digital=True)
