"""Work per byte: floating-point operations of a kernel against its accesses to memory.

In: the facts of a kernel. Out: for its hot loop, or for the whole kernel when it has none, the
operations and accesses of one thread: the ratio that the CUDA course notes call CGMA (compute to
global memory access, one access being one load or store), operations per byte of global memory,
and per access to shared memory. A fused multiply-add is two operations, any other one.

The hot loop is the one with the most work among the outermost loops whose inner loops all have a
known number of iterations; its own number does not matter for the ratios. Both sides of a branch
count. Not handled: tensor cores and packed arithmetic (their operations are not counted), inner
loops of unknown length (the loops around them are not looked at), caches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import MemoryAccess, Opcode, Pure
from ...ir.types import Kind
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.block import Block
    from ...ir.operations import Operation
    from ..dataflow.control_flow import Loop
    from .facts import PointerFacts

_ONE = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV})
_FLOPS = {Function.MULTIPLY_ADD: 2, Function.SIGN: 0}


@dataclass(frozen=True, slots=True)
class Work:
    """The floating-point work and accesses to memory of one thread in one iteration of the hot
    loop, or in the whole kernel.

    `line` is that of the loop's test, which the phis of its header do not have.
    """

    flops: int
    global_accesses: int
    global_bytes: int
    shared_accesses: int
    line: int | None

    @property
    def cgma(self) -> float | None:
        """Operations per access to global memory; None without an access."""
        return self.flops / self.global_accesses if self.global_accesses else None

    @property
    def per_byte(self) -> float | None:
        """Operations per byte of global memory."""
        return self.flops / self.global_bytes if self.global_bytes else None

    @property
    def per_shared_access(self) -> float | None:
        """Operations per access to shared memory."""
        return self.flops / self.shared_accesses if self.shared_accesses else None


def hot_work(facts: PointerFacts) -> Work | None:
    """The floating-point work and accesses of the hot loop; None where they cannot be counted or
    there is none.
    """
    found = hot_loop(facts)
    return None if found is None else found[0]


def hot_loop(facts: PointerFacts) -> tuple[Work, Loop | None] | None:
    """The floating-point work and accesses of the hot loop, and that loop; no loop where the whole
    kernel is counted.
    """
    loops = [loop for loop in _busy_loops(facts) if _countable(facts, loop)]
    outermost = [loop for loop in loops if loop.parent is None or loop.parent not in loops]
    found = [(_count(facts, loop.blocks, loop), loop) for loop in outermost]
    if found:
        return max(found, key=lambda pair: pair[0].flops + pair[0].global_accesses)
    if facts.flow.loops:
        return None
    whole = _count(facts, facts.kernel.blocks, None)
    return (whole, None) if whole.flops and whole.global_accesses else None


def _busy_loops(facts: PointerFacts) -> Iterator[Loop]:
    """The loops that compute and touch global memory; if one does, the loops around it do."""
    computing: set[Block] = set()
    touching: set[Block] = set()
    looked_at: set[Block] = set()
    for loop in facts.flow.loops:
        for block in loop.blocks - looked_at:
            looked_at.add(block)
            for operation in block.operations:
                if _flops(operation):
                    computing.add(block)
                elif (
                    isinstance(operation, MemoryAccess) and _space(facts, operation) is Space.GLOBAL
                ):
                    touching.add(block)
        if not loop.blocks.isdisjoint(computing) and not loop.blocks.isdisjoint(touching):
            yield loop


def _space(facts: PointerFacts, access: MemoryAccess) -> Space:
    generic = access.space is Space.GENERIC
    return facts.points_to.space_of(access) if generic else access.space


def _countable(facts: PointerFacts, loop: Loop) -> bool:
    """Whether every loop inside has a known number of iterations."""
    return all(
        facts.compile_time.iterations(inner) is not None
        for inner in facts.flow.loops
        if inner is not loop and inner.header in loop.blocks
    )


def _count(facts: PointerFacts, blocks: Iterable[Block], region: Loop | None) -> Work:
    flops = accesses = size = shared = 0
    for block in blocks:
        times = 1
        for loop in facts.flow.loop_nest(block):
            if loop is region:
                break
            times *= facts.compile_time.iterations(loop) or 1
        for operation in block.operations:
            flops += times * _flops(operation)
            if isinstance(operation, MemoryAccess):
                space = _space(facts, operation)
                if space is Space.GLOBAL:
                    accesses += times
                    size += times * (operation.width or 4)
                shared += times * (space is Space.SHARED)
    line = None if region is None else region.header.terminator.location.span.line
    return Work(flops, accesses, size, shared, line)


def _flops(operation: Operation) -> int:
    if operation.type.kind is not Kind.FLOAT:
        return 0
    if operation.opcode in _ONE:
        return 1
    if isinstance(operation, Pure):
        return _FLOPS.get(operation.function, 1)
    return 0
