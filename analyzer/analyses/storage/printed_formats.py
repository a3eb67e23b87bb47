"""Formats of `printf` that do not fit what they are given.

In: a kernel's facts. Out: a call whose format asks for another number of arguments than it gets, or
for a number where a float comes, or the other way about, or for an integer of another width. The
format is the text of a string literal (C standard, "The fprintf function"); a float is passed as a
double, short integers as int, and `long` has 64 bits, as on Linux. What is computed from a variable
whose type is in a header that was not found may be as wide as it says, and a constant that is read
as an int may be anything where there is such a header: those of unknown types are read like this.
Not handled: formats that are no literals, casts of variables to unknown types.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import MemoryAccess, Phi, Pure
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress
from ...source.records import dataclass
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from ..races.facts import RaceFacts

_CONVERSION = re.compile(r"%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')  # a whole one: long ones are cut off
_INTEGERS, _FLOATS, _POINTERS = frozenset("diouxXc"), frozenset("fFeEgGaA"), frozenset("sp")
_WIDE = frozenset({"ll", "l", "j", "z", "t"})  # before the letter of an integer of 64 bits


@dataclass(frozen=True, slots=True)
class WrongFormat:
    """A call of `printf` in device code; `conversion` does not fit its argument, or the numbers
    differ.
    """

    call: Pure
    wanted: int
    given: int
    conversion: str = ""
    number: int = 0  # of the argument, the first being 1
    bits: int = 0  # of that argument, where it is an integer of another width
    unsigned: bool = False  # whether it has no sign


def wrong_formats(facts: RaceFacts) -> Iterator[WrongFormat]:
    """The calls of `printf` in a kernel with a format that does not fit, each with its
    first flaw.
    """
    for call in facts.every(Pure):
        if call.function is Function.PRINTED and call.operands:
            found = _flaw(call, is_all_seen=not facts.module.unseen.names)
            if found is not None:
                yield found


def _flaw(call: Pure, *, is_all_seen: bool) -> WrongFormat | None:
    text, *arguments = call.operands
    if not isinstance(text, ObjectAddress) or not _LITERAL.fullmatch(text.object.name):
        return None
    conversions = list(_conversions(text.object.name))
    if len(conversions) != len(arguments):
        return WrongFormat(call, len(conversions), len(arguments))
    for number, (conversion, value) in enumerate(zip(conversions, arguments, strict=True), 1):
        if not is_all_seen and _is_small_constant(value):
            continue
        width = _other_width(conversion, value)
        if width or not _fits(conversion[-1], value):
            shown, unsigned = f"%{conversion}", not value.type.signed
            wanted, given = len(conversions), len(arguments)
            return WrongFormat(call, wanted, given, shown, number, width, unsigned)
    return None


def _conversions(text: str) -> Iterator[str]:
    """Length and letter of each conversion of a format, `d` for a width that is an argument."""
    for width, precision, length, letter in _CONVERSION.findall(text):
        if letter != "%":
            yield from "d" * ((width, precision).count("*"))
            yield length + letter


def _other_width(conversion: str, value: Value) -> int:
    """The bits of an integer that does not have as many as its conversion asks for; else 0."""
    type = value.type
    if conversion[-1] not in _INTEGERS or type.kind is not Kind.INTEGER or not type.bits:
        return 0
    if any(map(_is_of_unknown_type, backward_slice(value))):
        return 0
    given = max(type.bits, 32)
    return 0 if given == (64 if conversion[:-1] in _WIDE else 32) else given


def _is_of_unknown_type(value: Value) -> bool:
    """Whether a variable is read whose type nobody knows: in registers, or in memory of a size
    that is not known.
    """
    if isinstance(value, Phi):
        return value.open
    if not isinstance(value, MemoryAccess) or not isinstance(value.address, ObjectAddress):
        return False
    item = value.address.object
    return item.space is Space.LOCAL and item.size is None and not item.extents


def _is_small_constant(value: Value) -> bool:
    """Whether it is a constant taken for an int, as those of unknown types are."""
    return isinstance(value, Constant) and value.type.kind is Kind.INTEGER and value.type.bits == 32


def _fits(letter: str, value: Value) -> bool:
    kind = value.type.kind
    if letter in _INTEGERS:
        return kind is not Kind.FLOAT
    if letter in _FLOATS:
        return kind not in (Kind.INTEGER, Kind.PREDICATE, Kind.POINTER)
    return letter not in _POINTERS or kind is not Kind.FLOAT
