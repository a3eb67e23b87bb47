"""Which lines of a text stand in an older one, too.

In: the lines of both. Out: for each line of the new text that the old one has in the same order,
its place there. What begins and ends alike is cut off; lines that occur once in both are fixed
points (patience diff: Bram Cohen, 2003), of which the longest run in order is kept; between them
a longest common subsequence is found with one bit for each line (Crochemore et al., "A fast and
practical bit-vector algorithm for the longest common subsequence problem", 2001).
Not handled: stretches without a fixed point whose table would take more than `_MOST_BITS`, which
are taken for new: that says too much rather than too little.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_BITS = 100_000_000  # of one table: 12 MB, a tenth of a second

#: A stretch of both texts: start and end in the old one, start and end in the new one.
Stretch = tuple[int, int, int, int]


def kept_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Place in the new text → place in the old one, both from 0, of what stayed."""
    kept: dict[int, int] = {}
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        kept[start] = start
        start += 1
    ends = (len(old), len(new))
    while min(ends) > start and old[ends[0] - 1] == new[ends[1] - 1]:
        ends = (ends[0] - 1, ends[1] - 1)
        kept[ends[1]] = ends[0]
    kept.update((at, ends[0] + at - ends[1]) for at in range(ends[1], len(new)))
    whole = (start, ends[0], start, ends[1])
    fixed = [(start - 1, start - 1), *fixed_points(old, new, whole), ends]
    kept.update((there, here) for here, there in fixed[1:-1])
    for (here, there), (next_here, next_there) in pairwise(fixed):
        kept.update(_subsequence(old, new, (here + 1, next_here, there + 1, next_there)))
    return kept


def changed_lines(old: Sequence[str], new: Sequence[str]) -> frozenset[int]:
    """The lines of the new text, from 1, that are not in the old one.

    Where lines were only taken away, their neighbours count as changed.
    """
    kept = kept_lines(old, new)
    changed = {place + 1 for place in range(len(new)) if place not in kept}
    borders = [(-1, -1), *sorted(kept.items()), (len(new), len(old))]
    for (there, here), (next_there, next_here) in pairwise(borders):
        if next_here - here > 1 and next_there - there == 1:
            changed |= {there + 1, next_there + 1} & set(range(1, len(new) + 1))
    return frozenset(changed)


def fixed_points(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> list[tuple[int, int]]:
    """Lines that both have once, as many as stand in the same order in both."""
    first, last, start, end = stretch
    once = Counter(old[first:last])
    also = Counter(new[start:end])
    place = {new[at]: at for at in range(start, end) if also[new[at]] == 1}
    pairs = [
        (at, place[old[at]]) for at in range(first, last) if once[old[at]] == 1 and old[at] in place
    ]
    # The longest rising sequence (patience sorting): tops of the piles, and who lies below.
    tops: list[int] = []
    piles: list[int] = []
    below: list[int] = []
    for number, (_, there) in enumerate(pairs):
        pile = bisect_left(tops, there)
        below.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [there]
        piles[pile : pile + 1] = [number]
    found = []
    at = piles[-1] if piles else -1
    while at >= 0:
        found.append(pairs[at])
        at = below[at]
    return found[::-1]


def _subsequence(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> dict[int, int]:
    """A longest common subsequence of a stretch of both."""
    first, last, start, end = stretch
    width = last - first
    if width * (end - start) > _MOST_BITS or not width or start == end:
        return {}
    places: dict[str, int] = {}
    for at in range(first, last):
        places[old[at]] = places.get(old[at], 0) | 1 << (at - first)
    # Bit i of row j is 0 where the subsequence of old[:i+1] and new[:j+1] is one longer than
    # that of old[:i] and new[:j+1].
    everything = (1 << width) - 1
    row = everything
    rows = [row]
    for at in range(start, end):
        matching = places.get(new[at], 0)
        taken = row & matching
        row = ((row + taken) | (row - taken)) & everything
        rows.append(row)
    found: dict[int, int] = {}
    here, there = width - 1, end - start
    while here >= 0 and there > 0:
        if rows[there] >> here & 1:
            here -= 1  # no longer with this line of the old text
        elif not rows[there - 1] >> here & 1:
            there -= 1  # as long without this line of the new one
        else:
            there -= 1
            found[start + there] = first + here
            here -= 1
    return found
