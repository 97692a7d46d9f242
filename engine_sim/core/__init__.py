"""What every rule stands on: integer ticks, exact maths, random streams, state."""
