"""How many threads a block has, by where the next one goes on: `out[blockIdx.x * 256 + i]`.

In: a kernel's facts, when nothing states its launch. Out: the threads of a block, with the store
that tells. Larger blocks would store over each other, smaller ones would leave gaps. It is asked of
kernels that know threadIdx.x alone and never ask for blockDim; all stores of global memory that
follow threads and blocks must agree. Not taken for it: stores in iterations of a loop, or of places
that lie apart by more than a thread's own part, as there a thread may do the work of several;
stores that only some threads come to, as the others may store elsewhere; numbers of threads that
are no whole warps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Compare, MemoryAccess, Phi
from ...ir.values import Special, SpecialRegister
from ..block_execution.launch_values import BLOCK_SIZES
from ..dataflow.affine import affine
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice, registers_in
from ..launch.assumed_launch import MAX_THREADS
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.values import Value
    from ..block_execution.facts import BlockFacts

_OTHERS = frozenset({Special.THREAD_Y, Special.THREAD_Z, *BLOCK_SIZES})
_THREADS = frozenset({Special.THREAD_X, Special.LANE, Special.WARP})
_INDICES = (Special.THREAD_X, Special.BLOCK_X)


def neighbouring_blocks(facts: BlockFacts) -> tuple[int, MemoryAccess] | None:
    """How many threads the block must have, and the store that tells, as the next block goes on
    behind it; None when none does, or they differ.
    """
    if _OTHERS & facts.registers:
        return None
    found: dict[int, MemoryAccess] = {}
    offsets: dict[Value, set[int]] = {}
    for access in facts.accesses:
        if access.kind is AccessKind.STORE and facts.points_to.spaces(access) == {Space.GLOBAL}:
            threads = _threads(facts, access, offsets)
            if threads == 0:
                return None
            if threads is not None:
                found.setdefault(threads, access)
    return next(iter(found.items())) if len(found) == 1 else None


def distance_of_blocks(address: Value) -> int | None:
    """How many threads after a block the next one begins, where an address says it: 25 for
    `25 * blockIdx.x + threadIdx.x`, also where a loop goes on from there."""

    def before(sum: Value) -> list[Value]:
        """What the phis in a sum may hold."""
        return [o for each in affine(sum).factors if isinstance(each, Phi) for o in each.operands]

    pitches = (affine(sum).pitch(*_INDICES) for sum in reachable([address], before))
    return next((pitch for pitch in pitches if pitch is not None), None)


def _threads(facts: BlockFacts, access: MemoryAccess, offsets: dict[Value, set[int]]) -> int | None:
    """The threads that stand side by side at a store; None if it does not tell, 0 if nothing may.

    `offsets` are the places of a pointer that were seen so far, counted from thread and block 0.
    """
    base: Value | None = None
    form = affine(access.address)
    step, pitch = map(form.of, _INDICES)
    for part in form.factors:
        if isinstance(part, SpecialRegister) and part.register in _INDICES:
            continue
        if any(isinstance(each, Phi) for each in backward_slice(part)):
            return 0 if step or _THREADS & registers_in(access.address) else None
        if _THREADS & registers_in(part):
            return None
        base = part if base is None else base
    if step <= 0 or pitch <= 0 or base is None:
        return None
    known = offsets.setdefault(base, set())
    known.add(form.number)
    count, rest = divmod(pitch, step)
    alone = max(known) - min(known) < step and _all_come(facts, access.block, count)
    return count if alone and not rest and count % WARP == 0 and count <= MAX_THREADS else 0


def _all_come(facts: BlockFacts, block: Block, count: int) -> bool:
    """Whether threads are distinguished on the way only by their number in the grid."""
    for edge in facts.flow.controlling_edges(block):
        condition = edge.branch.terminator.operands[0]
        if not _THREADS & registers_in(condition):
            continue
        if not isinstance(condition, Compare):
            return False
        for side in condition.operands:
            form = affine(side)
            others = (
                part
                for part in form.factors
                if not isinstance(part, SpecialRegister) or part.register not in _INDICES
            )
            if any(_THREADS & registers_in(part) for part in others):
                return False
            if form.of(Special.BLOCK_X) != form.of(Special.THREAD_X) * count:
                return False
    return True
