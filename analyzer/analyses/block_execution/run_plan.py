"""What all runs of one kernel share, whatever the launch: where they go next, what is in loops.

In: the facts of a kernel. Out: an order of the blocks in which threads meet again as early as they
can, for each branch where its ways meet and which values depend on its decision, for each loop the
barriers in it and the values that outlive it, and what limits the numbers that are put in.
The order is a weak topological one (F. Bourdoncle, "Efficient Chaotic Iteration Strategies with
Widenings", 1993): every loop stands in one piece, what follows it comes later.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    EFFECTS,
    WHOLE,
    AccessKind,
    Barrier,
    BarrierKind,
    Opcode,
    Operation,
    Phi,
)
from ...ir.orders import reverse_postorder
from ...source.records import dataclass
from ..dataflow.block_sets import reached
from ..dataflow.induction import induction
from ..dataflow.row_limits import row_limits
from ..dataflow.shift_limits import shift_limits
from ..dataflow.slices import backward_slice, forward_slice
from ..launch.flag_parameters import flag_parameters
from ..pointers.pointer_contents import NOTHING
from .launch_values import assumed_name, is_block_index
from .number_arrays import NumberArrays
from .repeated_loads import repeated_loads
from .value_functions import function_of
from .wanted_values import WantedValues

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ...ir.values import Parameter, Value
    from ..dataflow.control_flow import ControlEdge, Loop
    from ..pointers.pointer_contents import Targets
    from ..warp_evaluation.facts import WarpFacts
    from .thread_vectors import Vector
    from .value_functions import Held


@dataclass(frozen=True, slots=True)
class Region:
    """The code between the ways out of a branch or loop, all of which a run may follow, and where
    they meet.
    """

    ways: tuple[Block, ...]
    join: Block | None  # None: some way leaves the kernel
    unknown: tuple[Operation, ...]  # values used behind it that depend on the decision
    waits: bool  # a barrier of the whole block stands there: all threads are to decide alike


@dataclass(frozen=True, slots=True)
class Edge:
    """What threads of a run meet on the way from one block of code to another."""

    loop: Loop | None  # whose header it leads to
    back: bool  # to another iteration of that loop
    phis: tuple[tuple[Phi, Value, bool], ...]  # each with what it gets, and whether that is kept


#: An operation, how its result is computed if it does nothing else, and whether that is kept.
Step = tuple["Operation", "Callable[[Held], Vector] | None", bool]


class RunPlan:
    """How a kernel is run for a block, whatever the launch: the order of its code, joins, loops."""

    def __init__(self, facts: WarpFacts) -> None:
        self._facts = facts
        self._kernel = facts.kernel
        self._flow = facts.flow
        self._regions: dict[Block, Region] = {}
        self._behind: dict[Loop, Region] = {}
        self._edges: dict[tuple[Block, Block], Edge] = {}
        self._headers_around: dict[Block, tuple[Block, ...]] = {}
        self._handing_out: dict[MemoryAccess, bool] = {}
        self._waits: dict[Loop, tuple[Barrier, ...]] = {}
        self._outliving: dict[Loop, tuple[Operation, ...]] = {}
        #: What depends on numbers that launches do not give, by what they give: for `BlockProgram`.
        self.made_of_assumed: dict[Hashable, set[Value]] = {}
        #: Blocks that runs with assumed numbers did not come to, or not more than once.
        self.unreached: set[Block] = set()
        #: Ways past barriers, which numbers are to lead the block as well.
        self.passing: set[ControlEdge] = set()
        #: Numbers to begin with when those that lead there are solved for, by name.
        self.offsets: dict[Hashable, int] = {}

    @property
    def runs(self) -> bool:
        """Whether every cycle of the kernel is a loop with one entry."""
        return not self._flow.irreducible_regions

    @cached_property
    def wanted(self) -> WantedValues:
        """What runs have to compute."""
        return WantedValues(self._kernel, self._flow)

    @cached_property
    def steps(self) -> dict[Block, tuple[Step, ...]]:
        """What is executed in each block."""
        kept = self.wanted.kept
        return {
            block: tuple(
                (each, None if each.opcode in EFFECTS else function_of(each), each in kept)
                for each in operations
            )
            for block, operations in self.wanted.steps.items()
        }

    @cached_property
    def number_arrays(self) -> NumberArrays:
        """The arrays in which a run may find numbers that it has put there."""
        return NumberArrays(self._facts, self.wanted.needed)

    @cached_property
    def accessed(self) -> Targets:
        """The objects that are known to be accessed."""
        return frozenset(map(self._facts.points_to.object_of, self._facts.accesses))

    @cached_property
    def written(self) -> Targets:
        """The objects that may be written; `None` among them when not known."""
        writes = (each for each in self._facts.accesses if each.writes)
        return NOTHING.union(*map(self._facts.points_to.touched, writes))

    @cached_property
    def repeated_loads(self) -> Mapping[MemoryAccess, MemoryAccess]:
        """For loads that find what another one has found, the first of them."""
        return repeated_loads(self._facts)

    @cached_property
    def copies_to_shared(self) -> bool:
        """Whether the kernel makes asynchronous copies that runs have to watch."""
        return any(
            access.kind is AccessKind.ASYNC_COPY
            and self._facts.points_to.spaces(access) == {Space.SHARED}
            for access in self._facts.accesses
        )

    # ---- which numbers to put in -----------------------------------------------------------------

    @cached_property
    def row_limits(self) -> Mapping[Parameter, int]:
        """The parameters that are lengths of rows of a constant pitch: what fits into one."""
        return row_limits(self._kernel, self._flow)

    @cached_property
    def flags(self) -> Mapping[Parameter, int]:
        """The parameters that are only asked for constants: a number for none of these."""
        return flag_parameters(self._kernel)

    @cached_property
    def shift_limits(self) -> Mapping[Parameter, int]:
        """The parameters that something is shifted by: how far that is defined."""
        return shift_limits(self._kernel)

    @cached_property
    def block_strides(self) -> frozenset[Hashable]:
        """What something of blockIdx is multiplied with, or steps by in a loop, and what that is
        made of, by name.
        """
        users = self._facts.users
        of_blocks = forward_slice(filter(is_block_index, users), users)
        strides: list[Value] = []
        for operation in self._kernel.operations():
            if operation.opcode in (Opcode.MUL, Opcode.SHL):
                first, second = operation.operands
                strides += [first] if second in of_blocks else []
                strides += [second] if first in of_blocks else []
            elif isinstance(operation, Phi) and operation in of_blocks:
                found = induction(self._flow, operation)
                strides += [step for step, _ in found.steps] if found is not None else []
        return frozenset(map(assumed_name, backward_slice(*strides)))

    def hands_out_places(self, access: MemoryAccess) -> bool:
        """Whether what an access finds has a part in where others go, and ends no loop."""
        if access not in self._handing_out:
            made = forward_slice([access], self._facts.users)
            tests = (block.terminator.operands[0] for block in self.loop_tests)
            places = any(each.address in made for each in self._facts.accesses)
            self._handing_out[access] = places and made.isdisjoint(tests)
        return self._handing_out[access]

    # ---- in which order --------------------------------------------------------------------------

    @cached_property
    def order(self) -> dict[Block, int]:
        """The place of each block: before its successors, loops in one piece."""
        order = reverse_postorder(self._kernel.blocks[0], self._outwards_first)
        return {block: place for place, block in enumerate(order)}

    def _outwards_first(self, block: Block) -> list[Block]:
        """The successors, and of a loop's header all that the loop is left for; those that leave
        the most loops first: they come last in the order.
        """
        ways = list(block.successors)
        loop = self.loop_at(block)
        if loop is not None:
            ways += loop.paths_out
        around = self._flow.loop_nest(block)
        return sorted(ways, key=lambda way: sum(way in each.blocks for each in around))

    def edge(self, source: Block, target: Block) -> Edge:
        """What lies between two blocks."""
        found = self._edges.get((source, target))
        if found is None:
            loop, kept = self.loop_at(target), self.wanted.kept
            position = target.predecessors.index(source)
            phis = tuple((phi, phi.operands[position], phi in kept) for phi in target.phis)
            back = loop is not None and source in loop.blocks
            found = self._edges[source, target] = Edge(loop, back, phis)
        return found

    def headers_around(self, block: Block) -> tuple[Block, ...]:
        """The headers of the loops around a block, outermost first."""
        found = self._headers_around.get(block)
        if found is None:
            nest = self._flow.loop_nest(block)
            found = tuple(loop.header for loop in reversed(nest))
            self._headers_around[block] = found
        return found

    def loop_at(self, header: Block) -> Loop | None:
        """The loop with this header."""
        return self._headers.get(header)

    @cached_property
    def _headers(self) -> dict[Block, Loop]:
        return {loop.header: loop for loop in self._flow.loops}

    # ---- what loops hold -------------------------------------------------------------------------

    @cached_property
    def loop_tests(self) -> frozenset[Block]:
        """The branches that decide about another iteration."""
        return frozenset(block for loop in self._flow.loops for block in loop.exits)

    def waits_in(self, loop: Loop) -> tuple[Barrier, ...]:
        """The barriers of a loop at which threads wait, in order."""
        if loop not in self._waits:
            inside = loop.blocks
            self._waits[loop] = tuple(
                barrier for barrier, block in self._every_wait if block in inside
            )
        return self._waits[loop]

    def copy_groups_in(self, loop: Loop) -> list[Barrier]:
        """What closes groups of asynchronous copies in a loop, then what waits for them."""
        found = [b for b, block in self._every_barrier if block in loop.blocks]
        found = [barrier for barrier in found if barrier.kind is BarrierKind.ASYNC_WAIT]
        return sorted(found, key=lambda barrier: barrier.wait)

    @cached_property
    def _every_wait(self) -> list[tuple[Barrier, Block]]:
        return [(barrier, block) for barrier, block in self._every_barrier if barrier.wait]

    @cached_property
    def _every_barrier(self) -> list[tuple[Barrier, Block]]:
        found = [
            (operation, block)
            for block in self._kernel.blocks
            for operation in block.operations
            if isinstance(operation, Barrier) and block in self.order
        ]
        return sorted(found, key=lambda each: self.order[each[1]])

    def outliving(self, loop: Loop) -> tuple[Operation, ...]:
        """The values of a loop that are used behind it."""
        if loop not in self._outliving:
            self._outliving[loop] = tuple(
                operation for operation in self.wanted.kept if operation.block in loop.blocks
            )
        return self._outliving[loop]

    # ---- where threads meet ----------------------------------------------------------------------

    def region(self, branch: Block) -> Region:
        """What depends on the decision at the end of a block."""
        if branch not in self._regions:
            join = self._flow.immediate_post_dominator(branch)
            self._regions[branch] = self._region(branch.successors, join)
        return self._regions[branch]

    def region_behind(self, loop: Loop) -> Region:
        """What depends on where a loop is left."""
        if loop not in self._behind:
            join: Block | None = loop.header
            while join in loop.blocks:
                join = self._flow.immediate_post_dominator(join)
            self._behind[loop] = self._region(tuple(dict.fromkeys(loop.paths_out)), join)
        return self._behind[loop]

    def _region(self, ways: tuple[Block, ...], join: Block | None) -> Region:
        inside = reached(ways, without=join)
        unknown = self._used_behind(inside) if join is not None else ()
        whole = (block for each, block in self._every_wait if each.kind in WHOLE)
        waits = join is not None and any(block in inside for block in whole)
        return Region(ways, join, unknown, waits)

    def _used_behind(self, inside: set[Block]) -> tuple[Operation, ...]:
        return tuple(
            operation
            for block in inside
            for operation, used in self._used_elsewhere.get(block, {}).items()
            if not used <= inside
        )

    @cached_property
    def _used_elsewhere(self) -> dict[Block, dict[Operation, set[Block]]]:
        """The operations of each block that others use, and those others."""
        found: dict[Block, dict[Operation, set[Block]]] = {}
        for block in self._kernel.blocks:
            for operation in block.operations:
                for operand in operation.operands:
                    if not isinstance(operand, Operation) or operand.block is block:
                        continue
                    of_block = found.setdefault(operand.block, {})
                    of_block.setdefault(operand, set()).add(block)
        return found
