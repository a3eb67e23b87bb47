"""Anchors of a kernel that was read before, found again without its intermediate form.

In: an anchor (`engine/kernels/anchors.py`), and the surroundings of the kernels of its file. Out:
its place in the surroundings, which is the same wherever it stands in the next reading of the same
surroundings; nothing for an anchor that holds more than the kernel's own body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engine.kernels.anchors import Anchor
from ..source.records import dataclass
from ..source.text import Span

if TYPE_CHECKING:
    from ..ir.kernel import Kernel
    from .surroundings import Place, Surroundings


@dataclass(frozen=True, slots=True)
class AnchorPlace:
    """Where an anchor begins and ends."""

    start: Place
    end: Place
    is_function: bool

    def anchor(self, around: Surroundings) -> Anchor:
        """The anchor in this reading."""
        source, start = around.offset(self.start)
        return Anchor(source, start, around.offset(self.end)[1], self.is_function)


def anchor_place(anchor: Anchor, around: Surroundings, kernel: Kernel) -> AnchorPlace | None:
    """The place of an anchor; None where other bodies than the kernel's lie in it."""
    start, end = (around.place(anchor.source, each) for each in (anchor.start, anchor.end))
    span = Span(anchor.source, anchor.start, anchor.end)
    own = span.covers(kernel.body_span)
    if start is None or end is None or around.covered(span) > own:
        return None
    return AnchorPlace(start, end, anchor.is_function)
