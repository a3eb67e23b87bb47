"""Which neighbouring shared accesses become one instruction, as ptxas 13.0 does it on sm_90."""

from __future__ import annotations

import pytest
from analyses.marks import Mark, marks


@pytest.mark.parametrize("mark", marks("shared/merging.cu", r"(store|load) (\d+)"), ids=str)
def test_widths_are_those_of_the_compiler(mark: Mark) -> None:
    kind, width = mark.groups
    (access,) = [
        access
        for access in mark.facts.shared_accesses
        if access.access.location.span.line == mark.line and access.access.kind.value == kind
    ]
    assert access.reason == ""
    assert access.width == int(width)
