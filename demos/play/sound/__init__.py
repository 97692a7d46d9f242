"""Engine and tyres, made from what the car does: outside the model, and off unless a player wants them."""
