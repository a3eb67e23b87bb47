"""Stores whose value depends on nothing but the place they go to: `out[i] = in[i]`.

In: the tracked accesses of a launch, a store, and which of their indices two threads share. Out:
whether the two, where they come to one place with it, store the same there, since what tells the
places apart (`i`) is all that tells the values apart. The address must be a sum or a multiple of
that number, so that equal addresses mean equal numbers: `row * width + column` in two threads of
one column. A value may be one of several, by decisions that are made of the same numbers.
Not handled: places of several numbers that the threads do not share, wrapping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import COMPARISONS, AccessKind, Convert, MemoryAccess, Opcode, Operation, Phi
from ...ir.values import Constant, Special, SpecialRegister
from ..block_execution.launch_values import BLOCK_SIZES, GRID_SIZES
from ..dataflow.slices import backward_slice
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ...ir.values import Value
    from .tracked_accesses import Tracked

_SUMS = frozenset({Opcode.ADD, Opcode.SUB})
_MULTIPLES = frozenset({Opcode.MUL, Opcode.SHL})
_MADE_BY = frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.REM, Opcode.MIN, Opcode.MAX}
    | {Opcode.SHL, Opcode.SHR, Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.NEG, Opcode.ABS}
    | {Opcode.CONVERT, Opcode.PURE, Opcode.SELECT, Opcode.AGGREGATE, Opcode.EXTRACT}
    | COMPARISONS
)
_WITH_CALLS = _MADE_BY | {Opcode.CALL}
#: Never zero.
_SIZES = frozenset(BLOCK_SIZES + GRID_SIZES)
_DEPTH = 60
_FIXED = 12  # operations deep that what two threads share is computed


def determined_by_address(
    tracked: Tracked, store: MemoryAccess, shared: frozenset[Special], *, calls: bool = False
) -> bool:
    """Whether two threads of a block store the same value wherever they store to the same place;
    with `calls`, functions that were not read are taken to give the same for the same arguments.
    """
    return _Places(tracked, shared, _WITH_CALLS if calls else _MADE_BY).tell(store)


class _Places:
    """What is the same in two threads, and what their places tell."""

    def __init__(
        self, tracked: Tracked, shared: frozenset[Special], made_by: frozenset[Opcode]
    ) -> None:
        self._tracked = tracked
        self._shared = shared
        self._made_by = made_by
        self._numbers: set[Value] = set()
        self._seen: set[Value] = set()

    def tell(self, store: MemoryAccess) -> bool:
        """Whether the place tells what is stored."""
        self._take_apart(store.address)
        return bool(self._numbers) and self._is_told(store.operands[1])

    def _take_apart(self, address: Value) -> None:
        """The number that an address is a multiple of, but for what both threads share."""
        value = address
        for _ in range(_DEPTH):
            self._numbers.add(value)
            if isinstance(value, Convert):
                value = value.operands[0]
                continue
            if not isinstance(value, Operation) or value.opcode not in _SUMS | _MULTIPLES:
                break
            varying = [each for each in value.operands if not self._is_fixed(each)]
            others = [each for each in value.operands if each not in varying]
            if len(varying) != 1:
                break
            if value.opcode in _MULTIPLES and not _is_number(others, varying[0], value):
                break
            (value,) = varying

    def _is_fixed(self, value: Value, depth: int = 0) -> bool:
        """Whether both threads have the same value, in all iterations of all loops."""
        if isinstance(value, SpecialRegister) and value.register in self._shared:
            return True
        if self._tracked.launch.uniformity.of(value) <= Uniformity.BLOCK:
            return not any(
                isinstance(each, Phi) or each in self._tracked.accesses
                for each in backward_slice(value)
            )
        if not isinstance(value, Operation) or value.opcode not in _MADE_BY or depth > _FIXED:
            return False
        return all(self._is_fixed(each, depth + 1) for each in value.operands)

    def _is_told(self, value: Value) -> bool:
        """Whether a value is made of the numbers and of what both threads share."""
        if value in self._numbers or value in self._seen or self._is_fixed(value):
            return True
        if not isinstance(value, Operation) or len(self._seen) > _DEPTH:
            return False
        self._seen.add(value)
        if isinstance(value, MemoryAccess):
            return self._finds_the_same(value) and self._is_told(value.address)
        if isinstance(value, Phi):
            return self._is_chosen_alike(value)
        if value.opcode not in self._made_by or not value.operands:
            return False
        return all(map(self._is_told, value.operands))

    def _finds_the_same(self, load: MemoryAccess) -> bool:
        """Whether both threads find the same where they load from one place."""
        if load.kind is not AccessKind.LOAD or load.volatile or load.scope:
            return False
        if load in self._tracked.untracked:
            return False
        launch = self._tracked.launch
        if load in self._tracked.accesses and not launch.uniformity.is_settled(load):
            return False
        return Space.LOCAL not in launch.facts.points_to.spaces(load)  # each thread has its own

    def _is_chosen_alike(self, phi: Phi) -> bool:
        """Whether the ways that meet here are chosen by what both threads share."""
        flow = self._tracked.launch.facts.flow
        if any(loop.header is phi.block for loop in flow.loop_nest(phi.block)):
            return False  # a number that the iterations count
        before = {edge.branch for edge in flow.controlling_edges(phi.block)}
        deciding = {
            edge.branch
            for way in phi.block.predecessors
            for edge in flow.controlling_edges(way)
            if edge.branch not in before
        }
        conditions = [branch.terminator.operands[0] for branch in deciding]
        return all(map(self._is_told, (*conditions, *phi.operands)))


def _is_number(others: list[Value], varying: Value, made: Operation) -> bool:
    """Whether the other factor is a number that is not zero."""
    if made.opcode is Opcode.SHL:
        return made.operands[0] is varying
    return all(
        (isinstance(each, Constant) and bool(each.value))
        or (isinstance(each, SpecialRegister) and each.register in _SIZES)
        for each in others
    )
