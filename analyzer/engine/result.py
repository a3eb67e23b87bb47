"""What one run produced: findings, and for every input how much of it was analysed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings.finding import Finding
    from ..findings.rule import Rule
    from ..source.problem import Problem


@dataclass(frozen=True, slots=True)
class Unanalysed:
    """Something that was seen and not analysed, with the reason, counted."""

    kind: str  # "statement", "access", "call", "kernel"
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class InputResult:
    """One input file: `status` is "full", "partial" or "none", as for kernels."""

    path: str
    status: str
    kernels: int
    accesses: int
    unanalysed: tuple[Unanalysed, ...] = ()
    problems: tuple[Problem, ...] = ()

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
