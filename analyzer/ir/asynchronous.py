"""Accesses of a computed number of bytes, those that threads make together, and waits for copies.

In: what a front end read. Out: operations of the kinds that `operations.py` has, with what only
libraries and copies need. Names follow the CUDA C++ Programming Guide, "Asynchronous Data Copies",
and libcu++, `cuda::pipeline`: copies are closed into groups (its stages), which stand in a queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operation_kinds import AccessForm, AccessKind, CopyStep
from .operations import Barrier, BarrierKind, MemoryAccess
from .types import VOID

if TYPE_CHECKING:
    from ..source.location import Location
    from .types import Type
    from .values import Value

CHUNKS = (4, 8, 16)  # bytes that one instruction, `cp.async`, copies


class SizedAccess(MemoryAccess):
    """A memory access of `extent` bytes, which is its last operand: `memcpy(a, b, n * 4)`.

    `collective` threads in a row make it together, once: 0 for all of the block that come here,
    None where each makes its own. `queue` is what it is waited for by (a `cuda::pipeline`), None
    where that is the thread itself or an mbarrier, which then stands behind the source.
    """

    __slots__ = ("collective", "has_queue")

    def __init__(
        self,
        kind: AccessKind,
        type: Type,
        operands: list[Value],
        location: Location,
        *,
        extent: Value,
        width: int | None = None,
        element: Type = VOID,
        form: AccessForm = AccessForm.PLAIN,
        name: str = "",
        collective: int | None = None,
        queue: Value | None = None,
    ) -> None:
        queued = [] if queue is None else [queue]
        super().__init__(
            kind,
            type,
            [*operands, *queued, extent],
            location,
            width=width,
            element=element,
            form=form,
            name=name,
        )
        self.collective = collective
        self.has_queue = queue is not None

    @property
    def extent(self) -> Value:
        """How many bytes it touches."""
        return self.operands[-1]

    @property
    def queue(self) -> Value | None:
        """What its group stands in."""
        return self.operands[-2] if self.has_queue else None


class CopyBarrier(Barrier):
    """An IR operation that closes a group of asynchronous copies, waits for groups or gives their
    place free; its kind is ASYNC_WAIT.

    `left` groups may still be under way after a wait; None for none. `joint`: threads of the block
    are waited for, too, so that what they did before is seen after it.
    """

    __slots__ = ("has_queue", "joint", "step")

    def __init__(
        self,
        step: CopyStep,
        name: str,
        location: Location,
        *,
        left: Value | None = None,
        queue: Value | None = None,
        joint: bool = False,
    ) -> None:
        arrives = step in (CopyStep.COMMIT, CopyStep.RELEASE)
        super().__init__(
            BarrierKind.ASYNC_WAIT,
            name,
            location,
            operands=[value for value in (left, queue) if value is not None],
            arrive=arrives,
            wait=not arrives,
        )
        self.step = step
        self.joint = joint
        self.has_queue = queue is not None

    @property
    def left(self) -> Value | None:
        """How many groups may still be under way."""
        own = len(self.operands) - self.has_queue
        return self.operands[0] if own else None

    @property
    def queue(self) -> Value | None:
        """Whose groups are meant."""
        return self.operands[-1] if self.has_queue else None


def signalled(copy: MemoryAccess) -> list[Value]:
    """The operands of an asynchronous copy that stand after its source: its mbarrier,
    coordinates.
    """
    tail = 1 + copy.has_queue if isinstance(copy, SizedAccess) else 0
    return copy.operands[2 : len(copy.operands) - tail]
