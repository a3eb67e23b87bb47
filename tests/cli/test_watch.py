"""`--watch` reports again when something changed, and ends when it is told to."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
#include "width.h"
__global__ void k(float *out) {
    __shared__ float tile[32][WIDTH];
    tile[threadIdx.x][0] = out[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x][0];
}
"""


class Watching:
    """A running `warplint check --watch`, and the lines that it wrote."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line)

    def end(self) -> None:
        """End the process; the pipe is closed by the thread that reads it, and by no other."""
        self.process.kill()
        self.process.wait(timeout=60)
        self._listener.join(timeout=60)

    def report(self) -> list[str]:
        """The lines of the next report, up to the one that says what is watched."""
        lines: list[str] = []
        while not (lines and lines[-1].startswith("watching ")):
            lines.append(self._lines.get(timeout=60))
        return lines


def _heed_interrupts() -> None:
    """Undoes what shells do to commands in the background: they ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def watching(script: Path, tmp_path: Path) -> Iterator[Callable[..., Watching]]:
    started: list[Watching] = []

    def start(*arguments: str) -> Watching:
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        if sys.platform != "win32":
            options["preexec_fn"] = _heed_interrupts
        command = [script, "check", *arguments]
        process = subprocess.Popen(command, cwd=tmp_path, text=True, **options)
        started.append(Watching(process))
        return started[-1]

    yield start
    for watching in started:
        watching.end()


@pytest.fixture(params=["looking", "told by the system"])
def means(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With `watchfiles`, and as if it were not installed."""
    pytest.importorskip("watchfiles", reason="pip install 'warplint[watch]'")
    if request.param == "looking":
        folder = tmp_path_factory.mktemp("without")
        (folder / "watchfiles.py").write_text("raise ImportError\n", encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="is ended by a signal of POSIX")
@pytest.mark.usefixtures("means")
@pytest.mark.parametrize(("ends", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_changes_of_files_headers_and_settings(
    watching: Callable[..., Watching], tmp_path: Path, ends: signal.Signals, code: int
) -> None:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "width.h").write_text("#define WIDTH 32\n", encoding="utf-8")
    run = watching(".", "--watch", "--select", "SHM001", "--block", "32", "--format", "concise")
    assert sum("SHM001" in line for line in run.report()) == 1
    (tmp_path / "width.h").write_text("#define WIDTH 32 + 1\n", encoding="utf-8")
    assert not any("SHM001" in line for line in run.report())
    (tmp_path / "new.cu").write_text(KERNEL.replace("WIDTH", "64"), encoding="utf-8")
    assert sum("new.cu" in line and "SHM001" in line for line in run.report()) == 1
    (tmp_path / "warplint.toml").write_text("exclude = [", encoding="utf-8")
    assert any("not TOML" in line for line in run.report())
    (tmp_path / "warplint.toml").write_text("exclude = ['new.cu']\n", encoding="utf-8")
    assert not any("new.cu" in line for line in run.report())
    run.process.send_signal(ends)
    assert run.process.wait(timeout=60) == code


@pytest.mark.skipif(sys.platform == "win32", reason="is ended by a signal of POSIX")
def test_nothing_is_imported_from_the_folder(
    watching: Callable[..., Watching], tmp_path: Path
) -> None:
    (tmp_path / "k.cu").write_text(KERNEL.replace("WIDTH", "32"), encoding="utf-8")
    for name in ("click", "lark", "json", "subprocess", "multiprocessing", "tomllib", "warplint"):
        text = f"open('ran-{name}', 'w')\nraise SystemExit\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    run = watching("k.cu", "--watch", "--select", "SHM001", "--format", "concise", "--block", "32")
    assert sum("SHM001" in line for line in run.report()) == 1
    assert list(tmp_path.glob("ran-*")) == []


@pytest.mark.parametrize("more", ["--fix", "--diff", "--add-ignore", "--update-baseline"])
def test_files_are_not_changed_meanwhile(warplint: Run, more: str) -> None:
    outcome = warplint("k.cu", "--watch", more)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: --watch only reports\n")


def test_a_pipe_cannot_be_watched(warplint: Run) -> None:
    outcome = warplint("-", "--watch", stdin=KERNEL)
    assert (outcome.code, "cannot be watched" in outcome.err) == (2, True)
