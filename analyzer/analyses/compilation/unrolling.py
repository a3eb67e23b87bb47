"""How often the compiler copies the body of each loop.

In: a kernel with what is known of its loops. Out: for each loop the number of copies, and whether
they are the whole loop. A loop with a known number of iterations is unrolled whole where that makes
few operations, or wherever the source asks for it. Else the innermost of those that stay are copied
a power of two times while that makes few: of a known number of iterations a part that divides it,
and of one that is known before the loop begins at most four, with a loop of its own for the
iterations that are left. The limits, and what counts as an operation (`_Sizes`), were read off the
PTX that nvcc 13.0 makes of loops that differ in one thing at a time.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    EFFECTS,
    Branch,
    Call,
    Compare,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
    Pure,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress, Parameter, whole_number
from ...source.records import dataclass
from .opcodes import has_loop, operations_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.block import Block
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..dataflow.facts import DataflowFacts

_MOST_ASKED = 4_000  # operations, where the source asks for it
_ENOUGH = 1_000  # operations of more copies than that, which hold no more than these
_MOST = 400  # operations of a loop that is unrolled whole
_MOST_COPIES = 512
_MOST_IN_PART = 150  # operations of the copies of a part
_COPIES = 4  # where the number of iterations is not known
_WAYS_IN = 2  # of a loop: from before it, and from its end
_DEEPEST = 4  # operations that a bound is computed by
_KEPT = (Call, OpaqueOperation)  # what no part of a loop is copied with
_FREE = frozenset({Opcode.PHI, Opcode.JUMP, Opcode.CONVERT, Opcode.EXTRACT, Opcode.AGGREGATE})
_SCALING = frozenset({Opcode.MUL, Opcode.SHL})
_STEPS = frozenset({Opcode.ADD, Opcode.SUB})


@dataclass(frozen=True, slots=True)
class Copies:
    """How many copies of a loop's body the compiler makes, and whether nothing jumps back behind
    the last; `rest` says that the iterations left over have a loop of their own behind it.
    """

    count: int
    whole: bool
    rest: bool = False


def copies_of_loops(facts: DataflowFacts) -> dict[Block, Copies]:
    """The loops that the compiler unrolls, by their headers, with the copies of their bodies."""
    found: dict[Block, Copies] = {}
    sizes: dict[Block, int] = {}
    for loop in reversed(facts.flow.loops):  # inner ones first
        inner = [each.header for each in facts.flow.loops if each.parent is loop]
        alone = all(header in found and found[header].whole for header in inner)
        own = _Sizes(facts, loop)
        size = own.own + sum([sizes[header] for header in inner])
        copies = _copies(facts, loop, size, alone=alone)
        sizes[loop.header] = size
        if copies is not None and copies.whole:
            sizes[loop.header] = max(size - own.elements, 0)
        if copies is not None:
            found[loop.header] = copies
            sizes[loop.header] *= copies.count if not copies.rest else 2 * copies.count - 1
    return found


class _Sizes:
    """What one iteration of a loop comes to, without the loops in it."""

    def __init__(self, facts: DataflowFacts, loop: Loop) -> None:
        self._facts = facts
        self._loop = loop
        innermost = facts.flow.innermost_loop
        blocks = [block for block in facts.kernel.blocks if innermost.get(block) is loop]
        self._operations = [each for block in blocks for each in block.operations]

    @property
    def own(self) -> int:
        """Operations that are left of an iteration among many: nothing that is the same in all of
        them, that was computed before, or that only counts them.
        """
        seen: set[Hashable] = set()
        count = 0
        for each in self._operations:
            if each.opcode in _FREE or each in self._control or each in self._fixed:
                continue
            if isinstance(each, MemoryAccess) and _is_element(each.operands[0], at_number=True):
                continue
            if each.opcode not in EFFECTS and not isinstance(each, MemoryAccess):
                if self._is_folded(each):
                    continue
                key = (each.opcode, *(_key(unconverted(one)) for one in each.operands))
                if key in seen and not isinstance(each, Branch):
                    continue
                seen.add(key)
            count += _weight(each)
        return count

    @property
    def elements(self) -> int:
        """Accesses to elements of a thread's arrays, which registers hold once loops are unrolled
        whole.
        """
        accesses = [each for each in self._operations if isinstance(each, MemoryAccess)]
        elements = [each for each in accesses if _is_element(each.operands[0])]
        return len(elements) - sum(
            _is_element(each.operands[0], at_number=True) for each in elements
        )

    @cached_property
    def _control(self) -> set[Value]:
        """What decides whether the loop goes on, and its counters' steps."""
        loop = self._loop
        test = loop.header.terminator
        found: set[Value] = {test}
        if isinstance(test, Branch):
            found |= {test.condition, unconverted(test.condition)}
        if len(loop.latches) == 1:
            place = loop.header.predecessors.index(loop.latches[0])
            counters = [each for each in loop.header.phis if is_counter(each, loop)]
            found |= {unconverted(each.operands[place]) for each in counters}
        return found

    @cached_property
    def _fixed(self) -> set[Operation]:
        """What is computed before the loop, and what is a number in each copy."""
        loop, found = self._loop, set[Operation]()
        counters = {each for each in loop.header.phis if is_counter(each, loop)}
        known = self._facts.compile_time.at_most(loop) is not None
        numbers: set[Value] = {*counters} if known else set()
        for each in self._operations:
            if each.opcode in EFFECTS or isinstance(each, Phi | MemoryAccess):
                continue
            inside = [one for one in each.operands if isinstance(one, Operation)]
            if all(one in found or one.block not in loop.blocks for one in inside) or all(
                isinstance(one, Constant) or one in numbers for one in each.operands
            ):
                found.add(each)
                numbers.add(each)
        return found

    def _is_folded(self, operation: Operation) -> bool:
        """Whether an access does it: the size of an element, and all sums but the last."""
        users = self._facts.users.get(operation, ())
        sums = [each for each in users if each.type.kind is Kind.POINTER]
        if not users or len(sums) < len(users):
            return False
        if operation.opcode in _SCALING:
            return any(isinstance(each, Constant) for each in operation.operands)
        return operation.type.kind is Kind.POINTER and operation.opcode in _STEPS


def _is_element(address: Value, *, at_number: bool = False) -> bool:
    """Whether an address is in an array of the thread: anywhere, or at a constant place."""
    while isinstance(address, Operation) and address.type.kind is Kind.POINTER:
        address, *distances = address.operands
        if at_number and any(not isinstance(each, Constant) for each in distances):
            return False
    return isinstance(address, ObjectAddress) and address.object.space is Space.LOCAL


def _key(value: Value) -> Hashable:
    return ("constant", value.value) if isinstance(value, Constant) else id(value)


def _weight(operation: Operation) -> int:
    if isinstance(operation, Pure):
        return operations_of(operation)
    return 1


def _copies(facts: DataflowFacts, loop: Loop, size: int, *, alone: bool) -> Copies | None:
    asked = facts.kernel.unrolling.get(loop.header)
    if asked == 1:
        return None
    times = facts.compile_time.at_most(loop)
    if times is None and _counts(loop):
        times = _times(loop)
    if times is not None and times <= _MOST_COPIES:
        most = _MOST if asked is None else _MOST_ASKED
        if times * size <= most and (asked is None or not asked or asked >= times):
            return Copies(max(times, 1), whole=True)
    if not alone or not _counts(loop):
        return None
    begins = _begins_at_a_number(loop)
    if asked:
        rest = begins and (times is None or bool(times % asked))
        count = asked if asked * size <= _MOST_ASKED else min(asked, _ENOUGH // max(size, 1))
        return Copies(count, False, rest) if count > 1 else None
    operations = [each for block in loop.blocks for each in block.operations]
    if any(isinstance(each, _KEPT) or has_loop(each) for each in operations):
        return None
    count = _power_of_two(_MOST_IN_PART // max(size, 1))
    if times is not None:
        while count > 1 and times % count:
            count //= 2
        if count > 1:
            return Copies(min(count, _MOST_COPIES), whole=False)
        count = _power_of_two(_MOST_IN_PART // max(size, 1))
    count = min(count, _COPIES)
    return Copies(count, False, begins) if count > 1 else None


def _power_of_two(most: int) -> int:
    """The largest one that is not more."""
    return 1 << max(most, 1).bit_length() - 1


def _counts(loop: Loop) -> bool:
    """Whether it ends only where a counter passes what does not change in it."""
    if len(loop.exits) != 1 or loop.exits[0] is not loop.header or len(loop.latches) != 1:
        return False
    test = loop.header.terminator
    if not isinstance(test, Branch) or not isinstance(test.condition, Compare):
        return False
    sides = [unconverted(each) for each in test.condition.operands]
    return any(
        (is_counter(one, loop) or _goes_on_by_a_variable(one, loop)) and not changes(other, loop)
        for one, other in (sides, reversed(sides))
    )


def _goes_on_by_a_variable(value: Value, loop: Loop) -> bool:
    """Whether a value of a loop's header goes on by what was computed before the loop: nvcc divides
    for the iterations then, but not where each reads `blockDim` anew.
    """
    step = _step(value, loop)
    return step is not None and any(
        isinstance(by, Parameter) or (isinstance(by, Operation) and by.block not in loop.blocks)
        for by in (step.operands[1], unconverted(step.operands[1]))
    )


def _ends(loop: Loop) -> Iterator[tuple[Phi, Value, Value]]:
    """The counters that its header compares: where each begins, and what it is compared with."""
    test = loop.header.terminator
    condition = test.condition if isinstance(test, Branch) else None
    sides = [unconverted(each) for each in condition.operands] if condition is not None else []
    if not isinstance(condition, Compare) or len(loop.header.predecessors) != _WAYS_IN:
        return
    start = 1 - loop.header.predecessors.index(loop.latches[0])
    for one, other in (sides, sides[::-1]):
        if isinstance(one, Phi) and is_counter(one, loop):
            yield one, unconverted(one.operands[start]), other


def _times(loop: Loop) -> int | None:
    """The iterations of a loop that counts from a number to a number, many as they may be."""
    for counter, start, end in _ends(loop):
        first, last = whole_number(start), whole_number(end)
        if first is not None and last is not None:
            return abs(last - first) // abs(step_of(counter, loop))
    return None


def _begins_at_a_number(loop: Loop) -> bool:
    """Whether the counter goes up or down by one from a constant.

    Else the iterations that are left over come before the others, and keep nothing through them.
    """
    return any(
        isinstance(start, Constant) and step_of(counter, loop) in (1, -1)
        for counter, start, _ in _ends(loop)
    )


def is_counter(value: Value, loop: Loop) -> bool:
    """Whether a value of a loop's header goes on by a constant in each iteration."""
    return step_of(value, loop) != 0


def step_of(value: Value, loop: Loop) -> int:
    """By how much a counter goes on in each iteration; 0 where it is none, or not by a constant:
    then counting iterations takes a division.
    """
    step = _step(value, loop)
    by = 0 if step is None else whole_number(step.operands[1]) or 0
    return by if step is None or step.opcode is Opcode.ADD else -by


def _step(value: Value, loop: Loop) -> Operation | None:
    """The sum or difference that a value of a loop's header is in the next iteration."""
    if not isinstance(value, Phi) or value.block is not loop.header or len(loop.latches) != 1:
        return None
    step = unconverted(value.operands[loop.header.predecessors.index(loop.latches[0])])
    if not isinstance(step, Operation) or step.opcode not in _STEPS:
        return None
    return step if unconverted(step.operands[0]) is value else None


def changes(value: Value, loop: Loop, depth: int = _DEEPEST) -> bool:
    """Whether it may be another value in the next iteration; `depth` operations are looked at."""
    if not isinstance(value, Operation) or value.block not in loop.blocks:
        return False
    if not depth or value.opcode in EFFECTS or isinstance(value, Phi):
        return True
    return any(changes(each, loop, depth - 1) for each in value.operands)
