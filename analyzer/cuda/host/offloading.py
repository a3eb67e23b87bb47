"""Statements of host code that a directive has a device run: OpenACC's and OpenMP's.

In: where a statement stands. Out: whether the lines right before it hold `#pragma acc parallel`,
`kernels` or `serial`, or `#pragma omp target`, other directives between. Pointers in such a
statement are those of the device, by `deviceptr` or `is_device_ptr`. Not handled: `_Pragma`;
directives that a macro makes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...source.text import Span

_REACH = 4_000  # characters before the statement
_DIRECTIVE = re.compile(r"\s*#\s*pragma\b")
_OFFLOADING = re.compile(r"\s*#\s*pragma\s+(?:acc\s+(?:parallel|kernels|serial)|omp\s+target)\b")


def is_offloaded(place: Span | None) -> bool:
    """Whether the statement that begins there is run by a device."""
    if place is None:
        return False
    before = place.source.text[max(0, place.start - _REACH) : place.start]
    return any(map(_OFFLOADING.match, _directives(before.rstrip())))


def _directives(text: str) -> Iterator[str]:
    """The directives at the end of a text, the last one first."""
    while text:
        *above, line = text.rsplit("\n", 1)
        while above and above[0].rstrip().endswith("\\"):
            *above, first = above[0].rsplit("\n", 1)
            line = f"{first.rstrip()[:-1]} {line}"
        if not _DIRECTIVE.match(line):
            return
        yield line
        text = above[0].rstrip() if above else ""
