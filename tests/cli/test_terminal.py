"""On a terminal: colours, and lines that fit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import fcntl
import pty
import struct
import termios

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WIDTH = 50
WIDE = "__global__ void k() { if (threadIdx.x) { " + "int x; " * 50 + "__syncthreads(); } }\n"


def shown(script: Path, folder: Path, environment: Mapping[str, str]) -> str:
    """What a terminal of WIDTH columns shows of `warplint wide.cu`."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    plain = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(
        [script, "wide.cu"], cwd=folder, env=plain | {"TERM": "xterm"} | environment, stdout=slave
    ):
        os.close(slave)
        pieces = []
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:  # Linux says so when the other end is closed
                break
            if not piece:
                break
            pieces.append(piece)
    os.close(master)
    return b"".join(pieces).decode().replace("\r\n", "\n")


@pytest.fixture(autouse=True)
def wide(tmp_path: Path) -> None:
    (tmp_path / "wide.cu").write_text(WIDE, encoding="utf-8")


def test_colour_and_width(script: Path, tmp_path: Path) -> None:
    text = shown(script, tmp_path, {})
    assert "\x1b[1;36mnote[SYN001]" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    source = [line for line in plain.splitlines() if "__syncthreads();" in line and "|" in line]
    assert source
    assert max(map(len, source)) <= WIDTH


def test_no_color_is_honoured(script: Path, tmp_path: Path) -> None:
    assert "\x1b" not in shown(script, tmp_path, {"NO_COLOR": "1"})
