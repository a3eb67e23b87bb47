"""What operations without effects make of values: constants are folded, addresses are sums.

In: an operation, and its operands as they are held. Out: its result as it is held, and in the
emission whatever has to be computed for it. A constant that is added to a subscript is carried to
the access (signed subscripts do not wrap); products that only sums read are computed by the sums.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import ceil, frexp
from operator import add, mul, neg, sub, truediv
from typing import TYPE_CHECKING

from ...ir.arithmetic import evaluate, wrap
from ...ir.operation_kinds import SEEN, Function
from ...ir.operations import Compare, Convert, Field, Opcode, Operation, Pure
from ...ir.types import Kind
from ...ir.values import Unknown
from .held import Held, in_register, number_held, part_of, whole, words_held
from .opcodes import has_call, has_division, opcode_of, registers_between

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...ir.types import Type
    from ...ir.values import Value
    from .emission import Emission

_WORD = 4  # bytes
_DOUBLE = 64  # bits
_WIDEST_FRAGMENT = 64  # registers; those of `wmma` have 8 or less
_WIDEST = 8  # registers of a value whose type is not known to be smaller
_SUMS = frozenset({Opcode.ADD, Opcode.SUB})
_FLOATING: dict[Opcode, Callable[..., float]] = {
    Opcode.ADD: add,
    Opcode.SUB: sub,
    Opcode.MUL: mul,
    Opcode.DIV: truediv,
    Opcode.NEG: neg,
}
_WHOLE = (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE)


class Values:
    """What compiled code makes of operations without effects: registers, or nothing; `users` says
    what reads them.
    """

    def __init__(self, emission: Emission, users: Mapping[Value, Sequence[Operation]]) -> None:
        self._emission = emission
        self._users = users

    def result(self, operation: Operation, operands: Sequence[Held]) -> Held:
        """What an operation comes to."""
        if isinstance(operation, Field):
            return self._of_field(operation, operands)
        if operation.opcode is Opcode.AGGREGATE:
            return _aggregate(operation, operands)
        if isinstance(operation, Pure):
            return self._of_function(operation, operands)
        folded = _folded(operation, operands)
        if folded is not None:
            return folded
        if isinstance(operation, Convert):
            return self._converted(operation, operands[0])
        if operation.opcode in _SUMS:
            return self._sum(operation, *operands)
        if operation.opcode in (Opcode.MUL, Opcode.SHL):
            return self._product(operation, *operands)
        if operation.opcode is Opcode.SELECT:
            return self._choice(operation, operands)
        return self._plain(operation, operands)

    def _plain(self, operation: Operation, operands: Sequence[Held]) -> Held:
        opcode = opcode_of(operation)
        ready = [self._emission.value(each) for each in operands]
        if opcode.startswith("div.rn"):
            opcode = opcode.replace("div", _divided(*ready))
        key = (opcode, *(each.key for each in ready))
        width = width_of(operation.type) if not isinstance(operation, Compare) else 0
        if operation.opcode in (Opcode.DIV, Opcode.REM) and opcode.startswith(("div.s", "rem.s")):
            return self._divided(operation, ready, key)
        return self._emission.computed(opcode, ready, key, width)

    def _divided(
        self, operation: Operation, operands: Sequence[Held], key: tuple[object, ...]
    ) -> Held:
        """A division of integers, which multiplies by a reciprocal."""
        emission = self._emission
        found = emission.known(key)
        width = width_of(operation.type)
        if found is not None:
            return found
        divisor = operands[1].registers
        name = ("reciprocal", *divisor)
        reciprocal = emission.numbered(*name)
        steps = tuple(emission.numbered(*name, step) for step in range(3))
        emission.code.reciprocals[reciprocal] = (*steps, *divisor)
        scratch = tuple(emission.numbered("quotient", step) for step in range(2))
        varying = any(each.varying for each in operands)
        register = emission.register(width, varying=varying)
        reads = [one for each in operands for one in each.registers]
        needs = (reciprocal, *scratch) if width == 1 else ()
        emission.emit(opcode_of(operation), (register,), reads, needs)
        return emission.note(key, in_register(register, width, varying=varying))

    # ---- sums and products -------------------------------------------------------------------

    def _sum(self, operation: Operation, one: Held, other: Held) -> Held:
        if operation.type.kind not in _WHOLE:
            return self._float_sum(operation, one, other)
        sign = 1 if operation.opcode is Opcode.ADD else -1
        if isinstance(other.number, int):
            return one.plus(sign * other.number)
        if isinstance(one.number, int) and sign > 0:
            return other.plus(one.number)
        add = one.add + sign * other.add
        ends = [self._folded_in(replace(each, add=0)) for each in (one, other)]
        width = width_of(operation.type)
        if operation.type.kind is Kind.POINTER and _is_shared(one, other, operation):
            width = 1  # addresses in shared memory have 32 bits
        key = (operation.opcode, width, *(each.key for each in ends))
        opcode = f"{operation.opcode.value}.s{32 * width}"
        return self._emission.computed(opcode, ends, key, width).plus(add)

    def _float_sum(self, operation: Operation, one: Held, other: Held) -> Held:
        """A sum, or where one side is a product that nobody else reads, both in one."""
        emission, width = self._emission, width_of(operation.type)
        products = [each for each in (one, other) if each.lazy]
        fused = products[-1] if products else None
        sides = [each if each is fused else emission.value(each) for each in (one, other)]
        key = (operation.opcode, operation.type.bits, *(each.key for each in sides))
        opcode = f"fma.rn.f{32 * width}" if fused else opcode_of(operation)
        return emission.computed(opcode, sides, key, width)

    def _product(self, operation: Operation, one: Held, other: Held) -> Held:
        kind, width = operation.type.kind, width_of(operation.type)
        users = self._users.get(operation, ())
        summed = bool(users) and all(each.opcode in _SUMS for each in users)
        opcode = opcode_of(operation)
        if kind in _WHOLE and (isinstance(one.number, int) or isinstance(other.number, int)):
            value, factor = (
                (one, other.number) if isinstance(other.number, int) else (other, one.number)
            )
            if operation.opcode is Opcode.SHL:
                if value is other:
                    return self._plain(operation, (one, other))
                factor = 1 << min(max(int(factor or 0), 0), 63)
            return self._scaled(value, int(factor or 0), opcode, width)
        sides = [self._emission.value(each) for each in (one, other)]
        key = (operation.opcode, operation.type.bits, *(each.key for each in sides))
        if operation.opcode is Opcode.MUL and summed and len(users) == 1:
            registers = tuple(one for each in sides for one in each.registers)
            varying = any(each.varying for each in sides)
            return Held(key, registers, lazy=opcode, width=width, varying=varying)
        return self._emission.computed(opcode, sides, key, width)

    def _scaled(self, value: Held, factor: int, opcode: str, width: int) -> Held:
        """A subscript times the size of an element."""
        if not value.registers:
            return Held(("times", factor, value.root), add=value.add * factor, width=width)
        root = ("times", factor, value.root)
        return replace(value, root=root, add=value.add * factor, lazy=opcode, width=width)

    def _folded_in(self, value: Held) -> Held:
        """What a sum reads of a value: the registers of a product, or its own."""
        return replace(value, lazy="") if value.lazy else value

    # ---- the rest ----------------------------------------------------------------------------

    def _converted(self, operation: Convert, value: Held) -> Held:
        type, source = operation.type, operation.source
        plain = type.kind in _WHOLE and source.kind in _WHOLE
        if type.kind is Kind.PREDICATE or not plain:
            same = type.kind is source.kind and type.bits == source.bits
            return value if same or value.fields else self._plain(operation, [value])
        before, after = width_of(source), width_of(type)
        if before == after and (type.bits or 32) >= 32:
            return value
        if after > before:
            kept = value if source.signed or not value.add else self._emission.value(value)
            if not kept.registers:
                return replace(kept, width=after)
            root = ("wide", after, kept.root)
            return replace(kept, root=root, lazy=f"cvt.s{32 * after}.s32", width=after)
        return self._plain(operation, [value])

    def _choice(self, operation: Operation, operands: Sequence[Held]) -> Held:
        condition, then, otherwise = operands
        if condition.number is not None:
            return then if condition.number else otherwise
        if then.key == otherwise.key:
            return then
        return self._plain(operation, operands)

    def _of_field(self, operation: Field, operands: Sequence[Held]) -> Held:
        value, offset = operands[0], operation.offset
        if operation.opcode is Opcode.EXTRACT:
            size = operation.type.width or _WORD
            part = part_of(value, offset, size)
            return part if part.fields else replace(part, width=width_of(operation.type))
        new = operands[1]
        size = operation.operands[1].type.width or _WORD
        kept = [each for each in value.fields if not offset <= each[0] < offset + size]
        return whole(sorted([*kept, (offset, size, new)], key=lambda each: each[0]))

    def _of_function(self, operation: Pure, operands: Sequence[Held]) -> Held:
        """A function of a library: what it holds in between lives at once."""
        emission = self._emission
        if operation.function is Function.MATRIX_PRODUCT and operation.type.kind is Kind.AGGREGATE:
            reads = emission.reads(operands)
            return fragment_made(emission, opcode_of(operation), operation.type, reads)
        if operation.function in SEEN:
            emission.emit("call", (), emission.reads(operands))
            emission.code.calls.append(operation.name)
            return Held(operation)
        ready = [emission.value(each) for each in operands]
        key = (operation.name, operation.type.bits, *(each.key for each in ready))
        found = emission.known(key)
        if found is not None:
            return found
        reads = [one for each in ready for one in each.registers]
        if has_call(operation):
            emission.emit("call", (), reads)
        between, width = registers_between(operation), 1 + (operation.type.bits == _DOUBLE)
        if between and reads:
            held = [emission.register(width) for _ in range(ceil(between / width))]
            for place, each in enumerate(held):
                name = "div" if not place and has_division(operation) else "fma"
                emission.emit(f"{name}.rn.f{32 * width}", (each,), reads)
            ready = [*ready, Held(operation, tuple(held), varying=True)]
        return emission.computed(opcode_of(operation), ready, key, width_of(operation.type))


def _folded(operation: Operation, operands: Sequence[Held]) -> Held | None:
    """The number that an operation on numbers comes to."""
    numbers = [each.number for each in operands]
    if None in numbers or any(each.add for each in operands):
        return None
    if all(isinstance(each, int) for each in numbers):
        whole_numbers = [int(each or 0) for each in numbers]
        if isinstance(operation, Convert):
            if operation.type.kind in _WHOLE:
                return number_held(wrap(whole_numbers[0], operation.type))
            return number_held(float(whole_numbers[0])) if _is_small(whole_numbers[0]) else None
        compared = operation.compared if isinstance(operation, Compare) else operation.type
        ready = [wrap(each, compared) for each in whole_numbers]
        if operation.opcode is Opcode.SELECT:
            return operands[1] if whole_numbers[0] else operands[2]
        found = evaluate(operation.opcode, operation.type, ready)
        return None if found is None else number_held(found)
    if operation.opcode is Opcode.SELECT:
        return operands[1] if numbers[0] else operands[2]
    computed = _FLOATING.get(operation.opcode)
    if computed is not None and operation.type.kind is Kind.FLOAT:
        with suppress(ArithmeticError):
            return number_held(computed(*(float(each or 0) for each in numbers)))
    return Held(("folded", operation), width=width_of(operation.type))


def _divided(one: Held, other: Held) -> str:
    """How floating-point numbers are divided: by a power of two it is a product."""
    if other.number and abs(frexp(other.number)[0]) == 1 / 2:
        return "mul"
    return "rcp" if one.number == 1 else "div"


def _is_shared(one: Held, other: Held, operation: Operation) -> bool:
    """Whether the address that a distance is added to is one in shared memory."""
    pointers = [
        held
        for held, value in zip((one, other), operation.operands, strict=True)
        if value.type.kind is Kind.POINTER
    ]
    return len(pointers) == 1 and pointers[0].width == 1


def _is_small(number: int) -> bool:
    return abs(number) < 1 << 64


def _aggregate(operation: Operation, operands: Sequence[Held]) -> Held:
    """Its parts one behind the other, each where its size allows."""
    fields: list[tuple[int, int, Held]] = []
    at = 0
    for value, part in zip(operation.operands, operands, strict=True):
        size = value.type.width or _WORD
        alignment = max(1, min(size, 2 * _WORD))
        at = -(-at // alignment) * alignment
        fields.append((at, size, part))
        at += size
    return whole(fields)


def given_held(value: Value) -> Held:
    """What code is given without computing it; of an aggregate that is not known, each word."""
    width = width_of(value.type)
    if not isinstance(value, Unknown) or value.type.kind is not Kind.AGGREGATE or width < 2:
        return Held(value, width=width)
    return whole([(_WORD * at, _WORD, Held((value, at))) for at in range(width)])


def fragment_made(emission: Emission, opcode: str, type: Type, reads: Sequence[int]) -> Held:
    """What one instruction makes of a fragment of a matrix: a thread's words, each for itself."""
    words = min(ceil((type.bits or 0) / 32), _WIDEST_FRAGMENT)
    registers = tuple(emission.register(1) for _ in range(words))
    emission.emit(opcode, registers, reads)
    return words_held(registers)


def width_of(type: Type) -> int:
    """How many registers compiled code needs for a value of this type; predicates have
    their own.
    """
    if type.kind in (Kind.PREDICATE, Kind.VOID):
        return 0
    if type.bits is None:
        return 1
    return min(max(1, ceil(type.bits / 32)), _WIDEST)
