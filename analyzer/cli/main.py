"""The `warplint` command: its subcommands, and what the process does when something goes wrong.

`main` returns the exit code, `run` ends the process with it. A wrong command line is one message
and code 2; an error of our own is one message and code 3, with a trace only under `--debug`; a
reader that closes the pipe early is no error at all.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import click

from ... import __version__
from ..config.errors import UsageError
from ..engine.processes.stopping import Stopped, heed_signals
from ..source.collection import own_process
from ..source.programs import keep_current_folder_out
from .shared.lazy import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_MODULES = (
    *("check.command", "merge", "explain", "verify", "baseline", "inspect.command", "occupancy"),
    *("resources", "rule", "rules", "config.command", "fleet.command", "server"),
    *("completions", "clean", "doctor"),
)
_COMMANDS = {name.partition(".")[0]: f"{__package__}.{name}" for name in _MODULES}

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class _CommandLine(LazyGroup):
    """`warplint FILE…` is `warplint check FILE…`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            self._refuse_names(args)
        if args and self._means_check(args[0]):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def _refuse_names(self, args: Sequence[str]) -> None:
        """Raise for a word that a pattern of the shell can have put where it means something else.

        Who names files chooses them; an option or a command among them would be a stranger's.
        """
        if args and os.path.isfile(args[0]) and args[0] in self.list_commands(click.Context(self)):
            advice = f"write `warplint check ...` for files, or rename `{args[0]}`"
            raise UsageError(f"`{args[0]}` is a command and the name of a file here", advice)
        for word in args[: args.index("--")] if "--" in args else args:
            if word.startswith("-") and os.path.lexists(word):
                advice = f"put `--` before the names of files, or write `./{word}`"
                raise UsageError(f"`{word}` is an option and the name of a file here", advice)

    def _means_check(self, first: str) -> bool:
        if first in self.list_commands(click.Context(self)):
            return False
        if not first:
            return False
        if first.startswith("-"):
            return first not in {"-h", "--help", "--version"}
        # A word that could be a path is one; any other is a misspelt command.
        return "." in first or os.sep in first or first[0] == "@" or os.path.exists(first)


@click.group(
    cls=_CommandLine,
    modules=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`warplint FILE...` is short for `warplint check FILE...`. "
    "Exit codes: 0 clean, 1 findings, 2 wrong usage, 3 some input could not be analysed, "
    "130 and 143 ended by Ctrl-C and SIGTERM.",
)
@click.version_option(__version__, prog_name="warplint", message="%(prog)s %(version)s")
def command_line() -> None:
    """Static analyser for GPU kernels: CUDA C++ and PTX."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        code = command_line.main(given, prog_name="warplint", standalone_mode=False, obj=given)
        return int(code or 0)
    except UsageError as error:
        return _refuse(error.message, error.advice)
    except click.ClickException as error:
        message = error.format_message().rstrip(".")
        return _refuse(message[:1].lower() + message[1:], _help_hint(error))
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return _INTERRUPTED
    except Stopped as stop:
        print("interrupted", file=sys.stderr)
        return stop.code
    except OSError as error:
        return _without_room(error) or _crashed(error, debug="--debug" in given)
    except Exception as error:
        return _crashed(error, debug="--debug" in given)


def run() -> NoReturn:
    """The console script.

    Once everything is written, the process ends at once: taking all modules and trees apart would
    cost a small file a twentieth of its time. Who had workers clears up after them.
    """
    keep_current_folder_out()
    heed_signals()
    own_process()
    code = main()
    if "multiprocessing" in sys.modules:
        sys.exit(code)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # Python says what cannot be written
    os._exit(code)


def _prepare_streams() -> None:
    # `warplint ... >&-`: who closes a stream does not want what goes there.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its escape instead of a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _help_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "warplint"
    return f"`{path} --help` lists the options"


def _refuse(message: str, advice: str) -> int:
    from ..engine.result import ExitCode
    from .shared.output import print_error

    print_error(message, advice)
    return int(ExitCode.USAGE)


def _without_room(error: OSError) -> int:
    """The code for a folder or a disk that is no longer there to work in; 0 for another error."""
    try:
        os.getcwd()
    except OSError:
        return _refuse("the current folder is gone", "change to a folder that exists")
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        from .shared.output import drop_unwritten

        drop_unwritten()
        return _refuse(f"cannot write: {os.strerror(error.errno)}", "make room, or write elsewhere")
    return 0


def _crashed(error: Exception, *, debug: bool) -> int:
    from ..engine.result import ExitCode
    from .shared.output import print_error, print_trace

    if debug:
        print_trace(error)
    print_error(
        f"internal error: {type(error).__name__}: {error}",
        "this is a bug of warplint: please report it; --debug shows the trace",
    )
    return int(ExitCode.NOT_ANALYSABLE)
