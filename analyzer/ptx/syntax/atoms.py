"""The leaves of PTX operands: names and numbers (PTX ISA 4.4 and 4.5).

In: their text. Out: one object per text and module, so that identity is equality and dictionaries
of names are fast.
"""

from __future__ import annotations

import struct

from ...source.numbers import integer, is_alignment


class Name:
    """A register, special register, variable, label or function of PTX; one object per text and
    module.

    `component` is what stands behind the dot: `x` of `%tid.x` or `%v.x`, `b0` of a video operand.
    """

    __slots__ = ("base", "component", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.base, _, self.component = text.partition(".")

    @property
    def name(self) -> str:
        """The text, under the name that SSA construction looks for in messages."""
        return self.text

    def __repr__(self) -> str:
        return f"Name({self.text!r})"


class Number:
    """A PTX literal; `value` is its number, `floating` for `0f…`, `0d…` and decimal fractions."""

    __slots__ = ("floating", "text", "value")

    def __init__(self, text: str, value: int | float, *, floating: bool) -> None:
        self.text = text
        self.value = value
        self.floating = floating

    @property
    def whole(self) -> int:
        """The value where only a whole number makes sense: a count, an alignment."""
        return 0 if self.floating else int(self.value)

    @property
    def alignment(self) -> int:
        """The value of an `.align`; 0 where nothing can be aligned so."""
        return self.whole if is_alignment(self.whole) else 0

    def __repr__(self) -> str:
        return f"Number({self.text!r})"


class Atoms(dict[str, "Name | Number"]):
    """The names and numbers of one PTX module by their text, each made once."""

    def __missing__(self, text: str) -> Name | Number:
        atom = make_number(text) if text[0] in "0123456789" else Name(text)
        self[text] = atom
        return atom

    def name(self, text: str) -> Name:
        """The name of a text that is no number."""
        if text[:1] in "0123456789":
            return Name(text)
        atom = self[text]
        assert isinstance(atom, Name)
        return atom


def make_number(text: str) -> Number:
    """A literal of PTX ISA 4.5: hexadecimal, octal, binary, decimal, `0f`, `0d`, fractions.

    What has more digits than any type, which ptxas refuses, is 0.
    """
    kind = text[1:2].lower() if text[0] == "0" else ""
    if kind == "f" and len(text) == 10:
        return Number(text, struct.unpack(">f", bytes.fromhex(text[2:]))[0], floating=True)
    if kind == "d" and len(text) == 18:
        return Number(text, struct.unpack(">d", bytes.fromhex(text[2:]))[0], floating=True)
    digits = text.rstrip("U")
    if kind in ("x", "b"):
        value = integer(digits[2:], 16 if kind == "x" else 2)
        return Number(text, value or 0, floating=False)
    if not digits.isdigit():
        return Number(text, float(digits), floating=True)
    octal = digits[0] == "0" and not set(digits) & {"8", "9"}
    return Number(text, integer(digits, 8 if octal else 10) or 0, floating=False)
