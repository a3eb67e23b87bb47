"""The blocks that control comes to from some others, or comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...ir.block import Block


def reached(
    starts: Iterable[Block], *, without: Block | None = None, back: bool = False
) -> set[Block]:
    """The blocks that one comes to from these, themselves included, never through `without`."""

    def onwards(block: Block) -> Iterable[Block]:
        return [each for each in next_blocks(block, back=back) if each is not without]

    return set(reachable((block for block in starts if block is not without), onwards))


def next_blocks(block: Block, *, back: bool) -> Sequence[Block]:
    """The blocks that follow one, or those before it."""
    return block.predecessors if back else block.successors
