"""A warp operation whose mask and lanes do not fit together, and the numbers that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.values import Parameter
from ....source.records import dataclass
from ...dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ....ir.block import Block
    from ....ir.operations import Barrier, WarpOperation
    from ....ir.values import Value
    from ...conflicts.facts import ConflictLaunch


@dataclass(frozen=True, slots=True)
class MaskCandidate:
    """What doubts about member masks judge: a warp operation whose mask does not fit the lanes of
    one warp.
    """

    launch: ConflictLaunch
    operation: WarpOperation | Barrier
    assumed: tuple[Hashable, ...]  # what example numbers stood for
    names_all: bool  # the mask has a bit for every lane
    splits: tuple[Block, ...]  # the decisions that part the warp
    has_odd_split: bool  # a source is missing, and a split does not count lanes
    is_launchable: bool  # nothing that is known of the launch contradicts the numbers

    @property
    def assumes_size(self) -> bool:
        """Whether an argument of the kernel was chosen."""
        return any(isinstance(name, Parameter) for name in self.assumed)

    def decided_on(self) -> Iterator[Value]:
        """What the decisions before the operation are made of."""
        for condition in self.launch.facts.flow.conditions(self.operation.block):
            yield from backward_slice(condition)
