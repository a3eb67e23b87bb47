"""What classes declare virtual, by their tokens: functions, bases, destructors.

In: the tokens of a file or of a part of one, and where a class begins and ends. Out: what it says
is virtual itself, not what classes in it or bodies of its functions say. The words are looked for
once, by the number of braces that are open there: classes may lie thousands deep in each other.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from . import nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENS = {"{": 1, "}": -1}


class VirtualWords:
    """Where the tokens of classes say `virtual`."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._by_depth: dict[int, list[int]] = {}
        self._depths: list[int] = []  # the braces that are open before each token
        if "virtual" in texts:
            self._depths = list(accumulate((_OPENS.get(each, 0) for each in texts), initial=0))
            for place, text in enumerate(texts):
                if text == "virtual":
                    self._by_depth.setdefault(self._depths[place], []).append(place)

    def of(self, start: int, stop: int) -> nodes.Virtual:
        """What the class between two tokens declares so, in its head and at its own level."""
        found = nodes.Virtual.NOTHING
        if not self._by_depth:
            return found
        outside = self._depths[start]
        for depth in (outside, outside + 1):
            places = self._by_depth.get(depth, [])
            for number in range(bisect_left(places, start), bisect_left(places, stop - 1)):
                if self._texts[places[number] + 1][:1] != "~":
                    return nodes.Virtual.FUNCTIONS
                found = nodes.Virtual.DESTRUCTOR
        return found
