"""How fast `check` is on repositories, and beside other tools on the same files.

    python bench/speed.py [--compare SECONDS] [--slowest N] DIR...

Each folder is checked in a process of its own: default rules, no stored results, one process, and
the launches that its files have of each other's kernels.
Printed for each and for all: lines of .cu, .cuh and .ptx, CPU seconds (user and system), thousands
of lines a second, peak memory. Then the slowest files; instructions a second of PTX, where there is
some; how time and memory grow when the middle one of the files is checked 1, 2 and 4 times under
different names; what one command costs (`start_up.py`); and, with `--compare`, the CPU time of
cppcheck and nvcc, where they are installed, on the files that they accept, until that many seconds
are spent on each, as ratios to ours.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from start_up import WARPLINT, best

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import (
    Means,
    Work,
    check_work,
    extras_of_run,
    launches_of_run,
)
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.source.collection import own_process
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

_INSTRUCTION = re.compile(rb"^\s*(?:@!?%\w+\s+)?[a-z][\w.]*(?:\s[^;{}]*)?;", re.MULTILINE)
_TOOLS = {
    "cppcheck": ("cppcheck", "--quiet", "--language=c++"),
    "nvcc": ("nvcc", "--ptx", "-o", os.devnull),
}


@dataclass(frozen=True, slots=True)
class Run:
    """One check of some paths: what was read, what it took."""

    lines: int
    seconds: float
    megabytes: int
    files: dict[str, float]  # CPU seconds of each

    def row(self, name: str) -> str:
        """The run as a line of a table."""
        rate = self.lines / 1000 / self.seconds
        return f"{self.lines:>8} {self.seconds:>8.2f} {rate:>7.2f} {self.megabytes:>6}  {name}"


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--compare", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--slowest", type=int, default=10, metavar="N")
    options = parser.parse_args()
    print(f"{'lines':>8} {'CPU s':>8} {'KLOC/s':>7} {'MB':>6}")
    runs = {folder: checked([folder]) for folder in options.folders}
    for folder, run in runs.items():
        print(run.row(folder), flush=True)
    files = {path: seconds for run in runs.values() for path, seconds in run.files.items()}
    total = Run(
        sum(run.lines for run in runs.values()),
        sum(run.seconds for run in runs.values()),
        max(run.megabytes for run in runs.values()),
        files,
    )
    print(total.row("all"))
    print("the slowest files:")
    slowest = sorted(files, key=files.__getitem__, reverse=True)
    for path in slowest[: options.slowest]:
        print(f"  {files[path]:.2f} s  {path}")
    middle = sorted(files, key=lambda path: Path(path).stat().st_size)[len(files) // 2]
    _print_ptx([path for path in files if path.endswith(".ptx")])
    _print_growth(middle)
    print(f"start: {best(5, WARPLINT, '--version')} ms, Python alone "
          f"{best(5, sys.executable, '-c', 'pass')} ms; {middle}: "
          f"{best(5, WARPLINT, 'check', '--no-cache', '-j1', middle)} ms")  # fmt: skip
    for tool, command in _TOOLS.items() if options.compare else ():
        _print_tool(tool, command, files, options.compare)


def checked(paths: Sequence[str]) -> Run:
    """Check paths in a copy of this process, which ends with them."""
    inputs, output = os.pipe()
    child = os.fork()
    if not child:
        os.close(inputs)
        with os.fdopen(output, "w") as pipe:
            json.dump(_seconds_by_file(paths), pipe)
        os._exit(0)
    os.close(output)
    with os.fdopen(inputs) as pipe:
        files = json.load(pipe)
    _, _, usage = os.wait4(child, 0)
    lines = sum(Path(path).read_bytes().count(b"\n") for path in files)
    seconds = usage.ru_utime + usage.ru_stime
    return Run(lines, seconds, usage.ru_maxrss // 1024, files)


def _seconds_by_file(paths: Sequence[str]) -> dict[str, float]:
    own_process()
    rules = tuple(rule for rule in load_rules().values() if rule.default)
    profile = Profile(Settings(), rules)
    works = [Work(file, profile) for file in collect_inputs(paths).files]
    units = Means().units_of(works)
    elsewhere = launches_of_run(works, Means(), units)  # a part of what all of them take
    extras = replace(extras_of_run(works), units=units)
    found: dict[str, float] = {}
    for work in works:
        start = time.process_time()
        check_work(replace(work, elsewhere=elsewhere.get(work.file.path, ())), extras)
        found[work.file.path] = time.process_time() - start
    return found


def _print_ptx(paths: Sequence[str]) -> None:
    if paths:
        run = checked(paths)
        count = sum(len(_INSTRUCTION.findall(Path(path).read_bytes())) for path in paths)
        print(f"PTX: {count} instructions, {count / 1000 / run.seconds:.1f} thousand a second")


def _print_growth(path: str) -> None:
    """What the same file costs under 1, 2 and 4 names."""
    with tempfile.TemporaryDirectory() as folder:
        shown = []
        for count in (1, 2, 4):
            for number in range(count):
                shutil.copy(path, Path(folder, f"{number}{Path(path).suffix}"))
            run = checked([folder])
            shown.append(f"{count}: {run.seconds:.2f} s {run.megabytes} MB")
    print(f"growth with the number of files, of {path}: {', '.join(shown)}")


def _print_tool(tool: str, command: Sequence[str], files: dict[str, float], limit: float) -> None:
    """Another tool on the same files, one by one."""
    if shutil.which(tool) is None:
        print(f"{tool}: not installed")
        return
    theirs = ours = 0.0
    accepted = refused = 0
    for path, seconds in files.items():
        if not path.endswith(".cu") or theirs > limit:
            continue
        before = os.times()
        done = subprocess.run([*command, path], capture_output=True, check=False)
        after = os.times()
        spent = after.children_user + after.children_system
        spent -= before.children_user + before.children_system
        if done.returncode:
            refused += 1
            continue
        accepted += 1
        theirs += spent
        ours += seconds
    if accepted:
        ratio = ours / theirs
        print(f"{tool}: {theirs:.1f} s on {accepted} files, ours {ours:.1f} s, {ratio:.2f} times")
    print(f"{tool}: {refused} files refused")


if __name__ == "__main__":
    main()
