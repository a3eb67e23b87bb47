"""Numbers that make conditions hold, found by taking expressions apart from the outside.

Problem: a comparison of what is made of sizes that nobody states, `i < elements / columns` with
100 on the left; which sizes make it hold? Algorithm: inversion along the expression (constraint
propagation, as `launch/relations.py` does it for the formulas of a host): of an operation one
operand is known, which leaves the same question about the other one, down to a size that may be
chosen. In: a number for each value that an expression begins with, and which of them may be chosen.
Out: the numbers chosen, so that the conditions asked for hold together; a condition that cannot be
made to hold leaves everything as it was. All of it is arithmetic on whole numbers, the same on
every machine, in as many steps as the expression has operations. Where the decision between two
values is known, `x < 0 ? 0 : x`, it is the chosen one that is asked.
Not handled: sizes on both sides that must change together; values that are not whole numbers.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED, evaluate, number_range, wrap
from ...ir.operations import COMPARISONS, Compare, Convert, MemoryAccess, Opcode, Operation, Phi
from ...ir.types import PREDICATE, Kind
from ...ir.values import whole_number
from ..dataflow.joined_conditions import joined_conditions

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from ...ir.values import Value

    Case = tuple[Value, Iterable[tuple[Value, int]]]

_DEPTH = 24  # operations on the way to a size
_STEPS = 20_000  # for all conditions of one kernel
_ROUNDS = 2  # as what makes one condition hold may break another one before it
#: Which number is the nearest that stands in a relation to another one.
_NEAREST = {Opcode.GT: 1, Opcode.LT: -1, Opcode.NE: 1}
_AT_LEAST = frozenset({Opcode.GT, Opcode.GE})
_AT_MOST = frozenset({Opcode.LT, Opcode.LE})
_BITWISE = {Opcode.AND: operator.and_, Opcode.OR: operator.or_, Opcode.XOR: operator.xor}


class NumberSolver:
    """The numbers chosen so far to make conditions of a run hold, by what they are chosen for."""

    def __init__(
        self,
        known: Callable[[Value], int | None],
        choice: Callable[[Value], Hashable | None],
        allowed: Callable[[Value, int], bool],
        cases: Callable[[Phi], Iterable[Case]] = lambda _: (),
    ) -> None:
        self._known = known
        self._choice = choice  # the name of what may be chosen; None for all else
        self._allowed = allowed
        self._cases = cases  # the values that one is chosen from, with what chooses each
        self._left = _STEPS
        self.chosen: dict[Hashable, int] = {}

    def hold(
        self, conditions: Iterable[tuple[Value, int]], kept: Iterable[tuple[Value, int]] = ()
    ) -> bool:
        """Chooses numbers under which all conditions, and what cases are told by, are as they are
        asked to be, if it can, and the kept ones stay as they are. Those of which nothing is known
        are not counted; once the steps are used up nothing more can be made to hold.
        """
        if self._left <= 0:
            return False
        before = dict(self.chosen)
        asked = [part for each in conditions for part in joined_conditions(*each)]
        # A number serves what asks for it first: the other way round another one may do for all.
        for ordered in (asked, asked[::-1]):
            for _ in range(_ROUNDS):
                for condition, truth in ordered:
                    if self._differs(condition, truth) and not self._make(condition, truth):
                        break
                touched = (*asked, *kept) if self.chosen != before else asked
                if self._left > 0 and not any(self._differs(*each) for each in touched):
                    return True
            self.chosen = dict(before)
        return False

    def _differs(self, condition: Value, truth: int) -> bool:
        """Whether a condition is known to be something else than it is asked to be."""
        return self.value(condition) not in (None, int(truth))

    def value(self, value: Value, depth: int = _DEPTH) -> int | None:
        """What an expression is for the numbers chosen and known."""
        number = whole_number(value)
        if number is not None:
            return number
        name = self._choice(value)
        if name is not None and name in self.chosen:
            return self.chosen[name]
        if not isinstance(value, Operation) or name is not None:
            return self._known(value)
        if isinstance(value, Phi):
            chosen = self._case(value, depth)
            return self._known(value) if chosen is None else self.value(chosen, depth - 1)
        self._left -= 1
        if isinstance(value, MemoryAccess) or depth <= 0 or self._left <= 0:
            return None
        operands = [self.value(each, depth - 1) for each in value.operands]
        found = [each for each in operands if each is not None]
        if len(found) < len(operands):
            return None
        if isinstance(value, Convert):
            return wrap(found[0], value.type) if value.type.kind in _WHOLE else None
        if isinstance(value, Compare):
            if value.compared.kind is Kind.FLOAT:
                return None
            return evaluate(
                value.opcode, value.type, [wrap(each, value.compared) for each in found]
            )
        return evaluate(value.opcode, value.type, found)

    def _case(self, phi: Phi, depth: int) -> Value | None:
        """The value that decisions choose, if all that is asked for it is known."""
        self._left -= 1
        if depth <= 0 or self._left <= 0:
            return None
        for value, conditions in self._cases(phi):
            if all(self.value(each, depth - 1) == int(truth) for each, truth in conditions):
                return value
        return None

    def _make(self, condition: Value, truth: int) -> bool:
        """Whether a number was chosen for a condition to be true, or false, or a certain number."""
        self._left -= 1
        if self._left <= 0:
            return False
        if condition.type.kind is not Kind.PREDICATE or not isinstance(condition, Operation):
            return self._reach(condition, Opcode.EQ, int(truth), _DEPTH)
        parts = joined_conditions(condition, truth)
        if parts != [(condition, truth)]:
            return all(self._make(*each) for each in parts if self._differs(*each))
        denied = joined_conditions(condition, not truth)  # one of them has to be otherwise
        if denied != [(condition, not truth)]:
            return any(self._make(each, not wanted) for each, wanted in denied)
        if condition.opcode not in COMPARISONS:
            return False
        relation = condition.opcode if truth else NEGATED[condition.opcode]
        first, second = condition.operands
        return self._relate(first, relation, second) or self._relate(
            second, MIRRORED.get(relation, relation), first
        )

    def _relate(self, value: Value, relation: Opcode, other: Value) -> bool:
        target = self.value(other)
        return target is not None and self._reach(value, relation, target, _DEPTH)

    def _reach(self, value: Value, relation: Opcode, target: int, depth: int) -> bool:
        """Chooses a number under which a value stands in a relation to the target."""
        name = self._choice(value)
        if name is not None:
            number = target + _NEAREST.get(relation, 0)
            low, high = number_range(value.type)
            if name in self.chosen or not low <= number <= high or not self._allowed(value, number):
                return False
            self.chosen[name] = number
            return True
        if not isinstance(value, Operation) or depth <= 0 or isinstance(value, MemoryAccess):
            return False
        if isinstance(value, Phi):
            chosen = self._case(value, depth)
            return chosen is not None and self._reach(chosen, relation, target, depth - 1)
        if isinstance(value, Convert):
            return self._reach(value.operands[0], relation, target, depth - 1)
        if len(value.operands) == 1:
            undone = _undone(value.opcode, relation, target)
            return undone is not None and self._reach(value.operands[0], *undone, depth - 1)
        if len(value.operands) != 2:
            return False
        first, second = value.operands
        ways = self._inverted(value.opcode, first, second, relation, target)
        # Sizes are seldom below zero: what asks for such a number comes last.
        return any(
            self._reach(operand, asked, number, depth - 1)
            for operand, asked, number in sorted(ways, key=lambda way: way[2] < 0)
        )

    def _inverted(
        self, opcode: Opcode, first: Value, second: Value, relation: Opcode, target: int
    ) -> Iterable[tuple[Value, Opcode, int]]:
        """What one operand has to be where the other one stays as it is."""
        left, right = self.value(first), self.value(second)
        mirrored = MIRRORED.get(relation, relation)
        if opcode is Opcode.SHL and right is not None and 0 <= right < 32:
            opcode, right = Opcode.MUL, 1 << right
        if opcode is Opcode.SHR and right is not None and 0 <= right < 32:
            opcode, right = Opcode.DIV, 1 << right
        match opcode:
            case Opcode.ADD:
                if right is not None:
                    yield first, relation, target - right
                if left is not None:
                    yield second, relation, target - left
            case Opcode.SUB:
                if right is not None:
                    yield first, relation, target + right
                if left is not None:
                    yield second, mirrored, left - target
            case Opcode.MUL:
                yield from _factors(first, right, relation, target)
                yield from _factors(second, left, relation, target)
            case Opcode.DIV if right is not None and right > 0:
                upper = relation in (Opcode.GT, Opcode.LE)
                asked = {Opcode.GT: Opcode.GE, Opcode.LE: Opcode.LT}.get(relation, relation)
                yield first, asked, (target + upper) * right
            case Opcode.REM if right is not None and 0 <= target < right:
                yield first, relation, target
            case _ if opcode in _BITWISE:
                for operand, other in ((first, right), (second, left)):
                    bits = None if other is None else _bits(opcode, other, relation, target)
                    if bits is not None:
                        yield operand, Opcode.EQ, bits
            case Opcode.MIN if relation in _AT_MOST:
                yield from ((first, relation, target), (second, relation, target))
            case Opcode.MAX if relation in _AT_LEAST:
                yield from ((first, relation, target), (second, relation, target))
            case Opcode.MIN | Opcode.MAX:
                for operand, other in ((first, right), (second, left)):
                    if other is not None and _stands(other, relation, target):
                        yield operand, relation, target


_WHOLE = frozenset({Kind.INTEGER, Kind.PREDICATE, Kind.POINTER})


def _factors(
    factor: Value, other: int | None, relation: Opcode, target: int
) -> Iterable[tuple[Value, Opcode, int]]:
    """What a factor has to be, the other one being a positive number."""
    if other is None or other <= 0:
        return
    if relation in (Opcode.GE, Opcode.LT):
        yield factor, relation, -(-target // other)
    elif relation in (Opcode.GT, Opcode.LE) or target % other == 0:
        yield factor, relation, target // other


def _undone(opcode: Opcode, relation: Opcode, target: int) -> tuple[Opcode, int] | None:
    """What the operand of an operation has to be."""
    if opcode is Opcode.NEG:
        return MIRRORED.get(relation, relation), -target
    return (MIRRORED.get(relation, relation), ~target) if opcode is Opcode.NOT else None


def _bits(opcode: Opcode, other: int, relation: Opcode, target: int) -> int | None:
    """A number whose bits, joined with those of the other one, stand in a relation to a target: the
    target's, those in which the two differ, none, or the lowest that the other one has not.
    """
    join = _BITWISE[opcode]
    candidates = (target, target ^ other, 0, ~other & -~other)
    return next((each for each in candidates if _stands(join(each, other), relation, target)), None)


def _stands(number: int, relation: Opcode, target: int) -> bool:
    """Whether a number stands in a relation to another one."""
    return bool(evaluate(relation, PREDICATE, (number, target)))
