"""Kernels that an edit did not touch: they are not lowered again before somebody asks for it.

In: a file as it was parsed, and how its kernels are made and its host code is read. Out: both, the
host code as `host.py` keeps it, and the kernels; one that rests on what it rested on before
(`surroundings.py`) is there without its intermediate form, which is made when it is asked for.
`key` tells kernels apart from one reading to the next: the same key, the same kernel, but for its
place. Kept of a kernel are a few values, for the last files that were read.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ...ir.kernel import Kernel, no_specimens
from ...ir.memory import Space
from ...source.records import dataclass
from ...source.text import Span
from .bodies import SoundBodies
from .bound_text import text_of_bound
from .gaps import as_bytes
from .host import KeptHosts
from .reach import Words
from .recent import Recent
from .surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...cuda.host.launches import HostReading, Seen
    from ...cuda.lowering.program.program import Program
    from ...cuda.lowering.types.type_reader import TypeReader
    from ...cuda.syntax import nodes
    from ...cuda.units.parse import TranslationUnit
    from ...ir.kernel import Bounds
    from ...ir.kernel_identity import DistantLaunch
    from ...ir.memory import MemoryObject
    from ...ir.values import Entry
    from .gaps import Gaps, Place

_MOST = 800  # kernels
_LATER = (
    *("parameters", "members", "unsuited", "objects", "variables", "blocks", "definitions"),
    *("unrolling", "written_twice", "stated", "unread", "usage", "refused"),
)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a kernel without its intermediate form."""

    instance: str
    bounds: Bounds
    bounds_at: tuple[Place, Place] | None
    size: int
    made: int
    spaces: frozenset[Space]  # of its objects
    unsuited: bool  # whether it has parameters that a launch cannot hand over as they are
    waits: bool  # whether all threads of a block wait somewhere
    entries: tuple[Entry, ...]


class KeptKernel(Kernel):
    """A kernel that an edit did not touch; what is known only of its IR is made later."""

    __slots__ = ("_is_made", "_known", "_make")
    _is_made: bool
    _known: _Known
    _make: Callable[[], Kernel]

    def __new__(cls, *values: Any, **named: Any) -> Any:
        """A copy (`dataclasses.replace`) is a plain kernel."""
        return Kernel(*values, **named)

    @staticmethod
    def of(function: nodes.Function, known: _Known, make: Callable[[], Kernel]) -> KeptKernel:
        """The kernel of a function, as far as it is known."""
        kept: KeptKernel = object.__new__(KeptKernel)
        kept.name, kept.language = function.decl.name, "cuda"
        kept.span, kept.body_span = function.header or function.coord, function.coord
        kept.instance, kept.bounds = known.instance, known.bounds
        kept.launches, kept.other_instances = [], 0
        kept.chosen, kept.specimens, kept.uncalled = (), no_specimens, False
        kept.made, kept.undecided_floats, kept.unlaunched = known.made, False, False
        kept.status, kept.statements = "full", 0  # until the reader says so
        kept._known, kept._make, kept._is_made = known, make, False
        return kept

    @property
    def size(self) -> int:
        """How many operations it has."""
        return self._known.size

    @property
    def waits(self) -> bool:
        """Whether all threads of a block wait somewhere."""
        return self._known.waits

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The places of what a launch gives it."""
        return self._known.entries

    def objects_in(self, space: Space) -> list[MemoryObject]:
        """Its memory objects of one space."""
        return super().objects_in(space) if space in self._known.spaces else []

    def release(self) -> None:
        """What was made is taken apart."""
        if self._is_made:
            super().release()

    def __getattr__(self, name: str) -> Any:
        """A part that is asked for the first time: all are made."""
        if name not in _LATER:
            raise AttributeError(name)
        made = self._make()
        for each in _LATER:
            setattr(self, each, getattr(made, each))
        self._is_made = True
        return getattr(self, name)


class KeptReading:
    """The kernels that an editor's process read last, not lowered again while unchanged."""

    def __init__(self) -> None:
        self.surroundings: Surroundings | None = None  # of the file that is being read
        self.bodies = SoundBodies()
        self._hosts = KeptHosts()
        self._words = Words()
        self._kept = Recent[bytes, "_Known"](_MOST)
        self._keys: dict[int, tuple[bytes, _Known]] = {}  # by the id of a kernel of this file

    def begin(
        self, unit: TranslationUnit, options: object, elsewhere: Sequence[DistantLaunch]
    ) -> None:
        """A file was parsed."""
        self._keys = {}
        self.surroundings = Surroundings(unit, options, elsewhere, self._words)

    def end(self) -> None:
        """Nothing of a file is held on to when it was checked."""
        self._keys, self.surroundings = {}, None
        self.bodies.end()

    def key(self, kernel: Kernel) -> bytes | None:
        """What a kernel is known by: all of it but its launches."""
        known = self._keys.get(id(kernel))
        return None if known is None else known[0]

    def is_unsuited(self, kernel: Kernel) -> bool:
        """Whether a launch cannot hand over some parameters as they are."""
        known = self._keys.get(id(kernel))
        return bool(kernel.unsuited) if known is None else known[1].unsuited

    def has_constants(self, kernel: Kernel) -> bool:
        """Whether it has objects in constant memory."""
        known = self._keys.get(id(kernel))
        constant = Space.CONSTANT
        return bool(kernel.objects_in(constant)) if known is None else constant in known[1].spaces

    def host(
        self, program: Program, reader: TypeReader, make: Callable[[], HostReading]
    ) -> HostReading:
        """What host code does."""
        around = self.surroundings
        if around is None:
            return make()
        return self._hosts.reading(around.host, program, reader, make)

    def kernel(
        self,
        function: nodes.Function,
        at: tuple[int, int],
        make: Callable[[], Kernel],
        first: Seen | None,
    ) -> Kernel:
        """The kernel, as far as it is needed."""
        around = self.surroundings
        key = None if around is None else _key(around, function, at, first)
        if around is None or key is None:
            return make()
        known = self._kept.get(key)
        kernel: Kernel
        if known is not None:
            kernel = KeptKernel.of(function, _placed(known, around.kernels), make)
        else:
            kernel = make()
            known = _known(kernel, around.kernels)
            if known is not None:
                self._kept.keep(key, known)
        if known is not None:
            self._keys[id(kernel)] = key, known
        return kernel


def _key(
    around: Surroundings, function: nodes.Function, at: tuple[int, int], first: Seen | None
) -> bytes | None:
    """What tells a kernel from others; None for one of which that is not clear."""
    whole = function.coord
    place = None if whole is None else around.kernels.place(whole.source, whole.start)
    if whole is None or whole.__class__ is not Span or place is None:
        return None
    hashed = sha256(around.kernels.digest)
    if first is not None:
        bound = text_of_bound(first, around.kernels)
        hashed.update(around.host.digest if bound is None else as_bytes(bound))
    bodies = [(each.name, each.text) for each in around.reached(whole.text)]
    hashed.update(as_bytes(repr((place, function.decl.name, at, whole.text, bodies))))
    return hashed.digest()


def _known(kernel: Kernel, around: Gaps) -> _Known | None:
    span, at = kernel.bounds.span, None
    if span is not None:
        start, end = around.place(span.source, span.start), around.place(span.source, span.end)
        if span.__class__ is not Span or start is None or end is None:
            return None
        at = start, end
    spaces = frozenset(item.space for item in kernel.objects)
    bounds = replace(kernel.bounds, span=None)
    sizes = kernel.size, kernel.made
    unsuited, waits = bool(kernel.unsuited), kernel.waits
    return _Known(kernel.instance, bounds, at, *sizes, spaces, unsuited, waits, kernel.entries)


def _placed(known: _Known, around: Gaps) -> _Known:
    """With the bounds where they stand now."""
    if known.bounds_at is None:
        return known
    (source, start), (_, end) = map(around.offset, known.bounds_at)
    return replace(known, bounds=replace(known.bounds, span=Span(source, start, end)))
