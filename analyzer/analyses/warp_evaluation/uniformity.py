"""Uniformity: which values are the same for all threads of the grid, the block, the warp.

In: a kernel with its control flow. Out: a level for every value and every branch.
Follows J. Rosemann, S. Moll, S. Hack, "An Abstract Interpretation for SPMD Divergence on Reducible
Control Flow Graphs" (POPL 2021) and LLVM's GenericUniformityImpl: a value varies by data dependence
(an operand varies), by sync dependence (a phi where the ways out of a divergent branch meet) and by
temporal divergence (defined in a loop that threads leave at different times, used outside).

The level is an upper bound: VARYING also stands for "not known". Loads from uniform addresses are
uniform unless volatile, from local memory, or of what the kernel stored without a barrier since
(unsettled_stores.py); atomics, calls and opaque statements vary. Cycles with
two entries take the level of their most divergent branch as a whole. Not handled: values equal by
arithmetic (`x - x`) vary as x does.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import MATCHES, REDUCTIONS, SHUFFLES, VOTES, Function, WarpKind
from ...ir.operations import (
    AccessKind,
    Barrier,
    Branch,
    Call,
    Compare,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
    Pure,
    Switch,
    WarpOperation,
)
from ...ir.values import (
    CLUSTER_SIZES,
    IN_CLUSTER,
    Constant,
    ObjectAddress,
    Parameter,
    Special,
    SpecialRegister,
    Unknown,
    written,
)
from ..dataflow.fixpoint import solve
from .affine_lanes import cancels, is_aligned, parts_of, splits_at_warps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Dimensions, Kernel
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow, Loop
    from ..pointers.points_to import PointsTo
    from ..pointers.unsettled_stores import UnsettledStores
    from .affine_lanes import Parts


class Uniformity(IntEnum):
    """The widest group of threads (grid, block, warp) that is sure to agree on a value."""

    GRID = 0
    BLOCK = 1
    WARP = 2
    VARYING = 3

    def __str__(self) -> str:
        return ("grid-uniform", "block-uniform", "warp-uniform", "lane-varying")[self]


#: A uniform address in these spaces is another place for every thread, or an unknown one.
_PRIVATE = frozenset({Space.LOCAL, Space.GENERIC})
#: All that threads may not agree on although they agree on its operands.
_APART = frozenset(
    {
        Opcode.PHI,
        Opcode.ACCESS,
        Opcode.CALL,
        Opcode.OPAQUE,
        Opcode.BARRIER,
        Opcode.WARP,
        Opcode.PURE,
    }
)
_SPECIAL = {
    **dict.fromkeys((Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z), Uniformity.BLOCK),
    **dict.fromkeys(
        (Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y, Special.BLOCK_SIZE_Z), Uniformity.GRID
    ),
    **dict.fromkeys(
        (Special.GRID_SIZE_X, Special.GRID_SIZE_Y, Special.GRID_SIZE_Z), Uniformity.GRID
    ),
    **dict.fromkeys(IN_CLUSTER, Uniformity.BLOCK),
    **dict.fromkeys(CLUSTER_SIZES, Uniformity.GRID),
    Special.WARP_SIZE: Uniformity.GRID,
    Special.DYNAMIC_SHARED_SIZE: Uniformity.GRID,
    Special.WARP: Uniformity.WARP,
}


def asked_of_shape(block: Dimensions) -> tuple[int | bool, ...]:
    """All that uniformity depends on in a block's shape: in shapes that answer alike, threads agree
    alike.
    """
    x, y, z = block
    return x > 1, y > 1, z > 1, x % 32, x * y % 32


def is_function(operation: Operation) -> bool:
    """Whether threads with uniform operands of an operation get the same result, wherever
    they are.
    """
    if isinstance(operation, Pure):
        return operation.function is not Function.CLOCK
    return operation.opcode not in _APART


class UniformityAnalysis:
    """Which threads agree on each value of one kernel, for one block shape: a fixpoint."""

    def __init__(
        self,
        kernel: Kernel,
        flow: ControlFlow,
        pointers: PointsTo,
        stores: UnsettledStores,
        users: Mapping[Value, Sequence[Operation]],
        block: Dimensions,
        *,
        trusted: bool = True,
        one_block: bool = False,
    ) -> None:
        self._kernel = kernel
        self._flow = flow
        self._pointers = pointers
        self._block = block
        self._trusted = trusted  # else nothing tells whether threadIdx.y and z vary
        # A thread agrees with itself.
        alone = Uniformity.GRID if one_block else Uniformity.BLOCK
        self._widest = alone if block == (1, 1, 1) and trusted else Uniformity.VARYING
        self._signed_sums = kernel.language == "cuda"
        self._levels: dict[Operation, Uniformity] = {}
        self._branch_joins: dict[Block, Uniformity] = {}  # join block → level forced on its phis
        self._left_apart: dict[Loop, Uniformity] = {}
        self._tangled: dict[frozenset[Block], Uniformity] = {}  # irreducible cycles
        self._joins: dict[Block, list[Block]] = {}  # by the block that a branch ends
        self._exit_joins: dict[Loop, list[Block]] = {}
        self._stores = stores
        self._users = users
        self._solve()

    def of(self, value: Value) -> Uniformity:
        """The level of a value."""
        if isinstance(value, Operation):
            return self._levels.get(value, Uniformity.GRID)
        return min(self._of(value), self._widest)

    def _of(self, value: Value) -> Uniformity:
        if isinstance(value, SpecialRegister):
            return self._special(value.register)
        if isinstance(value, Constant | Parameter):
            return Uniformity.GRID
        if isinstance(value, ObjectAddress):
            return Uniformity.GRID
        if isinstance(value, Unknown):
            return Uniformity.VARYING if value.per_thread else Uniformity.GRID
        return Uniformity.VARYING

    def is_settled(self, load: MemoryAccess) -> bool:
        """Whether a barrier of the block stands between a load and all stores that come before."""
        return not self._stores.unsettled_in_block(load)

    def of_branch(self, block: Block) -> Uniformity:
        """The level of the decision at the end of a block."""
        last = block.terminator
        if isinstance(last, Branch | Switch):
            return self._at_use(last.operands[0], block)
        return Uniformity.GRID

    def _special(self, register: Special) -> Uniformity:
        x, y, z = self._block
        if not self._trusted and register in (Special.THREAD_Y, Special.THREAD_Z):
            return Uniformity.VARYING
        if register is Special.THREAD_X:
            return Uniformity.VARYING if x > 1 else Uniformity.GRID
        if register is Special.THREAD_Y:
            if y == 1:
                return Uniformity.GRID
            return Uniformity.WARP if x % 32 == 0 else Uniformity.VARYING
        if register is Special.THREAD_Z:
            if z == 1:
                return Uniformity.GRID
            return Uniformity.WARP if x * y % 32 == 0 else Uniformity.VARYING
        return _SPECIAL.get(register, Uniformity.VARYING)

    # ---- the fixpoint ------------------------------------------------------------------------

    def _solve(self) -> None:
        operations = list(self._kernel.operations())
        stale = {each for each in operations if not self._agrees_at_first(each)}
        solve(operations, self._update, stale)

    def _update(self, operation: Operation) -> Iterable[Operation]:
        """Brings an operation up to date; the operations that look at what changed."""
        new = min(self._transfer(operation), self._widest)
        if new <= self._levels.get(operation, Uniformity.GRID):
            return ()
        self._levels[operation] = new
        users = self._users.get(operation, ())
        if isinstance(operation, Branch | Switch):
            return (*users, *self._spread(operation, new))
        return users

    def _agrees_at_first(self, operation: Operation) -> bool:
        """Whether all threads agree on an operation as long as they do on all others."""
        if operation.opcode in _APART:
            return False
        for value in operation.operands:
            if not isinstance(value, Operation) and self._of(value) is not Uniformity.GRID:
                return False
        return True

    def _at_use(self, operand: Value, where: Block) -> Uniformity:
        """An operand's level where it is used: higher behind a loop that threads leave apart."""
        if not isinstance(operand, Operation):
            return self.of(operand)
        level = self._levels.get(operand, Uniformity.GRID)
        if operand.block is not where and (self._left_apart or self._tangled):
            return max(level, self.left_apart(operand, where))
        return level

    def left_apart(self, value: Value, where: Block) -> Uniformity:
        """How far apart threads leave the loops that a value comes out of on its way to `where`."""
        level = Uniformity.GRID
        if self._left_apart and isinstance(value, Operation):
            nest = self._flow.loop_nest(value.block) if value.block is not where else ()
            for loop in nest:
                if where in loop.blocks:
                    break
                level = max(level, self._left_apart.get(loop, Uniformity.GRID))
        if self._tangled and isinstance(value, Operation):
            for region, known in self._tangled.items():
                if value.block in region and where not in region:
                    level = max(level, known)
        return level

    def leaves_apart(self, loop: Loop) -> bool:
        """Whether the lanes of a warp may leave a loop in different iterations."""
        return self._left_apart.get(loop, Uniformity.GRID) is Uniformity.VARYING

    def _transfer(self, operation: Operation) -> Uniformity:
        block = operation.block
        if operation.opcode not in _APART:
            return self._of_arithmetic(operation, block)
        if isinstance(operation, Phi):
            level = self._branch_joins.get(block, Uniformity.GRID)
            for region, tangled in self._tangled.items():
                level = max(level, tangled) if block in region else level
            # Nothing is said of threads that read a variable which they never wrote.
            held = written(operation.operands)
            if level and len({id(operand) for operand in held}) == 1:
                level = Uniformity.GRID
            levels = (self._at_use(operand, block) for operand in held)
            return max(level, *levels) if held else Uniformity.VARYING
        if isinstance(operation, Call | OpaqueOperation):
            return Uniformity.VARYING
        operands = self._of_operands(operation, block)
        if isinstance(operation, MemoryAccess):
            return max(operands, self._of_load(operation))
        if isinstance(operation, Barrier):
            return Uniformity.BLOCK if operation.vote else Uniformity.GRID
        if isinstance(operation, WarpOperation):
            return self._warp_operation(operation, operands)
        return operands if is_function(operation) else Uniformity.VARYING

    def _of_arithmetic(self, operation: Operation, block: Block) -> Uniformity:
        """How far threads agree on what is computed of the operands alone."""
        level = self._of_operands(operation, block)
        return self._in_warps(operation) if level is Uniformity.VARYING else level

    def _of_operands(self, operation: Operation, block: Block) -> Uniformity:
        """How far threads agree on all operands."""
        found = Uniformity.GRID
        for operand in operation.operands:
            level = self._at_use(operand, block)
            if level > found:
                if level is Uniformity.VARYING:
                    return level
                found = level
        return found

    def follows_address(self, access: MemoryAccess) -> bool:
        """Whether lanes that access one place are sure to read the same there."""
        return self._of_load(access) <= Uniformity.WARP

    def _of_load(self, load: MemoryAccess) -> Uniformity:
        """How far threads agree on what they read from one place."""
        spaces = self._pointers.spaces(load)
        changes = load.volatile or load.scope  # as others write, too
        if load.kind is not AccessKind.LOAD or changes or spaces & _PRIVATE:
            return Uniformity.VARYING
        if self._stores.unsettled(load):
            return Uniformity.VARYING
        if self._stores.unsettled_in_block(load):
            return Uniformity.WARP
        shared = Space.SHARED in spaces
        return Uniformity.BLOCK if shared or self._stores.is_written(load) else Uniformity.GRID

    def _warp_operation(self, operation: WarpOperation, operands: Uniformity) -> Uniformity:
        """Lanes agree on what they exchange when all of them take part as one group."""
        kind, mask = operation.kind, operation.mask
        if kind in SHUFFLES:
            exchanged = self._at_use(operation.operands[0], operation.block)
            if exchanged <= Uniformity.WARP:
                return exchanged  # whichever lane it comes from
        if kind is WarpKind.ACTIVE_MASK or (
            mask is not None and self.of(mask) is Uniformity.VARYING
        ):
            return Uniformity.VARYING
        if kind in VOTES and kind is not WarpKind.VOTE_BALLOT:
            return min(operands, Uniformity.WARP)
        if kind in VOTES or kind in REDUCTIONS or kind is WarpKind.ELECT:
            return Uniformity.WARP  # a block's last warp may be smaller than the others
        if kind is WarpKind.SHUFFLE_INDEX and len(operation.operands) > 1:
            source = self.of(operation.operands[1])
            if source <= Uniformity.WARP and _is_whole_warp(operation):
                return min(operands, Uniformity.WARP)
        return max(operands, Uniformity.WARP) if kind in MATCHES else operands

    def _in_warps(self, operation: Operation) -> Uniformity:
        """The level of arithmetic on threadIdx.x that lanes agree on: `threadIdx.x / 32`."""
        varying = Uniformity.VARYING
        if isinstance(operation, Compare):
            left, right = (self._parts(operand) for operand in operation.operands)
            rest = self._of_rest(operation, (*left.rest, *right.rest))
            if self._signed_sums and cancels(operation, left, right):
                return rest
            if self._has_whole_warps and splits_at_warps(operation, left, right):
                return max(rest, Uniformity.WARP)
            return varying
        if operation.opcode not in (Opcode.DIV, Opcode.SHR, Opcode.AND):
            return varying
        divisor = operation.operands[1]
        if not isinstance(divisor, Constant) or not isinstance(divisor.value, int):
            return varying
        parts = self._parts(operation.operands[0])
        if self._has_whole_warps and is_aligned(operation, parts, divisor.value):
            return max(self._of_rest(operation, parts.rest), Uniformity.WARP)
        return varying

    @property
    def _has_whole_warps(self) -> bool:
        """Whether the lanes of a warp are 32 neighbours along x, from a multiple of 32 on."""
        return self._trusted and (self._block[0] % 32 == 0 or self._block[1:] == (1, 1))

    def _parts(self, value: Value) -> Parts:
        return parts_of(self._flow, self._block, value)

    def _of_rest(self, operation: Operation, rest: tuple[Value, ...]) -> Uniformity:
        block = operation.block
        left = (self.left_apart(operand, block) for operand in operation.operands)
        return max((*left, *(self._at_use(value, block) for value in rest)))

    # ---- divergence of control --------------------------------------------------------------

    def _spread(self, branch: Operation, level: Uniformity) -> list[Operation]:
        """Operations whose level a divergent branch may raise."""
        block = branch.block
        changed: list[Operation] = []
        if block not in self._joins:
            self._joins[block] = self._joins_of(block)
        for join in self._joins[block]:
            if self._branch_joins.get(join, Uniformity.GRID) < level:
                self._branch_joins[join] = level
                changed += join.phis
        for region in self._flow.irreducible_regions:
            if block in region and self._tangled.get(region, Uniformity.GRID) < level:
                self._tangled[region] = level
                changed += [phi for inside in region for phi in inside.phis]
                changed += self._seen_outside(region)
        for loop in self._flow.loop_nest(block):
            if block not in self._flow.exit_decisions(loop):
                continue
            if self._left_apart.get(loop, Uniformity.GRID) < level:
                self._left_apart[loop] = level
                changed += self._seen_outside(loop.blocks)
            if loop not in self._exit_joins:
                self._exit_joins[loop] = self._exit_joins_of(loop)
            for join in self._exit_joins[loop]:
                if self._branch_joins.get(join, Uniformity.GRID) < level:
                    self._branch_joins[join] = level
                    changed += join.phis
        return changed

    def _seen_outside(self, blocks: frozenset[Block]) -> Iterator[Operation]:
        """The operations outside of a loop's blocks that use its values."""
        for inside in blocks:
            for operation in inside.operations:
                for user in self._users.get(operation, ()):
                    if user.block not in blocks:
                        yield user

    def _exit_joins_of(self, loop: Loop) -> list[Block]:
        """The blocks where the ways out of a loop meet."""
        targets = Counter(loop.paths_out)
        joins = [target for target, ways in targets.items() if ways > 1]
        if len(targets) < 2:
            return joins
        starts = sorted(targets, key=lambda block: block.index)
        end = self._flow.common_post_dominator(starts)
        return joins + self._join_points(starts, starts[0].index, end)

    def _joins_of(self, branch: Block) -> list[Block]:
        """The blocks that two disjoint ways out of a branch reach."""
        end = self._flow.immediate_post_dominator(branch)
        return self._join_points(list(branch.successors), branch.index + 1, end, branch)

    def _join_points(
        self,
        starts: list[Block],
        first: int,
        end: Block | None = None,
        branch: Block | None = None,
    ) -> list[Block]:
        """The end, where ways from different starts meet, and the loops they go on in."""
        met, begin = self._flow.join_points.of(starts, first, end)
        joins = met if end is None else [end, *met]
        around = [branch] if branch is not None else starts
        for loop in {loop for block in around for loop in self._flow.loop_nest(block)}:
            if len({begin(latch) for latch in loop.latches} - {None}) > 1:
                joins.append(loop.header)
        return joins


def _is_whole_warp(shuffle: WarpOperation) -> bool:
    """Whether a shuffle is not split: no width or 32 in CUDA, `c` of 31 in PTX."""
    given = shuffle.operands[2 : None if shuffle.mask is None else -1]
    return all(isinstance(width, Constant) and width.value in (31, 32) for width in given)
