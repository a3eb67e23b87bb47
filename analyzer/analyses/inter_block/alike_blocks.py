"""Kernels whose blocks all do the same, but for where they leave what they found.

In: a kernel's facts. Out: whether nothing but the places of stores asks for the block, as in
`x[blockIdx.x] = sum` where the sum is made of `x[threadIdx.x]`: several blocks would find the same
several times, so such a kernel is for one. Blocks that take their work by atomics differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Branch, MemoryAccess, Switch
from ...ir.values import IN_CLUSTER, Special, SpecialRegister
from ..block_execution.launch_values import is_block_index
from ..dataflow.slices import forward_slice
from ..pointers.memory_model import ATOMIC

if TYPE_CHECKING:
    from ...ir.values import Value
    from .facts import OrderFacts


def are_alike(facts: OrderFacts) -> bool:
    """Whether a kernel is made for a single block: several would all read the same and take the
    same ways.
    """
    if any(each.kind in ATOMIC for each in facts.accesses):
        return False
    own = [
        each
        for each in facts.users
        if isinstance(each, SpecialRegister)
        and (is_block_index(each) or each.register in {Special.OTHER, *IN_CLUSTER})
    ]
    made = forward_slice(own, facts.users)
    return not any(_tells_apart(facts, each, made) for each in made if each not in own)


def _tells_apart(facts: OrderFacts, operation: Value, made: set[Value]) -> bool:
    """Whether an operation with a part of the block's number in it does more than to place."""
    if isinstance(operation, Branch | Switch):
        return True
    if not isinstance(operation, MemoryAccess):
        return False
    stores = operation.kind is AccessKind.STORE
    if not stores or facts.points_to.spaces(operation) != {Space.GLOBAL}:
        return True
    return any(each in made for each in operation.operands[1:])
