"""Shared memory accesses as the banks see them: 32 addresses, wavefronts, ideal wavefronts.

In: a kernel's facts and a launch. Out: one `SharedAccess` for each access that touches shared
memory; `worst_launch` chooses among those of several launches. Addresses are offsets from the
start of the object: what is not known but the same for all lanes moves them together and is left
out, which changes no bank conflict as long as it is a multiple of four bytes.
What the compiler merges into one wider access (`vector_merging.py`) is counted as merged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...hardware.banks import BankConflict, SharedKind, shared_wavefronts
from ...ir.memory import MemoryObject, Space
from ...ir.operations import AccessKind, MemoryAccess
from ...ir.types import Kind
from ...ir.values import Constant
from ...source.records import dataclass
from ..pointers.member_bounds import member_bounds
from ..warp_evaluation.access_iterations import moved, sweep
from ..warp_evaluation.lane_values import LaneValue
from ..warp_evaluation.open_types import width_of
from ..warp_evaluation.reasons import UNFITTING_BLOCK
from ..warp_evaluation.vector_merging import Merging, merging_of
from ..warp_evaluation.warp_evaluator import Unevaluable
from .usual_launches import agreed, is_open

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...ir.block import Block
    from ..launch.assumed_launch import AssumedLaunch
    from ..warp_evaluation.access_iterations import Offsets
    from .facts import TrafficFacts, TrafficLaunch


@dataclass(frozen=True, slots=True)
class Sample:
    """One warp executing an access to shared memory once; `iteration` is that of the loops around
    it.
    """

    warp: int
    iteration: int
    start: Offsets  # of all iterations that only move the warp
    shift: int
    conflict: BankConflict

    @property
    def offsets(self) -> Offsets:
        """Where each lane is; None for lanes that take no part."""
        return moved(self.start, self.shift)


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """One access to shared memory and what it costs in wavefronts; when not analysed, why."""

    access: MemoryAccess
    object: MemoryObject | None
    launch: AssumedLaunch
    kind: SharedKind
    width: int  # bytes per lane, after merging
    counts: bool | None = True  # whether it is the instruction that others are merged into
    samples: tuple[Sample, ...] = ()
    reason: str = ""  # why it was not analysed
    assumed: frozenset[Block] = frozenset()  # guards taken to let every lane through
    complete: bool = True  # every iteration of the loops was looked at
    passed: tuple[tuple[str, int], ...] = ()  # parameters whose values the launch gives
    looked: int = 0  # warps that were looked at, whether they execute it or not

    @property
    def wavefronts(self) -> int:
        """Of all samples."""
        return sum(sample.conflict.wavefronts for sample in self.samples)

    @property
    def ideal(self) -> int:
        """Ideal wavefronts of all samples."""
        return sum(sample.conflict.ideal for sample in self.samples)

    @property
    def degree(self) -> float:
        """Wavefronts per ideal wavefront."""
        return self.wavefronts / self.ideal if self.ideal else 1.0

    @property
    def ratio(self) -> float:
        """The degree, under the name that both memories have for it."""
        return self.degree

    @property
    def worst(self) -> Sample:
        """The sample with the highest degree, the first of several."""
        return max(self.samples, key=lambda sample: sample.conflict.degree)


def evaluate_shared_accesses(launch: TrafficLaunch) -> tuple[SharedAccess, ...]:
    """Every access to shared memory in one launch with its bank conflicts, in program order."""
    spaces = launch.facts.points_to.spaces
    return tuple(
        evaluate_shared_access(launch, access)
        for access in launch.facts.accesses
        if access.kind not in (AccessKind.PREFETCH, AccessKind.ASYNC_COPY)
        and spaces(access) == {Space.SHARED}
    )


def worst_launch(outcomes: Sequence[SharedAccess]) -> SharedAccess:
    """What an access to shared memory costs in the launch with the most bank conflicts; one that is
    not analysed comes last.
    """
    return max(outcomes, key=lambda outcome: (not outcome.reason, outcome.degree))


def kind_of(facts: TrafficFacts, access: MemoryAccess) -> SharedKind:
    """What the shared memory pipe makes of an access, by which its bank conflicts are counted."""
    if access.kind is AccessKind.MATRIX_LOAD:
        return SharedKind.MATRIX_LOAD
    if access.kind in (AccessKind.ATOMIC, AccessKind.REDUCTION):
        if access.atomic == "cas":
            return SharedKind.CAS
        given = access.operands[1] if len(access.operands) > 1 else None
        one = isinstance(given, Constant) and given.value == 1
        if access.atomic in ("add", "inc") and one and not facts.is_used(access):
            return SharedKind.INCREMENT
        if _is_aggregated(facts, access):
            return SharedKind.INCREMENT  # one lane is left, whatever the kind
        return SharedKind.ATOMIC
    stores = (AccessKind.STORE, AccessKind.ASYNC_COPY)
    return SharedKind.STORE if access.kind in stores else SharedKind.LOAD


def becomes_loop(access: MemoryAccess) -> bool:
    """Whether the compiler makes a compare-and-swap loop of an atomic, if it is in shared memory.

    Seen in the machine code of nvcc 13 for sm_75 to sm_120: sums of floats and of pairs of halves;
    64 bits wide, everything but exchange and compare-and-swap.
    """
    if access.kind not in (AccessKind.ATOMIC, AccessKind.REDUCTION) or (access.width or 0) < 4:
        return False
    wide = access.width == 8 or access.element.kind is not Kind.INTEGER
    return wide and access.atomic not in ("exch", "cas")


def _is_aggregated(facts: TrafficFacts, access: MemoryAccess) -> bool:
    """Whether the compiler reduces over the warp first: one word, integer, result not used."""
    reducible = access.atomic in ("add", "min", "max", "and", "or", "xor")
    if not reducible or access.element.kind is not Kind.INTEGER or facts.is_used(access):
        return False
    value = facts.launches[0].evaluator(0).value_in(access.block, access.address)
    return isinstance(value, LaneValue) and value.is_uniform


def evaluate_shared_access(launch: TrafficLaunch, access: MemoryAccess) -> SharedAccess:
    """The bank conflicts of one access to shared memory in one launch, or in all that are usual
    where they agree.
    """
    plain = _evaluate(launch, access)
    variants = launch.variants_of(access) if is_open(plain.reason) else ()
    if not variants:
        return plain
    found = agreed((_evaluate(variant, access) for variant in variants), plain)
    if isinstance(found, str):
        return replace(plain, reason=found)
    return replace(found, launch=launch.launch)


def _evaluate(launch: TrafficLaunch, access: MemoryAccess) -> SharedAccess:
    facts = launch.facts
    kind = kind_of(facts, access)
    object = facts.points_to.object_of(access)
    width = width_of(launch.launch, access) or 0
    blank = SharedAccess(access, object, launch.launch, kind, width)
    swept = sweep(launch, access)
    if isinstance(swept, Unevaluable):
        return replace(blank, reason=swept.reason)
    plain = access.width is not None  # what an open type is made of, nobody merges
    mergeable = plain and access.kind in (AccessKind.LOAD, AccessKind.STORE)
    merging = merging_of(launch, access) if mergeable else Merging(width)
    merged = merging.width
    samples: list[Sample] = []
    row = facts.architecture.shared_memory.row_bytes
    limits = _limits(facts, access, object) if swept.assumed else None
    costs: dict[tuple[Hashable, int], tuple[Offsets, BankConflict]] = {}
    for iteration in swept.iterations:
        if iteration.executed:
            rest = iteration.shift % row  # whole rows change nothing
            start = _inside(limits, iteration.start, iteration.shift) if limits else iteration.start
            start = _asked(access, start)
            key = (id(start) if start is iteration.start else start, rest)
            if key not in costs:
                offsets = moved(start, rest)
                if merged > width:
                    offsets = merged_offsets(offsets, merged)
                conflict = shared_wavefronts(offsets, merged, kind, facts.architecture)
                costs[key] = (offsets, conflict)
            start, conflict = costs[key]
            samples.append(
                Sample(iteration.warp, iteration.number, start, iteration.shift - rest, conflict)
            )
    if launch.launch.guessed and _outside(object, samples):
        return replace(blank, reason=UNFITTING_BLOCK)
    return replace(
        blank,
        width=merged,
        counts=merging.counts,
        samples=tuple(samples),
        assumed=swept.assumed,
        complete=swept.complete,
        looked=len(set(launch.warps())),
        passed=launch.passed_to(access),
    )


def _limits(
    facts: TrafficFacts, access: MemoryAccess, object: MemoryObject | None
) -> tuple[int, int] | None:
    """From where to where in an object the array goes that an access leads into."""
    if object is None:
        return None
    if object.size is None or object.size == object.element.width:
        bounds = member_bounds(object, access.address, facts.points_to)
        if bounds is not None:
            return bounds
    return None if object.size is None else (0, object.size)


def _asked(access: MemoryAccess, start: Offsets) -> Offsets:
    """The lanes whose addresses count: of `ldmatrix` the first ones, one for each row that it
    loads.
    """
    if access.kind is not AccessKind.MATRIX_LOAD or not access.type.width:
        return start
    rows = 2 * access.type.width
    if rows >= len(start):
        return start
    return tuple(offset if lane < rows else None for lane, offset in enumerate(start))


def _inside(limits: tuple[int, int], start: Offsets, shift: int) -> Offsets:
    """The lanes that can be active: a guard that is not known keeps the others from leaving the
    array.
    """
    low, high = (limit - shift for limit in limits)
    if all(offset is None or low <= offset < high for offset in start):
        return start
    return tuple(each if each is not None and low <= each < high else None for each in start)


def merged_offsets(offsets: tuple[int | None, ...], width: int) -> tuple[int | None, ...]:
    """The offsets of the wider shared accesses that a compiler merges the lanes' own into."""
    return tuple(None if offset is None else offset - offset % width for offset in offsets)


def _outside(object: MemoryObject | None, samples: list[Sample]) -> bool:
    """Whether an address lies outside its object: the assumed block cannot be the real one."""
    if object is None or object.size is None:
        return False
    size = object.size
    seen = {(id(sample.start), sample.shift): sample for sample in samples}
    return any(
        offset is not None and not 0 <= offset < size
        for sample in seen.values()
        for offset in sample.offsets
    )
