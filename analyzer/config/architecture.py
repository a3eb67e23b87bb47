"""The architecture to judge by, as users name it: `sm_90`, `sm_90a`, `compute_90`, `90`, `9.0`.

In: what a user wrote. Out: the compute capability times ten, as the analyses use it, or a
`UsageError` with the list of what is known. The names are those of `hardware.architectures`,
which is imported only when there is a name to look up.
"""

from __future__ import annotations

from .errors import UsageError

DEFAULT = 90


def parse_architecture(text: str) -> int:
    """The compute capability times ten."""
    from ..hardware.architectures import (
        UnknownArchitectureError,
        architecture,
        known_architectures,
    )

    try:
        return architecture(text).capability
    except UnknownArchitectureError:
        known = ", ".join(known.name for known in known_architectures())
        raise UsageError(f"unknown architecture `{text}`", f"known are {known}") from None


def architecture_name(capability: int) -> str:
    """`sm_90` for 90."""
    return f"sm_{capability}"
