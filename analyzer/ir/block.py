"""Basic blocks: straight-line operations with one terminator at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operations import Branch, Jump, Phi, Switch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .operations import Operation


class Block:
    """A basic block of the IR; phis stand first, the terminator last."""

    __slots__ = ("index", "label", "operations", "predecessors")

    def __init__(self, label: str) -> None:
        self.label = label
        self.index = -1  # position in the kernel's list, set when the kernel is finished
        self.operations: list[Operation] = []
        self.predecessors: list[Block] = []

    @property
    def terminator(self) -> Operation:
        """The last operation."""
        return self.operations[-1]

    @property
    def successors(self) -> tuple[Block, ...]:
        """The blocks control may go to, in the terminator's order, duplicates removed."""
        last = self.operations[-1] if self.operations else None
        if isinstance(last, Jump):
            return (last.target,)
        if isinstance(last, Branch):
            return (last.then,) if last.then is last.otherwise else (last.then, last.otherwise)
        if isinstance(last, Switch):
            targets = [block for _, block in last.cases] + [last.default]
            return tuple(dict.fromkeys(targets))
        return ()

    @property
    def phis(self) -> Iterator[Phi]:
        """The phis at the head of the block."""
        for operation in self.operations:
            if not isinstance(operation, Phi):
                return
            yield operation

    def __repr__(self) -> str:
        return f"Block({self.label})"
