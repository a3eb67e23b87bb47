"""Ctrl-C and SIGTERM: the run ends, with what was found so far, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at /proc")

CONFLICT = """\
__global__ void column{0}(float *out) {{
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t % 32][0] = out[t];
    __syncthreads();
    out[t] = tile[0][t % 32];
}}
"""
PATIENCE = 60.0  # seconds that a busy machine may take to get somewhere


def children(process: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children(child)]
    return found


def wait_for(what: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)
    return found


def stored(folder: Path) -> list[Path]:
    """The results that a run has stored: it is at work."""
    return [path for path in (folder / ".kept").glob("results/*/*") if len(path.name) == 62]


def is_gone(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


@pytest.fixture
def start(script: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Checks forty files, in a process group of its own."""
    started: list[subprocess.Popen[str]] = []
    for number in range(40):
        text = "".join(CONFLICT.format(f"{number}_{each}") for each in range(12))
        (tmp_path / f"f{number:02}.cu").write_text(text, encoding="utf-8")

    def run(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [script, "check", *arguments], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            env=os.environ | {"WARPLINT_CACHE_DIR": str(tmp_path / ".kept")},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("whole", [False, True], ids=["the process", "its group"])
@pytest.mark.parametrize("jobs", ["1", "2", "5"])
def test_what_was_found_is_reported(
    start: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    jobs: str,
    number: int,
    whole: bool,
) -> None:
    process = start(".", "-j", jobs, "--format", "json")
    wait_for(lambda: stored(tmp_path))  # the first result is there
    helpers = children(process.pid)
    assert len(helpers) == (0 if jobs == "1" else int(jobs))
    (os.killpg if whole else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert "the run was interrupted" in err
    report = json.loads(out)
    assert report["summary"]["exit_code"] == 128 + number
    assert len(report["inputs"]) == 40
    done = {item["path"] for item in report["inputs"] if item["status"] == "full"}
    assert len(done) < 40
    assert {item["path"] for item in report["findings"]} <= done
    assert all(map(is_gone, helpers))


def test_two_signals_in_a_row_are_one(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    process = start(".", "-j", "2", "--format", "json")
    wait_for(lambda: stored(tmp_path))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):  # as timeout(1) and shells do
        os.kill(process.pid, number)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert len(json.loads(out)["inputs"]) == 40


def test_workers_end_with_a_run_that_was_killed(
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    process = start(".", "-j", "3")
    helpers = wait_for(lambda: children(process.pid))
    process.kill()
    wait_for(lambda: all(map(is_gone, helpers)))


def test_a_worker_that_is_killed_costs_nothing(
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    some = [f"f{number:02}.cu" for number in range(12)]
    options = ("--no-cache", "--format", "json", *some)
    calm = json.loads(start("-j", "1", *options).communicate(timeout=PATIENCE)[0])
    process = start("-j", "3", *options)
    first = wait_for(lambda: children(process.pid))[0]
    os.kill(first, signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE)
    assert (json.loads(out), err) == (calm, "")


@pytest.mark.parametrize(
    "more", [["--fix"], ["--diff"], ["--baseline", "b.json", "--update-baseline"]], ids=str
)
def test_nothing_is_changed_by_half_a_run(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path, more: list[str]
) -> None:
    def state() -> list[tuple[str, bytes]]:
        return sorted((path.name, path.read_bytes()) for path in tmp_path.glob("[!.]*"))

    process = start(".", "-j", "2", *more)
    before = state()
    wait_for(lambda: stored(tmp_path))
    process.terminate()
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (128 + signal.SIGTERM, "", "interrupted\n")
    assert state() == before


def test_who_watches_ends_its_report(start: Callable[..., subprocess.Popen[str]]) -> None:
    process = start(".", "-j", "2", "--watch")
    wait_for(lambda: len(children(process.pid)) == 3)
    everybody = children(process.pid)
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    wait_for(lambda: all(map(is_gone, everybody)))


def test_ignored_signals_stay_ignored() -> None:
    code = "import signal, os; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    process = subprocess.run(
        [sys.executable, "-c", "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
         "from warplint.analyzer.engine.processes import stopping; stopping.heed_signals()\n"
         + code],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (process.returncode, process.stdout) == (0, "alive\n")
