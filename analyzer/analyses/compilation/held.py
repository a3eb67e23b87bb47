"""Values as they are held while code is made: constants, registers, and what is folded into users.

A value is a root and a constant that is added to it, as an address or a subscript is: the constant
costs nothing where it becomes part of an access. `lazy` names the instruction that would compute
the value from its registers; sums of addresses and products in sums do that for nothing, everyone
else has it computed first (`values.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...ir.memory import MemoryObject


_WORD = 4  # bytes


@dataclass(frozen=True, slots=True)
class Held:
    """A value as compiled code holds it; without registers it is free: a constant, a parameter, an
    address.
    """

    root: Hashable  # the same for the same value
    registers: tuple[int, ...] = ()
    add: int = 0
    number: int | float | None = None
    lazy: str = ""
    width: int = 1  # registers, where it has to be computed
    varying: bool = False  # between threads, as far as uniform registers matter
    item: MemoryObject | None = None  # the array of a thread that it is an address in
    fields: tuple[tuple[int, int, Held], ...] = ()  # of an aggregate: offset, bytes, value

    @property
    def key(self) -> Hashable:
        """Equal for what is surely equal."""
        return self.root, self.add

    @property
    def is_computed(self) -> bool:
        """Whether its registers hold it as it is."""
        return not self.lazy and not (self.add and self.registers)

    def plus(self, distance: int) -> Held:
        """With a constant added."""
        return replace(self, add=self.add + distance) if distance else self


def number_held(value: int | float) -> Held:
    """A constant, as compiled code holds it: in no register."""
    return Held(("number", type(value), repr(value)), number=value)


def in_register(register: int, width: int, *, varying: bool = True) -> Held:
    """What a register of compiled code holds, which is written once or by phis only."""
    return Held(("register", register), (register,), width=width, varying=varying)


def whole(fields: list[tuple[int, int, Held]]) -> Held:
    """An aggregate of these parts, as compiled code holds it."""
    parts = tuple(fields)
    root = ("whole", *((at, size, part.key) for at, size, part in parts))
    registers = tuple(one for _, _, part in parts for one in part.registers)
    varying = any(part.varying for _, _, part in parts)
    return Held(root, registers, width=max(1, len(parts)), varying=varying, fields=parts)


def words_held(registers: Sequence[int]) -> Held:
    """An aggregate each word of which is in a register."""
    words = [(_WORD * at, _WORD, in_register(each, 1)) for at, each in enumerate(registers)]
    return whole(words) if words else NOTHING


def part_of(value: Held, offset: int, size: int) -> Held:
    """The bytes of an aggregate that compiled code holds, from an offset on."""
    inside = []
    for at, length, part in value.fields:
        if at == offset and length == size:
            return part
        if part.fields and at <= offset and offset + size <= at + length:
            return part_of(part, offset - at, size)
        if offset < at + length and at < offset + size:
            inside.append((at - offset, length, part))
    if not value.fields:
        root = ("part", offset, size, value.key)
        return Held(root, value.registers, width=value.width, varying=value.varying)
    return whole(inside)


#: What nothing was written to.
NOTHING = Held("nothing")
