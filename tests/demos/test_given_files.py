"""Devices and pipes given where a file is wanted: one line each, no memory, no waiting."""

import os
import sys
from pathlib import Path

import pytest

from demos.options import parse_look
from demos.play.references import read_reference
from demos.prompt_schedule.text import read_prompt_schedule
from demos.web.plan import read_token
from engine_sim.core.errors import UserError
from engine_sim.recording.fields import read_json

READERS = {
    "reference": lambda path: read_reference(path, 64, 64),
    "schedule": read_prompt_schedule,
    "token": read_token,
    "look": lambda path: parse_look(str(path)),
    "session": read_json,
}


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_ordinary_file_is_refused_in_a_line(tmp_path, reader):
    pipe, endless = tmp_path / "pipe.json", tmp_path / "endless.json"
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    for path in (pipe, endless):
        with pytest.raises(UserError, match="no ordinary file") as refusal:
            READERS[reader](Path(path))
        assert "\n" not in str(refusal.value)
