"""Barriers for a number of threads, and whether that number can come.

In: a kernel's facts. Out: each `bar` or `barrier` with a number or a count of threads that cannot
work: a number beyond 15; a count that is no multiple of the warp size, or larger than the block;
one number with different counts in the two arms of a branch; counts that the warps which come there
do not add up to, or exceed. Who comes is evaluated warp by warp, and only where every decision and
every barrier's number is known.

Follows the PTX ISA, 9.7.13.1 (`bar`, `barrier`), and K. Bauer, S. Treichler, A. Aiken, "Weft"
(PPoPP 2015), for what well-synchronised means. Not handled: counts and numbers that are computed;
one number used with different counts one after the other, which is right when all threads have met
in between.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...ir.operations import Barrier, BarrierKind, Opcode
from ...ir.values import Parameter, whole_number
from ...source.records import dataclass
from ..dataflow.paths import are_apart
from ..launch.assumed_launch import MAX_THREADS
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..launch.assumed_launch import AssumedLaunch
    from ..warp_evaluation.guards import Guarded
    from .facts import BarrierFacts, BarrierLaunch

LAST = 15


class CountKind(Enum):
    """What is wrong with the number of a named barrier, or with its count of threads."""

    IDENTIFIER = "identifier"  # beyond 15
    NOT_WARPS = "not-warps"  # no multiple of the warp size
    BLOCK = "block"  # more threads than the block has
    DIFFERENT = "different"  # another count for the same number in the other arm
    TOO_FEW = "too-few"  # fewer threads come
    TOO_MANY = "too-many"  # more threads come at once


@dataclass(frozen=True, slots=True)
class WrongCount:
    """A named barrier with its number and a count that cannot come; `others` is what the count is
    held against.
    """

    kind: CountKind
    barrier: Barrier
    identifier: int
    count: int
    others: int = 0
    other: Barrier | None = None
    launch: AssumedLaunch | None = None


def wrong_counts(facts: BarrierFacts) -> Iterator[WrongCount]:
    """The barriers whose number or count of threads cannot be right, in program order."""
    barriers = [
        each for each in facts.every(Barrier) if each.kind in (BarrierKind.BLOCK, BarrierKind.NAMED)
    ]
    for barrier in barriers:
        if barrier.identifier is None and barrier.count is None:
            continue
        found = _alone(facts, barrier) or _among(facts, barrier, barriers)
        if found is not None:
            yield found


def _alone(facts: BarrierFacts, barrier: Barrier) -> WrongCount | None:
    """What the barrier itself shows."""
    identifier, count = number_of(barrier), whole_number(barrier.count)
    if identifier is not None and not 0 <= identifier <= LAST:
        return WrongCount(CountKind.IDENTIFIER, barrier, identifier, count or 0)
    named = -1 if identifier is None else identifier
    for launch, passed in _passed_counts(facts, barrier):
        if passed % WARP or passed <= 0:
            return WrongCount(CountKind.NOT_WARPS, barrier, named, passed, launch=launch)
    if count is None:
        return None
    stated = [each.launch for each in facts.launches if _is_stated(each.launch)]
    launch = max(stated, key=lambda each: each.threads, default=None)
    if launch is not None and len(stated) == len(facts.launches) and count > launch.threads:
        return WrongCount(CountKind.BLOCK, barrier, named, count, launch.threads, launch=launch)
    if count > MAX_THREADS:
        return WrongCount(CountKind.BLOCK, barrier, named, count, MAX_THREADS)
    return None


def _passed_counts(
    facts: BarrierFacts, barrier: Barrier
) -> Iterator[tuple[AssumedLaunch | None, int]]:
    """The counts of a barrier that are known: as it says, or as launches pass them."""
    count = whole_number(barrier.count)
    if count is not None:
        yield None, count
    elif isinstance(barrier.count, Parameter):
        for launch in facts.launches:
            passed = launch.passed.get(barrier.count)
            if isinstance(passed, int) and _threads_at(launch, barrier):
                yield launch.launch, passed


def number_of(barrier: Barrier) -> int | None:
    """The number of the hardware barrier that a barrier names; None when it is not known."""
    return 0 if barrier.identifier is None else whole_number(barrier.identifier)


def _is_stated(launch: AssumedLaunch) -> bool:
    return not (launch.guessed or launch.inferred) and launch.trusted


# ---- against the others --------------------------------------------------------------------------


def _among(facts: BarrierFacts, barrier: Barrier, barriers: list[Barrier]) -> WrongCount | None:
    """What shows when all barriers of one number are looked at."""
    identifier, count = number_of(barrier), whole_number(barrier.count)
    if identifier is None or count is None or any(number_of(b) is None for b in barriers):
        return None
    alike = [each for each in barriers if number_of(each) == identifier]
    for other in alike:
        differs = whole_number(other.count) not in (None, count)
        if differs and _are_apart(facts, barrier, other):
            counted = whole_number(other.count) or 0
            return WrongCount(CountKind.DIFFERENT, barrier, identifier, count, counted, other)
    unread = (Opcode.CALL, Opcode.OPAQUE)
    if any(operation.opcode in unread for operation in facts.kernel.operations()):
        return None
    if any(whole_number(each.count) is None for each in alike):
        return None
    alike = [each for each in alike if whole_number(each.count) == count]
    for launch in facts.launches:
        if _is_stated(launch.launch):
            found = _coming(launch, barrier, alike, identifier, count)
            if found is not None:
                return found
    return None


def _are_apart(facts: BarrierFacts, first: Barrier, second: Barrier) -> bool:
    """Whether no thread comes from one to the other: they stand in different arms."""
    return (
        are_apart(facts.flow, first, second)
        and first.block is not second.block
        and not facts.flow.loop_nest(first.block)
    )


def _coming(
    launch: BarrierLaunch, barrier: Barrier, alike: list[Barrier], identifier: int, count: int
) -> WrongCount | None:
    """Whether fewer threads come to all barriers of a number, or more to one of them at once."""
    threads: dict[Barrier, int] = {}
    for each in alike:
        come = _threads_at(launch, each)
        if come is None or (not each.wait and launch.facts.flow.loop_nest(each.block)):
            return None
        threads[each] = come
    total = sum(threads.values())
    given = (barrier, identifier, count)
    if 0 < total < count:
        return WrongCount(CountKind.TOO_FEW, *given, total, launch=launch.launch)
    if barrier.wait and threads[barrier] > count:
        return WrongCount(CountKind.TOO_MANY, *given, threads[barrier], launch=launch.launch)
    return None


def _threads_at(launch: BarrierLaunch, barrier: Barrier) -> int | None:
    """How many threads come to a barrier, whole warps; None when a decision is not known that may
    part them.
    """
    total = 0
    for warp in range(launch.launch.warps):
        guarded = launch.guards(launch.evaluator(warp)).of(barrier.block)
        if guarded.assumed and not is_alike(launch, guarded):
            return None
        total += WARP * any(guarded.mask)
    return total


def is_alike(launch: BarrierLaunch, guarded: Guarded) -> bool:
    """Whether all threads of a block take the decisions alike that are not known."""
    return all(
        launch.uniformity.of_branch(branch) <= Uniformity.BLOCK for branch in guarded.assumed
    )
