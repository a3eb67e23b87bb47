"""Shared memory of another block that is used with no barrier of the cluster around the use.

In: a kernel's facts. Out: each access to another block's shared memory (`mapa`, `map_shared_rank`)
that nothing orders with that block: it may come before the block has started, while the block
itself uses the same bytes, or after it has ended (CUDA C++ Programming Guide, "Distributed Shared
Memory").
All threads of a cluster pass its barriers equally often. So two accesses with a path from one to
the other that passes none are made in the same interval, each by some block. Barriers that stand
aside of such a path, behind a condition of their own, may be meant for just this case: then nothing
is said. Nor is it where anything else may order blocks: calls and statements that were not read,
mbarriers, loops that wait for data. Not handled: places that data chooses, or loop counters.
"""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import BETWEEN_BLOCKS, Function
from ...ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    Exit,
    MemoryAccess,
    Opcode,
    Phi,
    Pure,
    Return,
    unconverted,
)
from ...ir.values import IN_CLUSTER, ObjectAddress, Special, SpecialRegister
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX
from ..dataflow.affine import affine
from ..dataflow.paths import all_pass_through, can_reach, comes_before, operations_after
from ..dataflow.slices import backward_slice, registers_in
from ..dataflow.value_numbering import ValueNumbering, alike
from ..pointers.memory_model import TOUCHING, is_strong
from ..pointers.provenance import reads_memory
from ..warp_evaluation.uniformity import Uniformity
from .spins import spins

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.kernel import Kernel
    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from ...ir.values import Value
    from .facts import OrderFacts

_SHARED = frozenset({Space.SHARED, Space.SHARED_CLUSTER})
_UNREAD = (Opcode.CALL, Opcode.OPAQUE)
_OF_BLOCKS = IN_CLUSTER.union(BLOCK_INDEX)


class Lack(Enum):
    """Where the barrier of the cluster is missing."""

    BEFORE = "before"  # the other block may not have started
    BETWEEN = "between"  # it may be at the same bytes
    AFTER = "after"  # it may have ended


@dataclass(frozen=True, slots=True)
class Unordered:
    """An access to shared memory of another block that nothing orders with that block; `own` is
    what the other block does there itself.
    """

    lack: Lack
    remote: MemoryAccess
    item: MemoryObject  # as the block has it whose it is
    own: MemoryAccess | None = None
    later: bool = False  # in a later iteration of the loop around both


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an access goes in an object: a number of bytes, and named values times factors."""

    number: int
    factors: dict[Hashable, int]
    values: tuple[Value, ...]


def unordered_remote_accesses(facts: OrderFacts) -> Iterator[Unordered]:
    """Each such access, with the first that is missing of what it needs, in program order."""
    remote = {each: item for each in facts.accesses if (item := _item(facts, each)) is not None}
    if remote and not _is_alone(facts.kernel) and not _may_be_ordered(facts):
        yield from _RemoteAccesses(facts, remote).find()


class _RemoteAccesses:
    """What is asked of one kernel for each of its accesses to other blocks."""

    def __init__(self, facts: OrderFacts, remote: dict[MemoryAccess, MemoryObject]) -> None:
        self._facts = facts
        self._flow = facts.flow
        self._remote = remote
        self._names = ValueNumbering()
        self._barriers = [
            each for each in facts.kernel.operations() if _arrives(each) or _waits(each)
        ]

    def find(self) -> Iterator[Unordered]:
        """See `unordered_remote_accesses`."""
        made = self._made_by_block()
        for access, item in self._remote.items():
            met = next(filter(None, (self._meeting(access, each) for each in made[item])), None)
            if met is not None:
                yield met
            elif self._lacks_before(access):
                yield Unordered(Lack.BEFORE, access, item)
            elif self._lacks_after(access):
                yield Unordered(Lack.AFTER, access, item)

    def _made_by_block(self) -> dict[MemoryObject, list[MemoryAccess]]:
        """What blocks do with their own objects: all of them, whatever the data."""
        found: dict[MemoryObject, list[MemoryAccess]] = {each: [] for each in self._remote.values()}
        for access in self._facts.accesses:
            item = self._facts.points_to.object_of(access)
            if item in found and access.kind in TOUCHING and not self._is_chosen(access):
                found[item].append(access)
        return found

    def _is_chosen(self, access: MemoryAccess) -> bool:
        """Whether data or the block decides if an access is made."""
        return any(map(_is_told, self._flow.conditions(access.block)))

    def _meeting(self, remote: MemoryAccess, own: MemoryAccess) -> Unordered | None:
        """How one block may be at a place of another just as that one is there; None if not."""
        if not (remote.writes or own.writes) or (is_strong(remote) and is_strong(own)):
            return None
        both_store = remote.kind is own.kind is AccessKind.STORE
        if both_store and alike(remote.operands[1], own.operands[1]):
            return None
        place = self._common_place(remote, own)
        if place is None:
            return None
        pairs = [pair for pair in ((own, remote), (remote, own)) if self._in_one_interval(*pair)]
        later = not any(comes_before(self._flow, *pair) for pair in pairs)
        if not pairs or (later and any(map(_changes, place.values))):
            return None
        return Unordered(Lack.BETWEEN, remote, self._remote[remote], own, later)

    def _in_one_interval(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether a path from one to the other passes no barrier of the cluster, or half of one."""
        if not can_reach(self._flow, first, second):
            return False
        passed = all(
            all_pass_through(self._flow, first, second, wanted) for wanted in (_arrives, _waits)
        )
        between = (
            each
            for each in self._barriers
            if can_reach(self._flow, first, each) and can_reach(self._flow, each, second)
        )
        return not passed and all(self._goes_with(each, first, second) for each in between)

    def _lacks_before(self, access: MemoryAccess) -> bool:
        """Whether a path from the start of the kernel to an access passes no barrier."""
        start = self._flow.blocks[0].operations[0]
        earlier = (access, *operations_after(access, _waits, back=True))
        return (
            start in earlier
            and not _waits(start)
            and all(
                self._goes_with(each, access)
                for each in self._barriers
                if can_reach(self._flow, each, access)
            )
        )

    def _lacks_after(self, access: MemoryAccess) -> bool:
        """Whether a path from an access to the end of the thread passes no barrier."""
        later = operations_after(access, _arrives)
        return any(map(_ends, later)) and all(
            self._goes_with(each, access)
            for each in self._barriers
            if can_reach(self._flow, access, each)
        )

    def _goes_with(self, barrier: Operation, *accesses: MemoryAccess) -> bool:
        """Whether who makes one of these accesses is sure to pass a barrier, before or after: no
        condition of its own decides about the barrier.
        """
        before, after = self._flow.dominators, self._flow.post_dominators
        assert barrier.block is not None
        index = barrier.block.index
        return any(
            before.dominates(index, each.block.index) or after.dominates(index, each.block.index)
            for each in accesses
            if each.block is not None
        )

    def _common_place(self, remote: MemoryAccess, own: MemoryAccess) -> _Place | None:
        """Where a thread comes to bytes of another block that a thread of that block comes to."""
        item = self._remote[remote]
        there, here = self._place(remote, item), self._place(own, item)
        if there is None or here is None or there.factors != here.factors:
            return None
        if not remote.width or not own.width:
            return None
        if not -own.width < here.number - there.number < remote.width:
            return None
        if self._is_fixed(there):
            return there
        # The thread of the same index, which makes both accesses.
        tree, one, other = self._flow.dominators, remote.block, own.block
        assert one is not None
        assert other is not None
        both = tree.dominates(one.index, other.index) or tree.dominates(other.index, one.index)
        return there if both and not any(map(_is_told, there.values)) else None

    def _place(self, access: MemoryAccess, item: MemoryObject) -> _Place | None:
        """Where an access goes, from the start of its object; None where that is not known."""
        form = affine(access.address)
        number, factors = form.number, dict(form.factors)
        mapped = _mapped(factors)
        if mapped is not None:
            del factors[mapped]
            inner = affine(mapped.operands[0])
            number += inner.number
            for value, factor in inner.factors.items():
                factors[value] = factors.get(value, 0) + factor
        bases = [e for e in factors if isinstance(e, ObjectAddress) and e.object is item]
        if len(bases) != 1 or factors.pop(bases[0]) != 1:
            return None
        named: dict[Hashable, int] = {}
        for value, factor in factors.items():
            name = self._names.of(value)
            named[name] = named.get(name, 0) + factor
        return _Place(number, named, tuple(factors))

    def _is_fixed(self, place: _Place) -> bool:
        uniformity = self._facts.launches[0].uniformity
        return all(uniformity.of(each) <= Uniformity.GRID for each in place.values)


def _item(facts: OrderFacts, access: MemoryAccess) -> MemoryObject | None:
    """The object of another block that an access goes to, as that block has it; None for its own
    ones.
    """
    item = facts.points_to.object_of(access)
    own = None if item is None or access.kind not in TOUCHING else facts.points_to.own_of(item)
    mapped = None if own is None else _mapped(affine(access.address).factors)
    return None if mapped is None or _is_own(mapped.operands[1]) else own


def _is_alone(kernel: Kernel) -> bool:
    """Whether each block is a cluster of its own: neither kernel nor launch says otherwise."""
    if kernel.bounds.cluster is not None:
        return prod(kernel.bounds.cluster) == 1
    return bool(kernel.launches) and not any(each.clusters for each in kernel.launches)


def _mapped(factors: dict[Value, int]) -> Pure | None:
    """What makes a place in another block of one in the own block, in the form of an address."""
    found = [
        each
        for each, factor in factors.items()
        if isinstance(each, Pure) and each.function is Function.REMOTE_ADDRESS and factor == 1
    ]
    return found[0] if len(found) == 1 else None


def _is_own(rank: Value) -> bool:
    """Whether a rank is that of the block itself."""
    value = unconverted(rank)
    return isinstance(value, SpecialRegister) and value.register is Special.CLUSTER_RANK


def _may_be_ordered(facts: OrderFacts) -> bool:
    """Whether something else than barriers of the cluster may order its blocks."""
    operations = list(facts.kernel.operations())
    return (
        any(each.opcode in _UNREAD or _is_mbarrier(each) for each in operations)
        or bool(facts.spins)
        or any(True for _ in spins(facts, _SHARED))
        or any(
            isinstance(each, MemoryAccess) and (each.volatile or each.scope)
            for loop in facts.flow.loops
            for end in loop.exits
            for each in backward_slice(end.terminator.operands[0])
            if end.terminator.operands
        )
    )


def _is_told(value: Value) -> bool:
    """Whether data or the block has a part in a value."""
    return reads_memory(value) or not _OF_BLOCKS.isdisjoint(registers_in(value))


def _changes(value: Value) -> bool:
    """Whether a value may be another one in the next iteration of a loop."""
    return any(isinstance(each, Phi) for each in backward_slice(value))


def _is_mbarrier(operation: Operation) -> bool:
    return isinstance(operation, Barrier) and operation.kind is BarrierKind.MBARRIER


def _arrives(operation: Operation) -> bool:
    return isinstance(operation, Barrier) and operation.kind in BETWEEN_BLOCKS and operation.arrive


def _waits(operation: Operation) -> bool:
    return isinstance(operation, Barrier) and operation.kind in BETWEEN_BLOCKS and operation.wait


def _ends(operation: Operation) -> bool:
    """Whether a thread ends, and not the whole grid."""
    return isinstance(operation, Return) or (isinstance(operation, Exit) and operation.alone)
