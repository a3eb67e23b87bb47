"""What single threads do on the way to a defect, step by step: the witness of a finding.

A race needs two threads, a divergent barrier one that arrives and one that does not. Each is a
`ThreadFlow`: a name for people, and the places it passes in order. Reports show the flows in the
order given; in SARIF they are the thread flows of one code flow (SARIF 2.1.0, 3.36 and 3.37).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from ..source.text import Span


@dataclass(frozen=True, slots=True)
class Step:
    """One thing a thread does: where, and what, in words that go on from the thread's name."""

    span: Span
    message: str  # "writes tile[1], 4 bytes at offset 4"


@dataclass(frozen=True, slots=True)
class ThreadFlow:
    """One thread's way; `name` begins with its index: `thread (0, 0, 0)`."""

    name: str
    steps: tuple[Step, ...]
