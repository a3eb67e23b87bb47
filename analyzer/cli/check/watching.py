"""`warplint check --watch`: the same command again, whenever what it looks at changes.

In: the files that a command line names. Out: a report for each state of them. Watched are the
inputs, what a walk finds anew, and, in the folders of the inputs and those of -I, headers and
configuration files. Their dates and sizes are looked at twice a second, or, where `watchfiles` is
installed, when the system says that something changed in these folders, and every ten seconds for
file systems that do not say so. Each report is made by a process of its own, which knows nothing of
the last one but the stored results.
Headers in other folders are not watched: they are read, whatever changed, by the next report.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from ...config.discovery import NAMES
from ...config.errors import UsageError
from ...engine.processes.stopping import check_stopped
from ...source.programs import python_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...config.project import Project

_TIME_TO_END = 0.5  # seconds
_PAUSE = 0.5  # seconds between two looks
_UNTOLD = 10.0  # seconds between two looks where the system says what changes
_SHARE = 10  # of the time, at most one part in so many is spent on looking
_CLEAR = "\x1b[2J\x1b[H"
_MAIN = f"{__package__.rpartition('.')[0]}.main"
_RUN = "from {} import run; run()"

State = dict[str, tuple[int, int]]


def watch(files: Sequence[str], project: Project) -> int:
    """Run `check --watch`: report after each change until the user interrupts."""
    from ...engine.inputs import STANDARD_INPUT

    if STANDARD_INPUT in files:
        raise UsageError("standard input cannot be watched", "pass files")
    given = [word for word in click.get_current_context().obj if word != "--watch"]
    command = [*python_command(_RUN.format(_MAIN)), *given]
    while True:
        state = _state(files, project)
        if sys.stdout.isatty():
            sys.stdout.write(_CLEAR)
            sys.stdout.flush()
        _report(command)
        print(f"watching {len(state)} files; Ctrl-C ends it", file=sys.stderr, flush=True)
        _wait_for_another(state, files, project)


def _report(command: Sequence[str]) -> None:
    """Run a report to its end; who ends us ends it."""
    process = subprocess.Popen(command)
    try:
        process.wait()
    except BaseException:
        process.terminate()  # it has workers of its own to end
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TIME_TO_END)
        process.kill()
        raise


def _wait_for_another(state: State, files: Sequence[str], project: Project) -> None:
    folders = {os.path.dirname(path) for path in state}
    folders |= {os.path.abspath(path) for path in files if os.path.isdir(path)}
    for _ in _notices(folders):
        if _state(files, project) != state:
            return
    pause = _PAUSE
    while True:
        time.sleep(pause)
        start = time.monotonic()
        if _state(files, project) != state:
            return
        pause = max(_PAUSE, (time.monotonic() - start) * _SHARE)


def _notices(folders: set[str]) -> Iterator[None]:
    """Something may have changed in these folders; ends where the system cannot be asked."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        return
    next_look = 0.0  # what changed before the system was asked is seen at once
    try:
        for change in changes(
            *folders, watch_filter=None, recursive=False, debounce=100, step=50,
            rust_timeout=round(_PAUSE * 1000), yield_on_timeout=True,
        ):  # fmt: skip
            if change or time.monotonic() >= next_look:
                next_look = time.monotonic() + _UNTOLD
                yield
    except KeyboardInterrupt:
        check_stopped()  # it says so of every signal
        raise
    except OSError:  # a limit of the system: looking works without it
        return


def _state(files: Sequence[str], project: Project) -> State:
    """The date and size of everything that is watched."""
    from ..shared.inputs import read_inputs

    paths = [file.path for file in read_inputs(files, None, project).files]
    folders = {os.path.dirname(os.path.abspath(path)) for path in paths}
    folders |= set(map(os.path.abspath, project.settings.include_paths))
    state: State = {}
    for path in (*paths, *_beside(folders)):
        try:
            status = os.stat(path)
        except OSError:
            continue
        state[os.path.abspath(path)] = (status.st_mtime_ns, status.st_size)
    return state


def _beside(folders: set[str]) -> Iterator[str]:
    """Headers and configuration files in some folders."""
    from ...engine.inputs import NAMED

    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name in NAMES or os.path.splitext(name)[1].lower() in NAMED:
                yield os.path.join(folder, name)
