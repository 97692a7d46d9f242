"""What speed is made of: a ladder of single changes, and public shapes beside ours. Run with ``python -m``."""
