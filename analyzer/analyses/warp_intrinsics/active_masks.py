"""Warp operations whose member mask is the result of `__activemask()`.

In: a kernel's facts. Out: each shuffle, vote, reduction or `__syncwarp` with the `activemask` that
its mask comes from, through variables, conversions and masking. Left out is code that is right for
whichever lanes run together: it elects a leader from the mask or from those of its lanes that vote
so, counts it or asks whether some lanes stand in it (`(mask & below) == 0`), or asks for the lanes
with an equal key ("opportunistic warp-level programming", NVIDIA, "Using CUDA Warp-Level
Primitives"); or it stands behind an assertion that all lanes run together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ...ir.operation_kinds import MATCHES, PICKING, Function, WarpKind
from ...ir.operations import Barrier, Compare, Opcode, Operation, Pure, WarpOperation
from ...ir.values import Constant, whole_number
from ...source.records import dataclass
from ..dataflow.reachability import reachable
from .warp_members import member_mask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...ir.values import Value
    from ..barriers.facts import BarrierFacts

_PASSING = frozenset({Opcode.CONVERT, Opcode.PHI, Opcode.SELECT, Opcode.AND, Opcode.OR})
_ALL = (0xFFFFFFFF, -1)
_ELECTING = PICKING | {Function.COUNT_ONES}


@dataclass(frozen=True, slots=True)
class ActiveMask:
    """A warp operation and the `activemask` that gives its member mask."""

    operation: WarpOperation | Barrier
    source: WarpOperation


def active_masks(facts: BarrierFacts) -> Iterator[ActiveMask]:
    """The warp operations whose member mask is the result of `__activemask()`, in program order."""
    sources = [each for each in facts.every(WarpOperation) if _is_source(each)]
    users = facts.users if sources else {}
    operations = facts.kernel.operations() if sources else ()
    places = {each: place for place, each in enumerate(operations)}
    whole = [each for each in places if _states_whole_warp(each)]
    for source in sources:
        if any(_stands_behind(facts, source, each, places) for each in whole):
            continue
        masks = _masks(source, users)
        if not any(_elects(user) for mask in masks for user in users.get(mask, ())):
            yield from _users(source, masks, users)


def _is_source(value: Value) -> TypeGuard[WarpOperation]:
    return isinstance(value, WarpOperation) and value.kind is WarpKind.ACTIVE_MASK


def _states_whole_warp(operation: Operation) -> bool:
    """`assert(__activemask() == 0xffffffff)`."""
    if not isinstance(operation, Pure) or operation.function is not Function.SHOWN:
        return False
    return any(
        isinstance(each, Compare)
        and each.opcode is Opcode.EQ
        and any(map(_is_source, each.operands))
        and any(whole_number(operand) in _ALL for operand in each.operands)
        for each in operation.operands
    )


def _stands_behind(
    facts: BarrierFacts, later: Operation, earlier: Operation, places: Mapping[Operation, int]
) -> bool:
    """Whether every way to an operation leads over another one."""
    above, below = earlier.block.index, later.block.index
    return places[earlier] < places[later] and facts.flow.dominators.dominates(above, below)


def _masks(source: WarpOperation, users: Mapping[Value, Sequence[Operation]]) -> list[Operation]:
    """What the mask becomes on its way, itself first."""

    def passed(mask: Operation) -> list[Operation]:
        return [user for user in users.get(mask, ()) if user.opcode in _PASSING]

    starts: list[Operation] = [source]
    return list(reachable(starts, passed))


def _elects(user: Operation) -> bool:
    """Whether a leader is elected from the mask, or its lanes are counted or distinguished."""
    if isinstance(user, WarpOperation):
        return user.kind in MATCHES
    if isinstance(user, Compare):
        return any(isinstance(each, Constant) and not each.value for each in user.operands) and any(
            each.opcode is Opcode.AND for each in user.operands if isinstance(each, Operation)
        )
    return isinstance(user, Pure) and user.function in _ELECTING


def _users(
    source: WarpOperation, masks: list[Operation], users: Mapping[Value, Sequence[Operation]]
) -> Iterator[ActiveMask]:
    told: set[Operation] = set()
    wanted: set[Value] = set(masks)
    for mask in masks:
        for user in users.get(mask, ()):
            if not isinstance(user, WarpOperation | Barrier) or user in told:
                continue
            if member_mask(user) in wanted and not _elects_voters(user, users):
                told.add(user)
                yield ActiveMask(user, source)


def _elects_voters(
    vote: WarpOperation | Barrier, users: Mapping[Value, Sequence[Operation]]
) -> bool:
    """Whether a leader is elected from the lanes that voted so: each group has one of its own."""
    if not isinstance(vote, WarpOperation) or vote.kind is not WarpKind.VOTE_BALLOT:
        return False
    return any(
        isinstance(user, Pure) and user.function in PICKING
        for mask in _masks(vote, users)
        for user in users.get(mask, ())
    )
