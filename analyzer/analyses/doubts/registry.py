"""All doubts, in the order in which they are asked.

The order is that of cost: the benign ones come first, as they decide whether there is anything to
judge at all; then what one look at the two accesses answers; last what takes further runs. A doubt
that stands in two lists answers for threads of a block and for threads of two.

They are a hundred modules, which take as long to import as a small file to check. So this one is
imported where a candidate is met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..conflicts.race_kinds import RaceKind
from .barriers import (
    bounded_exits,
    chosen_barriers,
    fitting_exits,
    memory_of_a_block,
    no_witnesses,
    other_paths,
    padded_constants,
    padded_sizes,
    powers_of_two,
    returning_branches,
    suitable_sizes,
    unlaunched_numbers,
    unshown_barriers,
    warps_apart,
)
from .bounds import assumed_indices, chosen_instances, unstated_blocks, unstated_grids
from .bounds import smaller_blocks as smaller_bounds
from .costs import heeded_hints
from .doubts_of_costs import (
    OF_BANKS,
    OF_CONFLICTS,
    OF_CONSTANTS,
    OF_LAYOUTS,
    OF_LOOP_STORES,
    OF_PLACES,
    OF_REUSE,
    OF_ROWS,
    OF_SECTORS,
    OF_TAILS,
)
from .masks import chosen_values, guessed_blocks, odd_splits, whole_warps
from .masks import unlaunched_sizes as unlaunched_warps
from .numbers import (
    arrays_laid_apart,
    computed_sizes,
    empty_loops,
    fitting_sums,
    idle_blocks,
    late_wraps,
    left_rows,
    loaded_choices,
    other_sizes,
    overruns,
    peculiar_numbers,
    places_from_memory,
    related_sizes,
    sizes_of_long,
    small_matrices,
    unknown_arguments,
    unlaunched_sizes,
    whole_tiles,
)
from .order import (
    atomic_alternatives,
    exchanges,
    lanes_in_step,
    locks_and_flags,
    unread_calls,
    volatile_accesses,
)
from .presence import (
    awaited_counts,
    callers_arguments,
    chosen_blocks,
    conditions_on_state,
    counts_by_equality,
    exclusive_conditions,
    results_for_anybody,
    second_calls,
    separate_decisions,
    single_blocks,
    single_threads,
    single_updates,
    untyped_conditions,
)
from .registers import estimated
from .shapes import (
    block_parameters,
    large_blocks,
    left_arrays,
    row_lengths,
    smaller_blocks,
    unknown_shapes,
)
from .unseen import (
    macro_defaults,
    redefined_intrinsics,
    undecided_conditions,
    undecided_precision,
    unknown_macros,
    unknown_types,
)
from .updates import arranged_updates, unique_indices
from .values import (
    begun_anew,
    dead_reads,
    differing_values,
    ended_searches,
    first_come,
    judged_at_reads,
    optimistic_reads,
    own_places,
    own_values,
    progress_reads,
    relaxations,
    repeated_bounds,
    repeated_updates,
    same_values,
    stores_of_what_stands_there,
    taken_marks,
)
from .waits import earlier_blocks, small_grids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.usage import Amount
    from ..arithmetic.narrow_accumulators import NarrowAccumulator
    from ..array_bounds.cut_loops import CutLoop
    from ..array_bounds.overruns import Overrun
    from ..host.copies import WrongCopy
    from ..inter_block.cross_block import CrossBlock
    from ..launch.facts import BuildFacts
    from ..memory_traffic.narrow_products import NarrowProduct
    from .barriers.candidates import ExitCandidate, SplitCandidate
    from .bounds.candidates import OutsideCandidate
    from .costs.heeded_hints import OldCall
    from .masks.candidates import MaskCandidate
    from .question.candidates import BlockCandidate, GridCandidate
    from .question.doubt import AnyDoubt, Doubt
    from .unseen.candidates import RemovedCandidate
    from .updates.candidates import ScatteredCandidate

#: Asked of two threads of one block.
OF_A_BLOCK: tuple[Doubt[BlockCandidate], ...] = (
    judged_at_reads.DOUBT,
    optimistic_reads.DOUBT,
    dead_reads.DOUBT,
    taken_marks.DOUBT,
    repeated_bounds.DOUBT,
    ended_searches.DOUBT,
    lanes_in_step.DOUBT,
    repeated_updates.DOUBT,
    same_values.DOUBT,
    stores_of_what_stands_there.DOUBT,
    left_arrays.DOUBT,
    callers_arguments.DOUBT,
    second_calls.DOUBT,
    unread_calls.DOUBT,
    exchanges.DOUBT,
    single_threads.DOUBT,
    unknown_macros.DOUBT,
    undecided_conditions.DOUBT,
    macro_defaults.DOUBT,
    unknown_types.DOUBT,
    differing_values.DOUBT,
    own_values.DOUBT,
    volatile_accesses.DOUBT,
    separate_decisions.DOUBT,
    untyped_conditions.DOUBT,
    results_for_anybody.DOUBT,
    conditions_on_state.DOUBT,
    counts_by_equality.DOUBT,
    awaited_counts.DOUBT,
    single_updates.DOUBT,
    first_come.DOUBT,
    relaxations.DOUBT,
    exclusive_conditions.DOUBT,
    locks_and_flags.DOUBT,
    overruns.DOUBT,
    arrays_laid_apart.DOUBT,
    related_sizes.DOUBT,
    unlaunched_sizes.DOUBT,
    computed_sizes.DOUBT,
    idle_blocks.DOUBT,
    loaded_choices.DOUBT,
    left_rows.DOUBT,
    places_from_memory.DOUBT,
    unknown_arguments.DOUBT,
    peculiar_numbers.DOUBT,
    other_sizes.DOUBT,
    empty_loops.DOUBT,
    unknown_shapes.DOUBT,
    smaller_blocks.DOUBT,
)

#: Asked of two threads of different blocks.
OF_A_GRID: tuple[Doubt[GridCandidate], ...] = (
    ended_searches.DOUBT,
    same_values.DOUBT,
    repeated_updates.DOUBT,
    begun_anew.DOUBT,
    unknown_macros.DOUBT,
    undecided_conditions.DOUBT,
    macro_defaults.DOUBT,
    unknown_types.DOUBT,
    differing_values.DOUBT,
    progress_reads.DOUBT,
    own_places.DOUBT,
    first_come.DOUBT,
    single_blocks.DOUBT,
    left_arrays.DOUBT,
    block_parameters.DOUBT,
    peculiar_numbers.DOUBT,
    overruns.DOUBT,
    related_sizes.DOUBT,
    loaded_choices.DOUBT,
    atomic_alternatives.DOUBT,
    row_lengths.DOUBT,
    large_blocks.DOUBT,
    chosen_blocks.DOUBT,
    other_sizes.DOUBT,
    smaller_blocks.DOUBT,
)

#: Asked of a thread that goes beyond the end of an array in shared memory.
OF_BOUNDS: tuple[Doubt[OutsideCandidate], ...] = (
    unstated_blocks.DOUBT,
    unstated_grids.DOUBT,
    assumed_indices.DOUBT,
    smaller_bounds.DOUBT,
    macro_defaults.DOUBT,
)

#: Asked of a thread that goes beyond the end of an array by the numbers of a launch.
OF_OVERRUNS: tuple[Doubt[Overrun], ...] = (chosen_instances.DOUBT,)

#: Asked of an update at an index that comes from memory.
OF_UPDATES: tuple[Doubt[ScatteredCandidate], ...] = (
    unique_indices.DOUBT,
    arranged_updates.DOUBT,
)

#: Asked of a decision that parts two threads before a barrier.
OF_BARRIERS: tuple[Doubt[SplitCandidate], ...] = (
    no_witnesses.DOUBT,
    other_paths.DOUBT,
    unshown_barriers.DOUBT,
    unlaunched_numbers.DOUBT,
    memory_of_a_block.DOUBT,
    powers_of_two.DOUBT,
    returning_branches.DOUBT,
    warps_apart.DOUBT,
    suitable_sizes.DOUBT,
    padded_sizes.DOUBT,
    padded_constants.DOUBT,
    chosen_barriers.DOUBT,
    unknown_macros.DOUBT,
    undecided_conditions.DOUBT,
    macro_defaults.DOUBT,
)

#: Asked of a decision by which a part of a block leaves the kernel before a barrier.
OF_EXITS: tuple[Doubt[ExitCandidate], ...] = (
    fitting_exits.DOUBT,
    bounded_exits.DOUBT,
    unshown_barriers.DOUBT,
    unlaunched_numbers.DOUBT,
    memory_of_a_block.DOUBT,
    powers_of_two.DOUBT,
    chosen_barriers.DOUBT,
    unknown_macros.DOUBT,
    undecided_conditions.DOUBT,
    macro_defaults.DOUBT,
)

#: Asked of a block that waits for others.
OF_WAITS: tuple[Doubt[CrossBlock], ...] = (
    small_grids.DOUBT,
    earlier_blocks.DOUBT,
)

#: Asked of a warp operation whose mask and lanes do not fit together.
OF_MASKS: tuple[Doubt[MaskCandidate], ...] = (
    chosen_values.DOUBT,
    whole_warps.DOUBT,
    guessed_blocks.DOUBT,
    odd_splits.DOUBT,
    unlaunched_warps.DOUBT,
)

#: Asked of a 32-bit product that is widened too late.
OF_PRODUCTS: tuple[Doubt[NarrowProduct], ...] = (late_wraps.DOUBT, small_matrices.DOUBT)

#: Asked of a loop over tiles whose number is rounded down.
OF_TILES: tuple[Doubt[CutLoop], ...] = (whole_tiles.DOUBT,)

#: Asked of a sum whose type is too narrow for it.
OF_SUMS: tuple[Doubt[NarrowAccumulator], ...] = (fitting_sums.DOUBT,)

#: Asked of calls of the runtime that have been replaced.
OF_OLD_CALLS: tuple[Doubt[OldCall], ...] = (heeded_hints.DOUBT,)

#: Asked of copies whose sizes contradict their pointers.
OF_COPIES: tuple[Doubt[WrongCopy], ...] = (sizes_of_long.DOUBT,)

#: Asked of what registers decide.
OF_REGISTERS: tuple[Doubt[Amount], ...] = (estimated.DOUBT,)

#: Asked of a warp operation that CUDA removed.
OF_REMOVED: tuple[Doubt[RemovedCandidate], ...] = (redefined_intrinsics.DOUBT,)

#: Asked of a kernel whose floats are computed in double precision.
OF_FLOATS: tuple[Doubt[BuildFacts], ...] = (undecided_precision.DOUBT,)

_IN_BLOCKS = frozenset(RaceKind) - {RaceKind.BLOCKS, RaceKind.SCOPE}
_IN_GRIDS = frozenset(
    {RaceKind.WRITES, RaceKind.EQUAL_WRITES, RaceKind.UPDATE, RaceKind.BLOCKS, RaceKind.SCOPE}
)


def _of_kind(kind: RaceKind) -> tuple[AnyDoubt, ...]:
    found: list[AnyDoubt] = []
    for doubts, kinds in ((OF_A_BLOCK, _IN_BLOCKS), (OF_A_GRID, _IN_GRIDS)):
        asked: Sequence[AnyDoubt] = doubts
        found += [each for each in asked if kind in kinds and kind in each.about]
    return tuple(dict.fromkeys(found))


#: What findings are judged as, and the doubts that are asked then. Rules name it as `judged`.
SUBJECTS: dict[str, tuple[AnyDoubt, ...]] = {
    **{kind.subject: _of_kind(kind) for kind in RaceKind},
    "out-of-bounds": OF_BOUNDS,
    "overrun": OF_OVERRUNS,
    "scattered-update": OF_UPDATES,
    "wait": OF_WAITS,
    "divergent-barrier": OF_BARRIERS,
    "partial-exit": OF_EXITS,
    "mask": OF_MASKS,
    "constant-index": OF_CONSTANTS,
    "sectors": OF_SECTORS,
    "layout": OF_LAYOUTS,
    "row-stride": OF_ROWS,
    "bank-stride": OF_BANKS,
    "bank-conflict": OF_CONFLICTS,
    "loop-store": OF_LOOP_STORES,
    "tail": OF_TAILS,
    "reuse": OF_REUSE,
    "narrow-product": OF_PRODUCTS,
    "tile-count": OF_TILES,
    "narrow-sum": OF_SUMS,
    "old-call": OF_OLD_CALLS,
    "copy": OF_COPIES,
    "registers": OF_REGISTERS,
    "removed-intrinsic": OF_REMOVED,
    "promoted-floats": OF_FLOATS,
}


def doubts_about(subjects: Sequence[str]) -> tuple[AnyDoubt, ...]:
    """The doubts that are asked about any of these subjects, each once, in order."""
    return tuple(dict.fromkeys(doubt for each in subjects for doubt in SUBJECTS[each]))


def all_registered() -> tuple[AnyDoubt, ...]:
    """Every doubt there is, each once."""
    return (*doubts_about(tuple(SUBJECTS)), *OF_PLACES)
