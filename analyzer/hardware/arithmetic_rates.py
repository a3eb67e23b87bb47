"""How fast an architecture computes in double precision.

In: a compute capability. Out: how many operations on floats it does in the time of one on doubles,
and how many operations of whole warps it does in a cycle; None where NVIDIA's table does not say.
"""

from __future__ import annotations

from .tables import table

_WARP = 32  # lanes


def floats_per_double(capability: int) -> int | None:
    """How slow doubles are on an architecture: `64` for sm_86, where one takes as long as 64
    operations on floats.
    """
    rates = table("arithmetic_rates.toml")["rates"].get(str(capability))
    return None if rates is None else rates[0] // rates[1]


def doubles_per_cycle(capability: int) -> float | None:
    """Operations on doubles per cycle: `2.0` for sm_90: its multiprocessors do 64 of them, those of
    two warps.
    """
    rates = table("arithmetic_rates.toml")["rates"].get(str(capability))
    return None if rates is None else rates[1] / _WARP
