"""The two ends over ZeroMQ: a thread that owns the socket around the pure state machines of ``protocol``."""
