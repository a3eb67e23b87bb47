"""Literals of numbers and characters, and the macros of C that stand for numbers.

In: the text of a literal. Out: its number; None where it has none, or more digits than any type.
Not handled: characters of several letters, user-defined suffixes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ....source.numbers import integer

if TYPE_CHECKING:
    from .constant_arithmetic import Number

#: Macros of <climits>, <cfloat>, <cmath> and <cstddef> on 64-bit hosts.
STANDARD: dict[str, Number] = {
    "NULL": 0,
    "CHAR_BIT": 8,
    "SCHAR_MAX": 127,
    "UCHAR_MAX": 255,
    "SHRT_MAX": 32767,
    "SHRT_MIN": -32768,
    "USHRT_MAX": 65535,
    "INT_MAX": 2**31 - 1,
    "INT_MIN": -(2**31),
    "UINT_MAX": 2**32 - 1,
    "LONG_MAX": 2**63 - 1,
    "LLONG_MAX": 2**63 - 1,
    "ULLONG_MAX": 2**64 - 1,
    "SIZE_MAX": 2**64 - 1,
    "INT32_MAX": 2**31 - 1,
    "UINT32_MAX": 2**32 - 1,
    "FLT_MAX": 3.4028234663852886e38,
    "FLT_MIN": 1.1754943508222875e-38,
    "FLT_EPSILON": 1.1920928955078125e-07,
    "DBL_MAX": 1.7976931348623157e308,
    "DBL_MIN": 2.2250738585072014e-308,
    "DBL_EPSILON": 2.220446049250313e-16,
    "M_PI": 3.141592653589793,
}

SUFFIX = re.compile(r"[uUlLzZ]+$")


@lru_cache(maxsize=4096)  # the same few ones again and again
def literal(text: str) -> Number | None:
    """The value of a numeric or character literal."""
    text = text.replace("'", "") if text[:1].isdigit() or text[:1] == "." else text
    if text in ("true", "false"):
        return int(text == "true")
    if text.startswith(("'", "u'", "U'", "L'", "u8'")):
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
    except (ValueError, OverflowError):  # no number, or one beyond any type
        return None


_ESCAPES = {"\\n": 10, "\\t": 9, "\\r": 13, "\\0": 0, "\\\\": 92, "\\'": 39, '\\"': 34}
