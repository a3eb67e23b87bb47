"""The operations that the register estimator works on, and a function made of them.

An operation has registers as small numbers; `Code.widths` says how many physical ones each takes.
"""

from __future__ import annotations

from dataclasses import field

from ...source.records import dataclass
from .opcode_kinds import Kind, kind_of

Place = tuple[int, int]  # what an address begins with, and how far behind it


@dataclass(slots=True, eq=False)
class Op:
    """One operation of PTX that is left for the register estimator.

    The pragma that a loop is not to be unrolled stands at its beginning, as an operation.
    """

    kind: Kind
    writes: tuple[int, ...]
    reads: tuple[int, ...]
    needs: tuple[int, ...] = ()  # constants that have to be in registers
    place: Place | None = None  # of an access, where it is known


#: Stands at the beginning of a loop that is not to be unrolled.
KEPT = Op(kind_of("pragma.nounroll"), (), ())
#: Stands before what ran only under a condition, and runs under a predicate.
ARM = Op(kind_of("pragma.arm"), (), ())


@dataclass(slots=True)
class Code:
    """A PTX function as the register estimator sees it; `successors` has the indices of blocks."""

    blocks: list[list[Op]] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    declared: list[int] = field(default_factory=list)  # widths without the uniform ones at 0
    uniform: list[int] = field(default_factory=list)  # widths with all uniform ones at 0
    calls: list[str] = field(default_factory=list)
    #: For each reciprocal that a division needs: what is divided by, and what is in between.
    reciprocals: dict[int, tuple[int, ...]] = field(default_factory=dict)
