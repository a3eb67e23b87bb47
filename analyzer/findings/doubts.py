"""Doubts of the analyses as a finding states them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.kernel import UnseenHeaders
from ..source.words import listed, plural
from .finding import StatedDoubt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..analyses.doubts.question.doubt import AnyDoubt

_NAMED = 3  # headers
_NONE = UnseenHeaders()


def stated(doubts: Iterable[AnyDoubt], unseen: UnseenHeaders = _NONE) -> tuple[StatedDoubt, ...]:
    """The doubts of a finding by name and reason, in order, with the headers that they speak of."""
    return tuple(StatedDoubt(each.name, _reason(each, unseen), each.is_benign) for each in doubts)


def named_headers(unseen: UnseenHeaders) -> str:
    """Headers that were not found, in words that a finding puts behind the reason of a doubt."""
    if not unseen.names:
        return ""
    names, more = unseen.names[:_NAMED], len(unseen.names) - _NAMED
    others = [plural(more, "other")] if more > 0 else []
    return f" (not found: {listed([*names, *others])})"


def _reason(doubt: AnyDoubt, unseen: UnseenHeaders) -> str:
    return doubt.reason + (named_headers(unseen) if doubt.names_headers else "")
