"""The installed command, run as users run it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCRIPT = Path(sys.executable).parent / "warplint"


@dataclass(frozen=True)
class Outcome:
    """What a process left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def script() -> Path:
    """The console script of the environment that runs the tests."""
    return SCRIPT


@pytest.fixture(scope="session", autouse=True)
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder of all tests here: parse tables and compiled modules are made once.

    Half of the time of a process is Python's compiler where the environment forbids it to keep
    what it made.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kept"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARPLINT_CACHE_DIR", str(folder))
        patch.setenv("PYTHONPYCACHEPREFIX", str(folder / "compiled"))
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield folder


@pytest.fixture
def warplint(tmp_path: Path) -> Callable[..., Outcome]:
    """`warplint("check", "k.cu", FORCE_COLOR="1")` runs the script in an empty folder."""

    def run(*arguments: str, stdin: str = "", **environment: str) -> Outcome:
        plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
        done = subprocess.run(
            [SCRIPT, *arguments],
            cwd=tmp_path,
            env=plain | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"} | environment,
            capture_output=True,
            encoding="utf-8",
            input=stdin,
            timeout=300,
            check=False,
        )
        assert "Traceback" not in done.stderr or "--debug" in arguments
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run
