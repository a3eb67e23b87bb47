"""Literals of numbers and characters.

In: the text of a literal. Out: its number; None where it has none, or more digits than any type.
Not handled: characters of several letters, user-defined suffixes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....source.numbers import integer

if TYPE_CHECKING:
    from .constant_arithmetic import Number

SUFFIX = re.compile(r"[uUlLzZ]+$")


def literal(text: str) -> Number | None:
    """The value of a numeric or character literal."""
    text = text.replace("'", "") if text[:1].isdigit() or text[:1] == "." else text
    if text in ("true", "false"):
        return int(text == "true")
    if text.startswith(("'", "u'", "U'", "L'")):
        inner = text[text.index("'") + 1 : -1]
        return ord(inner) if len(inner) == 1 else _ESCAPES.get(inner)
    lower = text.lower()
    try:
        if lower.startswith("0x") and "p" in lower:
            return float.fromhex(lower.rstrip("fl"))
        if lower.startswith("0x"):
            return integer(SUFFIX.sub("", lower)[2:], 16)
        if lower.startswith("0b"):
            return integer(SUFFIX.sub("", lower)[2:], 2)
        if any(mark in lower for mark in ".e") or lower.endswith("f"):
            return float(lower.rstrip("flh"))
        digits = SUFFIX.sub("", lower)
        return integer(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10)
    except ValueError:
        return None


_ESCAPES = {"\\n": 10, "\\t": 9, "\\r": 13, "\\0": 0, "\\\\": 92, "\\'": 39, '\\"': 34}
