"""Conditions that hold because the other thread comes: they count its vote, or are the warp's.

Problem: lanes that vote for something store one after the other, each at its rank among those that
vote, and every lane reads below their number: `if (vote & bit) s[rank] = x; if (k < __popc(vote)) y
= s[k];`. The one that reads comes to all that was stored: its condition follows from the other's.
In: two threads of a block, and a branch before one of their accesses. Out: whether the condition is
one that all lanes of a warp share, both threads among them and behind it; or whether it holds an
index below the number of votes, where the other thread has voted for what lets it store, and where
the index is that of the access, or a part of it. Not handled: votes of a part of the warp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.arithmetic import NEGATED
from ....ir.operation_kinds import Function, WarpKind
from ....ir.operations import AccessKind, Compare, Opcode, Pure, WarpOperation, unconverted
from ....ir.values import whole_number
from ...dataflow.affine import affine
from ...dataflow.joined_conditions import joined_conditions
from ...dataflow.slices import backward_slice
from ...dataflow.value_numbering import alike
from ...warp_evaluation.lane_values import WARP
from ...warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....ir.values import Value
    from ...block_execution.access_events import ThreadAccess
    from ...dataflow.control_flow import ControlEdge
    from ..question.candidates import BlockCandidate


def is_shared(candidate: BlockCandidate, edge: ControlEdge) -> bool:
    """Whether lanes of one warp take an edge together, and both accesses are behind it."""
    if candidate.first.thread // WARP != candidate.second.thread // WARP:
        return False
    flow = candidate.context.program.flow
    are_behind = all(
        any(
            each.branch is edge.branch and each.target is edge.target
            for each in flow.controlling_edges(access.block)
        )
        for access in candidate.accesses
    )
    condition = edge.branch.terminator.operands[0]
    return are_behind and candidate.context.launch.uniformity.of(condition) <= Uniformity.WARP


def counts_the_other(candidate: BlockCandidate, touch: ThreadAccess, edge: ControlEdge) -> bool:
    """Whether an edge before the access of one thread is taken as the other has voted."""
    other = candidate.second if touch is candidate.first else candidate.first
    if other.access.kind is not AccessKind.STORE or not _asks_for_count(edge):
        return False
    ballot = _ballot_of_rank(other, touch)
    if ballot is None or not _lets_come(candidate, other, ballot):
        return False
    return _is_below(touch, edge, ballot)


def _asks_for_count(edge: ControlEdge) -> bool:
    """Whether an edge is one of a comparison with a number of set bits; asked first, as it costs
    least.
    """
    condition = edge.branch.terminator.operands[0] if edge.condition is not None else None
    return isinstance(condition, Compare) and any(map(_counted, condition.operands))


def _ballot_of_rank(store: ThreadAccess, touch: ThreadAccess) -> WarpOperation | None:
    """The ballot at whose ranks lanes store, one element each, from where the other counts, too."""
    place, own = affine(store.access.address), affine(touch.access.address)
    width = store.access.width
    ranks = {value for value, each in place.factors.items() if each == width and _counted(value)}
    base = {value: each for value, each in place.factors.items() if value not in ranks}
    is_base = own.number == place.number and _has_all(own.factors, base)
    ballots = [
        each
        for each in backward_slice(*ranks)
        if isinstance(each, WarpOperation) and each.kind is WarpKind.VOTE_BALLOT
    ]
    return ballots[0] if is_base and len(ranks) == len(ballots) == 1 else None


def _counted(value: Value) -> Value | None:
    """What the set bits are counted of in a value."""
    value = unconverted(value)
    is_count = isinstance(value, Pure) and value.function is Function.COUNT_ONES
    return unconverted(value.operands[0]) if is_count else None


def _lets_come(candidate: BlockCandidate, other: ThreadAccess, ballot: WarpOperation) -> bool:
    """Whether a thread comes to its access only where it has voted."""
    voted = _plain(ballot.operands[0])
    flow = candidate.context.program.flow
    return any(
        holds and _plain(part) is voted
        for edge in flow.controlling_edges(other.access.block)
        if edge.condition is not None
        for part, holds in (edge.condition, *joined_conditions(*edge.condition))
    )


def _plain(condition: Value) -> Value:
    """A condition without comparisons to 0 and changes of type around it."""
    value = unconverted(condition)
    while (
        isinstance(value, Compare)
        and value.opcode is Opcode.NE
        and whole_number(value.operands[1]) == 0
    ):
        value = unconverted(value.operands[0])
    return value


def _is_below(touch: ThreadAccess, edge: ControlEdge, ballot: WarpOperation) -> bool:
    """Whether an edge holds an index of the access below the number of votes."""
    assert edge.condition is not None
    condition, holds = edge.condition
    return any(_is_part(touch, index) for index in _bounded(condition, holds, ballot))


def _bounded(part: Value, holds: bool, ballot: WarpOperation) -> Iterator[Value]:
    """What a condition holds below the number of votes of a ballot."""
    if isinstance(part, Compare):
        opcode = part.opcode if holds else NEGATED.get(part.opcode)
        for wanted, (index, number) in (
            (Opcode.LT, part.operands),
            (Opcode.GT, part.operands[::-1]),
        ):
            if opcode is wanted and _counted(number) is ballot:
                yield index


def _is_part(touch: ThreadAccess, index: Value) -> bool:
    """Whether an access goes an element further with each of an index."""
    own, width = affine(touch.access.address).factors, touch.access.width
    if width is None:
        return False
    return _has_all(own, {value: times * width for value, times in affine(index).factors.items()})


def _has_all(factors: Mapping[Value, int], wanted: Mapping[Value, int]) -> bool:
    """Whether the values, or such as are computed alike, have these factors in a sum."""
    return all(
        any(times == factor and alike(value, each) for each, times in factors.items())
        for value, factor in wanted.items()
    )
