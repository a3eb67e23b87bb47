"""Padding of shared arrays, judged by counting: every access to the array, before and after.

In: the evaluated accesses of one array. Out: the row padding with the fewest wavefronts over all of
them, stores and loads alike, with what it costs in bytes; None when no padding helps, or when an
access to the array is not known. So at 16×16 floats nothing "+1" is ever offered that moves the
conflict from the loads to the stores. Where only the first iterations of a loop were looked at, the
accesses' sums are not to be compared with each other: then a layout counts only if no access takes
more wavefronts with it.
A padded row may no longer be aligned for merged or vector accesses: those are then counted as
separate narrower ones.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...hardware.banks import shared_wavefronts
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...hardware.architectures import Architecture
    from ...ir.memory import MemoryObject
    from .shared_accesses import SharedAccess

_PADS = (1, 2, 4, 8, 16)
_ROW = 128  # bytes over all banks


@dataclass(frozen=True, slots=True)
class Padding:
    """A padding of a shared array and the bank conflicts counted with it; `elements` is added to
    each row.
    """

    elements: int
    before: int  # wavefronts of all accesses to the array, all looked-at warps and iterations
    after: int
    ideal: int
    extra_bytes: int
    extents: tuple[int, ...]
    complete: bool  # every iteration of the loops was counted
    part: tuple[int, int] | None = None  # of so many warps of a block so few were counted


@dataclass(frozen=True, slots=True)
class Skew:
    """Index `i + i / 32` for a flat shared array of 4-byte elements, and the bank conflicts counted
    with it.
    """

    before: int
    after: int
    ideal: int
    extra_bytes: int | None
    complete: bool  # every iteration of the loops was counted
    part: tuple[int, int] | None = None  # of so many warps of a block so few were counted


def best_padding(
    object: MemoryObject, accesses: Sequence[SharedAccess], architecture: Architecture
) -> Padding | None:
    """The padding of a shared array's innermost dimension that saves most bank conflicts."""
    extents = [extent for extent in object.extents if extent is not None]
    element = object.element.width
    if len(extents) != len(object.extents) or len(extents) < 2 or not element:
        return None
    if not _all_known(accesses):
        return None
    row = extents[-1] * element
    before = sum(access.wavefronts for access in accesses)
    ideal = sum(access.ideal for access in accesses)
    best: tuple[int, int] | None = None
    for pad in _PADS:
        after = _count(accesses, _padded(row, pad * element), architecture)
        if after is not None and after < before and (best is None or after < best[1]):
            best = (pad, after)
    if best is None:
        return None
    pad, after = best
    extra = prod(extents[:-1]) * pad * element
    wider = (*extents[:-1], extents[-1] + pad)
    complete = _all_counted(accesses)
    return Padding(pad, before, after, ideal, extra, wider, complete, _part_counted(accesses))


def best_skew(
    object: MemoryObject, accesses: Sequence[SharedAccess], architecture: Architecture
) -> Skew | None:
    """Whether one spare element after every 32 removes the bank conflicts of a flat
    shared array.
    """
    if len(object.extents) != 1 or object.element.width != 4 or not _all_known(accesses):
        return None
    before = sum(access.wavefronts for access in accesses)
    ideal = sum(access.ideal for access in accesses)
    after = _count(accesses, lambda offset: offset + offset // _ROW * 4, architecture)
    if after is None or after * 2 > before + ideal:
        return None
    extra = None if object.size is None else object.size // _ROW * 4
    complete = _all_counted(accesses)
    return Skew(before, after, ideal, extra, complete, _part_counted(accesses))


def _all_known(accesses: Iterable[SharedAccess]) -> bool:
    return all(not access.reason for access in accesses)


def _all_counted(accesses: Iterable[SharedAccess]) -> bool:
    return all(access.complete for access in accesses)


def _part_counted(accesses: Iterable[SharedAccess]) -> tuple[int, int] | None:
    """How many warps of a block were looked at, and how many it has, unless that was each."""
    blocks = {(access.looked, access.launch.warps) for access in accesses}
    return max((each for each in blocks if each[0] < each[1]), default=None)


def _padded(row: int, extra: int) -> Callable[[int], int]:
    return lambda offset: offset + offset // row * extra


def _count(
    accesses: Sequence[SharedAccess], move: Callable[[int], int], architecture: Architecture
) -> int | None:
    """Wavefronts of every sample with its addresses moved; None when a vector would be torn, or
    when an access takes more of them than before where not all iterations were looked at.
    """
    total = 0
    complete = _all_counted(accesses)
    for access in accesses:
        after = _count_of(access, move, architecture)
        if after is None or (after > access.wavefronts and not complete):
            return None
        total += after
    return total


def _count_of(
    access: SharedAccess, move: Callable[[int], int], architecture: Architecture
) -> int | None:
    """The same of one access."""
    total = 0
    own = access.access.width or access.width
    for sample in access.samples:
        moved = tuple(None if item is None else move(item) for item in sample.offsets)
        width = access.width
        while width > own and any(item is not None and item % width for item in moved):
            width //= 2
        if any(item is not None and item % width for item in moved):
            return None
        conflict = shared_wavefronts(moved, width, access.kind, architecture)
        total += conflict.wavefronts * (access.width // width)
    return total
