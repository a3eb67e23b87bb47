"""Reports of Nsight Compute as it saves them (`.ncu-rep`), printed by the ncu that is here.

In: the path of a file. Out: what its raw page and its source page say (`profile_report.py`); one of
them is enough. The format is NVIDIA's own: without their program nobody reads it, and the error
says how to print the file where it is installed.
"""

from __future__ import annotations

import os
import subprocess

from ..source.files import read_start
from ..source.programs import find_program
from .profile_report import ProfileReport, read_profile
from .sanitizer_report import ReportError

_BEGINS = b"NVR\0"
_PAGES = (("--page", "raw"), ("--page", "source", "--print-source", "cuda,sass"))
_PATIENCE = 600  # seconds that ncu may take for one page


def is_saved_profile(path: str) -> bool:
    """Whether a file is a report of Nsight Compute (`.ncu-rep`), by its first bytes."""
    try:
        return read_start(path, len(_BEGINS)) == _BEGINS
    except OSError:
        return False


def read_saved_profile(path: str) -> ProfileReport:
    """A `.ncu-rep` report, both pages; raises ReportError where neither can be printed."""
    program = find_program("ncu")
    if program is None:
        raise ReportError(
            "ncu was not found on the PATH, and only it reads this file",
            "print it where Nsight Compute is installed: ncu --import FILE --csv --page source "
            "--print-source cuda,sass",
        )
    found, errors = ProfileReport(), []
    for page in _PAGES:
        try:
            part = read_profile(_printed(program, path, page))
        except ReportError as error:
            errors.append(error)
        else:
            found = ProfileReport(found.launches + part.launches, found.lines + part.lines)
    if len(errors) == len(_PAGES):
        raise errors[0]
    return found


def _printed(program: str, path: str, page: tuple[str, ...]) -> str:
    command = [program, "--import", os.path.abspath(path), "--csv", *page]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ReportError(f"ncu: {error}", "print the pages as CSV, and pass these") from error
    if done.returncode:
        said = " ".join(os.fsdecode(done.stdout + done.stderr).split())[-200:]
        raise ReportError(f"ncu cannot print it: {said}", "use an ncu that is as new as the report")
    return done.stdout.decode("utf-8", "replace")
