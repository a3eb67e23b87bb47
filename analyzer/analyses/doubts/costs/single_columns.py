"""Columns of which a launch touches one in each row: a face of a volume.

In: accesses whose lanes are apart by a size that nobody states. Out: whether the place in the row
is counted by an index of which the launch has one alone, `<<<dim3(1, m), dim3(1, 8)>>>` with
`i = blockIdx.x * blockDim.x + threadIdx.x`, and all else that differs over the launch is the row:
threads, blocks and iterations change each address by whole rows. Whichever thread then takes which
row, no two share a sector, and there is nothing to coalesce: only another layout would help. A
column that the host names is none of these: other launches may take the others. Not handled: rows
whose length is a number, and indices that come from memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....hardware.sectors import SECTOR_BYTES
from ....ir.operations import AccessKind, MemoryAccess, Opcode, Operation, Phi, unconverted
from ....ir.values import Parameter, SpecialRegister
from ...block_execution.launch_values import BLOCK_INDEX, BLOCK_SIZES, GRID_SIZES, THREAD_INDEX
from ...dataflow.affine import affine
from ...dataflow.slices import backward_slice
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.values import Special, Value
    from ...launch.assumed_launch import AssumedLaunch
    from ...memory_traffic.facts import TrafficFacts
    from .candidates import StrideCandidate

_INDICES = (*THREAD_INDEX, *BLOCK_INDEX)
_EXTENTS = frozenset((*BLOCK_SIZES, *GRID_SIZES))
_UNKNOWN = frozenset({Opcode.CALL, Opcode.OPAQUE, Opcode.WARP})


def _keeps_to_a_column(candidate: StrideCandidate) -> bool:
    facts = candidate.facts
    return all(_moves_by_rows(facts, access) for access in candidate.accesses)


def _moves_by_rows(facts: TrafficFacts, access: MemoryAccess) -> bool:
    """Whether an address differs by whole rows alone, though an index counts within the row."""
    parts = affine(access.operands[0]).factors.items()
    within = [each for each, factor in parts if abs(factor) < SECTOR_BYTES]
    if any(_varies(facts, each) and not _counts_rows(facts, each) for each in within):
        return False
    return any(
        isinstance(made, SpecialRegister) and made.register in _INDICES
        for each in within
        if not _counts_rows(facts, each)
        for made in backward_slice(each)
    )


def _counts_rows(facts: TrafficFacts, value: Value) -> bool:
    """Whether a value is a multiple of a size that the launch is given."""
    value = unconverted(value)
    if not isinstance(value, Operation) or value.opcode is not Opcode.MUL:
        return False
    return any(_is_size(facts, each) or _counts_rows(facts, each) for each in value.operands)


def _is_size(facts: TrafficFacts, value: Value) -> bool:
    if _varies(facts, value):
        return False
    made = backward_slice(value)
    return any(isinstance(each, Parameter | MemoryAccess) for each in made)


def _varies(facts: TrafficFacts, value: Value) -> bool:
    """Whether a value may differ between two threads or iterations of one launch."""
    return any(_differs(facts, each) for each in backward_slice(value))


def _differs(facts: TrafficFacts, value: Value) -> bool:
    if isinstance(value, SpecialRegister):
        return value.register not in _EXTENTS and not all(
            _is_one(each.launch, value.register) for each in facts.launches
        )
    if isinstance(value, MemoryAccess):
        return value.kind is not AccessKind.LOAD
    if isinstance(value, Operation):
        return isinstance(value, Phi) or value.opcode in _UNKNOWN
    return False


def _is_one(launch: AssumedLaunch, index: Special) -> bool:
    """Whether a launch is one thread, or one block, wide along the axis of an index."""
    if launch.unsettled or index not in _INDICES:
        return False
    return (*launch.block, *launch.grid)[_INDICES.index(index)] == 1


DOUBT = Doubt(
    "single-column",
    Effect.POSSIBLE,
    "the launch touches one column of the rows, so no order of its threads moves fewer sectors",
    _keeps_to_a_column,
)
