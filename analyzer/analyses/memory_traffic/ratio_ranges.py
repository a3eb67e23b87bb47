"""For which sizes a sector ratio holds, and how far it may be off for the others.

In: an access to global memory that was evaluated although something is not known. Out: the least
and the largest ratio, and the condition for the one that is told: `B[row * N + column]` of bytes
takes one sector for each warp only if N is a multiple of 32; else rows begin in the middle of a
sector, and most warps touch two. The largest ratio is that of the worst place in a sector for which
elements are still aligned. Where several numbers stand for a size (`example_launches.py`), odd
ones are tried as well.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...hardware.sectors import SECTOR_BYTES, global_sectors
from ...ir.values import Parameter
from ...source.records import dataclass
from ..dataflow.slices import backward_slice
from ..launch.sizes_to_try import ODD
from ..warp_evaluation.access_iterations import moved
from ..warp_evaluation.lane_values import factors_of
from ..warp_evaluation.symbol_names import symbol_name
from .global_accesses import GlobalAccess, evaluate_global_access

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from .access_table import CountedAccess

_MOST = 1 << 20  # of a size
_ALIKE = 0.01


@dataclass(frozen=True, slots=True)
class RatioRange:
    """How many sectors an access moves per ideal sector at least and at most; the least holds under
    the conditions.
    """

    least: float
    most: float
    conditions: tuple[str, ...]  # `N % 32 == 0`, all of them


def ratio_range(row: CountedAccess) -> RatioRange | None:
    """The range of sectors per ideal sector of an access; None where the ratio holds for every
    size, or was counted over the launch.
    """
    side = row.global_side
    if side is None or side.totals is not None or not isinstance(side.outcome, GlobalAccess):
        return None
    outcome = side.outcome
    found = [_extremes(outcome)] if outcome.shifts else []
    conditions = set(_conditions(outcome))
    if row.sizes:
        odd = _with_odd_sizes(row)
        if odd is not None:
            found.append(_extremes(odd) if odd.shifts else (odd.ratio, odd.ratio))
            conditions.update(_of_sizes(row, outcome.width))
    if not found:
        return None
    least = min(outcome.ratio, *(low for low, _ in found))
    most = max(outcome.ratio, *(high for _, high in found))
    if most - least < _ALIKE:
        return None
    return RatioRange(least, most, tuple(sorted(conditions)))


def _extremes(outcome: GlobalAccess) -> tuple[float, float]:
    """The ratios of the best and of the worst place in a sector."""
    width = max(1, outcome.width)
    starts = {id(sample.start): sample.start for sample in outcome.samples}
    ratios = [
        sum(use.sectors for use in uses) / max(1, sum(use.ideal for use in uses))
        for shift in range(0, SECTOR_BYTES, min(width, SECTOR_BYTES))
        for uses in [[global_sectors(moved(start, shift), width) for start in starts.values()]]
    ]
    return min(ratios), max(ratios)


def _conditions(outcome: GlobalAccess) -> Iterator[str]:
    for name, coefficient in outcome.shifts:
        sizes = [each for each in factors_of(name) if isinstance(each, Parameter)]
        named: Hashable = sizes[0] if sizes else name
        spelled = symbol_name(named)
        if spelled:
            yield f"{spelled} % {SECTOR_BYTES // gcd(coefficient, SECTOR_BYTES)} == 0"


def _of_sizes(row: CountedAccess, width: int) -> Iterator[str]:
    every = max(1, SECTOR_BYTES // max(1, width))
    sizes = row.launch.examples.sizes
    for part in backward_slice(row.access.address) if every > 1 else ():
        if isinstance(part, Parameter) and part in sizes:
            yield f"{part.name} % {every} == 0"


def _with_odd_sizes(row: CountedAccess) -> GlobalAccess | None:
    """What the access costs where sizes are no multiples of anything."""
    launch = row.launch
    numbers = tuple(
        ODD[0].at(place, _MOST)
        if parameter in launch.examples.sizes
        else launch.passed.get(parameter)
        for place, parameter in enumerate(launch.facts.kernel.given)
    )
    found = evaluate_global_access(launch.with_arguments(numbers), row.access)
    return None if found.reason else found
