"""Points-to: the memory objects an address may lead into, and so its space.

In: a kernel. Out: for every value the set of objects it may point into; `None` in the set stands
for "something not known". Flow-insensitive per value, over SSA: additions, conversions, selects,
phis and rounding (`p / 16 * 16`) pass objects on; an index added to a pointer does not make it
unknown.
A pointer read from a kernel parameter's field leads to global memory, to an object of its own
(CUDA C++ Programming Guide: a kernel's parameters cannot hold shared or local addresses); so does
a parameter whose type is not known, where it serves as an address.
Pointers that are stored and loaded go through `pointer_contents.py`. A 64-bit integer that memory
holds may be a pointer or an index: it counts as a pointer where nothing else in a sum is one.
An integer of which nothing is known is no address before it is used as one: what it is multiplied
by, or stored among, leads nowhere else for it. An integer made of a known address may be one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject, Space
from ...ir.operation_kinds import PARTS, Function
from ...ir.operations import (
    AccessKind,
    Call,
    Field,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Operation,
    Pure,
    WarpOperation,
    unconverted,
    users_of,
)
from ...ir.types import UNKNOWN, Kind
from ...ir.values import Constant, ObjectAddress, Parameter, Unknown, written
from ..dataflow.fixpoint import solve
from ..dataflow.reachability import reachable
from .pointer_contents import NOTHING, SOMETHING, PointerContents, Targets, few

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...ir.kernel import Kernel
    from ...ir.values import Value

_PASSING = frozenset(
    {
        Opcode.ADD,
        Opcode.SUB,
        Opcode.AND,
        Opcode.OR,
        Opcode.MIN,
        Opcode.MAX,
        Opcode.SELECT,
        Opcode.CONVERT,
        Opcode.PHI,
        Opcode.INSERT,
        Opcode.AGGREGATE,
    }
)
_SCALING = frozenset(
    {
        Opcode.MUL,
        Opcode.MUL_HIGH,
        Opcode.DIV,
        Opcode.REM,
        Opcode.SHL,
        Opcode.SHR,
        Opcode.XOR,
        Opcode.NOT,
        Opcode.NEG,
    }
)  # make indices of indices, and of numbers that memory holds
_WRITTEN = frozenset({Opcode.PHI, Opcode.INSERT, Opcode.AGGREGATE, Opcode.CONVERT})
_WRITING = frozenset({Opcode.ACCESS, Opcode.CALL, Opcode.OPAQUE})
_OFFSETTING = frozenset({Opcode.ADD, Opcode.SUB, Opcode.AND, Opcode.OR})


_HOLDERS = frozenset({Kind.POINTER, Kind.UNKNOWN, Kind.AGGREGATE})
_ADDRESS = 8  # bytes of a generic address
_VISITS = 12  # of an operation, after which its set only grows, so that they come to an end


class PointsTo:
    """The memory objects that every value of one kernel may point to."""

    def __init__(
        self, kernel: Kernel, users: Mapping[Value, Sequence[Operation]] | None = None
    ) -> None:
        self._targets: dict[Operation, Targets] = {}
        self._fields: dict[tuple[Parameter, int | None], MemoryObject] = {}
        self._remotes: dict[MemoryObject, MemoryObject] = {}
        self._contents = PointerContents()
        self._perhaps: set[Value] = set()  # 64 bits that may be an index as well
        self._disguised: set[Value] = set()  # what was made of a known address and may be one
        operations = list(kernel.operations())
        users = users_of(operations) if users is None else users
        rounding = _rounding(operations)
        stale = self._contents.again
        stale.update(each for each in operations if not self._is_of_numbers(each))
        for value, found in rounding.items():
            stale.update(found if not isinstance(value, Operation) else ())
        self._solve(operations, users, rounding)
        if self._contents.empty:  # pointers that are read and that nothing stores: not known
            self._contents.settled = True
            stale.update(self._contents.empty)
            self._solve(operations, users, rounding)

    def _solve(
        self,
        operations: list[Operation],
        users: Mapping[Value, Sequence[Operation]],
        rounding: Mapping[Value, Sequence[Operation]],
    ) -> None:
        """Until nothing changes that an operation has looked at."""
        visits: Counter[Operation] = Counter()

        def transfer(operation: Operation) -> Iterable[Operation]:
            visits[operation] += 1
            if not self._update(operation, growing=visits[operation] > _VISITS):
                return ()
            return (*users.get(operation, ()), *rounding.get(operation, ()))

        solve(operations, transfer, self._contents.again)

    def _is_of_numbers(self, operation: Operation) -> bool:
        """Whether nothing that an operation is given leads anywhere, before all others are known:
        most are arithmetic on numbers, and nobody has to look at them.
        """
        if operation.opcode not in _PASSING and operation.opcode not in _SCALING:
            return False
        return not any(
            self.of(value) for value in operation.operands if not isinstance(value, Operation)
        )

    def _update(self, operation: Operation, *, growing: bool) -> bool:
        """Whether something changed that the users of an operation look at."""
        old, noted = self._targets.get(operation, NOTHING), self._noted()
        new = few(self._transfer(operation))
        if None in new:
            self._hide(operation, new)
        if growing:  # what led to too many objects stays at that
            new = old if old == SOMETHING else few(new | old)
        if new != old:
            self._targets[operation] = new
        if operation.opcode in _WRITING:
            self._write(operation)
        return new != old or self._noted() != noted

    def _noted(self) -> int:
        return len(self._perhaps) + len(self._disguised)

    def _hide(self, operation: Operation, new: Targets) -> None:
        """Keep in mind which addresses went into something that is not known."""
        if operation.opcode in _PASSING:
            if not self._disguised.isdisjoint(operation.operands):
                self._disguised.add(operation)
        elif operation.opcode in _SCALING or isinstance(operation, Pure | WarpOperation):
            lost = NOTHING.union(*map(self.of, operation.operands)) - new
            if lost or not self._disguised.isdisjoint(operation.operands):
                self._contents.expose(lost)
                self._disguised.add(operation)

    def of(self, value: Value) -> Targets:
        """The objects a value may point into."""
        if isinstance(value, Operation):
            return self._targets.get(value, NOTHING)
        if isinstance(value, Constant):
            return NOTHING
        if isinstance(value, ObjectAddress):
            return frozenset({value.object})
        if isinstance(value, Parameter):
            if value.pointee is not None:
                return frozenset({value.pointee})
            if value.type.kind in _HOLDERS:
                return frozenset({self._behind(value, None, "...")})
            return NOTHING
        if isinstance(value, Unknown) and value.type.kind is Kind.POINTER:
            return SOMETHING
        return NOTHING

    def object_of(self, access: MemoryAccess) -> MemoryObject | None:
        """The one object an access touches; None when there are several or it is not known."""
        targets = self.of(access.address)
        return next(iter(targets)) if len(targets) == 1 else None

    def touched(self, access: MemoryAccess) -> Targets:
        """The objects an access may touch; `None` among them when not known."""
        return self.of(access.address) or SOMETHING

    def spaces(self, access: MemoryAccess) -> frozenset[Space]:
        """The spaces an access may touch; GENERIC among them when not known."""
        if access.space is not Space.GENERIC:
            return frozenset({access.space})
        targets = self.touched(access)
        return frozenset(Space.GENERIC if item is None else item.space for item in targets)

    def space_of(self, access: MemoryAccess) -> Space:
        """The one space an access touches; GENERIC when there are several or it is not known."""
        spaces = self.spaces(access)
        return next(iter(spaces)) if len(spaces) == 1 else Space.GENERIC

    def own_of(self, item: MemoryObject) -> MemoryObject | None:
        """What an object of another block of the cluster is to that block; None for other ones."""
        return next((own for own, remote in self._remotes.items() if remote is item), None)

    def is_chosen(self, address: Value) -> bool:
        """Whether the spaces of an address are chosen between by the kernel's own decisions. What
        memory holds is any of the pointers stored there: which one is not distinguished.
        """

        def passed(value: Value) -> list[Value]:
            passes = isinstance(value, Operation) and value.opcode in _PASSING
            return [item for item in value.operands if self.of(item)] if passes else []

        return all(
            (isinstance(value, Operation) and value.opcode in _PASSING)
            or len({None if item is None else item.space for item in self.of(value)}) <= 1
            for value in reachable([address], passed)
        )

    def _transfer(self, operation: Operation) -> Targets:
        opcode = operation.opcode
        if opcode in _PASSING:
            if not any(map(self.of, operation.operands)):
                return NOTHING  # numbers, as most are
            operands = operation.operands[1:] if opcode is Opcode.SELECT else operation.operands
            if opcode is Opcode.SUB and operation.type.kind is not Kind.POINTER:
                operands = operands[:1] if not self.of(operands[1]) - SOMETHING else []
            if opcode in _WRITTEN:
                operands = written(operands)
            union = self._union(operation, operands)
            narrow = opcode is Opcode.CONVERT and not _may_hold(operation)
            return union - SOMETHING if narrow else union  # 32 bits hold a shared address at most
        if isinstance(operation, Field) and opcode is Opcode.EXTRACT:
            return self._field(operation)
        if isinstance(operation, Pure) and operation.function in PARTS:
            ends = (
                operation.operands[:1]
                if operation.function is Function.PART
                else operation.operands
            )
            return self._union(operation, ends) if _may_hold(operation) else NOTHING
        if isinstance(operation, Pure) and operation.function is Function.REMOTE_ADDRESS:
            return frozenset(map(self._remote, self.of(operation.operands[0])))
        if isinstance(operation, Pure) and operation.function is Function.ELEMENT:
            places = self.of(operation.operands[0])
            return places | self._contents.held(operation, places)
        if not _may_hold(operation):
            return NOTHING
        rounded = _rounded(operation)
        if rounded is not None and self.of(rounded) - SOMETHING:
            return self.of(rounded)
        if opcode in _SCALING:
            return SOMETHING if any(map(self._is_address, operation.operands)) else NOTHING
        if isinstance(operation, Pure) and operation.function is Function.COMBINED:
            return self._union(operation, operation.operands)
        if isinstance(operation, MemoryAccess) and operation.reads:
            return self._load(operation)
        if isinstance(operation, Pure) and operation.operands:  # of numbers: another number
            return SOMETHING if any(map(self.of, operation.operands)) else NOTHING
        return SOMETHING

    def _union(self, operation: Operation, operands: list[Value]) -> Targets:
        union: Targets = NOTHING.union(*map(self.of, operands))
        if operation.opcode not in _OFFSETTING:
            if union and all(map(self._may_be_index, filter(self.of, operands))):
                self._perhaps.add(operation)
            return union
        bases = [item for item in operands if self._is_base(item)]
        if not bases:
            bases = [item for item in operands if self.of(item) - SOMETHING]
            self._perhaps.update([operation] if bases else ())
        # What is added to a known pointer is an index, wherever it comes from.
        return NOTHING.union(*map(self.of, bases)) if bases else union

    def _is_address(self, value: Value) -> bool:
        """Whether a factor is an address that is known, or was made of one."""
        if value in self._disguised:
            return True
        number = unconverted(value).type.kind is Kind.UNKNOWN  # C++ multiplies no pointers
        return bool(self.of(value) - SOMETHING) and not number and not self._may_be_index(value)

    def _may_be_index(self, value: Value) -> bool:
        untyped = isinstance(value, Parameter) and value.type.kind is Kind.UNKNOWN
        return untyped or value in self._perhaps

    def _is_base(self, value: Value) -> bool:
        if isinstance(value, Constant) or self._may_be_index(value):
            return False
        return value.type.kind is Kind.POINTER or bool(self.of(value) - SOMETHING)

    def _load(self, access: MemoryAccess) -> Targets:
        if access.type.kind not in _HOLDERS:
            self._perhaps.add(access)
        found = self._contents.held(access, self.of(access.address))
        may_be_data = access.type.kind in (Kind.UNKNOWN, Kind.AGGREGATE)
        return found if may_be_data else self._contents.settle(access, found)

    def _write(self, operation: Operation) -> None:
        """What an operation leaves in memory."""
        if isinstance(operation, OpaqueOperation):
            self._contents.store(SOMETHING, SOMETHING)
        elif isinstance(operation, Call):
            for operand in operation.operands:
                reached = self.of(operand)
                number = operand.type.kind is Kind.INTEGER and operand not in self._disguised
                self._contents.forget(operation, reached - SOMETHING if number else reached)
        elif isinstance(operation, MemoryAccess) and operation.writes:
            places = self.of(operation.address)
            if operation.kind is AccessKind.ASYNC_COPY:
                copied = NOTHING.union(*map(self.of, operation.operands[1:2]))
                self._contents.store(places, self._contents.held(operation, copied))
                return
            for value in written(operation.operands[1:]):
                self._contents.store(places, self._left(operation, value))

    def _left(self, access: MemoryAccess, value: Value) -> Targets:
        """What a stored value leads to once it is read again."""
        targets = self.of(value)
        if access.width is not None and access.width < _ADDRESS:
            return targets - SOMETHING  # 32 bits hold a shared address at most
        number = Kind.INTEGER in (access.element.kind, value.type.kind)
        return targets - SOMETHING if number and value not in self._disguised else targets

    def _remote(self, item: MemoryObject | None) -> MemoryObject | None:
        """What `item` is in another block of the cluster: an object of its own."""
        if item is None or item.space is not Space.SHARED:
            return None
        if item not in self._remotes:
            name = f"{item.name} of another block"
            self._remotes[item] = replace(item, name=name, space=Space.SHARED_CLUSTER)
        return self._remotes[item]

    def _field(self, operation: Field) -> Targets:
        if not _may_hold(operation):
            return NOTHING
        whole, offset, names = operation.operands[0], operation.offset, [operation.name]
        while isinstance(whole, Field) and whole.opcode is Opcode.EXTRACT:
            offset += whole.offset
            names.insert(0, whole.name)
            whole = whole.operands[0]
        if not isinstance(whole, Parameter):
            found = self.of(operation.operands[0])
            if operation.type.kind is Kind.POINTER:
                return self._contents.settle(operation, found)
            return found
        if operation.type.kind not in _HOLDERS:
            return NOTHING
        return frozenset({self._behind(whole, offset, ".".join(names).replace(".[", "["))})

    def _behind(self, parameter: Parameter, offset: int | None, name: str) -> MemoryObject:
        """What the pointer at an offset in a parameter leads to, or any that it holds."""
        key = (parameter, offset)
        if key not in self._fields:
            self._fields[key] = MemoryObject(
                f"*{parameter.name}.{name}",
                Space.GLOBAL,
                UNKNOWN,
                None,
                span=parameter.span,
                pointee=True,
            )
        return self._fields[key]


def _may_hold(operation: Operation) -> bool:
    """Whether a value of that type may be an address, or have one inside."""
    return operation.type.kind in _HOLDERS or operation.type.bits == 64


_ROUNDING = {Opcode.MUL: Opcode.DIV, Opcode.SHL: Opcode.SHR}


def _rounding(operations: list[Operation]) -> dict[Value, list[Operation]]:
    """Those that round each value, whose operand is something else."""
    found: dict[Value, list[Operation]] = {}
    for operation in operations:
        if operation.opcode in _ROUNDING and (value := _rounded(operation)) is not None:
            found.setdefault(value, []).append(operation)
    return found


def _rounded(operation: Operation) -> Value | None:
    """`x` in `x / 16 * 16` and `x >> 4 << 4`, which lead to the same object as `x`."""
    undone = _ROUNDING.get(operation.opcode)
    if undone is None:
        return None
    inner, step = operation.operands
    if operation.opcode is Opcode.MUL and isinstance(inner, Constant):
        inner, step = step, inner
    if not isinstance(inner, Operation) or inner.opcode is not undone:
        return None
    same = inner.operands[1]
    known = isinstance(step, Constant) and isinstance(same, Constant) and step.value == same.value
    return inner.operands[0] if known else None
