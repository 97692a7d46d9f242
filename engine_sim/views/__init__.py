"""What a camera sees of a world: class maps and the lit teacher view."""
