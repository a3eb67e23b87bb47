"""What an access may cost whose lanes go where data or a size leads them.

In: an access to global or shared memory whose address is not known, and the reason, in a launch.
Out: `CostBounds`: sectors, or wavefronts, of one execution by a warp at least and at most, and what
decides. Lanes of one group (`lane_groups.py`) are at known distances; groups may lie anywhere, all
in one place or each in its own. `x[index[i]]` of floats takes between 1 and 32 sectors,
`x[index[i / 8] * 8 + i % 8]` between 1 and 4, and so does `x[i / 8 * n + i % 8]` for any n. Guards
that are not known let every lane through, or a single one.
Not judged so: what depends on code that was not read. Where every size that is tried gives the same
(`example_launches.py`), that is told instead.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ...hardware.banks import shared_wavefronts
from ...hardware.sectors import SECTOR_BYTES, global_sectors
from ...ir.memory import Space
from ...ir.types import Kind
from ...ir.values import Parameter
from ...source.records import dataclass
from ..dataflow.slices import backward_slice
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.open_types import width_of
from ..warp_evaluation.reasons import UNKNOWN_STRIDE
from .shared_accesses import kind_of

if TYPE_CHECKING:
    from ...hardware.architectures import Architecture
    from ...hardware.banks import SharedKind
    from ...ir.operations import MemoryAccess
    from .facts import TrafficLaunch

    _Lanes = tuple[int | None, ...]

DATA = "data"
_WIDTHS = (1, 2, 4, 8, 16)  # bytes that one thread moves at once
_WORD = 4  # bytes of a bank


@dataclass(frozen=True, slots=True)
class CostBounds:
    """How many sectors or wavefronts one execution of an access by a warp may cost."""

    space: Space
    least: int
    most: int
    ideal: int  # if the lanes lay side by side
    decided_by: str = DATA  # or the names of sizes


def bounds_of(
    launch: TrafficLaunch, access: MemoryAccess, reason: str, *, briefly: bool
) -> CostBounds | None:
    """What an access may cost, in every usual launch if nobody states one; None if not judged. Of
    one warp is enough, `briefly`, to know if it is and what decides.
    """
    spaces = launch.facts.points_to.spaces(access)
    if spaces not in ({Space.GLOBAL}, {Space.SHARED}):
        return None
    found: list[CostBounds] = []
    variants = launch.brief_variants or (launch,)
    for variant in variants[:1] if briefly else variants:
        one = _in_launch(variant, access, next(iter(spaces)), reason, briefly=briefly)
        if one is None:
            return None
        found.append(one)
    return _joined(found)


def _in_launch(
    launch: TrafficLaunch, access: MemoryAccess, space: Space, reason: str, *, briefly: bool
) -> CostBounds | None:
    width = width_of(launch.launch, access)
    if not launch.launch.trusted or width is None or width not in _WIDTHS:
        return None
    sizes = reason.removeprefix(UNKNOWN_STRIDE)
    if sizes == reason:
        sizes = _sizes_in(launch, access)
    found: list[CostBounds] = []
    for warp in launch.warps():
        if briefly and found:
            break
        if launch.facts.budget.used_up:
            return None
        guarded = launch.guards(launch.evaluator(warp)).of(access.block)
        groups = launch.groups(warp).value_in(access.block, access.address)
        if groups.unread or not (groups.data or sizes):
            return None
        lanes: dict[int, list[int | None]] = {}
        for lane in range(WARP):
            if guarded.mask[lane]:
                group = lanes.setdefault(groups.keys[lane], [None] * WARP)
                group[lane] = groups.numbers[lane]
        if lanes:
            shapes = [_shape(group) for group in lanes.values()]
            one = _of_groups(launch, access, space, width, shapes)
            one = replace(one, least=1) if guarded.assumed else one
            found.append(one if groups.data else replace(one, decided_by=sizes))
    return _joined(found) if found else None


def _sizes_in(launch: TrafficLaunch, access: MemoryAccess) -> str:
    """The names of the parameters without a value that an address is computed from."""
    parts = backward_slice(access.address)
    sizes = (
        part.name
        for part in parts
        if isinstance(part, Parameter)
        and part.type.kind is Kind.INTEGER
        and part not in launch.passed
    )
    return ", ".join(sorted(set(sizes)))


def _joined(found: list[CostBounds]) -> CostBounds:
    first = found[0]
    least, most = min(each.least for each in found), max(each.most for each in found)
    ideal = max(each.ideal for each in found)
    return CostBounds(first.space, least, most, ideal, first.decided_by)


def _of_groups(
    launch: TrafficLaunch, access: MemoryAccess, space: Space, width: int, shapes: list[_Lanes]
) -> CostBounds:
    active = sum(number is not None for shape in shapes for number in shape)
    if space is Space.SHARED:
        machine = launch.facts.architecture
        kind = kind_of(launch.facts, access)
        unit = machine.shared_memory.pass_bytes
        costs = [_wavefronts(shape, width, kind, machine) for shape in shapes]
    else:
        unit = SECTOR_BYTES
        costs = [_sectors(shape, width) for shape in shapes]
    most = sum(highest for _, highest in costs)
    ideal = min(most, -(-active * width // unit))
    return CostBounds(space, max(lowest for lowest, _ in costs), most, ideal)


def _shape(group: list[int | None]) -> _Lanes:
    """How far lanes are from the lowest of them."""
    lowest = min(number for number in group if number is not None)
    return tuple(None if number is None else number - lowest for number in group)


@lru_cache(maxsize=1024)
def _sectors(shape: _Lanes, width: int) -> tuple[int, int]:
    """What lanes at these distances cost alone, at least and at most: at each place in a sector."""
    starts = range(0, SECTOR_BYTES, width)
    costs = [global_sectors(_from(shape, start), width).sectors for start in starts]
    return min(costs), max(costs)


@lru_cache(maxsize=1024)
def _wavefronts(
    shape: _Lanes, width: int, kind: SharedKind, machine: Architecture
) -> tuple[int, int]:
    """The same in wavefronts, at each place in a bank."""
    starts = range(0, _WORD, min(width, _WORD))
    costs = [
        shared_wavefronts(_from(shape, start), width, kind, machine).wavefronts for start in starts
    ]
    return min(costs), max(costs)


def _from(shape: _Lanes, start: int) -> _Lanes:
    """The lanes' places where the lowest is at a start that its element is aligned to."""
    return tuple(None if number is None else number + start for number in shape)
