"""The options of `check` that no other command has, gathered into one `Request`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...config.errors import UsageError
from ...findings.finding import Severity
from ...source.records import dataclass
from ..shared.options import FILE, run_options

if TYPE_CHECKING:
    from collections.abc import Sequence

_INPUTS = (
    click.option(
        "--stdin-filename",
        metavar="FILE",
        help="The name of the text that `-` reads; says what it is and which configuration holds.",
    ),
    click.option(
        "--diff-base",
        metavar="REF",
        help="Report only what stands on lines changed since the current branch left this commit, "
        "branch or tag.",
    ),
    click.option(
        "--staged",
        is_flag=True,
        help="Report only what stands on lines that the next commit would change.",
    ),
    click.option(
        "--ptxas-log",
        "logs",
        type=FILE,
        multiple=True,
        metavar="FILE",
        help="A build log with what ptxas -v, nvlink or cuobjdump -res-usage printed: its numbers "
        "and warnings become findings.",
    ),
    click.option(
        "--watch",
        is_flag=True,
        help="Check again whenever an input, a header or a configuration file beside the inputs "
        "changes; Ctrl-C ends it.",
    ),
)
_CHANGES = (
    click.option("--fix", is_flag=True, help="Make the safe fixes that findings offer."),
    click.option(
        "--unsafe-fixes",
        is_flag=True,
        help="With --fix or --diff: also fixes that may change what the kernel does.",
    ),
    click.option(
        "--diff", "show_diff", is_flag=True, help="Show what --fix would change; change nothing."
    ),
    click.option(
        "--add-ignore",
        "ignore_reason",
        is_flag=False,
        flag_value="",
        metavar="[REASON]",
        help="Write a comment that suppresses it beside every finding, with this reason.",
    ),
)
_OUTCOME = (
    click.option(
        "--baseline",
        type=FILE,
        metavar="FILE",
        help="Do not report the findings that this file knows; `warplint baseline` writes one.",
    ),
    click.option(
        "--update-baseline",
        is_flag=True,
        help="Write the findings there are now into the baseline.",
    ),
    click.option(
        "--show-suppressed",
        is_flag=True,
        help="Report suppressed findings, too, marked as such; they do not count.",
    ),
    click.option("--statistics", is_flag=True, help="Count findings by rule instead."),
    click.option(
        "--fail-on",
        type=click.Choice([severity.value for severity in Severity]),
        help="The least severity that makes the exit code 1. [default: note]",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 when there are findings."),
)

request_options = (*run_options, *_INPUTS, *_CHANGES, *_OUTCOME)


@dataclass(frozen=True, slots=True)
class Request:
    """What a command line asks of `check`, one field for each option."""

    stdin_filename: str | None
    diff_base: str | None
    staged: bool
    logs: tuple[str, ...]
    fix: bool
    unsafe_fixes: bool
    show_diff: bool
    ignore_reason: str | None
    update_baseline: bool
    show_suppressed: bool
    statistics: bool
    exit_zero: bool
    no_cache: bool
    watch: bool

    @property
    def changes_files(self) -> bool:
        """Whether files are to be written."""
        return not self.show_diff and (self.fix or self.ignore_reason is not None)

    def check(self, files: Sequence[str]) -> None:
        """Raise for options that contradict each other."""
        if [*files, *self.logs].count("-") > 1:
            raise UsageError("only one of the inputs can be `-`", "name the files of the others")
        if self.staged and self.diff_base is not None:
            raise UsageError("--staged and --diff-base contradict each other", "give one of them")
        if self.ignore_reason is not None and (self.fix or self.unsafe_fixes):
            raise UsageError("--add-ignore and --fix contradict each other", "give one of them")
        if self.unsafe_fixes and not (self.fix or self.show_diff):
            raise UsageError("--unsafe-fixes does nothing alone", "give --fix or --diff, too")
        if self.watch and (self.changes_files or self.update_baseline or self.show_diff):
            raise UsageError("--watch only reports", "run --fix, --diff and the like on their own")
