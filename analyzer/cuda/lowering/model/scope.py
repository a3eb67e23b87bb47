"""Names in force at a point of the program, and the places they stand for.

A place is something that can be read and, mostly, written: an SSA variable, a field of one, or
memory at an address. A reference is a second name for a place. Scopes nest; a lookup that ends at
the file scope is answered by `program.py`.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ....ir.host_formulas import UNLIMITED
from ....ir.types import POINTER
from ....ir.values import Unknown
from ....source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from ....ir.host import HostPointer
    from ....ir.host_formulas import Formula, Limits
    from ....ir.types import Type
    from ....ir.values import Value
    from ....source.location import Location
    from ....source.text import Span
    from .ctypes import CType


@dataclass(frozen=True, slots=True)
class Typed:
    """An IR value and its C++ type."""

    value: Value
    type: CType


class Slot:
    """The identity of one SSA variable; two variables of one name are two slots."""

    __slots__ = ("declared", "name", "open", "path")

    def __init__(self, name: str, declared: Any = None, path: tuple[str, ...] = ()) -> None:
        self.name = name
        self.open = False  # of a type that is not known, taken for that of its first value
        self.declared = declared  # the node that declares it
        self.path = path  # the member that it is of what that declares


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """A variable held in registers as a whole."""

    slot: Slot
    type: CType


@dataclass(frozen=True, slots=True)
class ClassPlace:
    """A class held in registers member by member; `parts` follow the members of its type."""

    type: CType
    parts: tuple[Place, ...]
    declared: Any = None
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A member of another place that is not in memory."""

    base: Place
    offset: int
    type: CType
    name: str


@dataclass(frozen=True, slots=True)
class PartPlace:
    """A part of a place outside memory, which part is not known: `fragment.x[i]`."""

    base: Place
    selector: tuple[Value, ...]
    type: CType


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """Memory at a byte address."""

    address: Value
    type: CType
    vector: int = 0  # bytes of the aligned vector (`float4`) that it is a member of
    structure: Type | None = None  # the outermost class that it is a member of
    argument: Location | None = None  # where a call names it that takes its value: read there


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Something that can only be read: a constant, a temporary, a kernel parameter's copy."""

    value: Typed

    @property
    def type(self) -> CType:
        """The type of the value."""
        return self.value.type


@dataclass(frozen=True, slots=True)
class ListPlace(ValuePlace):
    """`{a, b}` and `{.x = a}` where nothing has said yet of what type; its value is any of it."""

    parts: tuple[Place, ...] = ()
    names: tuple[str, ...] = ()  # of the members, where they are named


@dataclass(frozen=True, slots=True)
class LoosePlace(ValuePlace):
    """A variable of host code whose address is taken: anybody may change it at any time."""


class ReferredPlace(LoosePlace):
    """A reference in host code whose address is taken: that of what it refers to."""


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """`n / 256`, rounded down, by which host code launches: what `n` held then, and the divisor."""

    held: Binding
    divisor: int


@dataclass(frozen=True, slots=True)
class KnownParts(ValuePlace):
    """A table or a `dim3` of host code, by index or member; what is not known is None."""

    parts: Mapping[int | str, int | float | None]
    names: frozenset[str] = frozenset()  # the variables that it was made of
    quotients: tuple[Quotient, ...] = ()  # dimensions that are such
    held: Mapping[int | str, Value] = field(default_factory=dict)  # what unknown ones stand for
    formulas: Mapping[int | str, Formula] = field(default_factory=dict)  # what those are made of


@dataclass(frozen=True, slots=True)
class KernelValue:
    """A kernel with its template parameters bound, and their arguments in words."""

    name: str
    arguments: tuple[str, ...]
    bound: Scope = field(compare=False)


@dataclass(frozen=True, slots=True)
class KernelChoice(ValuePlace):
    """What the name of a pointer to a kernel stands for in host code: the kernels it may be."""

    kernels: tuple[KernelValue, ...]


@dataclass(frozen=True, slots=True)
class MultiplePlace(ValuePlace):
    """A variable of host code of which it is only known what divides it, or what it divides, or
    how small and large it gets.
    """

    divisor: int
    quotients: tuple[Quotient, ...] = ()
    limits: Limits = UNLIMITED
    completes: tuple[Value | None, int] = (None, 1)  # together, a multiple of the number


@dataclass(frozen=True, slots=True)
class PointerPlace(ValuePlace):
    """A pointer of host code, or a container, of which it is known what it points to."""

    pointer: HostPointer


@dataclass(frozen=True, slots=True)
class WorkPlace(ValuePlace):
    """Work of host code on the device, not waited for: allocations, and where it was begun."""

    begun: Mapping[Hashable, Span]  # by what tells allocations apart


@dataclass(frozen=True, slots=True)
class PackPlace(ValuePlace):
    """What a parameter pack stands for; the elements of a pack of types have types, no values."""

    places: tuple[Place, ...]
    of_types: bool = False


@dataclass(frozen=True, slots=True)
class UnfollowedPlace(ValuePlace):
    """What a reference leads to that is not followed: one of some places, or a part of one.

    `value` is what it held when it was made, `slot` what it holds behind a name of its own.
    """

    among: tuple[Place, ...]
    elsewhere: bool = False  # perhaps memory
    slot: Slot | None = None


Place = VariablePlace | ClassPlace | FieldPlace | PartPlace | MemoryPlace | ValuePlace


class HeldAddress(Unknown):
    """The address of a place in registers: whoever points through it gets the place itself.

    An operation that takes it needs the place to be in memory.
    """

    __slots__ = ("place",)

    def __init__(self, place: Place) -> None:
        super().__init__(POINTER, "the address of a value in registers")
        self.place = place


@dataclass(frozen=True, slots=True)
class ReferencePlace:
    """A member that is a reference, by its plain name: it is followed where the name is met."""

    field: Place
    type: CType


def is_fragment(type: CType) -> bool:
    """Whether a type is a fragment of a matrix, or an array of some."""
    while type.element is not None:
        type = type.element
    return isinstance(type.origin, LibraryClass) and type.origin.name == "fragment"


def root_of(place: Place) -> Place:
    """The place that a member or another part is a part of, in the end."""
    while isinstance(place, FieldPlace | PartPlace):
        place = place.base
    return place


@dataclass(frozen=True, slots=True)
class LambdaValue:
    """A lambda expression and the scope it was written in; called by inlining."""

    node: Any
    scope: Scope
    this: Place | None = None  # of the function it was written in


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function of the file, by its name; called like it."""

    name: str


@dataclass(frozen=True, slots=True)
class MemberValue:
    """What `&S::m` points to: a data member or method of a class, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class TemplateValue:
    """A class template of the file, by its name: what a template template parameter is bound to."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Unfinished:
    """A class that is being laid out, by what tells it apart: what a template that it derives from
    is bound to until then.
    """

    key: object


@dataclass(frozen=True, slots=True)
class LibraryClass:
    """A class of CUDA's libraries that is modelled without its header, by the library's name.

    `scope` is that of a pipeline: "thread" for one of a single thread.
    """

    name: str
    scope: str = ""
    fragment: Fragment | None = None


@dataclass(frozen=True, slots=True)
class Fragment:
    """What a `wmma::fragment` holds; `row_major` is None where loads and stores say it."""

    use: str  # "matrix_a", "matrix_b", "accumulator"
    rows: int
    columns: int
    row_major: bool | None = None
    registers: int | None = None  # of 32 bits, of a thread; halves of factors are there twice


@dataclass(frozen=True, slots=True)
class AtomicClass:
    """What makes a type atomic: its values, its scope, whether it only refers to an object."""

    value: CType
    scope: str
    refers: bool


@dataclass(frozen=True, slots=True, eq=False)
class ClassScope:
    """The class that a C++ type is, and what names mean in it: its template arguments bound, its
    own types and constants, those of its bases. `instance` is the class template that it is an
    instance of, specialised or not, with what its parameters are bound to.
    """

    definition: Any
    scope: Scope
    bases: tuple[CType, ...] = ()
    instance: tuple[Any, Scope] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EnumScope:
    """The enumerators of an enum that a class declares."""

    scope: Scope


#: What a type that the program declares was made from.
Origin = (
    AtomicClass
    | ClassScope
    | EnumScope
    | FunctionValue
    | LambdaValue
    | LibraryClass
    | MemberValue
    | TemplateValue
    | Unfinished
)

Binding = Place | LambdaValue | ReferencePlace


class Scope:
    """A nesting of names: variables, and types declared or bound (template arguments) here."""

    __slots__ = ("_members", "names", "parent", "pending", "references", "seen_as", "types")

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.names: dict[str, Binding] = {}
        self.types: dict[str, CType] = {}
        self.pending: dict[str, Callable[[], None]] = {}  # what binds a name when it is first used
        self.references: frozenset[str] = frozenset()  # of host code, by name
        self.seen_as: dict[str, ClassScope] = {}  # the classes that references are declared with
        self._members: dict[str, dict[str, None]] | None = None  # full paths, by their variable

    def outwards(self) -> Iterator[Scope]:
        """This scope and those around it, the innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def binder(self, name: str) -> Scope | None:
        """The innermost scope that binds a name; None at file scope."""
        return next((each for each in self.outwards() if name in each.names), None)

    def find(self, name: str) -> Binding | None:
        """What the name stands for, innermost first; None at file scope."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.pending:
                scope.pending.pop(name)()
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def seen_as_of(self, name: str) -> ClassScope | None:
        """The class that a reference of that name is declared with, where that was noted."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return None if scope is None else scope.seen_as.get(name)

    def hold_members(self, name: str, members: Mapping[str, Binding]) -> None:
        """Bind members of a variable, which are given by their paths in it: `name.path`."""
        if members:
            full = {f"{name}.{path}": each for path, each in members.items()}
            self.names.update(full)
            if self._members is None:
                self._members = {}
            self._members.setdefault(name, {}).update(dict.fromkeys(full))

    def members_of(self, path: str) -> list[str]:
        """The full paths of the members bound here that a variable has, or a member of one."""
        held = (self._members or {}).get(path.partition(".")[0], ())
        return [each for each in held if each in self.names and each.startswith(f"{path}.")]

    def pack(self, name: str) -> PackPlace | None:
        """The pack of that name."""
        found = self.find(name)
        return found if isinstance(found, PackPlace) else None

    def find_type(self, name: str) -> CType | None:
        """The type of that name, innermost first; None at file scope."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.pending:
                scope.pending.pop(name)()
            if name in scope.types:
                return scope.types[name]
            scope = scope.parent
        return None
