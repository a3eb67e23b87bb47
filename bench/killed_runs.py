"""Runs that are killed at random moments: what they leave behind harms nobody.

    python bench/killed_runs.py [--kills 200] [--seed 1]

Each round starts one command (check with stored results, --fix, --add-ignore, a baseline, a report
to a file) in a fresh copy of a few kernels and ends it with SIGKILL, SIGTERM or SIGINT after a
random part of the time that it takes. Afterwards every file must be as before or as after the whole
command (a report may be one of what was found so far), no process and no half-written file of ours
may be left beside them, and checking with what was stored must tell what a clean run tells. Prints
each difference, and the counts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WARPLINT = Path(sys.executable).parent / "warplint"
KERNEL = """\
__global__ void transpose{0}(const float *in, float *out)
{{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y];
}}
"""
BLOCK = ("--block", "32,32", "--isolated")
COMMANDS = {
    "check": ["check", ".", *BLOCK],
    "check -j3": ["check", ".", *BLOCK, "-j", "3"],
    "fix": ["check", ".", *BLOCK, "--fix"],
    "ignore": ["check", ".", *BLOCK, "--add-ignore=why"],
    "baseline": ["baseline", ".", *BLOCK, "--output", "b.json"],
    "report": ["check", ".", *BLOCK, "--format", "sarif", "--output", "r.sarif"],
}
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pick = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        farm = Farm(Path(name))
        bad = ended = 0
        for number in range(options.kills):
            what = pick.choice(list(COMMANDS))
            found, early = farm.kill(what, pick.choice(SIGNALS), pick.random())
            ended += early
            for each in found:
                print(f"kill {number}, {what}: {each}", flush=True)
            bad += bool(found)
    print(f"{options.kills} runs killed, {ended} of them before their end: {bad} left harm behind")
    return bad > 0


class Farm:
    """A folder of kernels, what each command makes of it, and how long it takes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._work = folder / "work"
        self._kept = folder / "kept"
        self._before = {f"k{number}.cu": KERNEL.format(number).encode() for number in range(8)}
        self._after: dict[str, dict[str, bytes]] = {}
        self._takes: dict[str, float] = {}
        self._reset()
        self._run("--version")
        self._clean = self._told()
        for what, words in COMMANDS.items():
            self._reset()
            start = time.monotonic()
            self._run(*words)
            self._takes[what] = time.monotonic() - start
            self._after[what] = self._state()

    def kill(self, what: str, number: int, part: float) -> tuple[list[str], bool]:
        """What is wrong after a command was ended, and whether it was ended before its end."""
        self._reset()
        process = subprocess.Popen(
            [WARPLINT, *COMMANDS[what]], cwd=self._work, env=self._environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        time.sleep(part * self._takes[what])
        early = process.poll() is None
        process.send_signal(number)
        process.wait()
        found = list(self._left(process.pid))
        after = self._after[what]
        state = self._state()
        for name, data in state.items():
            if name == "r.sarif" and number != signal.SIGKILL:
                json.loads(data)  # a report of what was found so far
            elif data not in (self._before.get(name), after.get(name)):
                found.append(f"{name} is neither as before nor as after")
        found += [f"{name} is gone" for name in self._before if name not in state]
        self._reset(keep=True)
        told = self._told()
        if told != self._clean:
            found.append("with what was stored another result is told")
        return found, early

    def _left(self, group: int) -> list[str]:
        """Processes of the run that are there a second later."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                return []
            time.sleep(0.05)
        return ["a process is left"]

    def _reset(self, *, keep: bool = False) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        if not keep:
            shutil.rmtree(self._kept, ignore_errors=True)
        self._work.mkdir()
        for name, data in self._before.items():
            (self._work / name).write_bytes(data)

    def _state(self) -> dict[str, bytes]:
        """The files; one that SIGKILL left half written has a name that nobody reads."""
        files = (path for path in self._work.iterdir() if not path.name.startswith(".warplint-"))
        return {path.name: path.read_bytes() for path in files}

    def _told(self) -> str:
        return self._run("check", ".", *BLOCK, "--format", "json")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [WARPLINT, *words], cwd=self._work, env=self._environment(),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout

    def _environment(self) -> dict[str, str]:
        return os.environ | {"WARPLINT_CACHE_DIR": str(self._kept)}


if __name__ == "__main__":
    sys.exit(main())
