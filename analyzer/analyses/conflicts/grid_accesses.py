"""Accesses by which blocks of a grid may get in each other's way.

In: a kernel's facts for one launch. Out: the accesses to global memory that two blocks may execute
at any time, and the pairs of them that conflict between blocks: one writes, not both are atomic at
the scope of the device. Left out is what blocks may have arranged among themselves:
- accesses behind a decision on loaded data (a flag that any block may set, the last block that adds
  up, a lock), but for updates that input decides about, and what comes after a wait for such data;
- volatile accesses, and loads and stores with a scope beyond the block: meant for others;
- but not what is done while a lock is held, against a write that does without it, nor a volatile
  store against an atomic operation.
A lock keeps apart what is done under it, and says nothing about what comes behind its release.
What nothing but the launch decides happens in every block at once: only atomic operations, the
barrier of the grid and the end of the kernel order blocks (CUDA C++ Programming Guide, "Memory
Fence Functions" and "Grid Synchronization").
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, combinations_with_replacement
from math import gcd
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Branch, MemoryAccess, Opcode, Operation, Switch
from ...ir.values import Unknown, whole_number
from ..dataflow.block_sets import reached
from ..dataflow.slices import backward_slice, forward_slice
from ..pointers.memory_model import ATOMIC, TOUCHING, is_lost_store, reaches_blocks
from .optimistic_reads import takes_unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .facts import ConflictLaunch

_TOLD = frozenset({Opcode.CALL, Opcode.OPAQUE, Opcode.WARP})


class GridAccesses:
    """The accesses of one launch by which blocks of its grid may conflict, by program order."""

    def __init__(
        self, launch: ConflictLaunch, contended: frozenset[MemoryAccess] = frozenset()
    ) -> None:
        self.contended = contended  # updates of one place by all whose data says so
        self.facts = launch.facts
        self.equal_formulas = launch.equal_formulas
        self._flow = launch.facts.flow
        points_to = launch.facts.points_to
        self._guarded: set[MemoryAccess] = set()  # by a lock
        self._told: set[MemoryAccess] = set()  # volatile: meant for others, as a rule
        self._computed: set[Value] = set()  # values that are known to be
        self._loaded: set[Value] = set()  # and not to be
        candidates: list[tuple[MemoryAccess, frozenset[MemoryObject | None]]] = []
        written: set[MemoryObject | None] = set()
        for access in launch.facts.accesses:
            if access.kind not in TOUCHING or not points_to.spaces(access) <= _GLOBAL:
                continue
            targets = points_to.of(access.address)
            if access.writes:
                written |= targets
            guarded = launch.facts.critical_sections.is_guarded(access)
            arranged = self._is_arranged(access)
            if guarded:
                self._guarded.add(access)
            elif arranged:
                continue
            elif access.volatile:
                self._told.add(access)
            if access.width:
                candidates.append((access, targets))
        self.order = {
            access: place
            for place, (access, targets) in enumerate(candidates)
            if targets & written and self._is_computed(access.address)
        }

        self.unit = gcd(*(access.width or 1 for access in self.order)) or 1

    def conflict(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether two of them conflict when two blocks touch the same bytes."""
        return (
            (first.writes or second.writes)
            and not (reaches_blocks(first) and reaches_blocks(second))
            and self._may_meet(first, second)
        )

    def examples(
        self, apart: Callable[[MemoryAccess], Hashable] = lambda _: None
    ) -> Iterator[tuple[MemoryAccess, MemoryAccess]]:
        """Pairs that conflict, one at least for any two kinds of accesses that do, the earlier one
        first. Accesses that `apart` tells apart are of two kinds.
        """
        kinds: dict[Hashable, list[MemoryAccess]] = {}
        for access in self.order:
            alike = kinds.setdefault((self._kind(access), apart(access)), [])
            if len(alike) < 2:  # each with itself, and with another of its kind
                alike.append(access)
        chosen = sorted(chain.from_iterable(kinds.values()), key=self.order.__getitem__)
        for pair in combinations_with_replacement(chosen, 2):
            if self.conflict(*pair):
                yield pair

    def _kind(self, access: MemoryAccess) -> Hashable:
        """All that decides with what else an access conflicts."""
        stored = access.operands[1] if self._told and len(access.operands) > 1 else None
        return (
            access.kind,
            access.atomic,
            None if stored is None else whole_number(stored),
            access.writes,
            reaches_blocks(access),
            access in self._guarded,
            access in self._told,
            access in self.contended,
        )

    def _may_meet(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether no lock keeps two accesses apart, nor are they meant to meet."""
        guarded = self._guarded
        if first is not second and (first in self.contended or second in self.contended):
            # What data decides about may be arranged but for the update itself.
            return takes_unfinished(self.facts, first, second)
        if first in guarded or second in guarded:
            other = second if first in guarded else first
            return other not in guarded and other.writes
        told = first in self._told or second in self._told
        return not told or is_lost_store(first, second)

    def _is_arranged(self, access: MemoryAccess) -> bool:
        """Whether blocks may have settled who executes it, and when."""
        block = access.block
        if access.kind not in ATOMIC and reaches_blocks(access):
            return True
        if block in self._behind_waits:
            return True
        if access in self.contended:
            return False
        return block in self._decided_by_data

    @cached_property
    def _decided_by_data(self) -> set[Block]:
        """The blocks that run as something from memory decides."""
        return self._flow.decided_by(
            block
            for block in self._flow.blocks
            if isinstance(block.terminator, Branch | Switch)
            and not self._is_computed(block.terminator.operands[0])
        )

    @cached_property
    def _behind_waits(self) -> set[Block]:
        """The blocks of the kernel that come after a loop which waits for more than a lock."""
        decisions = (b for b in self._flow.blocks if isinstance(b.terminator, Branch | Switch))
        return reached(
            after for each in filter(self._is_wait, decisions) for after in each.successors
        )

    @cached_property
    def _exits(self) -> set[Block]:
        """The blocks from which some loop is left."""
        return {block for loop in self._flow.loops for block in loop.exits}

    def _is_wait(self, block: Block) -> bool:
        """Whether the end of a block depends on what another block may have written."""
        if self.facts.critical_sections.takes_lock(block):
            return False
        decided = block.terminator.operands[0]
        if decided in self._made_of_signals:
            return True
        return (block in self._exits or self._has_tickets) and decided in self._made_of_changes

    @cached_property
    def _made_of_signals(self) -> set[Value]:
        """The values in which something has a part that is read for what other blocks do."""
        signals = (a for a in self._seen_by_others if a.kind in ATOMIC or a.volatile or a.scope)
        return forward_slice(signals, self.facts.users)

    @cached_property
    def _made_of_changes(self) -> set[Value]:
        """The values in which something has a part that the kernel may write."""
        changes = (access for access in self._seen_by_others if self._may_change(access))
        return forward_slice(changes, self.facts.users)

    @cached_property
    def _seen_by_others(self) -> list[MemoryAccess]:
        return [access for access in self.facts.accesses if access.scope != "block"]

    def _may_change(self, load: MemoryAccess) -> bool:
        """Whether the kernel may write what is loaded, so that blocks can settle something."""
        targets = self.facts.points_to.of(load.address)
        return None in targets | self._written or bool(targets & self._written)

    def _is_computed(self, value: Value) -> bool:
        """Whether a value is made of indices, sizes and constants alone."""
        known = self._computed
        parts: list[Value] = []
        for each in backward_slice(value, through=lambda each: each not in known):
            if each in self._loaded or _is_told(each):
                self._loaded.add(value)
                return False
            parts.append(each)
        known.update(parts)
        return True

    @cached_property
    def _written(self) -> frozenset[MemoryObject | None]:
        """What the kernel writes; None where that is not known."""
        points_to = self.facts.points_to
        writing = (access for access in self.facts.accesses if access.writes)
        return frozenset(item for each in writing for item in points_to.of(each.address))

    @cached_property
    def _has_tickets(self) -> bool:
        """Whether what an atomic operation returns is used: blocks may agree by it."""
        return any(
            access.kind is AccessKind.ATOMIC and self.facts.is_used(access)
            for access in self.facts.accesses
        )


_GLOBAL = frozenset({Space.GLOBAL, Space.GENERIC})


def _is_told(value: Value) -> bool:
    """Whether a value itself is more than indices and sizes give: memory or other threads do."""
    if isinstance(value, Operation):
        return isinstance(value, MemoryAccess) or value.opcode in _TOLD
    return isinstance(value, Unknown)
