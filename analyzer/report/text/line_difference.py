"""Which lines of a text changed: what of it stands in another text, in order, line by line.

In: the lines of two texts. Out: a matcher as those of `difflib`, whose runs of equal lines are
found in bounded work whatever the lines are: `difflib` itself takes quadratic time where lines are
repeated. Lines that are in both texts once hold the two together; between them stands the shortest
edit script (E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986) as long as there
is work left. What then remains is said to have changed, which is right, if more than it need be.
"""

from __future__ import annotations

from difflib import Match, SequenceMatcher
from typing import TYPE_CHECKING

from ...engine.git.line_changes import fixed_points

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Run = tuple[int, int, int]  # where equal lines begin in either text, and how many they are

_WORK = 1_000_000  # comparisons of lines, about half a second


class LineMatcher(SequenceMatcher[str]):
    """The lines of two texts that are equal; `get_opcodes` and the rest are those of `difflib`."""

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, "", "")
        self.a, self.b = before, after
        self._left = _WORK

    def get_matching_blocks(self) -> list[Match]:
        """Runs of equal lines, each as long as it can be, with an empty one at the end."""
        ends = len(self.a), len(self.b)
        runs: list[Run] = []
        for place, other, size in self._runs(0, ends[0], 0, ends[1]):
            before = runs[-1] if runs else (0, 0, 0)
            if (before[0] + before[2], before[1] + before[2]) == (place, other):
                runs[-1:] = [(before[0], before[1], before[2] + size)]
            elif size:
                runs.append((place, other, size))
        return [Match(*run) for run in (*runs, (*ends, 0)) if run[2] or run[:2] == ends]

    def _runs(self, first: int, last: int, other: int, end: int) -> Iterator[Run]:
        """The runs between two places of the first text and two of the second."""
        for here, there in fixed_points(self.a, self.b, (first, last, other, end)):
            yield from self._within(first, here, other, there)
            yield here, there, 1
            first, other = here + 1, there + 1
        yield from self._within(first, last, other, end)

    def _within(self, first: int, last: int, other: int, end: int) -> Iterator[Run]:
        """Runs at the beginning and at the end, and those of the shortest script between."""
        a, b = self.a, self.b
        head = 0
        while first + head < last and other + head < end and a[first + head] == b[other + head]:
            head += 1
        yield first, other, head
        first, other = first + head, other + head
        tail = 0
        while (
            first < last - tail and other < end - tail and a[last - tail - 1] == b[end - tail - 1]
        ):
            tail += 1
        last, end = last - tail, end - tail
        if first < last and other < end:
            yield from self._script(first, last, other, end)
        yield last, end, tail

    def _script(self, first: int, last: int, other: int, end: int) -> list[Run]:
        """The runs that the shortest script leaves alone; none where that takes too much work."""
        a, b = self.a, self.b
        steps: list[dict[int, int]] = []
        reached = {1: first}  # how far each diagonal is known to lead, in the first text
        distance = other - first
        while self._left > 0:
            steps.append(dict(reached))
            edits = len(steps) - 1
            for diagonal in range(-edits, edits + 1, 2):
                at = _entered(reached, diagonal, edits)
                there = at - diagonal + distance
                self._left -= 1
                while at < last and there < end and a[at] == b[there]:
                    at, there = at + 1, there + 1
                    self._left -= 1
                reached[diagonal] = at
                if at >= last and there >= end:
                    return _back(steps, last, end, distance)
            self._left -= edits  # what the copies cost
        return []


def _is_insertion(reached: dict[int, int], diagonal: int, edits: int) -> bool:
    """Whether a diagonal is entered by a line of the second text, not by one of the first."""
    if abs(diagonal) == edits:
        return diagonal == -edits
    return reached[diagonal - 1] < reached[diagonal + 1]


def _entered(reached: dict[int, int], diagonal: int, edits: int) -> int:
    """Where a diagonal is entered, in the first text."""
    if _is_insertion(reached, diagonal, edits):
        return reached[diagonal + 1]
    return reached[diagonal - 1] + 1


def _back(steps: list[dict[int, int]], at: int, there: int, distance: int) -> list[Run]:
    """The runs along the way that led to a place, in order."""
    runs: list[Run] = []
    for edits in reversed(range(len(steps))):
        diagonal = at - there + distance
        entered = _entered(steps[edits], diagonal, edits)
        size = at - entered
        at, there = entered, there - size
        runs.append((at, there, size))
        if _is_insertion(steps[edits], diagonal, edits):
            there -= 1
        else:
            at -= 1
    return runs[::-1]
