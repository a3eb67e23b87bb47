"""What a run saw and how much of it was analysed, each place of the source once.

In: the judgements of each input. Out: `Gap`s, what was not analysed by reason and remedy, and a
`Coverage` of all inputs together. A place that instances, launches and including files share is one
place, and one definition of a kernel is one kernel. It counts as analysed when it was analysed
wherever it was looked at; kernels that another input launches are judged there.
"""

from __future__ import annotations

import os
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING

from ..analyses.coverage.judgement import ACCESS, Judgement
from ..analyses.coverage.remedies import Remedy, remedy_for
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..ir.kernel import Kernel

#: A kernel: the path of the file that it stands in, and where in it.
Place = tuple[str, int]


def definition_of(kernel: Kernel) -> Place:
    """Where a kernel is defined."""
    return kernel.span.path, kernel.span.start


@dataclass(frozen=True, slots=True)
class Judged:
    """What an analysis says of one place, such as "not analysed", for the sake of one kernel."""

    kernel: str  # as findings call it
    definition: Place
    line: int  # where the definition begins
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Gap:
    """Places of a run not analysed for one reason, in so many definitions of kernels."""

    kind: str  # "access", "statement", "call", "kernel", "instance"
    reason: str
    remedy: Remedy
    count: int
    kernels: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a run's inputs was analysed."""

    kernels: int = 0  # definitions
    accesses: int = 0  # distinct places that access shared or global memory
    gaps: tuple[Gap, ...] = ()
    missing_headers: tuple[str, ...] = ()
    bounded: int = 0  # accesses whose cost is known between bounds

    @property
    def unanalysed(self) -> int:
        """The places of accesses that were not analysed."""
        return sum(gap.count for gap in self.gaps if gap.kind == ACCESS)


@dataclass(frozen=True, slots=True)
class KernelCoverage:
    """One definition of a kernel; `gaps` have the places that were not analysed."""

    kernel: str
    definition: Place
    line: int
    accesses: int
    bounded: int
    gaps: tuple[tuple[Gap, tuple[Judgement, ...]], ...]

    @property
    def unanalysed(self) -> int:
        """The places of accesses that were not analysed."""
        return sum(gap.count for gap, _ in self.gaps if gap.kind == ACCESS)


@dataclass(slots=True)
class _Seen:
    """One thing of the source, as all that was said of it has it."""

    first: Judgement
    reasons: set[str] = field(default_factory=set)
    definitions: set[Place] = field(default_factory=set)  # where it was not analysed
    count: int = 1
    bounded: bool = False

    @property
    def reason(self) -> str:
        """The one that is easiest to do something about; none where it was analysed."""
        kind = self.first.kind
        return min(self.reasons, key=lambda each: (remedy_for(kind, each).rank, each), default="")


def _things(judged: Iterable[Judged]) -> list[_Seen]:
    """Each thing of the source once."""
    real = cache(os.path.realpath)
    things: dict[tuple[str, str, int, int, str], _Seen] = {}
    for item in judged:
        each = item.judgement
        what = each.what if each.kind == ACCESS else each.reason
        key = (each.kind, real(each.span.path), each.span.start, each.span.end, what)
        seen = things.setdefault(key, _Seen(each))
        seen.bounded = seen.bounded or bool(each.decided_by)
        if each.reason:
            seen.reasons.add(each.reason)
            seen.definitions.add((real(item.definition[0]), item.definition[1]))
            seen.count = max(seen.count, each.count)
    return list(things.values())


def _bounded(things: Iterable[_Seen]) -> int:
    """How many accesses cost something between bounds, as far as is known."""
    return sum(seen.bounded and not seen.reason for seen in things)


def _gaps(things: Iterable[_Seen]) -> dict[Gap, list[_Seen]]:
    """What was not analysed by reason, what can be helped first."""
    groups: dict[tuple[str, str], list[_Seen]] = {}
    for seen in things:
        if seen.reason:
            groups.setdefault((seen.first.kind, seen.reason), []).append(seen)
    found = {
        Gap(
            kind,
            reason,
            remedy_for(kind, reason),
            sum(seen.count for seen in group),
            len(set().union(*(seen.definitions for seen in group))),
        ): group
        for (kind, reason), group in groups.items()
    }
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(gap: Gap) -> tuple[int, int, str, str]:
    return gap.remedy.rank, -gap.count, gap.kind, gap.reason


def coverage_of(
    judged: Iterable[Judged],
    definitions: Iterable[Place] = (),
    missing_headers: Iterable[str] = (),
) -> Coverage:
    """The coverage of a run: what was not analysed, by reason; what hides most comes first."""
    real = cache(os.path.realpath)
    things = _things(judged)
    return Coverage(
        len({(real(path), at) for path, at in definitions}),
        sum(seen.first.kind == ACCESS for seen in things),
        tuple(_gaps(things)),
        tuple(sorted(set(missing_headers))),
        _bounded(things),
    )


def kernel_coverage(judged: Iterable[Judged]) -> Iterator[KernelCoverage]:
    """The coverage of a run for each definition of a kernel, most to analyse first.

    A place in a function that several kernels call is a place of each.
    """
    kernels: dict[Place, list[Judged]] = {}
    for item in judged:
        kernels.setdefault(item.definition, []).append(item)
    rows = []
    for definition, own in kernels.items():
        things = _things(own)
        gaps = _gaps(things)
        rows.append(
            KernelCoverage(
                min((item.kernel for item in own), key=len).partition("<")[0],
                definition,
                own[0].line,
                sum(seen.first.kind == ACCESS for seen in things),
                _bounded(things),
                tuple((gap, tuple(seen.first for seen in group)) for gap, group in gaps.items()),
            )
        )
    yield from sorted(rows, key=lambda row: (-row.unanalysed, row.definition))
