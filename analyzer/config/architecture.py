"""Names of architectures: `sm_90`, `sm_90a`, `compute_90`, `90`, `9.0` all mean 90.

In: what a user wrote. Out: the compute capability times ten, as the analyses use it, or a
`UsageError` with the list of what is known. The suffix letters `a` and `f` choose instructions,
not memory behaviour, so they are dropped.
"""

from __future__ import annotations

import re

from .errors import UsageError

#: Compute capabilities with a CUDA toolkit in use today (CUDA C++ Programming Guide,
#: "Compute Capabilities"), times ten.
KNOWN = (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121)

DEFAULT = 90

_SPELLING = re.compile(r"(?:sm_|compute_|sm|lto_)?(\d+)(?:\.(\d))?[af]?")


def parse_architecture(text: str) -> int:
    """The compute capability times ten."""
    match = _SPELLING.fullmatch(text.strip().lower())
    if match:
        major, minor = match.groups()
        number = int(major) * 10 + int(minor) if minor is not None else int(major)
        if number in KNOWN:
            return number
    known = ", ".join(map(architecture_name, KNOWN))
    raise UsageError(f"unknown architecture `{text}`", f"known are {known}")


def architecture_name(number: int) -> str:
    """`sm_90` for 90."""
    return f"sm_{number}"
