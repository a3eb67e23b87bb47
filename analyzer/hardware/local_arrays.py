"""Which local arrays the compiler keeps in registers: measured limits, as data.

In: the name of a way to index an array, and a compute capability. Out: a `Pattern` with the largest
array seen in registers and the smallest that was always in local memory; what lies between depends
on the rest of the kernel. The rows are in local_arrays.toml, measured with one compiler: another
version may decide otherwise, and a build's own `-Xptxas -v` has the last word.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Any

from ..source.records import dataclass
from .tables import table


class Residence(Enum):
    """Where ptxas was measured to put an array of a thread: registers or local memory."""

    REGISTERS = "registers"
    LOCAL = "local"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way to index an array of a thread, and what ptxas made of arrays that were indexed so."""

    name: str
    text: str
    registers_up_to: int  # elements; 0 when some variant of every size was in local memory
    local_from: int | None  # elements; None when no size was always in local memory
    uses: tuple[str, ...]  # the measured kernels
    also: str = ""  # other measurements that widen the gap between the two limits

    def residence(self, elements: int) -> Residence:
        """Where an array of that many elements ends up."""
        if elements <= self.registers_up_to:
            return Residence.REGISTERS
        if self.local_from is not None and elements >= self.local_from:
            return Residence.LOCAL
        return Residence.UNKNOWN

    def is_likely_in_registers(self, elements: int) -> bool:
        """The better guess, also between the two limits: their geometric mean divides it."""
        if self.local_from is None:
            return True
        return elements**2 <= self.registers_up_to * self.local_from


def way(reads: int, writes: int, *, in_loop: bool, counted: bool) -> str:
    """The name of the measured pattern for an array that is read and written so often at indices
    not constant.

    `in_loop`: some of these in a loop whose length is not known; `counted`: all by its counter.
    """
    if in_loop:
        return ("counter" if counted else "loop") + ("-write" if writes else "-read")
    if not writes:
        bound = next((bound for bound in (1, 2, 4, 6, 8) if reads <= bound), None)
        return "many-reads" if bound is None else f"read-{bound}"
    if reads == writes == 1:
        return "store-and-read"
    if reads or writes > 4:
        return "many-writes" if writes >= 16 else "several-writes"
    return "store-3" if writes <= 3 else "store-4"


@cache
def patterns() -> dict[str, Pattern]:
    """All measured patterns of indexing an array of a thread, by name."""
    return {
        row["name"]: Pattern(**{"local_from": None, **row, "uses": tuple(row["uses"])})
        for row in _document()["pattern"]
    }


def measured_with() -> str:
    """The compiler and the architectures that arrays of a thread were measured with."""
    document = _document()
    return f"{document['tools']}, {', '.join(document['architectures'])}"


@cache
def _document() -> dict[str, Any]:
    return table("local_arrays.toml")
