"""Exits of a block that nobody states: the real one may have just the threads that stay.

In: a decision by which threads leave before a barrier, of a block that is a guess (or inferred from
shared arrays which say nothing of the axes that the decision asks for). Out: whether the threads
that stay are the first ones of the block, and the decision does not ask how many there are: `if
(threadIdx.x >= blockDim.x / 5 * 5)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import SpecialRegister
from ...block_shape.block_size_guesses import (
    asks_for_sizes,
    asks_for_whole_tiles,
    is_block_size,
    is_thread_index,
    may_suit_the_block,
)
from ...dataflow.slices import backward_slice, registers_in
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ExitCandidate


def _may_be_as_large(candidate: ExitCandidate) -> bool:
    return _is_guess(candidate) and _may_be_smaller(candidate)


def _is_guess(candidate: ExitCandidate) -> bool:
    """Whether nobody states the block, nor shows a shared array that it fills how far it goes along
    the axes that a decision asks for.
    """
    launch, branch = candidate.launch.launch, candidate.edge.branch
    if not launch.inferred:
        return launch.guessed
    tiles = registers_in(*(item.access.address for item in candidate.facts.shared_accesses))
    asked = (
        each.register
        for each in backward_slice(branch.terminator.operands[0])
        if isinstance(each, SpecialRegister) and is_thread_index(each)
    )
    return tiles.isdisjoint(asked)


def _may_be_smaller(candidate: ExitCandidate) -> bool:
    """Whether a block may have just the threads that a decision lets stay, the first ones."""
    witness, branch = candidate.witness, candidate.edge.branch
    if asks_for_whole_tiles(branch):
        return True
    if witness.assumed and asks_for_sizes(branch):
        return may_suit_the_block(candidate.facts.flow, branch)
    x, y, z = witness.misses
    width, height, _ = candidate.launch.launch.block
    first = x + width * (y + height * z)
    asked = backward_slice(branch.terminator.operands[0])
    return first == witness.arriving and not any(map(is_block_size, asked))


DOUBT = Doubt(
    "exit-fits-block",
    Effect.BENIGN,
    "the block size is not stated, and a block of just the threads that stay loses none",
    _may_be_as_large,
)
