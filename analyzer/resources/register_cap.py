"""How many registers launch bounds leave a thread.

In: what a kernel says of its launch. Out: the cap under which ptxas has to stay (PTX ISA 11.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ir.kernel import Bounds

_MOST_REGISTERS, _REGISTER_FILE, _UNIT = 255, 65536, 8


def register_cap(bounds: Bounds) -> int:
    """The most registers that launch bounds leave each thread (PTX ISA 11.4)."""
    cap = _MOST_REGISTERS
    if bounds.max_threads:
        resident = bounds.max_threads * (bounds.min_blocks or 1)
        cap = min(cap, _REGISTER_FILE // resident // _UNIT * _UNIT)
    if bounds.max_registers:
        cap = min(cap, bounds.max_registers)
    return max(cap, _UNIT)
