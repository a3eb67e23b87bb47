"""A warp operation whose member mask and lanes do not fit together, as a value."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...ir.operations import Barrier, WarpOperation
from ...source.records import dataclass

if TYPE_CHECKING:
    from ..dataflow.control_flow import ControlEdge
    from ..doubts.masks.candidates import MaskCandidate
    from ..doubts.question.doubt import AnyDoubt
    from ..launch.assumed_launch import AssumedLaunch

Member = WarpOperation | Barrier
ALL = 0xFFFFFFFF


class MismatchKind(Enum):
    """What does not fit between a warp operation's member mask and the lanes that reach it."""

    WIDTH = "width"  # of a shuffle: not a power of two up to 32
    EXCLUDED = "excluded"  # a lane executes the operation with a mask without it
    ABSENT = "absent"  # the mask names a lane that goes another way
    RUNS_ON = "runs on"  # the same, and that lane meets nobody until the kernel ends
    SOURCE = "source"  # every lane reads from a lane that does not take part


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A warp operation, and a warp whose lanes its member mask does not fit; masks have a bit for
    each lane.
    """

    kind: MismatchKind
    operation: Member
    width: int = 0
    mask: int = ALL
    executing: int = 0
    lanes: int = 0  # those that the kind speaks of
    warp: int = 0
    edge: ControlEdge | None = None  # the decision that splits the warp
    launch: AssumedLaunch | None = None
    assumed: tuple[tuple[str, int], ...] = ()
    iteration: int | None = None
    candidate: MaskCandidate | None = None  # None where the operation alone is wrong
    doubts: tuple[AnyDoubt, ...] = ()

    @property
    def definite(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.doubts
