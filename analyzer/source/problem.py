"""What went wrong while reading an input: what, where, and what to do about it.

A problem is a value, never an exception that a user sees. `Damage.FATAL` means nothing of the
input was analysed; `PARTIAL` that some of it was not; `NOTICE` that all of it was, with a remark.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from .records import dataclass

if TYPE_CHECKING:
    from .text import Span


class Damage(Enum):
    """How much of an input (a source, a binary, a log) a problem costs."""

    NOTICE = "notice"
    PARTIAL = "partial"
    FATAL = "fatal"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that kept an input, or a part of it, from being analysed."""

    path: str
    message: str
    advice: str
    damage: Damage
    span: Span | None = None
    kernel: str | None = None
    usage: bool = False  # the command line names something that is no input: exit code 2
    cause: str = ""  # that other files may have, too: what people read names it once
    others: tuple[Problem, ...] = ()  # the same, placed where else it may be what counts
    trace: str = ""  # the stack of an error of our own, shown with --debug
