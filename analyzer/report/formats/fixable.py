"""What `--fix` can mend: the fixes whose edits are all in files that were named."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...engine.result import InputResult
    from ...findings.finding import Applicability, Finding, Fix


class Fixable:
    """Which findings `--fix` can mend in these files: headers that were not named stay alone."""

    def __init__(self, inputs: Iterable[InputResult]) -> None:
        self._real = cache(os.path.realpath)
        self._files = {self._real(item.path) for item in inputs}

    def how(self, finding: Finding) -> Applicability | None:
        """The safest of its edits that can be made."""
        offered = [fix.applicability for fix in finding.fixes if self.can_make(fix)]
        return min(offered, key=lambda each: each.rank, default=None)

    def can_make(self, fix: Fix) -> bool:
        """Whether the edits of a fix are in files that were named."""
        return bool(fix.edits) and all(
            self._real(edit.span.path) in self._files for edit in fix.edits
        )
