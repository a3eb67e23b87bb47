"""A thread that leaves an array, and the run that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.types import Kind
from ....ir.values import Parameter
from ....source.records import dataclass
from ...block_shape.block_size_guesses import is_block_size

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ...block_execution.access_events import Outside
    from ...conflicts.block_runs import BlockRun
    from ...conflicts.race_context import RaceContext


@dataclass(frozen=True, slots=True)
class OutsideCandidate:
    """A thread beyond the end of an array."""

    context: RaceContext
    run: BlockRun
    outside: Outside

    @property
    def access(self) -> MemoryAccess:
        """What leaves the array."""
        return self.outside.touch.access

    @property
    def always(self) -> bool:
        """Whether every thread goes there, whatever the size of the block."""
        for_all = isinstance(self.outside.touch.event.addresses, int)
        return for_all and not self._depends_on_guess()

    def _depends_on_guess(self) -> bool:
        """Whether a block's size that nobody states has a part in where an access goes, or how far:
        as blockDim, or as a parameter that the launch passes it for.
        """
        launch = self.context.launch.launch
        if not (launch.unsettled or launch.inferred):
            return False
        return any(
            isinstance(each, Parameter) or is_block_size(each)
            for each in self.context.decides(self.access, loops=True)
            if each.type.kind is Kind.INTEGER
        )
