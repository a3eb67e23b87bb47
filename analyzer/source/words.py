"""English that every room shares: numbers that agree with their nouns.

In: a count and a noun in the singular. Out: both as they are read. Irregular nouns are not handled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_HISSING = ("s", "x", "ch", "sh")


def plural(count: int, noun: str) -> str:
    """A number with its noun for messages: `1 kernel`, `2,000 kernels`, `3 accesses`, `0
    passes`.
    """
    return f"{count:,} {noun if count == 1 else plural_noun(noun)}"


def plural_noun(noun: str) -> str:
    """The plural of a noun for messages: `kernels`, `accesses`, `entries`."""
    if noun.endswith(_HISSING):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def percent(fraction: float, digits: int = 0) -> str:
    """A fraction as a percentage for messages: `62 %`, `62.5 %`."""
    return f"{100 * fraction:.{digits}f} %"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """A list for messages: `a, b and c`; `a and 2 more` where at most one is to be named."""
    if most is not None and len(names) > most:
        names = [*names[:most], f"{len(names) - most} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
