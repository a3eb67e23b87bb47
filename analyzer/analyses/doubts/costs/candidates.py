"""Accesses that cost more than they must, as the doubts about them are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ....source.records import dataclass

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ...memory_traffic.block_reuse import Sharing
    from ...memory_traffic.constant_reads import ConstantRead
    from ...memory_traffic.facts import TrafficFacts
    from ...memory_traffic.global_accesses import GlobalAccess
    from ...memory_traffic.shared_accesses import SharedAccess
    from ...memory_traffic.symbolic_stride import SymbolicStride


class Accesses(Protocol):
    """What doubts about costs judge: accesses that are reported together, and their kernel."""

    @property
    def facts(self) -> TrafficFacts:
        """Those of the kernel."""
        ...

    @property
    def accesses(self) -> tuple[MemoryAccess, ...]:
        """The accesses, at least one."""
        ...


@dataclass(frozen=True, slots=True)
class StrideCandidate:
    """What doubts about costs judge: accesses to one array whose lanes are apart by one size that
    nobody states.
    """

    facts: TrafficFacts
    strides: tuple[SymbolicStride, ...]

    @property
    def accesses(self) -> tuple[MemoryAccess, ...]:
        """What moves data."""
        return tuple(stride.address.access for stride in self.strides)


@dataclass(frozen=True, slots=True)
class ConstantCandidate:
    """What doubts about costs judge: a load from constant memory whose lanes do not agree on the
    address.
    """

    facts: TrafficFacts
    read: ConstantRead

    @property
    def accesses(self) -> tuple[MemoryAccess, ...]:
        """The load alone."""
        return (self.read.access,)


@dataclass(frozen=True, slots=True)
class LayoutCandidate:
    """What doubts about costs judge: an access that moves more sectors than it needs; `saved` is a
    share of the kernel's time.
    """

    facts: TrafficFacts
    access: GlobalAccess
    saved: float


@dataclass(frozen=True, slots=True)
class ConflictCandidate:
    """An access to shared memory with bank conflicts, and lanes that conflict, as doubts judge it;
    `saved` is a share of the kernel's time, `mended` whether another layout needs less.
    """

    access: SharedAccess
    lanes: tuple[int, ...]
    saved: float
    mended: bool


@dataclass(frozen=True, slots=True)
class TailCandidate:
    """What doubts about costs judge: an access that costs more than it must, wherever it goes."""

    facts: TrafficFacts
    access: GlobalAccess | SharedAccess


@dataclass(frozen=True, slots=True)
class ReuseCandidate:
    """What doubts about costs judge: arrays whose elements several threads of a block load in a
    loop.
    """

    sharings: tuple[Sharing, ...]
