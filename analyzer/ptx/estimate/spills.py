"""Whether ptxas will spill registers of an entry, from PTX alone.

In: an entry, its numbers (register_features.py), an architecture. Out: 1 where more values live at
once than its bounds leave registers, in whatever order its operations are done, and by a margin for
what ptxas computes again instead of keeping it; 0 where the registers that it would take without
bounds stay below the cap; otherwise not known. `.local` variables say nothing about spills and are
not looked at. `bench/registers.py spills` prints how often the first answer is right. Not handled:
kernels without bounds that need more registers than there are, caps from the command line, and how
many bytes are spilled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.usage import UNKNOWN, Amount, Source
from ...resources.register_model import estimated_registers, threads_of
from ...source.collection import collection_paused
from .least_registers import exceeds
from .register_code import read_code
from .register_features import FEATURES, cap_for, features_for
from .scheduled_blocks import joined_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..syntax.tree import Function

#: Values beyond the cap from which on a kernel is said to spill.
MARGIN = 12
_MOST_REGISTERS = 255  # up to here ptxas finds other ways than a schedule
_BOUNDS = ("threads", "min_blocks", "max_registers")


def expected_spills(
    entry: Function, numbers: Mapping[str, float], arch: int, registers: Amount
) -> Amount:
    """1 for a kernel that will spill under its own bounds, 0 for one that will not.

    `registers` is the estimate of what it takes.
    """
    if not registers.known:
        return UNKNOWN
    threads = threads_of(arch)
    cap = cap_for(numbers, threads)
    if surely_spills(entry, numbers, cap):
        return Amount(1, Source.ESTIMATE) if cap < _MOST_REGISTERS else UNKNOWN
    if any(numbers[name] for name in _BOUNDS):
        unbound = {**numbers, **dict.fromkeys(_BOUNDS, 0.0)}
        registers = estimated_registers(arch, features_for(unbound, threads), FEATURES)
    fits = registers.high is not None and registers.high < cap
    return Amount(0, Source.ESTIMATE) if fits else UNKNOWN


def surely_spills(entry: Function, numbers: Mapping[str, float], cap: int) -> bool:
    """Whether so many values of a PTX entry live at once that a cap cannot hold them."""
    if numbers["low"] <= cap + MARGIN:
        return False
    with collection_paused():
        return exceeds(joined_blocks(read_code(entry)), cap + MARGIN)
