"""Where time went: parts of a process's time that add up."""

import pytest

from engine_sim.recording.ledger import PARTS, WAITING, Ledger


def test_shares_add_up_and_what_is_left_was_waiting():
    ledger, other = Ledger(), Ledger()
    ledger.seconds.update({"drawing": 2.0, "set-up": 1.0})
    other.seconds.update({"drawing": 1.0})
    ledger.processor, other.processor = 1.5, 0.5
    ledger.add(other)
    shares = ledger.shares(8.0)
    assert list(shares) == [*PARTS, WAITING]
    assert (shares["drawing"], shares["set-up"], shares["packing"], shares[WAITING]) == (0.375, 0.125, 0.0, 0.5)
    assert ledger.processor == 2.0


def test_a_part_is_counted_even_if_its_block_fails():
    ledger = Ledger()
    with pytest.raises(ValueError, match="x"), ledger.on("reading"):
        raise ValueError("x")
    assert ledger.seconds["reading"] > 0.0


def test_nothing_drawn_has_no_shares():
    assert Ledger().shares(10.0) == {}
