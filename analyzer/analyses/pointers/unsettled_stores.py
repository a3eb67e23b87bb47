"""Stores that other threads may not see yet, for loads that several threads make of one place.

In: a kernel and its points-to sets. Out: for a load, whether stores to what it reads may reach it
without a barrier of the block between (its threads may then read different values), with a barrier
of the warp alone, or not at all; and whether the kernel writes there at any time, as other blocks
may do. A forward may-analysis on sets of objects (Kildall 1973), and of the members of their
elements, where these are few. Not handled: stores by the threads of other blocks between two loads;
two loads of one place on either side of a store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ...ir.operation_kinds import WHOLE
from ...ir.operations import Barrier, BarrierKind, Call, MemoryAccess, OpaqueOperation, Opcode
from ..dataflow.fixpoint import solve
from .member_places import are_apart, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Kernel
    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from .member_places import Part
    from .points_to import PointsTo

_MEMBERS = 16  # of one array that are distinguished
_EFFECTS = frozenset({Opcode.ACCESS, Opcode.CALL, Opcode.OPAQUE, Opcode.BARRIER})
#: Objects stored to since the last barrier of the block, and of these those a warp has settled.
State = tuple[int, int]
#: Whether a barrier of the block clears all; whether one of the warp settles what is stored before
#: it; the objects stored to before and behind that.
Effect = tuple[bool, bool, int, int]
_Key = TypeVar("_Key")


class UnsettledStores:
    """Which stores other threads may not see yet, before every load of one kernel."""

    def __init__(self, kernel: Kernel, pointers: PointsTo) -> None:
        self._pointers = pointers
        self._bits: dict[MemoryObject | None, int] = {None: 1}  # of stores anywhere in an object
        self._parts: dict[MemoryObject, dict[Part, int]] = {}  # and of those to members
        self._given = 1  # bits
        self._written = 0
        self._effects = {block: self._effect(block) for block in kernel.blocks}
        self._entering: dict[Block, State] = {}
        self._loads: dict[Block, dict[MemoryAccess, State]] = {}
        if self._written:
            self._solve(kernel)

    def is_written(self, load: MemoryAccess) -> bool:
        """Whether the kernel stores to what a load reads, whenever that is."""
        return bool(self._mask(load) & self._written or self._written & 1)

    def unsettled(self, load: MemoryAccess) -> bool:
        """Whether threads of one warp may read different values."""
        stored, in_warp = self._before(load)
        return bool((self._mask(load) | 1) & stored & ~in_warp)

    def unsettled_in_block(self, load: MemoryAccess) -> bool:
        """Whether threads of different warps may read different values."""
        return bool((self._mask(load) | 1) & self._before(load)[0])

    def _before(self, load: MemoryAccess) -> State:
        """The state that a load finds."""
        block = load.block
        if block not in self._entering:
            return 0, 0  # nothing is written, or nobody comes there
        if block not in self._loads:
            self._loads[block] = dict(self._loads_of(block))
        return self._loads[block].get(load, (0, 0))

    def _mask(self, load: MemoryAccess) -> int:
        """The stores that may reach what a load reads."""
        mask = 0
        part = None
        for item in self._pointers.of(load.address):
            mask |= self._bits.get(item, 0)
            stored = self._parts.get(item) if item is not None else None
            if stored:
                part = part or part_of(load)
                apart = () if part is None else (p for p in stored if are_apart(part, p))
                for each in stored.keys() - set(apart):
                    mask |= stored[each]
        return mask

    def _stored(self, store: MemoryAccess) -> int:
        mask = 0
        targets = self._pointers.of(store.address)
        part = part_of(store) if len(targets) == 1 else None
        for item in targets:
            known = {} if item is None or part is None else self._parts.setdefault(item, {})
            if part is not None and (part in known or len(known) < _MEMBERS) and item is not None:
                mask |= self._bit_of(known, part)
            else:
                mask |= self._bit_of(self._bits, item)
        return mask

    def _bit_of(self, bits: dict[_Key, int], key: _Key) -> int:
        if key not in bits:
            bits[key] = 1 << self._given
            self._given += 1
        return bits[key]

    def _stores(self, operation: Operation) -> int:
        if isinstance(operation, MemoryAccess):
            return self._stored(operation) or 1 if operation.writes else 0
        if isinstance(operation, OpaqueOperation):
            return 1
        mask = 0
        if isinstance(operation, Call):
            for operand in operation.operands:
                for item in self._pointers.of(operand):
                    mask |= self._bit_of(self._bits, item) if item else 0
        return mask

    def _effect(self, block: Block) -> Effect:
        """What a block does to any state: clears it, then stores, settles in the warp, stores."""
        clears, settles, first, then = False, False, 0, 0
        for operation in block.operations:
            if operation.opcode not in _EFFECTS:
                continue
            if isinstance(operation, Barrier) and operation.wait:
                if operation.kind in WHOLE:
                    clears, settles, first, then = True, False, 0, 0
                elif operation.kind is BarrierKind.WARP:
                    settles, first, then = True, first | then, 0
            elif new := self._stores(operation):
                self._written |= new
                then |= new
        return clears, settles, first, then

    def _solve(self, kernel: Kernel) -> None:
        out: dict[Block, State] = {}

        def transfer(block: Block) -> Sequence[Block]:
            self._entering[block] = state = _joined(block, out)
            new = _after(state, self._effects[block])
            if new == out.get(block):
                return ()
            out[block] = new
            return block.successors

        solve(kernel.blocks, transfer)

    def _loads_of(self, block: Block) -> Iterator[tuple[MemoryAccess, State]]:
        stored, in_warp = self._entering[block]
        for operation in block.operations:
            if isinstance(operation, MemoryAccess) and not operation.writes:
                yield operation, (stored, in_warp)
            elif isinstance(operation, Barrier) and operation.wait:
                if operation.kind in WHOLE:
                    stored = in_warp = 0
                elif operation.kind is BarrierKind.WARP:
                    in_warp = stored
            else:
                new = self._stores(operation)
                stored |= new
                in_warp &= ~new


def _joined(block: Block, out: dict[Block, State]) -> State:
    """The state at the head of a block."""
    stored = loose = 0
    for predecessor in block.predecessors:
        each, in_warp = out.get(predecessor, (0, 0))
        stored |= each
        loose |= each & ~in_warp
    return stored, stored & ~loose


def _after(state: State, effect: Effect) -> State:
    """The state behind a block."""
    clears, settles, first, then = effect
    stored, in_warp = (0, 0) if clears else state
    if settles:
        in_warp = stored | first
    return stored | first | then, in_warp & ~then
