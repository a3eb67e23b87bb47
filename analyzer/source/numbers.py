"""Numbers as inputs write them: as large as a machine's own, and no larger.

In: digits, or a number that constants were folded to. Out: the number, or None where it has more
bits than any type of CUDA or PTX. A limit where numbers enter is one for all that follows:
arithmetic on them stays cheap, and they can be printed. Infinities and NaN are no whole numbers.
"""

from __future__ import annotations

MOST_BITS = 128
_MOST_LAUNCHED = 1 << 31  # CUDA C++ Programming Guide, compute capabilities: grids
_MOST_ALIGNED = 1 << 28
_DIGITS = {2: MOST_BITS, 8: MOST_BITS // 3 + 1, 10: 39, 16: MOST_BITS // 4}


def integer(digits: str, base: int) -> int | None:
    """The number that `digits` of an input are in this base; None for none, or one too large."""
    if len(digits) > _DIGITS[base] and len(digits.lstrip("0")) > _DIGITS[base]:
        return None
    try:
        return bounded(int(digits, base))
    except ValueError:
        return None


def bounded(number: int) -> int | None:
    """A number that an input writes, where it is not too large; else None."""
    return number if number.bit_length() <= MOST_BITS else None


def truncated(a: int, b: int) -> int:
    """Division of two Python integers as C++ has it, towards zero; `b` is not 0."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def whole(number: float | None) -> int | None:
    """The integer part of a number that an input writes; None if it has none or is too large."""
    if number is None or number - number != 0:  # infinite, or not a number
        return None
    return bounded(int(number))


def launch_number(number: float | None) -> int | None:
    """A number that an input writes, where a launch can have so many threads, blocks or
    registers.
    """
    value = whole(number)
    return value if value is not None and 0 < value < _MOST_LAUNCHED else None


def is_alignment(number: int) -> bool:
    """Whether objects can be aligned to so many bytes: a power of two that a linker takes."""
    return 0 < number <= _MOST_ALIGNED and not number & (number - 1)
