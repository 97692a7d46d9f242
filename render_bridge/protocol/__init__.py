"""The pure core of the frame protocol: bytes in, events out; events in, bytes out. No socket, no clock, no thread.

``docs/PROTOCOL.md`` is the specification; rule ids such as R-07 in docstrings and texts are its numbers.
"""
