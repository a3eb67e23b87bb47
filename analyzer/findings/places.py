"""One finding for each place: several operations may stand in one line of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

T = TypeVar("T")


def once_each(found: Iterable[T], place: Callable[[T], Hashable]) -> Iterator[T]:
    """What was found, the first of each place."""
    told: set[Hashable] = set()
    for item in found:
        key = place(item)
        if key not in told:
            told.add(key)
            yield item
