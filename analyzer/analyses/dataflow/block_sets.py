"""The blocks that control comes to from some others, or comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Branch
from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...ir.block import Block


def reached(
    starts: Iterable[Block], *, without: Block | None = None, back: bool = False
) -> set[Block]:
    """The blocks of code that control comes to from these, themselves included, never through
    `without`.
    """

    def onwards(block: Block) -> Iterable[Block]:
        return [each for each in next_blocks(block, back=back) if each is not without]

    return set(reachable((block for block in starts if block is not without), onwards))


def next_blocks(block: Block, *, back: bool) -> Sequence[Block]:
    """The blocks of code that follow one in the control flow, or those before it."""
    return block.predecessors if back else block.successors


def outcome_towards(decision: Block, place: Block) -> bool | None:
    """Whether the condition of a branch holds on the way from it to a block, the branch not met
    again; None where both ways lead there, neither does, or the decision has other ways than two.
    """
    branch = decision.terminator
    if not isinstance(branch, Branch):
        return None
    leads = [place in reached([each], without=decision) for each in (branch.then, branch.otherwise)]
    return leads[0] if leads[0] is not leads[1] else None
