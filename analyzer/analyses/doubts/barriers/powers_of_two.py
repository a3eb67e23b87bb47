"""Sizes that fill whole blocks wherever they fill one.

In: a decision that parts two threads of a block by a number that the host computes of exponents
alone, as `1 << (2 * level)`. Out: whether every number that it can pass is a multiple of the block,
or less than one block: only data smaller than a block leaves threads without work, which programs
that halve or quarter their data seldom have. Not handled: numbers that the host computes of more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Parameter
from ...launch.relations import all_values
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ExitCandidate, SplitCandidate


def _fill_whole_blocks(candidate: SplitCandidate | ExitCandidate) -> bool:
    launch, witness = candidate.launch.launch, candidate.witness
    if witness is None or launch.formulas is None:
        return False
    extent = max(launch.block)
    places = {each: at for at, each in enumerate(candidate.facts.kernel.given)}
    used = [places[name] for name, _ in witness.used if isinstance(name, Parameter)]
    passed = [all_values(launch.formulas, at) for at in used]
    return bool(passed) and all(
        values is not None and all(each < extent or each % extent == 0 for each in values)
        for values in passed
    )


DOUBT = Doubt(
    "only-less-than-a-block",
    Effect.POSSIBLE,
    "every size that the host computes fills whole blocks, or is less than one block",
    _fill_whole_blocks,
)
