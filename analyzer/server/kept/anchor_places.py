"""Anchors of a kernel that was read before, found again without its intermediate form.

In: an anchor (`engine/kernels/anchors.py`), and what is around all bodies of its file. Out: its
place in there, which is the same wherever it stands in the next reading of the same; nothing for an
anchor that holds a body that the kernel does not rest on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.kernels.anchors import Anchor
from ...source.records import dataclass
from ...source.text import Span

if TYPE_CHECKING:
    from collections.abc import Collection

    from .gaps import Gaps, Place


@dataclass(frozen=True, slots=True)
class AnchorPlace:
    """Where an anchor of a kernel that was read before begins and ends in the edited text."""

    start: Place
    end: Place
    is_function: bool

    def anchor(self, around: Gaps) -> Anchor:
        """The anchor in this reading."""
        source, start = around.offset(self.start)
        return Anchor(source, start, around.offset(self.end)[1], self.is_function)


def anchor_place(anchor: Anchor, around: Gaps, reached: Collection[int]) -> AnchorPlace | None:
    """Where an anchor of a kernel lies; None where it covers bodies that do not start at
    `reached`.
    """
    start, end = (around.place(anchor.source, each) for each in (anchor.start, anchor.end))
    span = Span(anchor.source, anchor.start, anchor.end)
    if start is None or end is None or not set(around.covered(span)) <= set(reached):
        return None
    return AnchorPlace(start, end, anchor.is_function)
