"""Doubts of a finding as records, for JSON and SARIF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...findings.finding import StatedDoubt


def doubt_record(doubt: StatedDoubt) -> dict[str, Any]:
    """What speaks against a finding; `silences`: so much that only --show-possible shows it."""
    return {"name": doubt.name, "reason": doubt.reason, "silences": doubt.silences}
