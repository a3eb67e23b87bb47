"""Calls of functions that constants are made of: how many are followed, and what they gave.

In: a call with its arguments. Out: whether it may be followed, and its number where it is known. A
function that calls itself twice would be called without end: what it gave is kept, each constant
has its own limit, and all of a file have one, beyond which constants are not known.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

_OF_CONSTANT = 2_000  # each function may call itself twice
_OF_FILE = 40_000


class ConstantCalls:
    """The calls of functions in the constant expressions of one translation unit."""

    def __init__(self) -> None:
        self._left: int | None = None  # for the constant under way; None: there is none
        self._left_of_file = _OF_FILE
        self._known: dict[Hashable, int | float] = {}

    @contextmanager
    def for_a_constant(self) -> Iterator[None]:
        """A constant is computed, as a part of another one or by itself."""
        outermost = self._left is None
        if outermost:
            self._left = min(_OF_CONSTANT, self._left_of_file)
        try:
            yield
        finally:
            if outermost:
                self._left = None

    def take(self) -> bool:
        """Whether one more call may be followed."""
        if not self._left:
            return False
        self._left -= 1
        self._left_of_file -= 1
        return True

    def known(self, call: Hashable) -> int | float | None:
        """What a call gave before, if it was known."""
        return self._known.get(call)

    def keep(self, call: Hashable, value: float | None) -> None:
        """A call gave this. What is not known may be so for lack of calls, and is not kept."""
        if value is not None:
            self._known[call] = value
