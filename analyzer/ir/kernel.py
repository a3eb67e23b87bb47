"""Kernels and modules: what a front end hands to the analyses."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .operations import Barrier, BarrierKind
from .usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from ..source.location import Location
    from ..source.problem import Problem
    from ..source.text import SourceText, Span
    from .block import Block
    from .host import HostEvent
    from .host_formulas import Formula, LaunchFormulas
    from .memory import MemoryObject, Space, Variable
    from .operations import Opcode, Operation
    from .values import Entry, Parameter, Value

Dimensions = tuple[int, int, int]
PartialDimensions = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The launch bounds that a kernel itself states (`__launch_bounds__`, `.maxntid`,
    `.reqntid`).
    """

    max_threads: int | None = None  # threads per block at most
    max_block: Dimensions | None = None  # .maxntid x, y, z
    required_block: Dimensions | None = None  # .reqntid
    min_blocks: int | None = None  # per multiprocessor
    max_registers: int | None = None  # __maxnreg__, .maxnreg
    cluster: Dimensions | None = None
    span: Span | None = None


class Unsuited(Enum):
    """Why a launch cannot hand over an argument to a kernel, which it copies byte by byte."""

    REFERENCE = "a reference"
    VIRTUAL = "of a class with virtual functions"


class HostStep(Enum):
    """What host code does about a limit that its launches may come to."""

    ASKS_FOR_ROOM = "asks for room"  # how many blocks are resident, how many multiprocessors are
    ASKS_FOR_SHARED = "asks for shared memory"  # how much a block may have
    ASKS_FOR_PAGEABLE = "asks for pageable access"  # whether it follows pointers of the host
    RAISES_SHARED = "raises shared memory"  # how much a kernel is given


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch of a kernel seen in host code, of this file or another one, or in a kernel."""

    kernel: str
    grid: PartialDimensions
    block: PartialDimensions
    dynamic_shared: int | None
    span: Span
    grid_text: str = ""
    block_text: str = ""
    shared_text: str = ""
    template_arguments: tuple[str, ...] = ()
    arguments: tuple[int | None, ...] = ()  # the integer arguments that are constants
    cooperative: bool = False  # all blocks are resident at once, or may be
    divisors: tuple[int, ...] = ()  # what divides the arguments, as far as it matters to the blocks
    shaping: tuple[bool, ...] = ()  # which arguments the block's shape is made of
    axes: tuple[int | None, ...] = ()  # which axis of the block an argument is the size of
    formulas: LaunchFormulas | None = field(default=None, compare=False)  # None: nothing is known
    multiples: tuple[int, ...] = ()  # what the host checks that the arguments are multiples of
    #: The bytes behind each argument that is a pointer, over the same variables as `formulas`.
    sizes: tuple[Formula | None, ...] = field(default=(), compare=False)
    #: Whether the memory behind each argument is in sight, of known size or not.
    allocated: tuple[bool, ...] = field(default=(), compare=False)
    #: What each template argument that is written is made of, over the same variables.
    template_formulas: tuple[Formula | None, ...] = field(default=(), compare=False)
    steps: frozenset[HostStep] = frozenset()  # of the program around it
    #: The last arguments are members of others that are objects: of which one, by which names.
    members: tuple[Entry, ...] = ()
    origin: str = ""  # who states it, where that is no code
    #: Whether it stands on one way behind a condition of the host that nothing decides.
    conditional: bool = field(default=False, compare=False)
    clusters: bool = False  # an attribute of it may put several blocks into a cluster
    #: Whether grid and block are made of numbers alone, each known and none of them zero.
    from_sizes: tuple[bool, bool] = field(default=(False, False), compare=False)

    @property
    def passed(self) -> int:
        """How many arguments it passes, members not counted."""
        return len(self.arguments) - len(self.members)

    @property
    def threads(self) -> int | None:
        """How many threads its blocks have, where that is known."""
        x, y, z = self.block
        return None if x is None or y is None or z is None else x * y * z


@dataclass(frozen=True, slots=True)
class Definition:
    """A place in a kernel where a variable of the source gets a value; `variable` is the same at
    each.
    """

    variable: Hashable
    name: str
    value: Value
    location: Location
    passed: bool = False  # a parameter of an inlined function, by its call


@dataclass(frozen=True, slots=True)
class Unread:
    """A statement of a kernel that was not understood, and the names in it: it may use whatever
    they name.

    `headed` is the statement after it that it may decide about, as an unknown `FOR_EACH(i)` does.
    """

    span: Span
    names: frozenset[str]
    headed: Span | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """A relation that the source states of a kernel's parameter: `n <= 64`; the number may be
    blockDim's.
    """

    parameter: Parameter
    relation: Opcode  # EQ, LT, LE, GT, GE; AND for `n & (n - 1)`, which is the number
    number: Value


def _nothing_known(_arch: int) -> Usage:
    return Usage()


def no_specimens() -> Iterator[Kernel]:
    """No made-up instances: what a kernel has whose template arguments the file settles."""
    return iter(())


@dataclass(slots=True)
class Kernel:
    """One entry function in SSA form; `blocks[0]` is the entry, without predecessors."""

    name: str
    span: Span  # the header: what a finding about the whole kernel points at
    body_span: Span
    language: str  # "cuda" or "ptx"
    parameters: list[Parameter] = field(default_factory=list)
    members: list[Parameter] = field(default_factory=list)  # of parameters that are classes
    #: Those that a launch cannot hand over as they are, and what they are.
    unsuited: list[tuple[Parameter, Unsuited]] = field(default_factory=list)
    objects: list[MemoryObject] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)  # of CUDA's variables
    unrolling: dict[Block, int] = field(default_factory=dict)  # by loop header: 0 whole, 1 not
    written_twice: set[Operation] = field(default_factory=set)  # `a && a`, in these words
    bounds: Bounds = field(default_factory=Bounds)
    stated: list[Stated] = field(default_factory=list)  # of its parameters, by `assert` and such
    launches: list[Launch] = field(default_factory=list)
    instance: str = ""  # "kernel<256, float>" when analysed for template arguments
    other_instances: int = 0  # launched in the file as well and not analysed
    status: str = "full"  # "full", "partial", "none": how much of the body was read
    statements: int = 0  # statements seen, and of these not understood:
    unread: list[Unread] = field(default_factory=list)
    made: int = 0  # operations that reading it has made, those left out again too
    usage: Callable[[int], Usage] = _nothing_known  # by architecture, worked out when asked
    undecided_floats: bool = False  # it speaks of a type that may be `double` as well as `float`
    chosen: tuple[tuple[str, int | str], ...] = ()  # template parameters, where it is a specimen
    refused: bool = False  # a `static_assert` says that there is no such instance
    #: A device function that nothing in sight calls, as a kernel would call it with a whole block.
    uncalled: bool = False
    unlaunched: bool = False  # nothing can launch it: its file alone knows it, and does not
    #: Instances with made-up arguments, where the file does not say all of them.
    specimens: Callable[[], Iterator[Kernel]] = no_specimens

    @property
    def label(self) -> str:
        """What findings call it: the instance, where there may be several."""
        return self.instance or self.name

    @property
    def given(self) -> list[Parameter]:
        """What a launch gives it: its parameters, behind them the members of those."""
        return [*self.parameters, *self.members]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The places of what is given: a parameter, and the member of it if it is one."""
        own = [(at, ()) for at in range(len(self.parameters))]
        return (*own, *(each.member for each in self.members if each.member is not None))

    @property
    def is_open(self) -> bool:
        """Whether template arguments are not known, so that instances may be made up."""
        return self.specimens is not no_specimens

    @property
    def size(self) -> int:
        """How many operations it has."""
        return sum(len(block.operations) for block in self.blocks)

    @property
    def waits(self) -> bool:
        """Whether all threads of a block wait somewhere."""
        barriers = (each for each in self.operations() if isinstance(each, Barrier))
        return any(each.kind is BarrierKind.BLOCK for each in barriers)

    def objects_in(self, space: Space) -> list[MemoryObject]:
        """Its memory objects of one space."""
        return [item for item in self.objects if item.space is space]

    def operations(self) -> Iterator[Operation]:
        """Every operation, block by block."""
        for block in self.blocks:
            yield from block.operations

    def release(self) -> None:
        """Takes the graph apart, whose parts refer to each other in circles: so it goes at once."""
        for block in self.blocks:
            for phi in block.phis:
                phi.operands.clear()
            block.operations.clear()
            block.predecessors.clear()
        self.blocks.clear()
        self.usage = _nothing_known
        self.specimens = no_specimens


class FunctionKind(Enum):
    """What a function of device code is to its callers; the words of the JSON output."""

    KERNEL = "kernel"  # launched: `__global__`, `.entry`
    DEVICE = "device"  # called: `__device__`, `.func`


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """A parameter in the head of a kernel's or device function's template, as written; `kind` is
    "type", "value" or "template".
    """

    kind: str
    name: str
    type: str  # "typename", "int", "template <class> class"; with "..." for a pack
    default: str = ""


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """A parameter of a kernel or device function as written."""

    name: str
    type: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class Instance:
    """A kernel analysed for one set of template arguments, and its launch bounds under them."""

    name: str  # "kernel<256, float>", the plain name without arguments
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """One function of device code as it is written down: one for a definition, however often used.

    `template` is None for a function that is no template (its class may be one). The instances are
    those that were analysed on their own, which for a device function is none.
    """

    name: str
    kind: FunctionKind
    language: str  # "cuda" or "ptx"
    span: Span  # the header
    body_span: Span
    scope: tuple[str, ...] = ()  # namespaces and classes around it, outermost first
    template: tuple[TemplateParameter, ...] | None = None
    specialization: tuple[str, ...] = ()  # the arguments it is written for: `k<256>`
    qualifiers: tuple[str, ...] = ()  # `__global__`, `static`, `.visible`, ...
    attributes: tuple[str, ...] = ()  # `__launch_bounds__(TILE * 8)`, `.maxntid 256, 1, 1`
    parameters: tuple[FunctionParameter, ...] = ()
    launches: tuple[Launch, ...] = ()
    instances: tuple[Instance, ...] = ()
    status: str = "full"  # "full", "partial", "none": how much of it was read
    statements: int = 0  # statements of its own body, and of these not understood:
    opaque: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error in device code that nvcc or ptxas would report, though it reads well."""

    kind: str  # "undeclared-register", "missing-label", ...
    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class UnseenHeaders:
    """The headers that a source includes and that were not found, and what they alone could
    settle.
    """

    names: tuple[str, ...] = ()
    undecided: tuple[Span, ...] = ()  # the directives of `#if X` where they may define X
    defaults: tuple[Span, ...] = ()  # uses of X after `#ifndef X`, `#define X`


def _nothing_to_diagnose() -> Sequence[Diagnostic]:
    return ()


def _no_functions() -> Sequence[FunctionInfo]:
    return ()


def _none_uncalled() -> Sequence[Kernel]:
    return ()


@dataclass
class Module:
    """One analysed file as IR: its kernels, host code, and what could not be read."""

    source: SourceText
    language: str
    kernels: list[Kernel] = field(default_factory=list)
    objects: list[MemoryObject] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    host: tuple[HostEvent, ...] = ()  # what the file's own host code does with memory
    for_debugging: bool = False  # PTX of `nvcc -G`
    may_omit_masks: bool = False  # PTX so old that shuffles without `.sync` still assemble
    for_hip: bool = False  # written for AMD's compiler, or for that one as well
    unseen: UnseenHeaders = field(default_factory=UnseenHeaders)
    dropped: tuple[Span, ...] = ()  # its text under conditions that do not hold
    kept_apart: tuple[Span, ...] = ()  # functions that the compiler must not inline
    problems: list[Problem] = field(default_factory=list)
    diagnose: Callable[[], Sequence[Diagnostic]] = _nothing_to_diagnose  # worked out when asked
    describe: Callable[[], Sequence[FunctionInfo]] = _no_functions  # worked out when asked
    #: Device functions that nothing in sight calls, as a kernel would call them; made when asked.
    uncalled: Callable[[], Sequence[Kernel]] = _none_uncalled

    @property
    def functions(self) -> Sequence[FunctionInfo]:
        """The functions of device code as written, those of included files too."""
        return self.describe()

    def objects_in(self, space: Space) -> list[MemoryObject]:
        """Its memory objects of one space, and those that its kernels use."""
        found = [item for item in self.objects if item.space is space]
        for kernel in self.kernels:
            found += kernel.objects_in(space)
        return found

    def instances(self, kernel: Kernel) -> list[Kernel]:
        """The kernels made of the same text as one, itself included; one that is no kernel of the
        module has no others.
        """
        return self._by_body.get(kernel.body_span) or [kernel]

    @cached_property
    def _by_body(self) -> dict[Span, list[Kernel]]:
        found: dict[Span, list[Kernel]] = {}
        for kernel in self.kernels:
            found.setdefault(kernel.body_span, []).append(kernel)
        return found

    def diagnosed(self, kernel: Kernel) -> list[Diagnostic]:
        """What was diagnosed in a kernel; the first one also answers for all that is in none."""
        return self._by_kernel.get(id(kernel), [])

    @cached_property
    def _by_kernel(self) -> dict[int, list[Diagnostic]]:
        kernels = sorted(self.kernels, key=lambda each: each.body_span.start)
        starts = [each.body_span.start for each in kernels]
        found: dict[int, list[Diagnostic]] = {}
        for diagnostic in self.diagnose() if kernels else ():
            at = max(bisect_right(starts, diagnostic.span.start) - 1, 0)
            around = kernels[at].body_span.covers(diagnostic.span)
            owner = kernels[at] if around else self.kernels[0]
            found.setdefault(id(owner), []).append(diagnostic)
        return found
