"""Where the variables of a kernel live, as earlier lowerings of it have shown."""

from __future__ import annotations

from ....source.records import dataclass


@dataclass(frozen=True, slots=True)
class Homes:
    """Variables, by the id of the node that declares them, with another home than they seem."""

    memory: frozenset[tuple[int, tuple[str, ...]]] = frozenset()  # of a class perhaps a member
    registers: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()  # in memory for good: registers turned out to be wrong
