"""Indices from memory that may name each element once: a permutation, a list of own elements.

In: an update at such an index. Out: whether nothing shows that several threads come to one element.
What does: it keeps the best of what each thread has, it counts in bins (a constant is added to a
whole number that serves nothing else, or at an index that data was cut to size for), or it sets
bits of words that others share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Convert, Opcode, Operation, unconverted
from ....ir.types import Kind
from ...conflicts.min_max_updates import is_only_compared, is_only_store, leads_many
from ...conflicts.updates import adds_constant, is_load, pairs
from ...dataflow.bit_sets import sets_bits
from ...pointers.indirect_addresses import is_found_in_memory
from ...pointers.provenance import is_made_of_data, loads_of
from ...warp_evaluation.lane_values import WARP
from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from .candidates import ScatteredCandidate


def _may_be_unique(candidate: ScatteredCandidate) -> bool:
    store, loads = candidate.store, candidate.loads
    if not is_found_in_memory(candidate.facts, store.address):
        return True  # a row from memory, where each thread has its own place
    whole = store.element.kind is Kind.INTEGER and _only_counts(candidate)
    bins = candidate.item is not None and (whole or is_made_of_data(store.address))
    shared = keeps_the_best(candidate) or (bins and adds_constant(store, loads))
    return not (shared or (candidate.item is not None and sets_bits(store, loads)))


def keeps_the_best(candidate: ScatteredCandidate) -> bool:
    """Whether an update keeps a minimum or maximum of what each thread has: nobody compares what
    comes once.
    """
    store, loads = candidate.store, candidate.loads
    value = unconverted(store.operands[1])
    uniformity = candidate.context.launch.uniformity
    if not loads.intersection(loads_of(value)):
        many = leads_many(store) and uniformity.of(value) > Uniformity.GRID
        many = many or is_of_warp(candidate)
        return many and is_only_compared(candidate.facts, store, loads)
    if not isinstance(value, Operation) or value.opcode not in (Opcode.MIN, Opcode.MAX):
        return False
    own = any(is_load(a, loads) and uniformity.of(b) > Uniformity.GRID for a, b in pairs(value))
    return own and _only_counts(candidate)


def is_of_warp(candidate: ScatteredCandidate) -> bool:
    """Whether several lanes of a warp update one place, each with its own value: no list of unique
    indices.
    """
    store, launch = candidate.store, candidate.context.launch
    uniformity, threads = launch.uniformity, candidate.threads
    warps = -(-launch.launch.threads // WARP)
    value = uniformity.of(unconverted(store.operands[1]))
    return threads > warps and uniformity.of(store.address) <= Uniformity.WARP < value


def _only_counts(candidate: ScatteredCandidate) -> bool:
    """Whether nobody takes the count for anything else, or sets it: it belongs to no thread."""
    facts, store, loads = candidate.facts, candidate.store, candidate.loads
    value = unconverted(store.operands[1])
    made = {store.operands[1], value, *loads}
    for operation in facts.kernel.operations():
        if operation in made or operation is store or isinstance(operation, Convert):
            continue
        if any(unconverted(each) in made for each in operation.operands):
            return False
    return is_only_store(facts, store)


DOUBT = Doubt(
    "index-may-be-unique",
    Effect.POSSIBLE,
    "the index comes from memory, and may name every element only once",
    _may_be_unique,
)
