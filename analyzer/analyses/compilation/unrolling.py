"""How often the compiler copies the body of each loop.

In: a kernel with what is known of its loops. Out: for each loop the number of copies, and whether
they are the whole loop. A loop with a known number of iterations is unrolled whole where that makes
few operations, or wherever the source asks for it; one that counts to a number known before it is
unrolled four times where its body is small, and nothing in it must stay together with other
threads. The limits are those at which the operations of the PTX that nvcc 13.0 makes are met best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import (
    EFFECTS,
    Barrier,
    Branch,
    Call,
    Compare,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
    WarpOperation,
    unconverted,
)
from ...ir.values import Constant
from ...source.records import dataclass

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..dataflow.facts import DataflowFacts

_MOST_ASKED = 4_000  # operations, where the source asks for it
_MOST = 400  # operations of a loop that is unrolled whole
_MOST_COPIES = 128
_SMALL = 60  # operations of a body that is copied in part
_COPIES = 4
_DEEPEST = 4  # operations that a bound is computed by
_TOGETHER = (Barrier, WarpOperation, Call, OpaqueOperation)
_FREE = frozenset({Opcode.PHI, Opcode.JUMP, Opcode.CONVERT, Opcode.EXTRACT, Opcode.AGGREGATE})


@dataclass(frozen=True, slots=True)
class Copies:
    """How many copies of a loop's body the compiler makes, and whether nothing jumps back behind
    the last.
    """

    count: int
    whole: bool


def copies_of_loops(facts: DataflowFacts) -> dict[Block, Copies]:
    """The loops that the compiler unrolls, by their headers, with the copies of their bodies."""
    found: dict[Block, Copies] = {}
    sizes: dict[Block, int] = {}
    for loop in reversed(facts.flow.loops):  # inner ones first
        size = _size(facts, loop, sizes)
        copies = _copies(facts, loop, size)
        sizes[loop.header] = size
        if copies is not None:
            found[loop.header] = copies
            sizes[loop.header] *= copies.count
    return found


def _size(facts: DataflowFacts, loop: Loop, sizes: dict[Block, int]) -> int:
    """The operations of one iteration, with the copies of the loops in it."""
    innermost = facts.flow.innermost_loop
    own = [block for block in loop.blocks if innermost[block] is loop]
    inner = [sizes[each.header] for each in facts.flow.loops if each.parent is loop]
    operations = (each for block in own for each in block.operations)
    return sum(each.opcode not in _FREE for each in operations) + sum(inner)


def _copies(facts: DataflowFacts, loop: Loop, size: int) -> Copies | None:
    asked = facts.kernel.unrolling.get(loop.header)
    if asked == 1:
        return None
    times = facts.compile_time.at_most(loop)
    if times is not None and times <= _MOST_COPIES:
        most = _MOST if asked is None else _MOST_ASKED
        if times * size <= most and (asked is None or not asked or asked >= times):
            return Copies(max(times, 1), whole=True)
    if not _counts(loop):
        return None
    if asked:
        return Copies(asked, whole=False) if asked * size <= _MOST_ASKED else None
    if size > _SMALL or not facts.flow.is_innermost(loop):
        return None
    parted = any(isinstance(each, _TOGETHER) for block in loop.blocks for each in block.operations)
    return None if parted else Copies(_COPIES, whole=False)


def _counts(loop: Loop) -> bool:
    """Whether it ends only where a counter passes what does not change in it."""
    if len(loop.exits) != 1 or loop.exits[0] is not loop.header or len(loop.latches) != 1:
        return False
    test = loop.header.terminator
    if not isinstance(test, Branch) or not isinstance(test.condition, Compare):
        return False
    sides = [unconverted(each) for each in test.condition.operands]
    return any(
        _is_counter(one, loop) and not _changes(other, loop)
        for one, other in (sides, reversed(sides))
    )


def _is_counter(value: Value, loop: Loop) -> bool:
    if not isinstance(value, Phi) or value.block is not loop.header:
        return False
    place = loop.header.predecessors.index(loop.latches[0])
    step = unconverted(value.operands[place])
    return (
        isinstance(step, Operation)
        and step.opcode in (Opcode.ADD, Opcode.SUB)
        and unconverted(step.operands[0]) is value
        and isinstance(step.operands[1], Constant)  # else counting iterations takes a division
    )


def _changes(value: Value, loop: Loop, depth: int = _DEEPEST) -> bool:
    """Whether it may be another value in the next iteration; `depth` operations are looked at."""
    if not isinstance(value, Operation) or value.block not in loop.blocks:
        return False
    if not depth or value.opcode in EFFECTS or isinstance(value, Phi):
        return True
    return any(_changes(each, loop, depth - 1) for each in value.operands)
