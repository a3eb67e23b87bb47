"""Instances of templates that nothing in sight instantiates, as they may be run.

In: a kernel whose template arguments are not all known. Out: instances with chosen numbers, but for
those that a `static_assert` rules out or that no GPU could run; the blocks that they may be made
for. What all of them show does not depend on the choice (`block_races.py`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, permutations
from math import prod
from typing import TYPE_CHECKING

from ...ir.kernel import Launch
from ...ir.memory import Space
from ..launch.assumed_launch import MAX_THREADS
from ..launch.flat_blocks import is_flat
from ..warp_evaluation.lane_values import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Dimensions, Kernel

_ANY = (None, None, None)
MOST_MADE = 16  # instances of a kernel at most
_ROOM = 96 * 1024  # bytes of shared memory
_ELEMENT = 4  # bytes of an element of an unknown type


def specimens(kernel: Kernel) -> Iterator[Kernel]:
    """Instances of a template that nothing instantiates, made to look for races, one after the
    other.
    """
    return filter(_can_be, islice(kernel.specimens(), MOST_MADE))


def with_blocks(kernel: Kernel) -> Iterator[Kernel]:
    """An instance of a template as it would be launched with blocks of the template's numbers."""
    numbers = [(name, each) for name, each in kernel.chosen if isinstance(each, int)]
    rows = [(f"as many threads as {name} says", (each, 1, 1)) for name, each in numbers]
    squares = [
        (f"as many threads as {name} and {other} say", (x, y, 1))
        for (name, x), (other, y) in permutations(() if is_flat(kernel) else numbers, 2)
    ]
    launches = kernel.launches or [Launch(kernel.name, _ANY, _ANY, None, kernel.span)]
    tried: set[Dimensions] = set()
    for origin, block in (*rows, *squares):
        if block not in tried and WARP <= prod(block) <= MAX_THREADS:
            tried.add(block)
            made = [replace(each, block=block, origin=origin) for each in launches]
            yield replace(kernel, launches=made)


def _can_be(kernel: Kernel) -> bool:
    """Whether an instance compiles, fits a GPU, and has more than a warp to work with."""
    if kernel.refused:
        return False
    most = kernel.bounds.max_threads
    if most is not None and not WARP <= most <= MAX_THREADS:
        return False
    room = 0
    for item in kernel.objects_in(Space.SHARED):
        if item.dynamic:
            continue
        if item.size is None and None in item.extents:
            return False
        size = item.size or prod(each or 0 for each in item.extents) * _ELEMENT
        if size <= 0:
            return False
        room += size
    return room <= _ROOM
