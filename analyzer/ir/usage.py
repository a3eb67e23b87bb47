"""What a kernel takes, each number with where it came from.

In: numbers from a cubin, a build log, a run of ptxas, the rules for PTX, the estimator, or the
source. Out: a `Usage` per kernel and architecture. `merge` climbs the ladder of truth: of two
sources the surer one gives a number, the other fills in what it does not know. An amount without
a value is not known; none is ever made up. Names and units follow `ptxas -v`.
"""

from __future__ import annotations

from dataclasses import fields, replace
from enum import Enum

from ..source.records import dataclass


class Source(Enum):
    """Where a number of a kernel's registers or bytes came from, from the surest to the
    least sure.
    """

    CUBIN = "cubin"
    LOG = "build log"
    PTXAS = "ptxas"
    PTX = "PTX"  # exact by rule: what ptxas does not choose
    DECLARED = "source"  # what declarations of CUDA C++ add up to
    ESTIMATE = "estimate"
    ROUGH = "estimate from source"  # wider: of CUDA C++ that nobody has compiled

    @property
    def measured(self) -> bool:
        """Whether the compiler itself said so."""
        return self in (Source.CUBIN, Source.LOG, Source.PTXAS)


@dataclass(frozen=True, slots=True)
class Amount:
    """One number of a kernel's registers or bytes, with its source; an estimate has the interval
    that holds the truth four times out of five.
    """

    value: int | None = None
    source: Source | None = None
    low: int | None = None
    high: int | None = None

    @property
    def known(self) -> bool:
        """Whether there is a number at all."""
        return self.value is not None


UNKNOWN = Amount()


@dataclass(frozen=True, slots=True)
class Usage:
    """The registers, memory and barriers that one kernel takes on one architecture, as values with
    their sources.
    """

    registers: Amount = UNKNOWN  # per thread
    static_shared: Amount = UNKNOWN  # per block
    barriers: Amount = UNKNOWN  # named barriers of a block
    frame: Amount = UNKNOWN  # stack frame per thread, without callees
    stack: Amount = UNKNOWN  # with callees: what the driver has to provide
    spill_stores: Amount = UNKNOWN
    spill_loads: Amount = UNKNOWN
    expected_spills: Amount = UNKNOWN  # 1 or 0: whether there will be any
    constant_bank: Amount = UNKNOWN  # bank 0: the driver's part and the parameters
    parameters: Amount = UNKNOWN

    @property
    def spills(self) -> bool | None:
        """Whether registers were, or will be, spilled to local memory; None when not known."""
        known = [item.value for item in (self.spill_stores, self.spill_loads) if item.known]
        if known:
            return any(known)
        return bool(self.expected_spills.value) if self.expected_spills.known else None


def merge(surer: Usage, other: Usage) -> Usage:
    """The resource usage of a kernel from two sources: the numbers of `surer`, and those of `other`
    where it has none.
    """
    missing = {
        field.name: getattr(other, field.name)
        for field in fields(Usage)
        if not getattr(surer, field.name).known
    }
    return replace(surer, **missing)
