"""Loads from constant memory by which the lanes of a warp read different words.

In: the facts of a kernel. Out: for each load from a `__constant__` object the numbers of distinct
words that a warp reads, in each iteration that was looked at; or only that the index differs from
lane to lane, when it comes from data. The constant cache gives one word to all lanes at once; a
request for several takes as many turns (CUDA C++ Best Practices Guide, "Constant Memory"). Loads
that only copy a table to shared memory are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, unconverted
from ...source.records import dataclass
from ..warp_evaluation.access_iterations import Sweep, sweep
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import TrafficFacts, TrafficLaunch

_WORD = 4


@dataclass(frozen=True, slots=True)
class ConstantRead:
    """A load from constant memory; `words` are the distinct ones of each warp and iteration, none
    when not known.
    """

    facts: TrafficLaunch
    access: MemoryAccess
    words: tuple[int, ...]
    assumed: frozenset[Block] = frozenset()

    @property
    def object(self) -> MemoryObject | None:
        """What it reads."""
        return self.facts.facts.points_to.object_of(self.access)

    @property
    def launch(self) -> AssumedLaunch:
        """The launch it was evaluated for."""
        return self.facts.launch

    @property
    def passed(self) -> tuple[tuple[str, int], ...]:
        """Parameters whose values the launch gives."""
        return self.facts.passed_to(self.access)

    @property
    def worst(self) -> int:
        """The most words that one warp reads at once."""
        return max(self.words, default=0)


def divergent_reads(facts: TrafficFacts) -> Iterator[ConstantRead]:
    """The loads from constant memory that lanes make at different addresses, served one after the
    other, in program order.
    """
    spaces = facts.points_to.spaces
    loads = [
        access
        for access in facts.accesses
        if access.kind is AccessKind.LOAD and spaces(access) == {Space.CONSTANT}
    ]
    staged = _staged(facts) if loads else frozenset()
    for access in loads:
        if access not in staged:
            found = [read for launch in facts.launches if (read := _read(launch, access))]
            if found:
                yield max(found, key=lambda read: read.worst)


def _staged(facts: TrafficFacts) -> frozenset[Value]:
    """What is copied to shared memory as it is: the cure, not the disease."""
    return frozenset(
        unconverted(access.operands[1])
        for access in facts.accesses
        if access.kind is AccessKind.STORE
        and len(access.operands) == 2
        and facts.points_to.spaces(access) == {Space.SHARED}
    )


def _read(launch: TrafficLaunch, access: MemoryAccess) -> ConstantRead | None:
    if launch.uniformity.of(access.address) is not Uniformity.VARYING:
        return None
    swept = sweep(launch, access)
    if not isinstance(swept, Sweep):
        return ConstantRead(launch, access, ()) if launch.launch.trusted else None
    width = max(access.width or _WORD, _WORD)
    words = tuple(
        len({offset // width for offset in iteration.offsets if offset is not None})
        for iteration in swept.iterations
        if iteration.executed
    )
    return ConstantRead(launch, access, words, swept.assumed)
