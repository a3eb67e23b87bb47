"""Reads of what was never written: variables and local or shared arrays of a kernel.

In: a kernel's facts. Out: uses of a variable that has no value on any way to them, and loads from
an array of the kernel's own that nothing stores to. A value that is not there spreads through
arithmetic (an SSA def-use walk) until it is stored, decides a branch or makes an address: that use
is reported, since only there it makes a difference. A phi spreads it when all of its operands do,
as in `float sum; for (...) sum += x;`, also in loops within loops. The members of a class that says
nothing of what it begins with are variables; one that is only copied with its object is not used.
Not handled: variables that only some ways leave unwritten, parts of arrays, members that a
constructor leaves out.
Nothing is said of arrays that go, whole or an element, by themselves or as a part of an object of a
class that is not known, to a call or a statement not read, of those whose elements are of a class
that is not known (matrix fragments: who knows what fills them) or that says what they begin with,
of values given to shuffles, selects, calls and assembly, of kernels that were not read completely,
of what a flag of the host decides about in an instance of a template, and of what no thread of a
launch comes to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import (
    AccessKind,
    Barrier,
    Branch,
    Call,
    Compare,
    Convert,
    Fence,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
    Pure,
    Switch,
    WarpOperation,
    users_of,
)
from ...ir.types import Kind
from ...ir.values import Parameter, Undefined, Unknown, whole_number
from ...source.records import dataclass
from ..dataflow.fixpoint import solve
from ..dataflow.slices import backward_slice, registers_in
from ..pointers.memory_model import ATOMIC
from ..pointers.provenance import orders
from ..warp_evaluation.never_reached import is_never_reached

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ..races.facts import RaceFacts

_ARITHMETIC = frozenset(
    {
        Opcode.ADD,
        Opcode.SUB,
        Opcode.MUL,
        Opcode.DIV,
        Opcode.REM,
        Opcode.MIN,
        Opcode.MAX,
        Opcode.SHL,
        Opcode.SHR,
        Opcode.NEG,
        Opcode.ABS,
    }
)
_MOVING = frozenset({Opcode.ADD, Opcode.CONVERT})
#: What may hand its operands on to somebody.
_PASSING_ON = (Call, OpaqueOperation, Pure, WarpOperation, Barrier, Fence)
#: Functions that compute a number of numbers, and nothing else.
_CALCULATING = frozenset({Function.MULTIPLY_ADD, Function.MINIMUM, Function.MAXIMUM, Function.SIGN})
_MADE_OF_PARTS = frozenset({Function.COMBINED, Function.NEW_OBJECT})
_ROUNDS = 20  # of phis found to be written on some way
_NUMBERS = frozenset({Kind.INTEGER, Kind.FLOAT, Kind.POINTER, Kind.PREDICATE})


@dataclass(frozen=True, slots=True)
class UnwrittenRead:
    """A load from an array that nothing in the kernel writes."""

    load: MemoryAccess
    item: MemoryObject


@dataclass(frozen=True, slots=True)
class UnwrittenUse:
    """An operation that makes a difference, and the variable never written whose value it takes."""

    use: Operation
    name: str

    @property
    def taken(self) -> Operation | None:
        """The first arithmetic that takes the variable itself, where that is another operation."""
        made = (each for each in backward_slice(*self.use.operands) if isinstance(each, Operation))
        taking = (each for each in made if not isinstance(each, Phi) and self._takes(each))
        own = any(undefined_name(operand) == self.name for operand in self.use.operands)
        return None if own else min(taking, key=lambda each: each.location.span.line, default=None)

    def _takes(self, operation: Operation) -> bool:
        """Whether an operation has the variable as an operand, in the first iteration of a loop."""
        work = list(operation.operands)
        for value in work:  # grows while it is gone through
            if undefined_name(value) == self.name:
                return True
            if isinstance(value, Phi):
                work += [each for each in value.operands if each not in work]
        return False


def unwritten_reads(facts: RaceFacts, space: Space) -> Iterator[UnwrittenRead]:
    """The first load from each array of a memory space that the kernel never writes."""
    if facts.kernel.status != "full":
        return
    handed_on = escaped(facts)
    if None in handed_on or any(i and i.space is Space.SHARED_CLUSTER for i in handed_on):
        return  # anything may be written, or another block writes
    reported: set[MemoryObject] = set()
    for load in facts.accesses:
        item = facts.points_to.object_of(load)
        if item is None or item.space is not space or load.kind is not AccessKind.LOAD:
            continue
        if item in handed_on or item in reported or item.dynamic or item.pointee:
            continue
        if item.constructed or item.is_known_elsewhere:
            continue
        if item.element.kind is Kind.UNKNOWN or load.width is None:
            continue  # a class as a whole: a reference to it, more often than not
        if _goes_with_instance(facts, load) or is_left_out(facts, load):
            continue
        reported.add(item)
        yield UnwrittenRead(load, item)


def escaped(
    facts: RaceFacts, *, updates: bool = True, stores: bool = True
) -> set[MemoryObject | None]:
    """The objects that may be written somewhere, with None: any may. Without `updates`, atomics
    that begin with what is there do not count, without `stores` plain ones to known objects.
    """
    points_to = facts.points_to
    found: set[MemoryObject | None] = set()
    if facts.every(OpaqueOperation):
        found.add(None)
    for access in facts.accesses:
        update = access.kind in ATOMIC and access.atomic != "exch"
        plain = access.kind is AccessKind.STORE and points_to.object_of(access) is not None
        counts = (updates or not update) and (stores or not plain)
        if (access.writes or access.kind is not AccessKind.LOAD) and counts:
            found |= points_to.of(access.address)
            for member in _perhaps_arrays(access.address):
                found |= points_to.of(member.address) - {None}
        for value in access.operands[1:]:
            found |= points_to.of(value) - {None}
    for operation in _passing_on(facts):
        for value in operation.operands:
            found |= points_to.of(value) - {None}
    for call in facts.every(Call):
        if facts.kernel.language == "ptx":
            found.add(None)  # it may write what belongs to the whole module
        if call.captures:
            found.add(None)  # it may write what a lambda captures
        for value in call.operands:
            for load in _perhaps_referred_to(value):
                found |= points_to.of(load.address)
    return found


def _perhaps_arrays(address: Value) -> Iterator[MemoryAccess]:
    """The members of a class that is not known which an address is made of, loaded for all that is
    known: one may be an array, as `x` of a matrix fragment, and be itself what is written.
    """
    parts = [address]
    for each in parts:  # grows while it is gone through
        if isinstance(each, MemoryAccess) and each.width is None:
            yield each
        elif isinstance(each, Operation) and each.opcode in _MOVING:
            parts += each.operands


def _perhaps_referred_to(argument: Value) -> Iterator[MemoryAccess]:
    """What a call gets by reference, for all that is known: by itself, or in braces or an object of
    a class that is not known, which may hold references to what it is made with.
    """
    if isinstance(argument, MemoryAccess):
        yield argument
    elif isinstance(argument, Pure) and argument.function in _MADE_OF_PARTS:
        yield from (each for each in argument.operands if isinstance(each, MemoryAccess))


def unwritten_uses(facts: RaceFacts) -> Iterator[UnwrittenUse]:
    """For each variable never written the first operation that makes a difference of its value."""
    if may_have_written(facts):
        return
    names = _spread(facts)
    reported = {*given_away(facts, names), *_written_somewhere(facts, names)}
    _spread_by_choices(facts, names)
    for operation in facts.kernel.operations():
        for value in (*decisive(facts, operation), *_computed_parts(operation)):
            name = names.get(value) or undefined_name(value)
            if not name or name in reported or _goes_with_instance(facts, operation):
                continue
            if not is_left_out(facts, operation):
                reported.add(name)
                yield UnwrittenUse(operation, name)


def _computed_parts(operation: Operation) -> list[Value]:
    """What was computed of the members of an object that is stored as a whole: a member that only
    nothing was put in may be one that nobody reads.
    """
    if not isinstance(operation, MemoryAccess) or operation.kind is not AccessKind.STORE:
        return []
    parts = [part for value in operation.operands[1:] for part in _parts(value)]
    return [each for each in parts if isinstance(each, Operation)]


def may_have_written(facts: RaceFacts) -> bool:
    """Whether code of the kernel that was not understood may have written any of its variables."""
    return facts.kernel.status != "full" or bool(facts.every(OpaqueOperation))


def _goes_with_instance(facts: RaceFacts, operation: Operation) -> bool:
    """Whether a flag that the host sets decides about an operation in an instance of a template:
    it may be set for the very instances that write the variable.
    """
    if "<" not in facts.kernel.instance:
        return False
    conditions = facts.flow.conditions(operation.block)
    return any(not orders(each) and _comes_from_host(each) for each in conditions)


def is_left_out(facts: RaceFacts, operation: Operation) -> bool:
    """Whether no thread of any launch comes to a read of what nothing writes: an array may stand
    for none there.
    """
    return all(is_never_reached(launch, operation.block) for launch in facts.launches)


def _comes_from_host(condition: Value) -> bool:
    """Whether a condition is made of parameters and what they point to, and of no thread index."""
    return not registers_in(condition) and any(
        isinstance(each, MemoryAccess | Parameter) for each in backward_slice(condition)
    )


def given_away(facts: RaceFacts, names: Mapping[Value, str]) -> Iterator[str]:
    """The variables that an operation gets by reference and may write."""
    for operation in _passing_on(facts):
        for value in operation.operands:
            for part in _parts(value):
                name = names.get(part, "") if isinstance(part, Phi) else undefined_name(part)
                if name:
                    yield name


def _passing_on(facts: RaceFacts) -> Iterator[Operation]:
    """The operations that may hand their operands on."""
    for kind in _PASSING_ON:
        yield from (each for each in facts.every(kind) if not _calculates(each))


def _calculates(operation: Operation) -> bool:
    return isinstance(operation, Pure) and operation.function in _CALCULATING


def _parts(value: Value) -> Iterator[Value]:
    """A value, or those of a class that is handed on as a whole."""
    if isinstance(value, Operation) and value.opcode is Opcode.AGGREGATE:
        for part in value.operands:
            yield from _parts(part)
    else:
        yield value


def _written_somewhere(facts: RaceFacts, names: dict[Value, str]) -> Iterator[str]:
    """The variables that get a value anywhere: which ways lead there may depend on data."""
    for each in facts.kernel.definitions:
        if not (names.get(each.value) or undefined_name(each.value)):
            yield each.name


def decisive(facts: RaceFacts, operation: Operation) -> list[Value]:
    """The operands that must have been written: by them an operation changes memory or control.

    Compilers copy the bytes of empty classes and of gaps around the stack, in builds to debug.
    """
    if isinstance(operation, MemoryAccess):
        kinds = (AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC, AccessKind.REDUCTION)
        own = facts.kernel.language == "ptx" and facts.points_to.spaces(operation) == {Space.LOCAL}
        operands = operation.operands[:1] if own else operation.operands
        return operands if operation.kind in kinds else []
    return operation.operands[:1] if isinstance(operation, Branch | Switch) else []


def undefined_name(value: Value) -> str:
    """The variable never written that an undefined number belongs to; empty for anything else."""
    if not isinstance(value, Undefined) or value.type.kind not in _NUMBERS:
        return ""
    name, mark, _ = value.reason.partition(" is ")
    return name if mark and " " not in name else ""


def _spread(facts: RaceFacts) -> dict[Value, str]:
    """The operations whose results depend on a variable without a value, on whichever way."""
    operations = [each for each in facts.kernel.operations() if passes_on(each)]
    users = users_of(operations)
    names = _perhaps_unwritten(operations, users)  # until an operand shows otherwise
    cyclic = set(names)
    for _ in range(_ROUNDS):
        _follow(operations, users, names)
        wrong = {
            phi
            for phi in cyclic
            if not all(names.get(v) or undefined_name(v) for v in phi.operands)
        }
        if not wrong:
            return names
        cyclic -= wrong  # begin again without them
        names = {phi: names[phi] for phi in cyclic}
    return {}


def _spread_by_choices(facts: RaceFacts, names: dict[Value, str]) -> None:
    """Names what a thread may choose of what is made of a variable that gets no value anywhere:
    `count > 0 ? sum / count : 0`. Compilers choose what makes no difference, so not in PTX.
    """
    if not names or facts.kernel.language == "ptx":
        return
    operations = [each for each in facts.kernel.operations() if passes_on(each)]
    for operation in facts.kernel.operations():
        if operation not in names and operation.type.kind in _NUMBERS:
            made = [each for each in _choosable(facts, operation) if isinstance(each, Operation)]
            if name := next((names[each] for each in made if each in names), ""):
                names[operation] = name
    _follow(operations, users_of(operations), names)


def _choosable(facts: RaceFacts, operation: Operation) -> Iterator[Value]:
    """The values that a select or a join of paths takes as threads decide, not the host."""
    if operation.opcode is Opcode.SELECT:
        condition, *values = operation.operands
        if _is_for_threads(condition):
            yield from values
    elif isinstance(operation, Phi):
        always = set(facts.flow.conditions(operation.block))
        for before, value in zip(operation.block.predecessors, operation.operands, strict=True):
            decided = (each for each in facts.flow.conditions(before) if each not in always)
            if not isinstance(value, Phi) and all(map(_is_for_threads, decided)):
                yield value


def _is_for_threads(condition: Value) -> bool:
    """Whether a condition is known, and no flag of the host."""
    open_ended = any(isinstance(each, Unknown) for each in backward_slice(condition))
    constant = whole_number(condition) is not None
    return not (open_ended or constant or _comes_from_host(condition))


def _perhaps_unwritten(
    operations: list[Operation], users: Mapping[Value, Sequence[Operation]]
) -> dict[Value, str]:
    """The phis that a variable without a value comes to, on some way: of loops in loops, too."""
    names: dict[Value, str] = {}
    for phi in (each for each in operations if isinstance(each, Phi)):
        if name := next(filter(None, map(undefined_name, phi.operands)), ""):
            names[phi] = name
    work = list(names)
    for value in work:  # grows while it is gone through
        for user in users.get(value, ()):
            if user not in names:
                names[user] = names[value]
                work.append(user)
    return {value: name for value, name in names.items() if isinstance(value, Phi)}


def _follow(
    operations: list[Operation],
    users: Mapping[Value, Sequence[Operation]],
    names: dict[Value, str],
) -> None:
    """Names what arithmetic makes of values that have a name."""

    def transfer(operation: Operation) -> Sequence[Operation]:
        if isinstance(operation, Phi) or operation in names:
            return ()
        given = (names.get(value) or undefined_name(value) for value in operation.operands)
        if name := next(filter(None, given), ""):
            names[operation] = name
            return users.get(operation, ())
        return ()

    solve(operations, transfer)


def passes_on(operation: Operation) -> bool:
    """Whether an operation on a value never written only passes it on, as arithmetic does."""
    if operation.type.kind not in _NUMBERS:
        return False
    arithmetic = operation.opcode in _ARITHMETIC or _calculates(operation)
    return arithmetic or isinstance(operation, Compare | Convert | Phi)
