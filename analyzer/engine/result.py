"""What one run produced: findings, and for every input how much of it was analysed."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from ..source.problem import Damage
from ..source.records import dataclass
from .coverage import Coverage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings.finding import Assumption, Finding
    from ..findings.kernel_sheets import KernelSheet
    from ..findings.measurement import HotLine
    from ..findings.notes import Note
    from ..findings.rule import Rule
    from ..findings.suppressions import Suppression
    from ..source.problem import Problem
    from .coverage import Gap, KernelCoverage


class ExitCode(IntEnum):
    """What the process says of the run; the highest that applies wins."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    NOT_ANALYSABLE = 3


@dataclass(frozen=True, slots=True)
class InputResult:
    """One input file: `status` is "full", "partial" or "none", as for kernels."""

    path: str
    status: str
    kernels: int
    accesses: int
    unanalysed: tuple[Gap, ...] = ()
    problems: tuple[Problem, ...] = ()
    assumptions: tuple[Assumption, ...] = ()  # one per kernel and assumed value
    arch: int = 0  # that it was judged by; 0 for what was not read

    @property
    def unanalysed_count(self) -> int:
        """How many things were not analysed."""
        return sum(item.count for item in self.unanalysed)


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run over all inputs; `rules` are those that were applied, sorted by code."""

    findings: tuple[Finding, ...]
    inputs: tuple[InputResult, ...]
    rules: tuple[Rule, ...]
    arch: int  # compute capability times ten: 90 for sm_90
    off: tuple[str, ...] = ()  # the codes of the rules that were applied to no input
    suppressed: tuple[tuple[Finding, Suppression], ...] = ()
    trouble: tuple[Problem, ...] = ()  # of the run, such as a file that could not be changed
    fixed: int = 0  # findings that --fix mended before this run
    hidden: int = 0  # possible findings that were not asked for
    known: int = 0  # findings that the baseline knows
    stale: int = 0  # findings of the baseline that are gone
    unchanged: int = 0  # findings on lines that did not change since --diff-base
    untouched: int = 0  # files not checked: nothing that is read for them changed since then
    below: int = 0  # findings that are less severe than was asked for
    little: int = 0  # notes that would save next to nothing, left out beside code
    excluded: int = 0  # files named outright that the configuration leaves out
    aside: int = 0  # headers with kernels in the named folders, where no kernel was read
    stopped: int = 0  # the signal that ended the run before it was done
    coverage: Coverage = Coverage()
    notes: tuple[Note, ...] = ()  # where somebody asked for them
    sheets: tuple[KernelSheet, ...] = ()  # likewise
    hot: tuple[HotLine, ...] = ()  # that take measured time and have no finding
    was_measured: bool = False
    judged: tuple[KernelCoverage, ...] = ()  # what was analysed of each kernel that has a sheet

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all inputs, in their order, then those of the run."""
        return (*(problem for item in self.inputs for problem in item.problems), *self.trouble)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the run."""
        found = ExitCode.FINDINGS if self.findings else ExitCode.CLEAN
        return max(found, problems_exit_code(self.problems))


def problems_exit_code(problems: Iterable[Problem]) -> ExitCode:
    """The exit code that problems alone ask for: clean, usage, or not analysable."""
    return max(map(_exit_code_of, problems), default=ExitCode.CLEAN)


def _exit_code_of(problem: Problem) -> ExitCode:
    if problem.damage is Damage.NOTICE:
        return ExitCode.CLEAN
    return ExitCode.USAGE if problem.usage else ExitCode.NOT_ANALYSABLE
