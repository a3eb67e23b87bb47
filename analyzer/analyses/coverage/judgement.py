"""What became of one thing that was seen in a kernel: a record that runs keep and count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from ...source.text import Span

ACCESS = "access"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one access, call or statement of a kernel; without a reason it was analysed,
    exactly or between bounds.
    """

    kind: str  # ACCESS, "statement", "call", "kernel", "instance"
    reason: str
    span: Span
    what: str = ""  # of an access: what it does, and in which memory
    count: int = 1
    decided_by: str = ""  # of an access whose cost is between bounds: "data", or sizes
