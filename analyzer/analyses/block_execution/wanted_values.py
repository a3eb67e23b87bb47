"""What a run of a kernel has to compute, whatever its launch is.

In: a kernel and its control flow. Out: the operations whose results decide where threads go and
what they touch, those that have an effect, and values that outlive the iterations of their loop.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.operations import (
    AccessKind,
    Barrier,
    Branch,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Switch,
    WarpOperation,
)
from ...ir.types import Kind
from ...ir.values import Constant
from ..dataflow.slices import backward_slice
from .identity_stores import kept_when

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.kernel import Kernel
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow
    from .identity_stores import Condition

_EFFECTS = frozenset(
    {Opcode.ACCESS, Opcode.BARRIER, Opcode.FENCE, Opcode.WARP, Opcode.CALL, Opcode.OPAQUE}
)

_SOURCES = 8  # loads of a stored value that are told apart


class WantedValues:
    """Which values all runs of one kernel have to compute, whatever the launch."""

    def __init__(self, kernel: Kernel, flow: ControlFlow) -> None:
        self.kernel = kernel
        self.flow = flow
        self._kept_when: dict[MemoryAccess, tuple[Condition, ...]] = {}
        self._sources: dict[MemoryAccess, tuple[MemoryAccess, ...]] = {}

    @cached_property
    def steps(self) -> dict[Block, tuple[Operation, ...]]:
        """The operations of each block to run, without phis and the terminator."""
        needed = self.needed
        return {
            block: tuple(
                operation
                for operation in block.operations[:-1]
                if not isinstance(operation, Phi)
                and (operation in needed or operation.opcode in _EFFECTS)
            )
            for block in self.kernel.blocks
        }

    def step_at(self, block: Block, step: int) -> Operation:
        """One of them, or the terminator behind them."""
        steps = self.steps[block]
        return steps[step] if step < len(steps) else block.terminator

    @cached_property
    def needed(self) -> frozenset[Operation]:
        """The operations whose results decide where threads go and what they touch."""
        work: list[Value] = []
        for operation in self.kernel.operations():
            if isinstance(operation, MemoryAccess):
                work.append(operation.address)
                work += [value for value in operation.operands[1:] if _is_integer(value)]
                work += [condition for condition, _ in self.kept_when(operation)]
                if operation.kind is AccessKind.ASYNC_COPY:
                    work += operation.operands[1:2]  # where it copies from
            elif isinstance(operation, Branch | Switch):
                work.append(operation.operands[0])
            elif isinstance(operation, Barrier | WarpOperation):
                work += operation.operands
        return frozenset(each for each in backward_slice(*work) if isinstance(each, Operation))

    def kept_when(self, store: MemoryAccess) -> tuple[Condition, ...]:
        """What must hold where a store puts back what is there."""
        if store not in self._kept_when:
            self._kept_when[store] = kept_when(self.flow, store)
        return self._kept_when[store]

    def sources(self, store: MemoryAccess) -> tuple[MemoryAccess, ...]:
        """The loads that a stored value is computed from, but for those of their addresses."""
        if store not in self._sources:
            loads: tuple[MemoryAccess, ...] = ()
            if store.kind is AccessKind.STORE and not isinstance(store.operands[1], Constant):
                made = backward_slice(
                    store.operands[1], through=lambda each: not isinstance(each, MemoryAccess)
                )
                loads = tuple(each for each in made if isinstance(each, MemoryAccess))
            self._sources[store] = loads if len(loads) <= _SOURCES else ()
        return self._sources[store]

    @cached_property
    def kept(self) -> frozenset[Operation]:
        """Values of a loop used behind it, where threads have those of different iterations."""
        innermost = self.flow.innermost_loop
        found: set[Operation] = set()
        for operation in self.kernel.operations():
            for operand in operation.operands:
                if isinstance(operand, Operation):
                    loop = innermost.get(operand.block)
                    if loop is not None and operation.block not in loop.blocks:
                        found.add(operand)
        return frozenset(found)


def _is_integer(value: Value) -> bool:
    return value.type.kind in (Kind.INTEGER, Kind.PREDICATE)
