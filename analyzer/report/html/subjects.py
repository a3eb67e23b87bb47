"""What the page speaks of: each kernel with its sheet, findings and coverage, ranked.

In: the result of a run. Out: `Subjects`. The instances of a template are one kernel, drawn for the
one with the most accesses that are known. Findings are listed with the kernel whose definition they
name; those of host code and of whole files stand apart.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from math import prod
from typing import TYPE_CHECKING

from ...findings.gain import summed
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...engine.coverage import KernelCoverage
    from ...engine.result import RunResult
    from ...findings.finding import Finding
    from ...findings.gain import Gain
    from ...findings.kernel_sheets import KernelSheet


@dataclass(frozen=True, slots=True)
class Numbered:
    """A finding and its number on the page."""

    number: int
    finding: Finding

    @property
    def anchor(self) -> str:
        """Where it stands on the page."""
        return f"f{self.number}"


@dataclass(frozen=True, slots=True)
class KernelSubject:
    """One definition of a kernel; `rank` counts from 1."""

    rank: int
    sheet: KernelSheet
    instances: tuple[str, ...]
    findings: tuple[Numbered, ...]
    gain: Gain | None
    coverage: KernelCoverage | None

    @property
    def anchor(self) -> str:
        """Where it stands on the page."""
        return f"k{self.rank}"


@dataclass(frozen=True, slots=True)
class Subjects:
    """Everything that has a place of its own on the HTML page."""

    kernels: tuple[KernelSubject, ...]
    others: tuple[Numbered, ...]  # findings that are of no kernel


def subjects_of(result: RunResult) -> Subjects:
    """What the HTML page speaks of: the kernels, by measured time, then by gain, and the rest."""
    real = cache(os.path.realpath)
    sheets: dict[tuple[str, int], list[KernelSheet]] = {}
    for sheet in result.sheets:
        sheets.setdefault((real(sheet.header.path), sheet.header.start), []).append(sheet)
    found: dict[tuple[str, int], list[Numbered]] = {key: [] for key in sheets}
    others: list[Numbered] = []
    for number, finding in enumerate(result.findings, start=1):
        header = finding.definition
        key = None if header is None else (real(header.path), header.start)
        own = others if key is None else found.get(key, others)
        own.append(Numbered(number, finding))
    judged = {(real(row.definition[0]), row.definition[1]): row for row in result.judged}
    rows = [
        KernelSubject(
            0,
            max(group, key=_known),
            tuple(sheet.name for sheet in group),
            tuple(found[key]),
            _gain([item.finding for item in found[key]]),
            judged.get(key),
        )
        for key, group in sheets.items()
    ]
    rows.sort(key=_order)
    kernels = (
        KernelSubject(rank, row.sheet, row.instances, row.findings, row.gain, row.coverage)
        for rank, row in enumerate(rows, start=1)
    )
    return Subjects(tuple(kernels), tuple(others))


def _known(sheet: KernelSheet) -> int:
    return sum(bool(access.sides) for access in sheet.accesses)


def _gain(findings: Sequence[Finding]) -> Gain | None:
    """All at once: what one saves, another one cannot save again."""
    gains = [finding.gain for finding in findings if finding.gain is not None]
    if not gains:
        return None
    return replace(summed(gains), time=1 - prod(1 - min(gain.time, 1.0) for gain in gains))


def _order(row: KernelSubject) -> tuple[float, float, int, str, int]:
    """What takes most measured time first, then what gains most, then the worst findings."""
    gain = row.gain.time if row.gain is not None else 0.0
    shares = [each.finding.measured.share for each in row.findings if each.finding.measured]
    measured = sum(share or 0.0 for share in shares)
    worst = min((item.finding.severity.rank for item in row.findings), default=3)
    return (
        -round(measured, 4),
        -round(gain, 4),
        worst,
        row.sheet.header.path,
        row.sheet.header.start,
    )
