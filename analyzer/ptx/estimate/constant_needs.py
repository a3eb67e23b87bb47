"""Constants that have to be in registers, reciprocals of divisions, and places of accesses.

In: a `Reading`, and what was folded away. Out: on the operations, the registers of constants that
they need: what is stored or given to an atomic operation, addresses that are the same for all
threads, and the factor of an index that is added to one, since an instruction takes one operand
from the constant bank. A division of integers needs a reciprocal, which several may share. Each
constant has one register of its own, which holds it inside of a block only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.tree import Name, Number, Vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.tree import Operand
    from .operations import Op, Place
    from .reading import Reading

_DEEPEST = 64  # what is folded into what is folded…


class Folded:
    """What PTX operations read instead of registers that are folded away."""

    def __init__(self) -> None:
        self.instead: dict[int, tuple[int, ...]] = {}
        self.scales: dict[int, str] = {}  # factors of scaled indices
        self.shifts: dict[int, int] = {}  # what was added to an address

    def resolved(self, register: int) -> tuple[int, ...]:
        """The registers that are left of one."""
        instead = self.instead.get(register)
        if instead is None:
            return (register,)
        found: list[int] = []
        work = list(instead)
        for _ in range(_DEEPEST):
            if not work:
                break
            one = work.pop()
            deeper = self.instead.get(one)
            if deeper is None:
                found.append(one)
            else:
                work += deeper
        return tuple(found)


class Needs:
    """What PTX operations need beyond the registers that they name."""

    def __init__(self, reading: Reading, folded: Folded) -> None:
        self._reading, self._folded = reading, folded
        self._known: dict[tuple[object, ...], int] = {}

    def note(self, index: int, op: Op) -> None:
        """Write down what an operation needs; its registers are still those of the text."""
        reading = self._reading
        given, bases = reading.given.get(index), reading.bases.get(index)
        if op.kind.divides:
            self._divide(op)
        else:
            needs = self._stored(op, given) if given else []
            if bases:
                needs += self._uniform_bases(bases)
            if op.kind.adds:
                needs += self._factors(op)
            op.needs = tuple(dict.fromkeys(needs)) if len(needs) > 1 else tuple(needs)
        if bases and op.kind.space and index in reading.offsets:
            op.place = self._place(bases, reading.offsets[index])

    def _register(self, key: tuple[object, ...], width: int) -> int:
        """The register of a constant."""
        number = self._known.get(key)
        if number is None:
            code = self._reading.code
            number = self._known[key] = len(self._reading.widths)
            for widths in (self._reading.widths, code.declared, code.uniform):
                widths.append(width)
        return number

    def _stored(self, op: Op, given: tuple[Operand, ...]) -> list[int]:
        """Constants and uniform values among what a store or an atomic operation takes."""
        needs: list[int] = []
        width = 2 if op.kind.wide else 1
        for operand in given:
            elements = operand.elements if isinstance(operand, Vector) else (operand,)
            for element in elements:
                if isinstance(element, Name):
                    needs += self._uniform_parts(self._reading.numbers[element])
                elif isinstance(element, Number) and (element.value or len(elements) > 1):
                    needs.append(self._register(("number", element.text, width), width))
        return needs

    def _uniform_parts(self, register: int) -> list[int]:
        if register < 0:
            return []
        widths, declared = self._reading.widths, self._reading.code.declared
        return [
            self._register(("register", one), declared[one])
            for one in self._folded.resolved(register)
            if not widths[one] and declared[one]
        ]

    def _uniform_bases(self, bases: Sequence[int]) -> list[int]:
        """Addresses that are the same for all threads."""
        parts = [self._folded.resolved(base) for base in bases]
        return [self._register(("base", *ones), 2) for ones in parts if self._are_uniform(ones)]

    def _factors(self, op: Op) -> list[int]:
        """The factors of indices that are added to a uniform address."""
        needs: list[int] = []
        for register in op.reads:
            factor = self._folded.scales.get(register)
            if factor is None or factor in ("0", "1"):
                continue
            parts = [self._folded.resolved(other) for other in op.reads if other != register]
            if self._are_uniform([one for ones in parts for one in ones]):
                needs.append(self._register(("number", factor, 1), 1))
        return needs

    def _are_uniform(self, registers: Sequence[int]) -> bool:
        widths = self._reading.widths
        return bool(registers) and not any(widths[one] for one in registers)

    def _divide(self, op: Op) -> None:
        """A division of integers multiplies by a reciprocal."""
        divisors = self._folded.resolved(op.reads[1]) if len(op.reads) > 1 else ()
        key = ("reciprocal", *divisors)
        known = key in self._known
        number = self._register(key, 1)
        if not known:
            steps = tuple([self._register((*key, step), 1) for step in range(3)])
            self._reading.code.reciprocals[number] = (*steps, *divisors)
        scratch = tuple([self._register(("quotient", step), 1) for step in range(2)])
        op.needs = (number, *scratch)

    def _place(self, bases: Sequence[int], offset: int) -> Place | None:
        """What the address of an access begins with, and how far behind it is."""
        if len(bases) != 1:
            return None
        (base,) = bases
        for _ in range(_DEEPEST):
            deeper = self._folded.instead.get(base)
            if deeper is None or len(deeper) != 1:
                break
            offset += self._folded.shifts.get(base, 0)
            (base,) = deeper
        return base, offset
