"""The values of all threads of a block, while it is run: what is known of each operation's result.

In: operations, the numbers assumed for what the launch does not say. Out: vectors, see
`thread_vectors.py`; how results are computed says `value_functions.py`. A value that only some
threads compute is kept apart from that of the others where they need theirs later.
Not handled: floating point, aggregates that pass through phis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import WarpKind
from ...ir.operations import Field, Opcode, Operation
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress, Parameter, Special, SpecialRegister, Unknown
from ..pointers.memory_model import copied_from
from ..warp_evaluation.lane_values import WARP
from .launch_values import member_of
from .per_thread import PerThread
from .thread_vectors import LANE_MASKS, everyone, indices, lane_masks, mixed, numbers, split

if TYPE_CHECKING:
    from ...ir.kernel import Dimensions
    from ...ir.operations import MemoryAccess, WarpOperation
    from ...ir.values import Value
    from ..launch.assumed_launch import AssumedLaunch
    from .block_program import BlockProgram
    from .run_context import Assumptions, Place
    from .thread_vectors import Threads, Vector


class BlockValues:
    """What each thread of a block that is run holds in every value of the kernel."""

    def __init__(
        self,
        program: BlockProgram,
        launch: AssumedLaunch,
        index: Dimensions,
        assumptions: Assumptions,
    ) -> None:
        self._program = program
        self._launch = launch
        self._index = index  # blockIdx
        self._assumptions = assumptions
        self.count = launch.threads
        self._all = everyone(self.count)
        self.known: dict[Value, Vector] = {}  # of the operations that were executed

    def assign(self, value: Value, new: Vector, threads: Threads, *, merge: bool) -> None:
        """A new value for these threads; with `merge`, the others keep theirs."""
        if merge and threads != self._all and value in self.known:
            new = mixed(threads, new, self.known[value], self.count)
        self.known[value] = new

    def exchanged(self, operation: WarpOperation, place: Place) -> Vector:
        """The elected lane of each warp, where nobody is missing that may come: the PTX ISA leaves
        the choice open (9.7.13.13, `elect.sync`), and the first lane stands for it. What lanes
        exchange by shuffles, votes and matches is not known.
        """
        if operation.kind is not WarpKind.ELECT or place.may:
            return None
        leaders: dict[int, int] = {}
        lanes: list[int | None] = [None] * self.count
        for thread in numbers(place.must, self.count):
            lanes[thread] = leaders.setdefault(thread // WARP, thread % WARP)
        return PerThread(tuple(lanes))

    def keeping(self, store: MemoryAccess, threads: Threads) -> Threads:
        """The threads of a store that leave what is there."""
        kept = 0
        for condition, truth in self._program.plan.wanted.kept_when(store):
            holds, fails, _ = split(self.of(condition), threads, self.count)
            kept |= holds if truth else fails
        return kept

    def origin(self, store: MemoryAccess) -> Vector:
        """Where each thread has loaded what it stores, if it only copies."""
        source = copied_from(store)
        return None if source is None else self.of(source.address)

    def sources(self, store: MemoryAccess) -> dict[MemoryAccess, Vector]:
        """Where each thread has loaded what it computes the stored value from."""
        loads = self._program.plan.wanted.sources(store)
        return {load: self.of(load.address) for load in loads}

    def of(self, value: Value) -> Vector:
        """What is known of a value."""
        try:
            return self.known[value]
        except KeyError:
            pass
        if isinstance(value, Operation):
            return None
        known = self._leaf(value)
        self.known[value] = known
        return known

    def _leaf(self, value: Value) -> Vector:
        if isinstance(value, Constant):
            return value.value if isinstance(value.value, int) else None
        if isinstance(value, SpecialRegister):
            return self._special(value)
        if isinstance(value, ObjectAddress | Parameter):
            item = self._program.pointee(value)
            if item is not None:
                return self._program.address(item)
            if value.type.kind is Kind.POINTER:
                return None
        if isinstance(value, Unknown) and value.per_thread:
            return None
        return self._assumptions.number(value, ())

    def _special(self, value: SpecialRegister) -> Vector:
        launch = self._launch
        name, _, axis = value.register.value.partition(".")
        if name == "tid" and axis:
            x, y, _ = launch.block
            steps = {"x": (1, x), "y": (x, y), "z": (x * y, self.count)}[axis]
            return indices(*steps, self.count)
        if name == "ntid" and axis:
            return launch.block["xyz".index(axis)]
        if name == "ctaid" and axis:
            return self._index["xyz".index(axis)]
        if value.register is Special.LANE:
            return indices(1, WARP, self.count)
        if value.register is Special.WARP:
            return indices(WARP, self.count, self.count)
        if value.register in LANE_MASKS:
            return lane_masks(value.register, self.count)
        if value.register is Special.WARP_SIZE:
            return WARP
        if name == "nctaid" and axis:
            known = launch.grid["xyz".index(axis)]
            return known if known is not None else self._assumptions.number(value, ())
        return None

    def field(self, operation: Field) -> Vector:
        """A member of a parameter, or of a value put together before."""
        if operation.opcode is not Opcode.EXTRACT:
            return None
        whole = operation.operands[0]
        given = member_of(operation) is not None
        if given and operation.type.kind is Kind.POINTER:
            item = self._program.pointee(operation)
            return None if item is None else self._program.address(item)
        if given and operation.type.kind is Kind.INTEGER:
            return self._assumptions.number(operation, ())
        while isinstance(whole, Operation) and whole.opcode is Opcode.INSERT:
            assert isinstance(whole, Field)
            if whole.offset == operation.offset and whole.type is not None:
                return self.of(whole.operands[1])
            whole = whole.operands[0]
        bits = whole.type.bits
        if isinstance(whole, Operation) and whole.opcode is Opcode.AGGREGATE and bits:
            members = whole.operands
            place = operation.offset * 8 * len(members) // bits
            return self.of(members[place]) if place < len(members) else None
        return None
