"""Runs a kernel's IR thread by thread on plain integers: the oracle the analyses are tested with.

It shares nothing with them but the IR itself: its own arithmetic, its own control, no dominators,
no symbols. Every thread of a block runs on its own; threads of a warp meet at warp operations and
threads of the block at voting barriers, other barriers are passed by. Memory: local memory is kept
per thread, any other load returns a number made from its address, so that equal addresses hold
equal data. Floating point is not computed: a float is `None`, and so is all that comes of it.

Each execution of each operation is recorded under its rounds: how often the header of every loop
around it had been entered since that loop was entered, outermost loop first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import (
    AccessKind,
    Barrier,
    Branch,
    Call,
    Compare,
    Convert,
    Exit,
    Field,
    Jump,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Pure,
    Return,
    Switch,
    WarpOperation,
)
from warplint.analyzer.ir.types import Kind
from warplint.analyzer.ir.values import (
    Constant,
    ObjectAddress,
    Parameter,
    Special,
    SpecialRegister,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Mapping

    from warplint.analyzer.analyses.dataflow.control_flow import Loop
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.kernel import Dimensions, Kernel
    from warplint.analyzer.ir.memory import MemoryObject
    from warplint.analyzer.ir.types import Type

Number = int | None | tuple["int | None", ...]
Iterations = tuple[int, ...]
STEP_LIMIT = 200_000  # operations of one thread


class NotConcreteError(Exception):
    """The kernel's course depends on something this interpreter does not compute."""


@dataclass(frozen=True)
class Run:
    """One block of one launch: its shape, its place in the grid, and the arguments."""

    block: Dimensions
    grid: Dimensions = (1, 1, 1)
    block_index: Dimensions = (0, 0, 0)
    arguments: Mapping[str, int] = field(default_factory=dict)

    @property
    def threads(self) -> list[Dimensions]:
        x, y, z = self.block
        return [(i % x, i // x % y, i // (x * y)) for i in range(x * y * z)]


class Store(NamedTuple):
    """One store of one thread."""

    address: Number
    value: Number
    width: int


def base_address(objects: list[MemoryObject], wanted: MemoryObject) -> int:
    """A place of its own for every object, 16 MiB apart: offsets stay small beside it."""
    return (objects.index(wanted) + 1) << 24


def loaded(address: int) -> int:
    """The data at an address, from its place in the object."""
    return (address & 0xFFFFFF) * 2654435761 // 128 % 13


class Trace:
    """What the threads of a block did: operation → rounds → thread number → value."""

    def __init__(self) -> None:
        self.addresses: dict[MemoryAccess, dict[Iterations, dict[int, Number]]] = {}
        self.values: dict[Operation, dict[Iterations, dict[int, Number]]] = {}
        self.barriers: dict[Barrier, dict[Iterations, set[int]]] = {}
        self.stores: dict[int, list[Store]] = {}  # by thread, in order
        self.stays: dict[Block, dict[Iterations, set[int]]] = {}  # loop header → rounds → threads


class Interpreter:
    """One kernel, one run."""

    def __init__(
        self,
        kernel: Kernel,
        run: Run,
        nest: Callable[[Block], list[Loop]],
        objects: list[MemoryObject],
    ) -> None:
        self.kernel = kernel
        self.given = run
        self.objects = objects
        self.members: dict[tuple[Parameter, int], int] = {}  # pointers in structs that are passed
        self.trace = Trace()
        self._headers = {
            block: tuple(loop.header for loop in reversed(nest(block))) for block in kernel.blocks
        }
        self._bodies = {loop.header: loop.blocks for block in kernel.blocks for loop in nest(block)}

    def argument(self, parameter: Parameter) -> Number:
        """What a parameter holds; 64 bits that nothing is given for are taken for a pointer."""
        if parameter.pointee is not None:
            return base_address(self.objects, parameter.pointee)
        given = self.given.arguments.get(parameter.name)
        if given is None and parameter.type.kind is Kind.INTEGER and parameter.type.bits == 64:
            return self.place_behind(parameter, 0)
        return given

    def place_behind(self, parameter: Parameter, offset: int) -> int:
        """Where the pointer at an offset of a parameter leads: behind the known objects."""
        behind = (len(self.objects) + len(self.members) + 1) << 24
        return self.members.setdefault((parameter, offset), behind)

    def run(self) -> Trace:
        """Every thread of the block to its end, warp by warp."""
        threads = [_Thread(self, number) for number in range(len(self.given.threads))]
        for first in range(0, len(threads), 32):
            _run_together(threads[first : first + 32])
        return self.trace


def _run_together(threads: list[_Thread]) -> None:
    """The threads of one warp; they wait for each other at warp operations."""
    waiting = {thread: thread.go() for thread in threads}
    arrived: dict[_Thread, Operation] = {}
    for thread, scenario in list(waiting.items()):
        _advance(thread, scenario, None, arrived)
    while arrived:
        operation = next(iter(arrived.values()))
        group = [thread for thread, at in arrived.items() if at is operation]
        results = _exchange(operation, group)
        for thread in group:
            del arrived[thread]
        for thread in group:
            _advance(thread, waiting[thread], results[thread.number % 32], arrived)


def _advance(
    thread: _Thread,
    scenario: Generator[Operation, Number, None],
    given: Number,
    arrived: dict[_Thread, Operation],
) -> None:
    try:
        arrived[thread] = next(scenario) if given is None else scenario.send(given)
    except StopIteration:
        return


def _exchange(operation: Operation, group: list[_Thread]) -> dict[int, Number]:
    """What each lane gets from a warp operation executed by these threads together."""
    lanes = {thread.number % 32: thread for thread in group}
    given = {lane: thread.value(operation.operands[0]) for lane, thread in lanes.items()}
    name = operation.name if isinstance(operation, WarpOperation) else operation.opcode.value
    if name.startswith("shfl"):
        rest = operation.operands[1:]
        return {
            lane: given[_giver(name, lane, [_whole(thread.value(item)) for item in rest], given)]
            for lane, thread in lanes.items()
        }
    if name.startswith("redux") and name != "redux.add":  # by a function that is not computed
        return dict.fromkeys(lanes)
    first = {lane: _whole(value) for lane, value in given.items()}
    if name == "redux.add":
        return dict.fromkeys(lanes, in_range(sum(first.values()), operation.type))
    answer = {
        "vote.ballot": sum(1 << lane for lane, value in first.items() if value),
        "vote.any": int(any(first.values())),
        "vote.all": int(all(first.values())),
        "vote.uni": int(len({bool(value) for value in first.values()}) == 1),
    }[name]
    return dict.fromkeys(lanes, answer)


def _giver(name: str, lane: int, operands: list[int], given: Container[int]) -> int:
    """The lane that a lane gets its value from in a shuffle."""
    width = operands[1] if len(operands) > 1 and operands[1] in (1, 2, 4, 8, 16) else 32
    start = lane - lane % width
    source = {
        "shfl.idx": start + operands[0] % width,
        "shfl.up": lane - operands[0] if lane - operands[0] >= start else lane,
        "shfl.down": lane + operands[0] if lane + operands[0] < start + width else lane,
        "shfl.bfly": lane ^ operands[0],
    }[name]
    return source if source in given else lane


class _Thread:
    """One thread: its values, its local memory, where it is."""

    def __init__(self, owner: Interpreter, number: int) -> None:
        self.owner = owner
        self.number = number
        self.index = owner.given.threads[number]
        self.values: dict[Value, Number] = {}
        self.local: dict[int, Number] = {}
        self.iterations: dict[Block, int] = {}

    def go(self) -> Generator[Operation, Number, None]:
        """The whole course of the thread; yields at every warp operation."""
        block: Block | None = self.owner.kernel.blocks[0]
        previous: Block | None = None
        steps = 0
        while block is not None:
            self._enter(block, previous)
            iterations = tuple(self.iterations[header] for header in self.owner._headers[block])
            for operation in block.operations:
                steps += 1
                if steps > STEP_LIMIT:
                    raise NotConcreteError("a thread does not end")
                if isinstance(operation, Phi):
                    continue
                if isinstance(operation, WarpOperation):
                    result = yield operation
                    self.values[operation] = result
                else:
                    self._execute(operation, iterations)
                if operation in self.values:
                    known = self.owner.trace.values.setdefault(operation, {})
                    known.setdefault(iterations, {})[self.number] = self.values[operation]
            previous, block = block, self._leave(block)
            self._note_stay(previous, block, iterations)

    def _enter(self, block: Block, previous: Block | None) -> None:
        headers = self.owner._headers[block]
        if block in headers:
            again = previous in self.owner._bodies[block]
            self.iterations[block] = self.iterations[block] + 1 if again else 0
        if previous is None:
            return
        position = block.predecessors.index(previous)
        new = {phi: self.value(phi.operands[position]) for phi in block.phis}
        self.values.update(new)
        iterations = tuple(self.iterations[header] for header in headers)
        for phi, value in new.items():
            known = self.owner.trace.values.setdefault(phi, {})
            known.setdefault(iterations, {})[self.number] = value

    def _note_stay(self, block: Block, target: Block | None, iterations: Iterations) -> None:
        """Rounds in which the thread stays in the loop at the loop's own test."""
        headers = self.owner._headers[block]
        if headers and target in self.owner._bodies[headers[-1]]:
            self.owner.trace.stays.setdefault(block, {}).setdefault(iterations, set()).add(
                self.number
            )

    def value(self, value: Value) -> Number:
        """The value of an operand."""
        if isinstance(value, Operation):
            return self.values[value]
        if isinstance(value, Constant):
            return value.value if isinstance(value.value, int) else None
        if isinstance(value, ObjectAddress):
            return base_address(self.owner.objects, value.object)
        if isinstance(value, Parameter):
            return self.owner.argument(value)
        if isinstance(value, SpecialRegister):
            return self._register(value.register)
        assert isinstance(value, Unknown)
        return None

    def _register(self, register: Special) -> int:
        run = self.owner.given
        table = {"tid": self.index, "ntid": run.block, "ctaid": run.block_index, "nctaid": run.grid}
        name, _, axis = register.value.partition(".")
        if name in table:
            return table[name]["xyz".index(axis)]
        known = {Special.LANE: self.number % 32, Special.WARP: self.number // 32}
        if register is Special.WARP_SIZE:
            return 32
        if register not in known:
            raise NotConcreteError(f"register {register.value}")
        return known[register]

    def _execute(self, operation: Operation, iterations: Iterations) -> None:
        if isinstance(operation, MemoryAccess):
            self._access(operation, iterations)
        elif isinstance(operation, Barrier):
            if operation.vote:
                raise NotConcreteError("a barrier vote")
            by_iterations = self.owner.trace.barriers.setdefault(operation, {})
            by_iterations.setdefault(iterations, set()).add(self.number)
        elif isinstance(operation, Call):
            self._call(operation)
        elif operation.opcode is Opcode.OPAQUE:
            raise NotConcreteError(operation.opcode.value)
        elif operation.opcode is Opcode.SELECT:
            chosen = _whole(self.value(operation.operands[0]))
            self.values[operation] = self.value(operation.operands[1 if chosen else 2])
        elif isinstance(operation, Field) and isinstance(operation.operands[0], Parameter):
            self.values[operation] = self._member(operation, operation.operands[0])
        elif operation.opcode not in _SILENT:
            operands = [self.value(operand) for operand in operation.operands]
            self.values[operation] = _compute(operation, operands)

    def _call(self, call: Call) -> None:
        """A function that is not there: its result is not known, nor what it may write."""
        for operand in call.operands:
            address = self.value(operand)
            if isinstance(address, int) and self._is_local((address >> 24) - 1):
                whole = address >> 24
                self.local = {at: held for at, held in self.local.items() if at >> 24 != whole}
        self.values[call] = None

    def _member(self, field: Field, parameter: Parameter) -> Number:
        """A pointer in a struct that is passed: a place of its own, behind those of the objects."""
        if field.type.kind is not Kind.POINTER:
            return None
        return self.owner.place_behind(parameter, field.offset)

    def _access(self, access: MemoryAccess, iterations: Iterations) -> None:
        address = self.value(access.address)
        known = self.owner.trace.addresses.setdefault(access, {})
        known.setdefault(iterations, {})[self.number] = address
        target = (address >> 24) - 1 if isinstance(address, int) else -1
        local = self._is_local(target)
        if access.kind is AccessKind.STORE:
            self.values[access] = self.value(access.operands[1])
            own = self.owner.trace.stores.setdefault(self.number, [])
            own.append(Store(address, self.values[access], access.width or 0))
            if local and isinstance(address, int):
                self.local[address] = self.values[access]
        if access.kind is AccessKind.LOAD and access.element.kind is not Kind.FLOAT:
            if local and isinstance(address, int):
                self.values[access] = self.local.get(address)
            elif access.type.kind is Kind.AGGREGATE or address is None:
                self.values[access] = None
            else:
                self.values[access] = loaded(_whole(address))
        elif access.kind is not AccessKind.STORE:
            self.values[access] = None

    def _is_local(self, target: int) -> bool:
        objects = self.owner.objects
        return 0 <= target < len(objects) and objects[target].space is Space.LOCAL

    def _leave(self, block: Block) -> Block | None:
        last = block.terminator
        match last:
            case Jump():
                return last.target
            case Branch():
                return last.then if _whole(self.value(last.condition)) else last.otherwise
            case Switch():
                chosen = _whole(self.value(last.operands[0]))
                return dict(last.cases).get(chosen, last.default)
            case Return() | Exit():
                return None
        raise AssertionError(f"{last.opcode} ends a block")


_SILENT = frozenset(
    {
        Opcode.BARRIER,
        Opcode.FENCE,
        Opcode.JUMP,
        Opcode.BRANCH,
        Opcode.SWITCH,
        Opcode.RETURN,
        Opcode.EXIT,
    }
)


def _whole(value: Number) -> int:
    if not isinstance(value, int):
        raise NotConcreteError("a decision on a value that is not computed")
    return value


# ---- arithmetic, as the CUDA C++ and PTX manuals have it -----------------------------------------


def in_range(value: int, type: Type) -> int:
    bits = type.bits or 64
    value %= 1 << bits
    return value - (1 << bits) if type.signed and value >= 1 << (bits - 1) else value


def _compute(operation: Operation, operands: list[Number]) -> Number:
    opcode = operation.opcode
    if opcode is Opcode.AGGREGATE:
        return tuple(None if isinstance(item, tuple) else item for item in operands)
    if isinstance(operation, Field):
        return _field(operation, operands)
    if any(not isinstance(item, int) for item in operands):
        return None
    numbers = [item for item in operands if isinstance(item, int)]
    if isinstance(operation, Convert):
        return _convert(operation, numbers[0])
    if isinstance(operation, Compare):
        if operation.compared.kind is Kind.FLOAT:
            return None
        a, b = (in_range(item, operation.compared) for item in numbers)
        return int(_COMPARED[opcode](a, b))
    if isinstance(operation, Pure) and operation.name.strip("_") == "brev":
        return int(f"{numbers[0] % (1 << 32):032b}"[::-1], 2)
    if operation.type.kind is Kind.FLOAT or opcode is Opcode.PURE:
        return None
    if opcode is Opcode.NOT and operation.type.kind is Kind.PREDICATE:
        return 1 - numbers[0]
    return arithmetic(opcode, operation.type, numbers)


def arithmetic(opcode: Opcode, type: Type, numbers: list[int]) -> int | None:
    a = in_range(numbers[0], type)
    if opcode in (Opcode.SHL, Opcode.SHR):
        count = min(numbers[1], type.bits or 64)
        return in_range(a << count if opcode is Opcode.SHL else a >> count, type)
    if len(numbers) == 1:
        return in_range({Opcode.NOT: ~a, Opcode.NEG: -a, Opcode.ABS: abs(a)}[opcode], type)
    b = in_range(numbers[1], type)
    if opcode in (Opcode.DIV, Opcode.REM):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return in_range(quotient if opcode is Opcode.DIV else a - b * quotient, type)
    if opcode is Opcode.MUL_HIGH:
        return in_range(a * b >> (type.bits or 64), type)
    return in_range(_SIMPLE[opcode](a, b), type)


def _convert(operation: Convert, number: int) -> int | None:
    if Kind.FLOAT in (operation.source.kind, operation.type.kind):
        return None
    if operation.type.kind is Kind.PREDICATE:
        return int(number != 0)
    return in_range(in_range(number, operation.source), operation.type)


def _field(operation: Field, operands: list[Number]) -> Number:
    """A member of an aggregate of equal members."""
    whole = operands[0]
    bits = operation.operands[0].type.bits
    if not isinstance(whole, tuple) or not bits:
        return None
    place = operation.offset * 8 * len(whole) // bits
    if operation.opcode is Opcode.EXTRACT:
        return whole[place]
    new = operands[1]
    return (*whole[:place], None if isinstance(new, tuple) else new, *whole[place + 1 :])


_SIMPLE: dict[Opcode, Callable[[int, int], int]] = {
    Opcode.ADD: lambda a, b: a + b,
    Opcode.SUB: lambda a, b: a - b,
    Opcode.MUL: lambda a, b: a * b,
    Opcode.MIN: lambda a, b: a if a < b else b,
    Opcode.MAX: lambda a, b: b if a < b else a,
    Opcode.AND: lambda a, b: a & b,
    Opcode.OR: lambda a, b: a | b,
    Opcode.XOR: lambda a, b: a ^ b,
}
_COMPARED: dict[Opcode, Callable[[int, int], bool]] = {
    Opcode.EQ: lambda a, b: a == b,
    Opcode.NE: lambda a, b: a != b,
    Opcode.LT: lambda a, b: a < b,
    Opcode.LE: lambda a, b: a <= b,
    Opcode.GT: lambda a, b: a > b,
    Opcode.GE: lambda a, b: a >= b,
}
