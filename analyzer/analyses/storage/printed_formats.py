"""Formats of `printf` that do not fit what they are given.

In: a kernel's facts. Out: a call whose format asks for another number of arguments than it gets, or
for a number where a float comes, or the other way about. The format is the text of a string literal
(C standard, "The fprintf function"); a float is passed as a double, short integers as int. Not
handled: formats that are no literals, widths of integers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function
from ...ir.operations import Pure
from ...ir.types import Kind
from ...ir.values import ObjectAddress
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from ..races.facts import RaceFacts

_CONVERSION = re.compile(r"%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(?:hh|h|ll|l|j|z|t|L)?([a-zA-Z%])")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')  # a whole one: long ones are cut off
_INTEGERS, _FLOATS, _POINTERS = frozenset("diouxXc"), frozenset("fFeEgGaA"), frozenset("sp")


@dataclass(frozen=True, slots=True)
class WrongFormat:
    """A call of `printf`; `conversion` does not fit its argument, or the numbers differ."""

    call: Pure
    wanted: int
    given: int
    conversion: str = ""
    number: int = 0  # of the argument, the first being 1


def wrong_formats(facts: RaceFacts) -> Iterator[WrongFormat]:
    """The calls with a format that does not fit, each with its first flaw."""
    for call in facts.every(Pure):
        if call.function is Function.PRINTED and call.operands:
            found = _flaw(call)
            if found is not None:
                yield found


def _flaw(call: Pure) -> WrongFormat | None:
    text, *arguments = call.operands
    if not isinstance(text, ObjectAddress) or not _LITERAL.fullmatch(text.object.name):
        return None
    conversions = list(_conversions(text.object.name))
    if len(conversions) != len(arguments):
        return WrongFormat(call, len(conversions), len(arguments))
    for number, (letter, value) in enumerate(zip(conversions, arguments, strict=True), 1):
        if not _fits(letter, value):
            return WrongFormat(call, len(conversions), len(arguments), f"%{letter}", number)
    return None


def _conversions(text: str) -> Iterator[str]:
    """The letters of a format, `d` for a width that is an argument."""
    for width, precision, letter in _CONVERSION.findall(text):
        if letter != "%":
            yield from "d" * ((width, precision).count("*"))
            yield letter


def _fits(letter: str, value: Value) -> bool:
    kind = value.type.kind
    if letter in _INTEGERS:
        return kind is not Kind.FLOAT
    if letter in _FLOATS:
        return kind not in (Kind.INTEGER, Kind.PREDICATE, Kind.POINTER)
    return letter not in _POINTERS or kind is not Kind.FLOAT
