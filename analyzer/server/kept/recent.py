"""The values that were of use last.

In: keys and values. Out: a value for a key that is among the last `most`. Not handled: how large
values are.
"""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most so many values kept for an editor: the one not of use for longest is dropped
    first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """The value of a key, which is of use with this."""
        value = self._kept.pop(key, None)
        if value is not None:
            self._kept[key] = value
        return value

    def keep(self, key: K, value: V) -> None:
        """The value of a key from now on."""
        self._kept.pop(key, None)
        self._kept[key] = value
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
