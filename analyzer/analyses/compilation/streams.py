"""Addresses that go on by the same distance in each iteration: each has a register of its own.

In: the address of an access in a loop that stays one. Out: what it is the sum of, taken apart into
what is the same in all iterations, a number, and the steps that the counter makes. Compilers keep
such an address and add to it (strength reduction) instead of computing it again from the counter:
two registers through the whole loop for each array that is gone through. An unsigned number of 32
bits may wrap round on its way, and is computed again. Not handled: counters with a step that is not
a constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Convert, Opcode, Operation, unconverted
from ...ir.values import Constant, whole_number
from ...source.records import dataclass
from .held import Held, in_register
from .unrolling import changes, is_counter, step_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from .emission import Emission

_MOST = 40  # parts that an address is taken apart into
_WIDE = 64  # bits of what is added to a pointer
_SIDES = 2


@dataclass(frozen=True, slots=True)
class Stream:
    """An address as a sum: values that do not change in a loop with their factors, what the counter
    is multiplied by with its factors, and a number.
    """

    fixed: tuple[tuple[Value, int], ...]
    steps: tuple[tuple[tuple[Value, ...], int], ...]
    number: int
    distance: int  # from one iteration to the next, as far as it is a number


def stream_of(address: Value, loop: Loop, number_of: Callable[[Value], object]) -> Stream | None:
    """How an address goes on in a loop; None where it does not do so by the same distance.

    `number_of` is the number that a value is known to be in this copy of the code.
    """
    fixed: dict[Value, int] = {}
    steps: dict[tuple[Value, ...], int] = {}
    number, distance, work = 0, 0, [(address, 1)]
    for _ in range(_MOST):
        if not work:
            break
        value, factor = work.pop()
        known = value.value if isinstance(value, Constant) else number_of(value)
        by = _multiplied(value, loop)
        if isinstance(known, int):
            number += known * factor
        elif not changes(value, loop):
            fixed[value] = fixed.get(value, 0) + factor
        elif by is not None:
            steps[by] = steps.get(by, 0) + factor
            distance += 0 if by else factor * step_of(value, loop)
        else:
            parts = _parts(value, factor)
            if not parts:
                return None
            work += parts
    left = tuple(each for each in steps.items() if each[1])
    if work or not left:
        return None
    return Stream(tuple(each for each in fixed.items() if each[1]), left, number, distance)


def _multiplied(value: Value, loop: Loop) -> tuple[Value, ...] | None:
    """What the counter of a loop is multiplied by, if the value is it or a multiple of it by what
    does not change in the loop.
    """
    if is_counter(value, loop):
        return ()
    if not isinstance(value, Operation) or value.opcode is not Opcode.MUL:
        return None
    sides = [unconverted(each) for each in value.operands]
    for one, other in (sides, reversed(sides)):
        if is_counter(one, loop) and not isinstance(other, Constant) and not changes(other, loop):
            return (other,)
    return None


def _parts(value: Value, factor: int) -> list[tuple[Value, int]]:
    """What a value is the sum of; nothing where it is none."""
    if isinstance(value, Convert):
        wraps = not value.source.signed and (value.source.bits or _WIDE) < (value.type.bits or 0)
        return [] if wraps else [(value.operands[0], factor)]
    if not isinstance(value, Operation) or len(value.operands) != _SIDES:
        return []
    one, other = value.operands
    if value.opcode in (Opcode.ADD, Opcode.SUB):
        sign = 1 if value.opcode is Opcode.ADD else -1
        return [(one, factor), (other, sign * factor)]
    if value.opcode is Opcode.MUL and isinstance(one, Constant):
        one, other = other, one
    number = whole_number(other)
    if number is not None and value.opcode is Opcode.MUL:
        return [(one, factor * number)]
    if number is not None and value.opcode is Opcode.SHL and 0 <= number < _WIDE:
        return [(one, factor << number)]
    return []


class Pointers:
    """The registers of addresses that go on with a loop; `value_of` says how a value is held."""

    def __init__(self, emission: Emission, value_of: Callable[[Value], Held]) -> None:
        self._emission = emission
        self._value_of = value_of

    def held(
        self, stream: Stream, like: Held, place: tuple[int, int], kept: dict[Hashable, Held]
    ) -> Held:
        """An address held `like` another; `place` is the block that a loop begins with, and the
        copy of its body, and `kept` has the registers that go on with that loop.
        """
        emission, (header, copy) = self._emission, place
        fixed = frozenset((self._value_of(each).key, factor) for each, factor in stream.fixed)
        key = (
            fixed,
            frozenset(
                (*(self._value_of(one).key for one in by), factor) for by, factor in stream.steps
            ),
        )
        if key not in kept:
            given = [self._value_of(each) for each, _ in stream.fixed]
            reads = tuple(one for each in given for one in each.registers)
            varying = like.varying and any(each.varying for each in given)
            register = emission.register(like.width, varying=varying, again=True)
            kept[key] = in_register(register, like.width, varying=varying)
            start = Held(("start", register), reads, lazy="add.s64", width=like.width)
            emission.move(emission.before(header), kept[key], start, step=False)
        pointer = kept[key]
        by = [one for values, _ in stream.steps for one in values]
        for done in range(1, copy + 1 if by else 1):
            distance = [one for each in by for one in self._value_of(each).registers]
            name = ("pointer", kept[key].key, done)
            known = emission.known(name)
            opcode = f"add.s{32 * like.width}"
            pointer = known or emission.after(opcode, pointer, distance, name)
        return pointer.plus(stream.number + copy * stream.distance)
