"""What findings about memory accesses have in common: where they stand, what they rest on.

In: an evaluated access to memory. Out: the pieces of a finding.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from ...analyzer.findings.assumptions import assumed_block
from ...analyzer.findings.finding import Assumption, Fact, Part, Related
from ...analyzer.ir.operations import Branch
from ...analyzer.source.words import listed, plural
from .places import call_sites, cuda_line, object_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from ...analyzer.analyses.launch.assumed_launch import AssumedLaunch
    from ...analyzer.ir.block import Block
    from ...analyzer.ir.memory import MemoryObject
    from ...analyzer.ir.operations import MemoryAccess

LONGEST_GUARD = 60  # characters: longer conditions say little on one line


class Evaluated(Protocol):
    """A memory access as an analysis evaluated it for a launch, as rules make findings of it."""

    @property
    def access(self) -> MemoryAccess:
        """The operation."""

    @property
    def object(self) -> MemoryObject | None:
        """What it touches, when that is one thing and known."""

    @property
    def launch(self) -> AssumedLaunch:
        """The launch it was evaluated for."""

    @property
    def passed(self) -> tuple[tuple[str, int], ...]:
        """Parameters whose values the launch gives."""

    @property
    def assumed(self) -> frozenset[Block]:
        """Guards taken to let every lane through."""


def place_of(access: Evaluated) -> Hashable:
    """The place of an access in the source; for PTX with line information, the CUDA line."""
    location = access.access.location
    if location.origin is not None:
        return location.origin[:2], access.access.kind, access.object
    return location.span


def related_places(access: Evaluated) -> tuple[Related, ...]:
    """The declaration of the object, and the calls that brought the access here."""
    related: list[Related] = []
    if access.object is not None and access.object.span is not None:
        label = f"{object_name(access.object)} is declared here"
        related.append(Related(access.object.span, label))
    related += call_sites(access.access.location)
    return tuple(related)


def direction_of(access: Evaluated) -> str:
    """The words of a finding for what an access does: `load from`, `store to`."""
    return {"store": "store to", "load": "load from"}.get(access.access.kind.value, "access to")


def object_part(access: Evaluated, otherwise: str) -> Part:
    """The name of what an access touches, for a message; other words when it is not known."""
    object = access.object
    return Part(otherwise) if object is None else Part(object_name(object), object.span)


def array_of(access: Evaluated) -> str:
    """The name of the array of an access, under which its findings are reported together."""
    return "" if access.object is None else object_name(access.object)


def assumptions_of(access: Evaluated) -> Iterator[Assumption]:
    """The assumptions of a finding about an access: launch, arguments, undecided guards."""
    launch = access.launch
    yield assumed_block(launch)
    if access.access.width is None and launch.elements:
        sizes = sorted(launch.elements)
        text = f"the same for elements of {listed([*map(str, sizes)])} bytes"
        yield Assumption("element size", [*sizes], "nothing instantiates the template", text)
    for name, value in access.passed:
        yield Assumption(name, value, launch.passed_by)
    for block in sorted(access.assumed, key=lambda block: block.index):
        condition = " ".join(block.terminator.location.span.text.split())
        if len(condition) < LONGEST_GUARD:
            outcome = _outcome(block, access.access.block)
            text = f"`{condition}` is {outcome}"
            yield Assumption("guard", condition, f"assumed {outcome}", text)


def _outcome(guard: Block, place: Block) -> str:
    """How a guard is taken to be decided: the way that leads to the access."""
    from ...analyzer.analyses.dataflow.block_sets import outcome_towards

    holds = outcome_towards(guard, place)
    if holds is None:
        return "passed by all lanes"
    if isinstance(guard.terminator, Branch) and guard.terminator.construct == "bra":
        return "taken by all lanes" if holds else "taken by no lane"
    return f"{'true' if holds else 'false'} for all lanes"


def origin_facts(access: Evaluated) -> Iterator[Fact]:
    """For PTX with line information, the CUDA line the access came from."""
    yield from cuda_line(access.access.location)


def stride_facts(offsets: Sequence[int | None]) -> Iterator[Fact]:
    """Evidence of a finding: the distance between lanes in an access, if it is one number."""
    stride = _lane_stride(offsets)
    if stride is not None:
        text = f"neighbouring lanes are {plural(abs(stride), 'byte')} apart"
        yield Fact("stride_bytes", stride, text)


def _lane_stride(offsets: Sequence[int | None]) -> int | None:
    """The distance in bytes between neighbouring lanes when it is one number."""
    steps = {b - a for a, b in pairwise(offsets) if a is not None and b is not None}
    return steps.pop() if len(steps) == 1 else None
