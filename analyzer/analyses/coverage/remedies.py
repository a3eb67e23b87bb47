"""What a user can do so that something is analysed that was not.

In: what was not analysed, and the reason. Out: a `Remedy`; the first in the order of the class is
the one that a place is counted under when several would help.
"""

from __future__ import annotations

from enum import Enum

from ...ir.unfollowed import FINAL, LARGE
from ..warp_evaluation.reasons import (
    NOT_EXECUTED,
    OUT_OF_BUDGET,
    UNFITTING_BLOCK,
    UNKNOWN_BLOCK,
    UNKNOWN_FUNCTION,
    UNKNOWN_STRIDE,
    UNKNOWN_WIDTH,
    UNREAD_CALL,
)
from .judgement import ACCESS


class Remedy(Enum):
    """What a user can give so that something is analysed that was not."""

    BLOCK = "block"  # the block shape
    INSTANCE = "instance"  # template arguments
    DEFINITION = "definition"  # functions, types and macros of headers
    ARGUMENT = "argument"  # what a launch passes
    SIZE = "size"  # less code in one kernel
    CALLS = "calls"  # calls that can be followed
    NONE = "none"  # only a run knows

    @property
    def rank(self) -> int:
        """0 for the one that helps first."""
        return list(Remedy).index(self)


_OF_ACCESSES = {
    UNKNOWN_BLOCK: Remedy.BLOCK,
    UNFITTING_BLOCK: Remedy.BLOCK,
    NOT_EXECUTED: Remedy.BLOCK,
    UNKNOWN_WIDTH: Remedy.INSTANCE,
    UNREAD_CALL: Remedy.DEFINITION,
    UNKNOWN_FUNCTION: Remedy.DEFINITION,
    OUT_OF_BUDGET: Remedy.SIZE,
}
_OF_KINDS = {
    "statement": Remedy.DEFINITION,
    "call": Remedy.DEFINITION,
    "kernel": Remedy.SIZE,
    "instance": Remedy.NONE,
}


def remedy_for(kind: str, reason: str) -> Remedy:
    """What a user can do where something was not analysed for this reason."""
    why = reason.rpartition(": ")[2]  # behind the name of what is called
    if why in FINAL:
        return Remedy.CALLS
    if why in LARGE:
        return Remedy.SIZE
    if kind != ACCESS:
        return _OF_KINDS.get(kind, Remedy.NONE)
    if reason.startswith(UNKNOWN_STRIDE):
        return Remedy.ARGUMENT
    return _OF_ACCESSES.get(reason, Remedy.NONE)
