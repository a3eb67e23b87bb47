"""Where the variables of a kernel live, as earlier lowerings of it have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.records import dataclass

if TYPE_CHECKING:
    from .context import Context


@dataclass(frozen=True, slots=True)
class Homes:
    """Variables of a kernel, by the id of the node declaring them, with another home than seems."""

    memory: frozenset[tuple[int, tuple[str, ...]]] = frozenset()  # of a class perhaps a member
    registers: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()  # in memory for good: registers turned out to be wrong


def keeps(context: Context, name: str) -> bool:
    """Whether a variable of device code is what it is at first throughout the function around."""
    changed = context.program.changed(context.frame.function.body)
    return name not in changed and name not in context.frame.address_taken
