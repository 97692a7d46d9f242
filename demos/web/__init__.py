"""The game in a browser: one page, one race, the picture over WebRTC; one holds the wheel and others may watch."""
