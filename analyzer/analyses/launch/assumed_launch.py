"""The launch a kernel is analysed for: block and grid shape, and where they came from.

In: a kernel and the user's options. Out: one or more `AssumedLaunch`, in the order of decision 9 of
ARCHITECTURE.md: `--block`; the shape the kernel requires; launches seen in the file; launch bounds;
the configuration; 256 threads in a row, along the axis that launches leave open where they have one
thread along the others. Any other default shape says nothing of kernels that use threadIdx.y or z:
`trusted` is False then.
"""

from __future__ import annotations

from dataclasses import field, replace
from math import prod
from typing import TYPE_CHECKING

from ...ir.host_formulas import without_names
from ...source.records import dataclass
from .flat_blocks import is_flat
from .kernel_size import KERNEL_SIZE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...ir.host_formulas import Formula, LaunchFormulas
    from ...ir.kernel import Dimensions, Kernel, Launch, PartialDimensions
    from .evidence import Evidence

#: The first and the last block along each axis.
Box = tuple[tuple[int, int], ...]

DEFAULT_BLOCK: Dimensions = (256, 1, 1)
LAUNCH_LIMIT = 4  # distinct launches of one kernel that are judged by the rules
SHOWN_LAUNCHES = 64  # and those that `inspect` shows
MAX_THREADS = 1024
MOST_BLOCKS = ((1 << 31) - 1, 65_535, 65_535)  # along each axis of a grid
_CONFIGURED = "configuration"
_BOUNDS = (".maxntid", "__launch_bounds__")  # the most threads that a block may have


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """What the user said of the machine and of the launch of kernels."""

    arch: int = 90
    block: Dimensions | None = None
    grid: Dimensions | None = None
    launches: int = LAUNCH_LIMIT  # of one kernel
    configured: Dimensions | None = None  # a block for when neither the user nor the file says
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by the code of a rule
    evidence: Evidence | None = None  # what compilers said of the kernels
    infer: bool = True  # the block's shape, from shared arrays, where nobody states it
    kernel_size: int = KERNEL_SIZE
    doubted: bool = False  # all doubts are wanted, and what they silence entirely


@dataclass(frozen=True, slots=True)
class AssumedLaunch:
    """One launch to analyse a kernel for; `origin` tells the user where the block shape
    came from.
    """

    block: Dimensions
    grid: PartialDimensions
    dynamic_shared: int | None
    origin: str
    trusted: bool = True
    guessed: bool = False  # nothing in the file or on the command line gives the shape
    arguments: tuple[int | None, ...] = ()  # what the launch passes for integer parameters
    divisors: tuple[int, ...] = ()  # what the host checks that its arguments are multiples of
    blocks: Box | None = None  # the part of the grid that is looked at; None for all of it
    inferred: bool = False  # from the arrays that such a block fills
    formulas: LaunchFormulas | None = field(default=None, compare=False)  # as the host has them
    sizes: tuple[Formula | None, ...] = field(default=(), compare=False)  # bytes behind arguments
    allocated: tuple[bool, ...] = field(default=(), compare=False)  # and what of it is in sight
    usual: tuple[Dimensions, ...] = ()  # the shapes to ask instead, where it is not trusted
    elements: tuple[int, ...] = ()  # the sizes to ask for, of types that nobody gives
    element: int | None = None  # the one of them that is asked for

    @property
    def unsettled(self) -> bool:
        """Whether nobody says how many threads a block has: it is a guess, or a bound."""
        return self.guessed or self.is_bound

    @property
    def is_bound(self) -> bool:
        """Whether the block is the largest that the kernel allows."""
        return self.origin in _BOUNDS

    @property
    def passed_by(self) -> str:
        """Who passes the numbers of its arguments: a launch, or all where none gives the block."""
        settled = not (self.unsettled or self.inferred or self.origin == _CONFIGURED)
        return self.origin if settled else "all launches pass it"

    @property
    def threads(self) -> int:
        """Threads per block."""
        x, y, z = self.block
        return x * y * z

    @property
    def warps(self) -> int:
        """Warps per block, the last one perhaps partial."""
        return -(-self.threads // 32)

    @property
    def block_count(self) -> int | None:
        """Blocks of the grid; None where it is not known."""
        return None if None in self.grid else prod(size or 1 for size in self.grid)

    @property
    def part(self) -> Box:
        """The blocks that are looked at; the grid must be known."""
        if self.blocks is not None:
            return self.blocks
        return tuple((0, max((size or 1) - 1, 0)) for size in self.grid)

    @property
    def block_text(self) -> str:
        """`16x16x1`."""
        return "x".join(map(str, self.block))


def assume_launches(kernel: Kernel, options: AnalysisOptions) -> tuple[AssumedLaunch, ...]:
    """The launches to analyse the kernel for; at least one."""
    grid: PartialDimensions = options.grid or (None, None, None)
    if options.block is not None:
        return (AssumedLaunch(options.block, grid, None, "--block"),)
    bounds = kernel.bounds
    launches = _that_run(kernel.launches, options)
    seen = _from_launches(kernel, launches, options)
    if bounds.required_block is not None and can_be_launched(bounds.required_block):
        fitting = [each for each in seen if each.block == bounds.required_block]
        return tuple(fitting) or (AssumedLaunch(bounds.required_block, grid, None, ".reqntid"),)
    if seen:
        return seen
    agreed, trusted = _agreed(launches), is_flat(kernel)
    formulas = _agreed_formulas(launches)
    grid = options.grid or _agreed_grid(launches)
    if bounds.max_block is not None and can_be_launched(bounds.max_block):
        block, origin = bounds.max_block, _BOUNDS[0]
        launch = AssumedLaunch(block, grid, None, origin, trusted, arguments=agreed)
        return (replace(launch, formulas=formulas),)
    if bounds.max_threads is not None and 0 < bounds.max_threads <= MAX_THREADS:
        row = _agreed_row(launches, bounds.max_threads)
        block, trusted = row or (bounds.max_threads, 1, 1), trusted or row is not None
        launch = AssumedLaunch(block, grid, None, _BOUNDS[1], trusted, arguments=agreed)
        return (replace(launch, formulas=formulas),)
    if options.configured is not None:
        return (AssumedLaunch(options.configured, grid, None, _CONFIGURED, arguments=agreed),)
    origin = "default; set --block"
    row = _agreed_row(launches, prod(DEFAULT_BLOCK))
    block, trusted = row or DEFAULT_BLOCK, trusted or row is not None
    launch = AssumedLaunch(block, grid, None, origin, trusted, True, agreed)
    return (replace(launch, formulas=formulas),)


def can_be_launched(block: Dimensions) -> bool:
    """Whether a launch can have a block of this shape: kernels are analysed for no other."""
    x, y, z = block
    return min(block) > 0 and x * y * z <= MAX_THREADS


def is_grid(grid: PartialDimensions) -> bool:
    """Whether a grid may have these sizes: a launch with others fails, and nothing of it runs."""
    return all(
        size is None or 0 < size <= limit for size, limit in zip(grid, MOST_BLOCKS, strict=True)
    )


def contradicts(kernel: Kernel, block: Dimensions) -> bool:
    """Whether each launch of a kernel in sight has another size along some axis than a block."""
    return bool(kernel.launches) and all(
        any(
            size is not None and size != other
            for size, other in zip(each.block, block, strict=True)
        )
        for each in kernel.launches
    )


def _agreed(launches: Sequence[Launch]) -> tuple[int | None, ...]:
    """The arguments that every launch in sight passes, whatever its block may be."""
    columns = zip(*(launch.arguments for launch in launches), strict=False)
    return tuple(column[0] if len(set(column)) == 1 else None for column in columns)


def _agreed_formulas(launches: Sequence[Launch]) -> LaunchFormulas | None:
    """What every launch in sight makes its shape and its arguments of, in the names of the first;
    None where they differ by more than their names.
    """
    found = [launch.formulas for launch in launches]
    agreed = len({each and without_names(each) for each in found}) == 1
    return found[0] if agreed else None


def _agreed_row(launches: Sequence[Launch], threads: int) -> Dimensions | None:
    """A row of so many threads along the one axis that launches leave open, where each of them has
    one thread along the others.
    """
    blocks = {launch.block for launch in launches}
    known = blocks.pop() if len(blocks) == 1 else ()
    if known.count(None) != 1 or known.count(1) != 2:
        return None
    x, y, z = (threads if size is None else size for size in known)
    return (x, y, z)


def _agreed_grid(launches: Sequence[Launch]) -> PartialDimensions:
    """The size of the grid along each axis where every launch in sight has the same."""
    x, y, z = ({launch.grid[axis] for launch in launches} for axis in range(3))
    return (_only(x), _only(y), _only(z))


def _only(sizes: set[int | None]) -> int | None:
    return sizes.pop() if len(sizes) == 1 else None


def _that_run(launches: Sequence[Launch], options: AnalysisOptions) -> Sequence[Launch]:
    """The launches whose grid can be. Where there is none, what they all have but their numbers: a
    launch of 0 blocks fails, and no thread ever has what it passes.
    """
    running = [each for each in launches if options.grid or is_grid(each.grid)]
    return running or [_without_numbers(each) for each in launches]


def _without_numbers(launch: Launch) -> Launch:
    unknown = (None,) * len(launch.arguments)
    grid: PartialDimensions = (None, None, None)
    shaped = replace(launch, grid=grid, dynamic_shared=None, arguments=unknown)
    return replace(shaped, divisors=(), sizes=())


def _from_launches(
    kernel: Kernel, launches: Sequence[Launch], options: AnalysisOptions
) -> tuple[AssumedLaunch, ...]:
    found: dict[tuple[object, ...], AssumedLaunch] = {}
    for launch in launches:
        x, y, z = launch.block
        if x is None or y is None or z is None or not can_be_launched((x, y, z)):
            continue
        grid = options.grid or launch.grid
        elsewhere = launch.span.source is not kernel.span.source
        where = f"{launch.span.path}:" if elsewhere else "line "
        origin = launch.origin or f"launch at {where}{launch.span.line}"
        assumed = AssumedLaunch(
            (x, y, z),
            grid,
            launch.dynamic_shared,
            origin,
            arguments=launch.arguments,
            divisors=launch.divisors,
            formulas=launch.formulas,
            sizes=launch.sizes,
            allocated=launch.allocated,
        )
        key = (*launch.block, grid, launch.dynamic_shared, launch.arguments, launch.divisors)
        found.setdefault(key, assumed)
    return tuple(found.values())[: options.launches]
