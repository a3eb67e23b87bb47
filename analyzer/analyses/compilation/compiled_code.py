"""A kernel of CUDA C++ as the code that a compiler makes of it, for counting registers.

In: the facts of a kernel, and where its arrays end up. Out: a `Code` (ptx/estimate/operations.py),
which the estimate for PTX reads. The kernel is gone through as it would run: loops that the
compiler unrolls are copied (`unrolling.py`), so that counters become constants and branches on them
disappear; addresses go on with loops that stay (`streams.py`); elements of arrays at constant
places are registers (`thread_arrays.py`), joined where branches meet (`joins.py`); what was there
before is not computed again, and what nobody reads goes (`cleaning.py`). Arrays with an access
whose place stays unknown, or whose address goes elsewhere, are known only at the end: then all is
made again with them in memory, or, where ptxas promotes them, in registers as a whole. Not handled:
values behind a loop with several ends are those of its last copy.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    EFFECTS,
    Branch,
    Call,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Pure,
    Switch,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress, Parameter, Special, SpecialRegister, Unknown
from ...source.records import dataclass
from ..dataflow.reachability import reachable
from .accesses import Accesses, State
from .cleaning import cleaned
from .emission import Emission, TooLongError
from .held import NOTHING, Held, in_register, number_held
from .joins import Joins
from .places import Places
from .streams import Pointers, stream_of
from .unrolling import copies_of_loops
from .values import Values, given_held, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ...ptx.estimate.operations import Code
    from ..pointers.facts import PointerFacts
    from ..pointers.local_arrays import LocalArray
    from .places import Place
    from .unrolling import Copies

_MOST = 8_000  # operations of a kernel with unrolled loops
_WITHOUT_END = 1 << 40
_AGAIN = 3  # times that arrays are found to be in memory
_UNIFORM = frozenset(
    each for each in Special if each.value.startswith(("ntid", "ctaid", "nctaid", "WARP_SZ"))
)
_WHOLE = (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE)
_JUMPS = frozenset({Opcode.JUMP, Opcode.BRANCH, Opcode.SWITCH})
_WRITING = frozenset({Opcode.BARRIER, Opcode.CALL, Opcode.OPAQUE, Opcode.FENCE})
_NAMES = {
    Opcode.FENCE: "membar.gl",
    Opcode.RETURN: "ret",
    Opcode.EXIT: "exit",
    Opcode.WARP: "shfl.sync.idx.b32",
    Opcode.BARRIER: "bar.sync",
    Opcode.CALL: "call",
    Opcode.OPAQUE: "call",
}


def compiled_code(facts: PointerFacts, residences: Mapping[MemoryObject, LocalArray]) -> Code:
    """The code that a compiler makes of a kernel, to count its registers; `residences` has the
    arrays of a thread.
    """
    copies = copies_of_loops(facts)
    in_memory: set[MemoryObject] = set()
    for _ in range(_AGAIN):
        walk = _Walk(facts, residences, copies, in_memory, _MOST if copies else _WITHOUT_END)
        try:
            code = walk.code()
        except TooLongError:
            copies = {}
            continue
        if walk.found_in_memory <= in_memory:
            return cleaned(code)
        in_memory |= walk.found_in_memory
    return cleaned(_Walk(facts, residences, {}, {*residences}, _WITHOUT_END).code())


@dataclass(slots=True)
class _Edge:
    """A jump to a place that is not made yet."""

    block: int  # of the code
    state: State
    phis: list[Held]


@dataclass(slots=True)
class _Header:
    """A loop that stays one: where it begins, and what each iteration writes for the next."""

    block: int
    phis: list[Held]
    cells: dict[tuple[MemoryObject, int], Held]
    left: Held | None = None  # iterations, where they are counted down
    pointers: dict[Hashable, Held] = field(default_factory=dict)  # addresses that go on


class _Walk:
    def __init__(
        self,
        facts: PointerFacts,
        residences: Mapping[MemoryObject, LocalArray],
        copies: Mapping[Block, Copies],
        in_memory: set[MemoryObject],
        most: int,
    ) -> None:
        self._facts = facts
        self._in_memory = in_memory
        self._emission = Emission(most)
        self._values = Values(self._emission, facts.users)
        self._places = Places(facts.flow, copies)
        self._joins = Joins(self._emission, _varying(facts))
        self._accesses = Accesses(
            self._emission, facts.points_to, residences, in_memory, _unwritten(facts)
        )
        self._pointers = Pointers(self._emission, self._value)
        self._held: dict[Value, Held] = {}
        self._edges: dict[Place, list[_Edge]] = {}  # to places that are not made yet
        self._headers: dict[Place, _Header] = {}
        self._begun: set[Place] = set()
        self._queue: list[tuple[tuple[int, ...], int, Place]] = []
        self._rests: dict[Place, Held] = {}  # iterations left over, of loops not made yet
        self._turn = count()  # decides between places that are in the same order
        self._state = State()

    @property
    def found_in_memory(self) -> set[MemoryObject]:
        """The arrays that cannot be taken apart."""
        return self._accesses.found_in_memory

    def code(self) -> Code:
        """All places in their order."""
        self._wait((self._facts.kernel.blocks[0], ()))
        while self._queue:
            place = heappop(self._queue)[2]
            self._begun.add(place)
            self._begin(place, self._edges.pop(place))
            self._emission.loops = self._loops_around(place)
            for operation in place[0].operations:
                if not isinstance(operation, Phi):
                    self._make(place, operation)
            self._end(place)
        return self._emission.code

    def _wait(self, place: Place) -> None:
        self._edges[place] = []
        heappush(self._queue, (self._places.order(place), next(self._turn), place))

    # ---- blocks ------------------------------------------------------------------------------

    def _begin(self, place: Place, edges: list[_Edge]) -> None:
        """Go on in a block, or begin one."""
        emission, block = self._emission, place[0]
        code = emission.code
        if not self._places.is_loop(place) and len(edges) == 1:
            (edge,) = edges
            self._state = edge.state
            self._held.update(zip(block.phis, edge.phis, strict=True))
            ops = code.blocks[edge.block]
            if not ops or not ops[-1].kind.last:
                emission.current = edge.block
                return
        sources = [edge.block for edge in edges]
        if not self._places.is_loop(place) and len(edges) > 1 and self._can_choose(edges):
            condition = emission.without_branch(sources)
            if condition is not None:
                self._join(block, edges, partial(self._joins.selected, condition))
                return
        number = self._new_block(sources)
        if self._places.is_rest(place):
            sources = [number]
            number = self._new_block(sources)
        if self._places.is_loop(place):
            self._begin_loop(place, edges, number)
        elif len(edges) > 1:
            self._join(block, edges, partial(self._joins.joined, sources))

    @staticmethod
    def _can_choose(edges: Sequence[_Edge]) -> bool:
        """Whether all that is joined is held in registers, not in parts."""
        cells = [value for edge in edges for _, value in edge.state.cells.values()]
        return not any(each.fields for edge in edges for each in (*edge.phis, *cells))

    def _new_block(self, sources: Sequence[int]) -> int:
        number = self._emission.begin(sources)
        for source in sources:
            self._emission.code.successors[source].append(number)
        return number

    def _loops_around(self, place: Place) -> list[int]:
        """Where the loops around a place begin in the code, outermost first."""
        headers = (self._headers.get(each) for each in self._places.headers(place))
        return [each.block for each in headers if each is not None]

    def _join(
        self,
        block: Block,
        edges: list[_Edge],
        joined: Callable[[Sequence[Held], Phi | None], Held],
    ) -> None:
        """A block behind several others."""
        state = State()
        for space, version in edges[0].state.memory.items():
            same = all(edge.state.memory.get(space) is version for edge in edges)
            state.memory[space] = version if same else object()
        for index, phi in enumerate(block.phis):
            values = [edge.phis[index] for edge in edges]
            self._held[phi] = joined(values, phi)
        for at in dict.fromkeys(each for edge in edges for each in edge.state.cells):
            found = [edge.state.cells.get(at, (0, NOTHING)) for edge in edges]
            size = max(each[0] for each in found)
            values = [value if own == size else NOTHING for own, value in found]
            state.cells[at] = size, joined(values, None)
        self._state = state

    def _begin_loop(self, place: Place, edges: list[_Edge], number: int) -> None:
        """The header of a loop that stays one."""
        block, sources = place[0], [edge.block for edge in edges]
        state = edges[0].state
        written = self._written_in(block)
        if written:
            state.anything_written()
        phis = []
        for index, phi in enumerate(block.phis):
            values = [edge.phis[index] for edge in edges]
            self._held[phi] = self._joins.written(sources, values, phi)
            phis.append(self._held[phi])
        cells = {}
        for at, (size, _) in list(state.cells.items()):
            if at[0] in written:
                values = [edge.state.cells.get(at, (0, NOTHING))[1] for edge in edges]
                cells[at] = self._joins.written(sources, values, None)
                state.cells[at] = size, cells[at]
        self._headers[place] = _Header(number, phis, cells, self._left(place, sources))
        self._state = state

    def _left(self, place: Place, sources: list[int]) -> Held | None:
        """The iterations of a loop that goes on in another with the rest of them."""
        emission, copies = self._emission, self._places.counted_down(place)
        if copies is None:
            return None
        if self._places.is_rest(place):
            emission.keep()
            return self._rests.pop(place)
        test = place[0].terminator.operands[0]
        sides = test.operands if isinstance(test, Compare) else []
        own = {*place[0].phis}
        ends = [self._value(each) for each in sides if unconverted(each) not in own]
        varying = any(each.varying for each in ends)
        reads = tuple(one for each in ends for one in each.registers)
        times = Held(("times", place), reads, lazy="and.b32", varying=varying)
        both = [emission.register(1, varying=varying, again=True) for _ in range(2)]
        left, rest = (in_register(each, 1, varying=varying) for each in both)
        for source in sources:
            for each in (left, rest):
                emission.move(source, each, times, step=False)
        self._rests[place[0], (*place[1][:-1], copies.count)] = rest
        return left

    def _written_in(self, header: Block) -> set[MemoryObject | None]:
        """The objects that a loop writes, and None for any."""
        found: set[MemoryObject | None] = set()
        for block in self._facts.flow.innermost_loop[header].blocks:
            for each in block.operations:
                if isinstance(each, MemoryAccess) and each.writes:
                    found |= {*self._facts.points_to.touched(each)}
                elif each.opcode in _WRITING:
                    found.add(None)
        return found

    # ---- jumps -------------------------------------------------------------------------------

    def _end(self, place: Place) -> None:
        """Where control goes from here."""
        emission = self._emission
        last, block = place[0].terminator, emission.current
        targets = self._targets(place, last)
        if len(targets) > 1:
            name = "bra" if isinstance(last, Branch) else "brx.idx"
            emission.emit(name, (), emission.reads([self._condition(place, last)]))
        for target in targets:
            self._jump(place, target, block)

    def _condition(self, place: Place, last: Operation) -> Held:
        header = self._headers.get(place)
        if header is None or header.left is None:
            return self._value(last.operands[0])
        register = self._emission.register(0)
        self._emission.emit("setp.ne.s32", (register,), header.left.registers)
        return in_register(register, 0)

    def _targets(self, place: Place, last: Operation) -> list[Block]:
        if isinstance(last, Branch) and self._places.is_copied_test(place):
            inside = self._facts.flow.innermost_loop[place[0]].blocks
            return [each for each in (last.then, last.otherwise) if each in inside][:1]
        if isinstance(last, Branch | Switch):
            number = self._value(last.operands[0]).number
            if number is not None and isinstance(last, Branch):
                return [last.then if number else last.otherwise]
            if number is not None and isinstance(last, Switch):
                return [next((block for one, block in last.cases if one == number), last.default)]
        return list(place[0].successors)

    def _jump(self, place: Place, target: Block, block: int) -> None:
        """From a block of the code to a block of the kernel."""
        to = self._places.behind(place, target)
        if to is None:
            return
        if to[0] is not target:  # iterations are left over
            phis = [self._held[each] for each in place[0].phis]
        else:
            where = target.predecessors.index(place[0])
            phis = [self._value(each.operands[where]) for each in target.phis]
        edge = _Edge(block, self._state.copied(), phis)
        if to in self._headers:
            self._jump_back(edge, self._headers[to])
        elif to not in self._begun:
            if to not in self._edges:
                self._wait(to)
            self._edges[to].append(edge)

    def _jump_back(self, edge: _Edge, header: _Header) -> None:
        self._emission.code.successors[edge.block].append(header.block)
        for pointer in header.pointers.values():
            self._emission.move(edge.block, pointer, pointer, step=True)
        if header.left is not None:
            self._emission.move(edge.block, header.left, header.left, step=True)
        for target, value in zip(header.phis, edge.phis, strict=True):
            self._joins.write(edge.block, target, value)
        for at, target in header.cells.items():
            self._joins.write(edge.block, target, edge.state.cells.get(at, (0, NOTHING))[1])

    # ---- operations --------------------------------------------------------------------------

    def _value(self, value: Value) -> Held:
        """A value as it is held here."""
        if isinstance(value, Constant):
            return number_held(value.value)
        if isinstance(value, Operation):
            return self._held.get(value, NOTHING)
        if isinstance(value, SpecialRegister):
            return self._special(value)
        if isinstance(value, ObjectAddress):
            item = value.object
            apart = item.space is Space.LOCAL and item not in self._in_memory
            width = 1 if item.space is Space.SHARED else 2
            return Held(("object", item), width=width, item=item if apart else None)
        width = width_of(value.type)
        if isinstance(value, Parameter):
            return self._emission.given(value, width)
        return given_held(value)

    def _special(self, value: SpecialRegister) -> Held:
        emission, key = self._emission, ("special", value.register, value.name)
        if value.register in _UNIFORM:
            return emission.given(key, 1)
        known = emission.known(key)
        if known is not None:
            return known
        return emission.early("mov.u32", (), key, 1, varying=True)

    def _make(self, place: Place, operation: Operation) -> None:
        """The code of one operation."""
        if operation.opcode in _JUMPS:
            return
        operands = [self._value(each) for each in operation.operands]
        if isinstance(operation, MemoryAccess):
            operands[0] = self._address(place, operation.operands[0], operands[0])
            self._held[operation] = self._accesses.loaded(operation, operands, self._state)
        elif operation.opcode in EFFECTS:
            self._accesses.give_away(operands)
            self._held[operation] = self._with_effect(operation, operands)
        else:
            if isinstance(operation, Pure):
                self._accesses.give_away(operands)
            self._held[operation] = self._values.result(operation, operands)

    def _address(self, place: Place, address: Value, held: Held) -> Held:
        """An address, which has a register of its own where it goes on from one iteration to the
        next by the same distance.
        """
        if held.item is not None or not held.registers:
            return held
        around = [each for each in self._places.headers(place) if each in self._headers]
        if not around or around[-1][0] is not self._places.innermost(place):
            return held
        header, loop = self._headers[around[-1]], self._facts.flow.innermost_loop[around[-1][0]]
        found = stream_of(address, loop, lambda each: self._value(each).number)
        at = header.block, self._places.copy(place)
        return held if found is None else self._pointers.held(found, held, at, header.pointers)

    def _with_effect(self, operation: Operation, operands: Sequence[Held]) -> Held:
        emission, name = self._emission, _NAMES[operation.opcode]
        reads = emission.reads(operands)
        if operation.opcode in _WRITING:
            self._state.anything_written()
        if isinstance(operation, Call):
            emission.code.calls.append(operation.callee)
        if operation.type.kind is Kind.VOID:
            emission.emit(name, (), reads)
            return NOTHING
        width = width_of(operation.type)
        register = emission.register(width)
        emission.emit(name, (register,), reads)
        return in_register(register, width)


def _varying(facts: PointerFacts) -> set[Value]:
    """What may differ between threads, as far as uniform registers cannot hold it."""
    sources = filter(_is_source, facts.kernel.operations())
    return set(reachable(sources, lambda each: facts.users.get(each, ())))


def _unwritten(facts: PointerFacts) -> frozenset[MemoryObject]:
    """What `__restrict__` pointers lead to and the kernel does not write."""
    items = facts.kernel.objects
    return frozenset(each for each in items if each.restrict and each not in facts.writers)


def _is_source(operation: Operation) -> bool:
    if operation.type.kind not in _WHOLE or operation.opcode in EFFECTS:
        return True
    return isinstance(operation, Pure) or any(
        isinstance(each, Unknown)
        or (isinstance(each, SpecialRegister) and each.register not in _UNIFORM)
        for each in operation.operands
    )
