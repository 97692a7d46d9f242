"""Sessions of HTTP within tests, which leave no connection open."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import aiohttp


@contextlib.asynccontextmanager
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """A session whose end waits for its connections: one by TLS that was given up before waits for the other side's
    farewell, which the end of a session does not, and a loop that ends first leaves it to the garbage collector."""
    sockets: list[socket.socket] = []

    def make(address: tuple[int, int, int, str, object]) -> socket.socket:
        sockets.append(socket.socket(*address[:3]))
        return sockets[-1]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(socket_factory=make)) as session:
        yield session
    async with asyncio.timeout(20):
        while any(taken.fileno() != -1 for taken in sockets):
            await asyncio.sleep(0.01)
