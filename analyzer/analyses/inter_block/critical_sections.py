"""Pairs of accesses that threads may have put in order by a lock or a flag.

In: a kernel's facts. Out: for two accesses, whether both stand behind a wait for the same lock (a
loop that ends with a compare-and-swap or an exchange) and before its release, or for the thread's
own turn (`while (turn != tid);`), which it ends itself; or one before a flag is set and the other
behind the wait for it. Waits for what a call returns are taken for locks that are never given back.
Said of accesses, not of threads: an order is possible, not shown.
Not handled: locks that are tried without a loop of their own (`if (atomicCAS(...) == 0)`).
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    EQUALITIES,
    AccessKind,
    Branch,
    Call,
    Compare,
    MemoryAccess,
    unconverted,
)
from ...ir.values import SpecialRegister, whole_number
from ..block_execution.launch_values import THREAD_INDEX
from ..dataflow.paths import can_reach
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice
from .spins import spins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ..dataflow.control_flow import Loop
    from .facts import OrderFacts
    from .spins import Spin

_WAITED_IN = frozenset({Space.GLOBAL, Space.SHARED, Space.SHARED_CLUSTER})
_Accesses = frozenset[MemoryAccess]


class CriticalSections:
    """The locks and flags of one kernel that may put two accesses in order."""

    def __init__(self, facts: OrderFacts) -> None:
        self._facts = facts
        flow = facts.flow
        self._in_block: dict[Block, list[MemoryAccess]] = {}
        for access in facts.accesses:
            self._in_block.setdefault(access.block, []).append(access)
        self._held: list[_Accesses] = [self._behind(loop.paths_out) for loop in self._calls()]
        self._locked: list[_Accesses] = []  # those of them that are shown to be locks
        self._taken: set[Block] = set()  # where the loops end that wait for nothing but a lock
        self._signalled: list[tuple[_Accesses, _Accesses]] = []  # before a flag, behind the wait
        waits = list(spins(facts, _WAITED_IN))
        for spin in waits:
            ways = spin.loop.paths_out
            releases = self._writes(spin.item, spin.loop)
            if spin.swaps:
                takers = {e.read for e in waits if e.swaps and e.item is spin.item}
                releases -= takers
                self._held.append(self._behind(ways, releases))
                # An exchange may also clear a flag, set by a thread that does not wait for it.
                apart = frozenset(
                    each for each in releases if not any(can_reach(flow, e, each) for e in takers)
                )
                if releases and not apart:
                    self._locked.append(self._held[-1])
                    if all(_gives_back(spin.read, each) for each in releases):
                        self._taken.update(spin.loop.exits)
                releases = apart
            elif _waits_for_own_turn(spin):
                self._held.append(self._behind(ways, releases) | (releases & self._behind(ways)))
            self._signalled.append((self._ahead(releases), self._behind(ways)))

    def may_order(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether the kernel's own locks or flags may stand between two accesses."""
        if any(first in held and second in held for held in self._held):
            return True
        return any(
            (first in before and second in after) or (second in before and first in after)
            for before, after in self._signalled
        )

    def is_guarded(self, access: MemoryAccess) -> bool:
        """Whether a lock is held at an access."""
        return any(access in held for held in self._locked)

    def takes_lock(self, block: Block) -> bool:
        """Whether a block ends a loop that waits for a lock, which each owner leaves as it was."""
        return block in self._taken

    def _writes(self, item: MemoryObject, loop: Loop) -> _Accesses:
        """What may give a lock back, or set a flag."""
        points_to = self._facts.points_to
        return frozenset(
            access
            for access in self._facts.accesses
            if access.writes and access.block not in loop.blocks
            if item in points_to.of(access.address)
        )

    def _behind(self, starts: list[Block], ends: _Accesses = frozenset()) -> _Accesses:
        """The accesses reached from blocks, up to any of the ends."""
        inside = self._in_block

        def onwards(block: Block) -> Sequence[Block]:
            return block.successors if ends.isdisjoint(inside.get(block, ())) else ()

        return frozenset(
            access
            for block in reachable(starts, onwards)
            for access in takewhile(lambda each: each not in ends, inside.get(block, ()))
        )

    def _ahead(self, ends: _Accesses) -> _Accesses:
        """The accesses from which one may come to any of the ends."""
        found: set[MemoryAccess] = set()
        blocks = 0
        for end in ends:
            here = self._in_block[end.block]
            found.update(here[: here.index(end)])
            blocks |= self._facts.flow.behind[end.block.index]
        return self._accesses_in(blocks) | found

    def _accesses_in(self, blocks: int) -> _Accesses:
        """The accesses in a set of blocks."""
        found: set[MemoryAccess] = set()
        for block, here in self._in_block.items():
            if block is not None and blocks >> block.index & 1:
                found.update(here)
        return frozenset(found)

    def _calls(self) -> Iterator[Loop]:
        """The loops that go on until a call returns something else."""
        if not self._facts.every(Call):
            return
        for loop in self._facts.flow.loops:
            for block in loop.exits:
                last = block.terminator
                if isinstance(last, Branch) and any(
                    isinstance(each, Call) and each.block in loop.blocks
                    for each in backward_slice(last.condition)
                ):
                    yield loop


def _gives_back(taken: MemoryAccess, release: MemoryAccess) -> bool:
    """Whether a release leaves the number there that the lock was free with, and not the next one's
    turn."""
    if taken.atomic != "cas":
        return False
    if release.kind is not AccessKind.STORE and release.atomic != "exch":
        return False
    free = whole_number(taken.operands[1])
    return free is not None and whole_number(release.operands[1]) == free


def _waits_for_own_turn(spin: Spin) -> bool:
    """Whether a thread waits until memory holds its own number: no other thread has the same."""
    test = spin.decision.condition
    if not isinstance(test, Compare) or test.opcode not in EQUALITIES:
        return False
    operands = [unconverted(each) for each in test.operands]
    others = [each for each in operands if each is not spin.read]
    own = [each for each in others if isinstance(each, SpecialRegister)]
    return len(others) == 1 and any(each.register in THREAD_INDEX for each in own)
