"""Where reports go: stdout, a file that appears whole or not at all, and stderr for problems."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

from ...config.errors import UsageError
from ...report.text.log_commands import harmless
from ...report.text.palette import Palette, wants_color
from ...source.links import leads_outside
from ...source.replacing import replace_whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO, AnyStr, TextIO

    from ...source.problem import Problem
    from .options import Report

#: The width of a report that no terminal limits: enough for code, too little for a 1 MB line.
_DEFAULT_WIDTH = 140


def palette_for(choice: str, stream: TextIO) -> Palette:
    """The colours for a stream; `choice` is auto, always or never."""
    return Palette(wants_color(choice, stream, os.environ))


def report_palette(choice: str, path: str | None) -> Palette:
    """The colours for a report; a file gets none unless they are asked for."""
    return Palette(choice == "always") if path else palette_for(choice, sys.stdout)


def report_width(path: str | None) -> int:
    """How wide a command's report may be, in columns."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if path is None and sys.stdout.isatty():
        try:
            return os.get_terminal_size(sys.stdout.fileno()).columns or _DEFAULT_WIDTH
        except OSError:
            return _DEFAULT_WIDTH
    return _DEFAULT_WIDTH


def protect_inputs(path: str | None, inputs: Iterable[str]) -> None:
    """Refuse an `--output` that would replace an input."""
    if path is not None and os.path.realpath(path) in map(os.path.realpath, inputs):
        raise UsageError(f"`{path}` is an input", "choose another --output")


def write_report(text: str, path: str | None, *, exact: bool = False) -> None:
    """Write a report to `path`, or to stdout.

    Nothing in it is a command for a CI, unless it is to be written exactly as it is.
    """
    if not exact:
        text = harmless(text)
    if path is None:
        _write_stdout(text)
        return
    try:
        _write_file(text, path)
    except OSError as error:
        raise UsageError(
            f"cannot write `{path}`: {error.strerror or error}",
            "the report was not written; choose another --output",
        ) from error


def write_fixed(data: bytes) -> None:
    """The text of the standard input after fixes: its bytes, nothing before or after them."""
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        _write(sys.stdout.buffer, data)


def write_beside(text: str, report: Report, *, exact: bool = False) -> None:
    """Write a report where stdout is taken: to the file it shall go to, else to stderr."""
    if report.output is not None:
        write_report(text, report.output, exact=exact)
    else:
        _write_stderr(text if exact else harmless(text))


def print_problems(problems: Iterable[Problem], choice: str, *, traces: bool) -> None:
    """Print a run's problems on stderr."""
    from ...report.problems import render_problems

    text = render_problems(problems, palette_for(choice, sys.stderr), traces=traces)
    _write_stderr(harmless(text))


def print_error(message: str, advice: str) -> None:
    """Print an error that ends the process on stderr."""
    from ...report.problems import render_error

    _write_stderr(harmless(render_error(message, advice, palette_for("auto", sys.stderr))))


def print_note(message: str, advice: str) -> None:
    """Print on stderr what does not go as was asked for, and ends nothing."""
    from ...report.problems import render_error

    palette = palette_for("auto", sys.stderr)
    _write_stderr(harmless(render_error(message, advice, palette, "note")))


def print_trace(error: Exception) -> None:
    """Print the trace of an error on stderr."""
    import traceback

    _write_stderr(harmless("".join(traceback.format_exception(error))))


def _write_stdout(text: str) -> None:
    _write(sys.stdout, text)


def _write(stream: IO[AnyStr], text: AnyStr) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        drop_unwritten()  # `warplint ... | head` has seen enough
    except OSError as error:
        drop_unwritten()
        raise UsageError(f"cannot write the report: {error.strerror or error}") from error


def drop_unwritten() -> None:
    """What stdout cannot take is still in it when Python flushes once more at the end: into a place
    that takes everything, or it would complain there, and end with code 120.
    """
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _write_stderr(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _write_file(text: str, path: str) -> None:
    # Encoding with escapes: a lone surrogate of an undecodable path must not lose the report.
    data = text.encode("utf-8", errors="backslashreplace")
    outside = leads_outside(path)
    if outside is not None:
        raise UsageError(
            f"`{path}` is a link to `{outside}`, outside of the project",
            "remove it, or choose another --output",
        )
    target = os.path.realpath(path)
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        with open(target, "wb") as device:  # a pipe or /dev/null cannot be replaced by a file
            device.write(data)
        return
    replace_whole(target, data)
