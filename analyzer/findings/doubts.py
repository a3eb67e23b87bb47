"""Doubts of the analyses as a finding states them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .finding import StatedDoubt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..analyses.doubts.question.doubt import AnyDoubt


def stated(doubts: Iterable[AnyDoubt]) -> tuple[StatedDoubt, ...]:
    """The doubts by name and reason, in the order given."""
    return tuple(StatedDoubt(each.name, each.reason, each.is_benign) for each in doubts)
