"""Updates of one place that many threads make, whatever data decides about each of them.

In: the races of a block, a store, and the accesses of two threads that update what it stores to.
Out: whether all threads whose data is large enough come to that place: it is the same for the whole
block, and the decisions before compare data by size. Two comparisons with one number, from below
and from above, often pick out a single thread, and are not taken for that. Who keeps the best of
all does so because several come: then data may also say who has nothing to offer (`d != none`), or
has found something at all, by a flag that was set behind such a decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Compare, MemoryAccess, Opcode, Phi, unconverted
from ...ir.values import Constant
from ..dataflow.joined_conditions import parts_of
from ..dataflow.value_numbering import ValueNumbering
from ..pointers.provenance import orders, reads_memory
from ..warp_evaluation.uniformity import Uniformity
from .min_max_updates import keeps_best

if TYPE_CHECKING:
    from ...ir.values import Value
    from .race_context import RaceContext


def is_contended(races: RaceContext, store: MemoryAccess, *accesses: MemoryAccess) -> bool:
    """Whether several threads update one place whatever data says, if any of them come to it."""
    best = keeps_best(store, races.launch.facts.updates.get(store, frozenset()))
    common = races.launch.uniformity.of(store.address)
    if common > (Uniformity.WARP if best else Uniformity.BLOCK):
        return False
    if reads_memory(store.address) and not best:
        return False
    flow = races.program.flow
    for access in accesses:
        tests = [
            e
            for e in flow.controlling_edges(access.block)
            if e.branch not in races.program.plan.loop_tests
        ]
        on_data = {part for test in tests for part in parts_of(test) if reads_memory(part)}
        passed = all(map(_lets_many if best else orders, on_data))
        if not passed or _share_a_number(races, on_data):
            return False
    return True


def _lets_many(condition: Value) -> bool:
    """Whether more than one thread may well pass: by size, by being different, or by a flag."""
    if not isinstance(condition, Compare):
        return isinstance(condition, Phi)
    if condition.opcode is Opcode.NE:
        flag = unconverted(condition.operands[0])
        return isinstance(flag, Phi) or not _is_flag(flag)
    return orders(condition)


def _is_flag(value: Value) -> bool:
    """Whether memory says yes or no: perhaps for one thread alone."""
    return isinstance(value, MemoryAccess) and value.element.bits == 8


def _share_a_number(races: RaceContext, conditions: set[Value]) -> bool:
    """Whether two comparisons are with the same number, which the whole block knows."""
    names = ValueNumbering()
    uniform = races.launch.uniformity
    known = [
        names.of(operand)
        for condition in conditions
        if isinstance(condition, Compare)
        for operand in map(unconverted, condition.operands)
        if not isinstance(operand, Constant) and uniform.of(operand) <= Uniformity.BLOCK
    ]
    return len(set(known)) < len(known)
