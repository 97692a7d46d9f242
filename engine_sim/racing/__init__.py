"""The race: cars, drivers, rules, world. State and controls in, state out."""
