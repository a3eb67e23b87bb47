"""Guards that let one thread too many through: `if (i > n) return;` in front of `p[i]`.

In: the control flow of a kernel and an access. Out: the branches before the access that compare
what the index of a thread has a part in with what it has none in, and let equal numbers through.
Accesses beyond the ends of several arrays behind the same guards of this kind have one cause.
Not handled: guards against `n - 1`, which are right like this, and differences (`n - i >= 0`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED
from ...ir.operations import Compare, Opcode
from ..block_execution.launch_values import THREAD_INDEX
from ..dataflow.joined_conditions import joined_conditions
from ..dataflow.slices import registers_in

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow


def loose_guards(flow: ControlFlow, access: MemoryAccess) -> frozenset[Block]:
    """The branches that let a thread whose index is the limit come to an access."""
    return frozenset(
        edge.branch
        for edge in flow.controlling_edges(access.block)
        if edge.condition is not None
        and any(_is_loose(*part) for part in joined_conditions(*edge.condition))
    )


def _is_loose(condition: Value, wanted: int) -> bool:
    """Whether `index <= limit` has to hold, however it is written."""
    if not isinstance(condition, Compare):
        return False
    relation = condition.opcode if wanted else NEGATED.get(condition.opcode)
    one, other = (not registers_in(each).isdisjoint(THREAD_INDEX) for each in condition.operands)
    if one == other or relation is None:
        return False
    return (relation if one else MIRRORED[relation]) is Opcode.LE
