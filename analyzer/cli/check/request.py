"""The options of `check` that no other command has, gathered into one `Request`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...config.errors import UsageError
from ...config.share import parse_share
from ...findings.finding import Severity
from ...findings.ordering import Order
from ...source.records import dataclass
from ..shared.headings import under
from ..shared.options import FILE, Parsed, run_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...config.share import Share

_INPUTS = (
    click.option(
        "--stdin-filename",
        metavar="FILE",
        help="File name of the text that `-` reads; determines language and configuration.",
    ),
    click.option(
        "--diff-base",
        metavar="REF",
        help="Report only findings on lines changed since the merge base with this commit, branch "
        "or tag.",
    ),
    click.option(
        "--staged",
        is_flag=True,
        help="Report only findings on staged lines, which the next commit would change. Files are "
        "read as they are staged.",
    ),
    click.option(
        "--ptxas-log",
        "logs",
        type=FILE,
        multiple=True,
        metavar="FILE",
        help="A build log with the output of ptxas -v, nvlink or cuobjdump -res-usage: its numbers "
        "and warnings become findings.",
    ),
    click.option(
        "--sanitizer",
        "sanitizer_reports",
        type=FILE,
        multiple=True,
        metavar="FILE",
        help="A report of compute-sanitizer, text or XML: each finding is confirmed, contradicted "
        "or not covered by it.",
    ),
    click.option(
        "--ncu",
        "profiles",
        type=FILE,
        multiple=True,
        metavar="FILE",
        help="A report of Nsight Compute, as it saves it (ncu has to be installed) or as CSV "
        "(`--page raw`, or `--page source --print-source cuda,sass`): measured numbers stand "
        "beside predicted ones, findings are ordered by measured time, and hot lines without a "
        "finding are listed.",
    ),
    click.option(
        "--shard",
        "share",
        type=Parsed("shard", parse_share),
        metavar="N/OF",
        help="Check only this part of the files, with --format json or sarif; `warplint merge` "
        "makes one report of all parts.",
    ),
    click.option(
        "--show-files",
        is_flag=True,
        help="List the files that would be checked, with the configuration of each, and stop.",
    ),
    click.option(
        "--watch",
        is_flag=True,
        help="Check again whenever an input, a header or a configuration file next to the inputs "
        "changes; Ctrl-C stops.",
    ),
)
_WORK = (
    click.option(
        "--cluster",
        "where",
        metavar="ADDRESS",
        help="Let a Dask cluster check the files: tcp://HOST:PORT of its scheduler, or local:N. "
        "Its workers need the same files at the same paths.",
    ),
    click.option(
        "--remote-cache",
        envvar="WARPLINT_REMOTE_CACHE",
        metavar="URL",
        help="Share stored results with other machines: a folder, or a URL that fsspec reads "
        "(warplint[remote]).",
    ),
    click.option(
        "--remote-cache-read-only",
        is_flag=True,
        envvar="WARPLINT_REMOTE_CACHE_READ_ONLY",
        help="Use results of the remote cache and add none, as for pull requests of strangers.",
    ),
)
_CHANGES = (
    click.option("--fix", is_flag=True, help="Apply the safe fixes."),
    click.option(
        "--fix-only",
        is_flag=True,
        help="Apply the safe fixes and report only how many; what is left is no failure.",
    ),
    click.option(
        "--exit-non-zero-on-fix",
        "fails_on_fix",
        is_flag=True,
        help="With --fix: exit with 1 if anything was fixed, as commit hooks expect.",
    ),
    click.option(
        "--unsafe-fixes",
        is_flag=True,
        help="With --fix or --diff: also apply fixes that may change what the kernel does.",
    ),
    click.option(
        "--diff",
        "show_diff",
        is_flag=True,
        help="Show what --fix would change, without changing it.",
    ),
    click.option(
        "--add-ignore",
        "ignore_reason",
        is_flag=False,
        flag_value="",
        metavar="[REASON]",
        help="Add a suppression comment for every finding, with this reason.",
    ),
)
_OUTCOME = (
    click.option(
        "--baseline",
        type=FILE,
        metavar="FILE",
        help="Do not report the findings listed in this file; `warplint baseline` writes it.",
    ),
    click.option(
        "--update-baseline",
        is_flag=True,
        help="Write the current findings to the baseline.",
    ),
    click.option(
        "--show-suppressed",
        is_flag=True,
        help="Also report suppressed findings, marked as such; they do not affect the exit code.",
    ),
    click.option(
        "--sort",
        type=click.Choice([order.value for order in Order]),
        default=Order.GAIN.value,
        show_default=True,
        help="Order of the findings: errors first, then by what fixing them gains; by place; or by "
        "rule.",
    ),
    click.option(
        "--max-findings",
        type=click.IntRange(min=0),
        metavar="N",
        help="The most findings to show in text; 0 shows all. The others are counted by rule. "
        "[default: 50 in the full format]",
    ),
    click.option(
        "--min-severity",
        type=click.Choice([severity.value for severity in Severity]),
        help="Do not report findings below this severity. [default: note]",
    ),
    click.option("--quiet", "-q", is_flag=True, help="Show the findings without the summary."),
    click.option(
        "--verbose", "-v", is_flag=True, help="Show all findings, with every place of each."
    ),
    click.option(
        "--statistics", is_flag=True, help="Print the number of findings per rule instead."
    ),
    click.option(
        "--fail-on",
        type=click.Choice([severity.value for severity in Severity]),
        help="The lowest severity that makes the exit code 1. [default: warning]",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
)

request_options = (
    *run_options,
    *under("Files", _INPUTS),
    *under("Work", _WORK),
    *under("Edits", _CHANGES),
    *under("Findings", _OUTCOME),
)


@dataclass(frozen=True, slots=True)
class Request:
    """What a command line asks of `check`, one field for each option."""

    stdin_filename: str | None
    diff_base: str | None
    staged: bool
    logs: tuple[str, ...]
    sanitizer_reports: tuple[str, ...]
    profiles: tuple[str, ...]
    fix: bool
    fix_only: bool
    fails_on_fix: bool
    unsafe_fixes: bool
    show_diff: bool
    ignore_reason: str | None
    update_baseline: bool
    show_suppressed: bool
    statistics: bool
    exit_zero: bool
    no_cache: bool
    where: str | None
    remote_cache: str | None
    remote_cache_read_only: bool
    share: Share | None
    show_files: bool
    watch: bool
    sort: str
    max_findings: int | None
    min_severity: str | None
    quiet: bool
    verbose: bool

    @property
    def read(self) -> tuple[str, ...]:
        """The reports of other tools that are read."""
        return *self.logs, *self.sanitizer_reports, *self.profiles

    @property
    def least(self) -> Severity:
        """The lowest severity that is reported."""
        return Severity(self.min_severity or Severity.NOTE.value)

    @property
    def changes_files(self) -> bool:
        """Whether files are to be written."""
        return not self.show_diff and (self.fixes or self.ignore_reason is not None)

    @property
    def fixes(self) -> bool:
        """Whether fixes are to be applied."""
        return self.fix or self.fix_only

    def check(self, files: Sequence[str]) -> None:
        """Raise for options that contradict each other."""
        if [*files, *self.read].count("-") > 1:
            raise UsageError("only one of the inputs can be `-`", "pass the others as files")
        if self.quiet and self.verbose:
            raise UsageError("--quiet and --verbose cannot be combined", "pass only one of them")
        if self.staged and self.diff_base is not None:
            raise UsageError("--staged and --diff-base cannot be combined", "pass only one of them")
        if self.ignore_reason is not None and (self.fixes or self.unsafe_fixes):
            raise UsageError("--add-ignore and --fix cannot be combined", "pass only one of them")
        if self.fails_on_fix and not self.fixes:
            raise UsageError("--exit-non-zero-on-fix has no effect on its own", "pass --fix too")
        if self.unsafe_fixes and not (self.fixes or self.show_diff):
            raise UsageError(
                "--unsafe-fixes has no effect on its own", "pass --fix or --diff as well"
            )
        if self.share is not None and (
            self.changes_files or self.show_diff or self.watch or self.update_baseline
        ):
            raise UsageError("--shard only reports", "fix files, or watch them, without it")
        if self.share is not None and (self.staged or self.diff_base is not None):
            raise UsageError("--shard takes all lines", "--diff-base and --staged need no shards")
        if self.watch and (self.changes_files or self.update_baseline or self.show_diff):
            raise UsageError("--watch only reports", "run --fix and --diff without --watch")
