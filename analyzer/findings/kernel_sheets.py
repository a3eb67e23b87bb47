"""What is known of one kernel beside its findings, as plain values: its data sheet.

In: what the analyses of a kernel found (`report/html/gathering.py` asks). Out: values that outlive
the facts they are from and can be handed from one process to another; reports draw them. A run
makes no sheets unless it is asked to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from ..analyses.pointers.work import Work
    from ..analyses.storage.memory_spaces import VariableReport
    from ..analyses.warp_evaluation.value_levels import ValueLevel
    from ..resources.occupancy import Occupancy
    from ..source.text import Span


@dataclass(frozen=True, slots=True)
class SideSheet:
    """What an access of a kernel does in one memory, as values; lanes are those of the worst
    warp.
    """

    shared: bool  # else global
    units: int  # wavefronts or sectors of that warp
    ideal: int
    ratio: float  # of the launch where it is known, else of the warps that were looked at
    total: int | None  # of the launch
    total_ideal: int | None
    warp: int
    iteration: int
    width: int  # bytes of each lane
    offsets: tuple[int | None, ...]  # where each lane is; None for lanes that take no part
    together: tuple[int, ...] = ()  # the lanes of the worst pass through the banks
    in_turn: bool = False  # a bank serves lane after lane, whatever their words: atomics


@dataclass(frozen=True, slots=True)
class AccessSheet:
    """The values of one shared or global access in a kernel's data sheet; `reason`: no cost
    known.
    """

    span: Span
    operation: str  # "load", "store", "atomic", ...
    space: str
    object: str
    width: int | None
    sides: tuple[SideSheet, ...] = ()
    reason: str = ""
    bounds: str = ""  # "2 to 32 sectors, decided by data"
    never: bool = False  # no thread of the launch executes it
    share: float = 0.0  # of the kernel's time, which would go if the access cost nothing


@dataclass(frozen=True, slots=True)
class OccupancySheet:
    """The values of a kernel's data sheet for how many blocks are resident, and why."""

    occupancy: Occupancy
    headline: str
    notes: tuple[str, ...]
    bound: bool  # registers are not known: at most so many
    ends: tuple[Occupancy, Occupancy] | None  # for the ends of an estimate's interval


@dataclass(frozen=True, slots=True)
class KernelSheet:
    """The data sheet of a kernel or instance, as values beside its findings, for its first
    launch.
    """

    name: str
    header: Span
    body: Span
    language: str
    arch: int
    block: str  # "16x16x1"
    origin: str  # who says so
    guessed: bool
    grid: tuple[int | None, int | None, int | None]
    launches: int  # that are analysed
    occupancy: OccupancySheet | None = None
    accesses: tuple[AccessSheet, ...] = ()
    variables: tuple[VariableReport, ...] = ()
    levels: tuple[ValueLevel, ...] = ()
    times: tuple[tuple[str, float], ...] = ()  # cycles that each resource takes on its own
    work: Work | None = None
    complete: bool = True  # False where it was too much work
