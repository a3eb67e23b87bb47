"""Sizes that are padded so that warps stay whole: `if (i >= padded) return; x = i < n ? a[i] : 0;`.

In: a warp operation and the decisions that part the lanes before it. Out: whether what the lanes
give it was loaded behind a second comparison of the same index, with another size: whoever has
nothing to load comes all the same, with a value that changes nothing. And of a decision about a
barrier: whether loads behind it ask the same index for a second size, another parameter, as a
kernel does whose first size was made to fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Compare, MemoryAccess, Operation, unconverted
from ...ir.values import Parameter
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering
from ..pointers.provenance import orders

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from ...ir.block import Block
    from ..dataflow.control_flow import ControlEdge, ControlFlow


def is_padded(flow: ControlFlow, operation: Operation, splits: Iterable[Block]) -> bool:
    """Whether lanes beyond the end of the data take part in an operation on purpose, to keep warps
    whole.
    """
    names = ValueNumbering()
    split = {branch: _compared(branch, names) for branch in splits}
    indices = {name for each in split.values() for name in each}
    before = {edge.branch for edge in flow.controlling_edges(operation.block)}
    for operand in operation.operands:
        for load in backward_slice(operand):
            if not isinstance(load, MemoryAccess):
                continue
            for edge in flow.controlling_edges(load.block):
                if edge.branch in before:
                    continue
                asked = _compared(edge.branch, names)
                if asked & indices and asked not in split.values():
                    return True
    return False


def is_of_padded_size(flow: ControlFlow, decided: ControlEdge) -> bool:
    """Whether a decision compares an index with one size, a padded one, and loads behind it with
    another.
    """
    names = ValueNumbering()
    asked, sizes = _compared(decided.branch, names), _parameters(decided.branch)
    for block in flow.blocks if asked and sizes else ():
        if not any(isinstance(each, MemoryAccess) and each.reads for each in block.operations):
            continue
        edges = flow.controlling_edges(block)
        for edge in edges if decided in edges else ():
            other = _parameters(edge.branch)
            shares = asked & _compared(edge.branch, names)
            if shares and other and sizes.isdisjoint(other):
                return True
    return False


def _parameters(branch: Block) -> set[Parameter]:
    """The parameters that a decision depends on."""
    found = backward_slice(branch.terminator.operands[0])
    return {each for each in found if isinstance(each, Parameter)}


def _compared(branch: Block, names: ValueNumbering) -> frozenset[Hashable]:
    """What a decision compares by size."""
    condition = branch.terminator.operands[0]
    if not isinstance(condition, Compare) or not orders(condition):
        return frozenset()
    return frozenset(names.of(unconverted(each)) for each in condition.operands)
