"""How fast an architecture computes in double precision.

In: a compute capability. Out: how many operations on floats it does in the time of one on doubles;
None where NVIDIA's table does not say.
"""

from __future__ import annotations

from .tables import table


def floats_per_double(capability: int) -> int | None:
    """`64` for sm_86: a double-precision operation takes as long as 64 on floats."""
    rates = table("arithmetic_rates.toml")["rates"].get(str(capability))
    return None if rates is None else rates[0] // rates[1]
