"""Addresses to serve at."""

import pytest

from .ends import addresses


@pytest.fixture(params=["ipc", "tcp"])
def address(request, tmp_path):
    return addresses(tmp_path)[request.param]


@pytest.fixture
def ipc(tmp_path):
    return addresses(tmp_path)["ipc"]
