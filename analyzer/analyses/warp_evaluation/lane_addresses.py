"""The addresses of an access in the lanes of one warp, with the symbols that are left in them.

In: an access, a launch, a warp. Out: where each lane goes as a number plus symbols (parameters,
block indices, iterations of loops), and the lanes that take part. Nothing is sampled and no symbol
gets a number, so that an answer holds for every value of them: this is for questions such as "by
which stride" and "aligned to what". Counts of wavefronts and sectors come from
`access_iterations.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject
from ...ir.operations import Opcode
from ...ir.types import Kind
from ...ir.values import Parameter
from ...source.records import dataclass
from .reasons import UNKNOWN_BLOCK
from .warp_evaluator import Unevaluable

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import WarpLaunch
    from .guards import Guarded, Mask
    from .lane_values import LaneValue


@dataclass(frozen=True, slots=True)
class LaneAddress:
    """The addresses of one access in the lanes of one warp of one launch."""

    facts: WarpLaunch
    access: MemoryAccess
    pointer: Value  # the access's address, or the source of a copy
    warp: int
    value: LaneValue
    guarded: Guarded

    @property
    def object(self) -> MemoryObject | None:
        """What it touches, when that is one thing and known."""
        targets = self.facts.facts.points_to.of(self.pointer)
        return next(iter(targets)) if len(targets) == 1 else None

    @property
    def launch(self) -> AssumedLaunch:
        """The launch it was evaluated for."""
        return self.facts.launch

    @property
    def mask(self) -> Mask:
        """The lanes that take part."""
        return self.guarded.mask

    @property
    def assumed(self) -> frozenset[Block]:
        """Guards taken to let every lane through."""
        return self.guarded.assumed

    @property
    def passed(self) -> tuple[tuple[str, int], ...]:
        """Parameters whose values the launch gives."""
        return self.facts.passed_to(self.access)


def lane_address(
    launch: WarpLaunch, access: MemoryAccess, warp: int = 0, pointer: Value | None = None
) -> LaneAddress | Unevaluable:
    """The addresses of an access in the lanes of one warp; Unevaluable when they are not numbers
    and symbols.

    `pointer` is another address that the access has, such as the source of a copy.
    """
    if not launch.launch.trusted:
        return Unevaluable(UNKNOWN_BLOCK)
    evaluator = launch.evaluator(warp)
    pointer = access.address if pointer is None else pointer
    value = evaluator.value_in(access.block, pointer)
    if isinstance(value, Unevaluable):
        return value
    guarded = launch.guards(evaluator).of(access.block)
    return LaneAddress(launch, access, pointer, warp, value, guarded)


def is_base(symbol: Hashable) -> bool:
    """Whether a symbol in a lane's address is where an object starts: its own address, or a pointer
    given as such.
    """
    if isinstance(symbol, MemoryObject):
        return True
    if isinstance(symbol, Parameter):
        return symbol.pointee is not None or symbol.type.kind is Kind.POINTER
    if isinstance(symbol, tuple) and len(symbol) > 1 and symbol[0] is Opcode.EXTRACT:
        return getattr(symbol[1], "kind", None) is Kind.POINTER
    return False
