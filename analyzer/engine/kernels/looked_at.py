"""Made-up instances of a kernel, each made once, and how many of them somebody looked at.

In: what makes them, one after the other. Out: the same ones for everybody who asks, and the number
that a result can rest on: what stands behind it does not matter to it.
"""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...ir.kernel import Kernel


class LookedAt:
    """The made-up instances of one kernel, each made once; called as what makes them."""

    def __init__(self, make: Callable[[], Iterator[Kernel]]) -> None:
        self._rest = make()
        self._made: list[Kernel] = []
        self.asked = 0  # one more than there are where somebody came to the end

    def __call__(self) -> Iterator[Kernel]:
        """The instances, as they are asked for."""
        for number in count():
            self.asked = max(self.asked, number + 1)
            if len(self.first(number + 1)) <= number:
                return
            yield self._made[number]

    def first(self, most: int) -> list[Kernel]:
        """So many of them, which counts as no look."""
        self._made += islice(self._rest, max(most - len(self._made), 0))
        return self._made[:most]
