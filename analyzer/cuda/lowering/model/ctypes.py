"""C++ types as the lowering needs them: sizes, layouts, what an index steps over.

In: names and AST nodes (through `type_reader.py`). Out: `CType` values with size and alignment of
the CUDA ABI on 64-bit hosts (CUDA C++ Programming Guide, "Built-in Vector Types", alignments).
A type that is not known (a template parameter, a class of another file) has size None.
"""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING

from ....ir import types as ir
from ....source.numbers import bounded
from ....source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .scope import Origin


class Form(Enum):
    """The kinds of C++ types that lower differently."""

    VOID = "void"
    BOOL = "bool"
    INTEGER = "integer"
    FLOAT = "float"
    POINTER = "pointer"
    ARRAY = "array"
    CLASS = "class"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Member:
    """A data member of a class at its byte offset; None behind a member of unknown size."""

    name: str
    type: CType
    offset: int | None


@dataclass(frozen=True, slots=True)
class CType:
    """One type of C++; `element` is what a pointer points to or an array holds."""

    form: Form
    name: str
    size: int | None = None
    alignment: int | None = None
    signed: bool = False
    element: CType | None = None
    extent: int | None = None
    members: tuple[Member, ...] = ()
    volatile: bool = False
    const: bool = False
    bits: int | None = field(default=None, compare=False, repr=False)  # of a bit-field
    has_long: bool = field(default=False, compare=False, repr=False)  # is one, or is made of some
    parts: int = field(default=1, compare=False, repr=False)  # members of members counted
    depth: int = field(default=0, compare=False, repr=False)  # classes within each other
    origin: Origin | None = field(default=None, compare=False, repr=False)
    #: Where the members of each name are, the last ones, in a class of many.
    places: Mapping[str, int] | None = field(default=None, compare=False, repr=False)

    @property
    def is_scalar(self) -> bool:
        """Held in one register: a number or a pointer."""
        return self.form in (Form.BOOL, Form.INTEGER, Form.FLOAT, Form.POINTER)

    def index(self, name: str) -> int | None:
        """Which member has that name: the last one, since those of bases stand before."""
        if self.places is not None:
            return self.places.get(name)
        found = [index for index, member in enumerate(self.members) if member.name == name]
        return found[-1] if found else None

    def member(self, name: str) -> Member | None:
        """The data member of that name."""
        index = self.index(name)
        return None if index is None else self.members[index]

    def ir(self) -> ir.Type:
        """The type of IR values that hold it."""
        if self.form is Form.BOOL:
            return ir.PREDICATE
        if self.form is Form.INTEGER and self.size is not None:
            return ir.integer(self.size * 8, signed=self.signed)
        if self.form is Form.FLOAT and self.size in _FLOATS:
            return _FLOATS[self.size]
        if self.form is Form.POINTER:
            return ir.POINTER
        if self.form is Form.VOID:
            return ir.VOID
        if self.form is Form.UNKNOWN and self.size is None:
            return ir.UNKNOWN
        bits = None if self.size is None else self.size * 8
        return ir.Type(ir.Kind.AGGREGATE, bits, name=self.name)

    def __str__(self) -> str:
        return self.name


_MOST_INHERITED = 4_096  # members that a class takes from its bases
_FEW = 16  # members that are looked through for a name
_FLOATS = {2: ir.FLOAT16, 4: ir.FLOAT32, 8: ir.FLOAT64}

VOID = CType(Form.VOID, "void", 0)
BOOL = CType(Form.BOOL, "bool", 1, 1)


def integer(name: str, size: int, *, signed: bool) -> CType:
    """An integer type of C++, made of its name and size."""
    return CType(Form.INTEGER, name, size, size, signed)


CHAR = integer("char", 1, signed=True)
INT = integer("int", 4, signed=True)
UINT = integer("unsigned int", 4, signed=False)
LONG = integer("long", 8, signed=True)
ULONG = integer("unsigned long", 8, signed=False)
LONG_LONG = integer("long long", 8, signed=True)
ULONG_LONG = integer("unsigned long long", 8, signed=False)
FLOAT = CType(Form.FLOAT, "float", 4, 4)
DOUBLE = CType(Form.FLOAT, "double", 8, 8)
HALF = CType(Form.FLOAT, "half", 2, 2)


def enumeration(name: str, underlying: CType) -> CType:
    """An enum: a number of its underlying type, by another name."""
    return replace(underlying, name=f"enum {name}")


def is_wide(type: CType) -> bool:
    """Whether a type lets a variable of host code keep any size that a kernel is launched with."""
    return type.form is Form.UNKNOWN or (type.form is Form.INTEGER and (type.size or 0) >= 4)


def is_enumeration(type: CType) -> bool:
    """Whether a type is an enum."""
    return type.name.startswith("enum ")


def unknown(name: str) -> CType:
    """A type of which only the name is known."""
    return CType(Form.UNKNOWN, name)


#: Of a constant that another file declares, or a template argument: some number.
CONSTANT = unknown("a constant")


def pointer_to(element: CType, *, volatile: bool = False) -> CType:
    """A 64-bit pointer."""
    return CType(Form.POINTER, f"{element.name}*", 8, 8, element=element, volatile=volatile)


def deduced(declared: CType, given: CType) -> CType:
    """The type that `auto`, `auto *`, `const auto **` becomes beside the type of a value (C++
    standard, [dcl.spec.auto]); the declared type where it names no such placeholder, or does not
    fit.
    """
    if declared.form is Form.UNKNOWN and declared.name == "auto":
        return qualified(given, volatile=declared.volatile, const=declared.const)
    if declared.form is not Form.POINTER or given.form not in (Form.POINTER, Form.ARRAY):
        return declared
    if declared.element is None or given.element is None:
        return declared
    element = deduced(declared.element, given.element)
    same = element is declared.element
    return declared if same else pointer_to(element, volatile=declared.volatile)


def reference_to(element: CType) -> CType:
    """What a member that is a reference holds: the address of what it refers to."""
    return CType(Form.POINTER, f"{element.name}&", 8, 8, element=element)


def is_reference(type: CType) -> bool:
    """Whether a member of this type is a reference."""
    return type.form is Form.POINTER and type.name.endswith("&")


def decays(type: CType) -> bool:
    """Whether a type is a built-in array, passed by its address; `std::array` is copied."""
    return type.form is Form.ARRAY and type.element is not None and type.origin is None


def decayed(type: CType) -> CType:
    """The type of a parameter that is declared with one: a pointer where that decays."""
    return pointer_to(type.element) if decays(type) and type.element is not None else type


def array_of(element: CType, extent: int | None) -> CType:
    """An array; the size is None when the extent or the element's size is.

    An extent below zero is none that a compiler accepts, and counts as not known.
    """
    extent = None if extent is not None and extent < 0 else extent
    size = None if extent is None or element.size is None else bounded(element.size * extent)
    text = "" if extent is None else str(extent)
    cut = element.name.find("[")
    head, tail = (element.name, "") if cut < 0 else (element.name[:cut], element.name[cut:])
    return CType(
        Form.ARRAY,
        f"{head}[{text}]{tail}",
        size,
        element.alignment,
        element=element,
        extent=extent,
        volatile=element.volatile,
        has_long=element.has_long,
    )


def lay_out(
    name: str,
    members: list[tuple[str, CType, int | None]],
    *,
    union: bool,
    alignment: int | None = None,
    known: bool = True,
    bases: int = 0,
    widths: Mapping[int, int] | None = None,
    packed: Mapping[int, int | None] | None = None,
) -> CType:
    """A class type made of data members (name, type, own alignment) in order, by the C ABI's rules.

    `known` is False where something else, such as a table of virtual functions, lies in it too. The
    members of one without a name are members: of a nameless union, or of a base class, which are
    the first so many. `widths` has the bits of bit-fields, by index: they have no offset in bytes,
    and those behind them begin where they end. `packed` has the alignments of members of a packed
    class, by index: None is not known. A class that inherits more members than
    `_MOST_INHERITED` is not known: where it has its bases twice, and they theirs, they double.
    """
    if sum(len(type.members) for member, type, _ in members if not member) > _MOST_INHERITED:
        return unknown(name)
    offset: int | None = 0 if known else None
    slack = 0  # bytes of padding at the end of a base, in which the next member may begin
    alignment, placed, size = alignment or 1, [], 0
    bits: int | None = None  # where the next bit-field begins, behind another one
    for index, (member, type, own) in enumerate(members):
        aligned = (packed or {}).get(index, max(own or 1, type.alignment or 1))
        offset = 0 if union and known else offset  # whatever the size of the one before
        unplaced = aligned is None or (offset and type.alignment is None)
        wanted, offset = aligned or 1, None if unplaced else offset
        if widths and index in widths:
            begin = 0 if union else (8 * (offset or 0) if bits is None else bits)
            bits = None if offset is None else _behind_bits(begin, type, widths[index])
            offset = None if bits is None else -(-bits // 8)
            size = max(size, offset or 0)
            if member:
                placed.append(Member(member, replace(type, bits=widths[index]), None))
                alignment = max(alignment, wanted)
            continue
        bits = None
        if offset is not None:
            early = -(-(offset - slack) // wanted) * wanted
            offset = 0 if union else -(-offset // wanted) * wanted
            offset, slack = (offset if early == offset or union else None), 0
        own_member = [Member(member, type, offset)]
        placed += own_member if member else [_inherited(item, offset) for item in type.members]
        alignment = max(alignment, wanted)
        if index < bases:
            if type.size == 1 and not type.members:
                continue  # an empty base takes no room
            slack = _tail_padding(type)  # members begin in it where the base is no C structure
        settled = offset is not None and type.size is not None and type.alignment is not None
        offset = offset + type.size if settled else None  # type: ignore[operator]
        if offset is not None:
            size = max(size, offset)
    ended = offset is not None and not (union and any(each[1].size is None for each in members))
    total = _rounded_up(size, alignment) if ended else None
    stated = None if None in (packed or {}).values() else alignment
    return _made_of(tuple(placed), CType(Form.CLASS, name, total, stated))


def _rounded_up(size: int, alignment: int) -> int | None:
    """The size of a class whose members end there."""
    return bounded(max(1, -(-size // alignment) * alignment))


def _made_of(members: tuple[Member, ...], empty: CType) -> CType:
    """The class that has these members, given as one of its name and size."""
    parts = max(1, sum(member.type.parts for member in members))
    depth = 1 + max((member.type.depth for member in members), default=0)
    places = _places(members) if len(members) > _FEW else None
    made = replace(empty, members=members, parts=parts, depth=depth, places=places)
    return replace(made, has_long=True) if any(each.type.has_long for each in members) else made


def _places(members: tuple[Member, ...]) -> dict[str, int]:
    return {member.name: index for index, member in enumerate(members)}


def whole(type: CType) -> CType:
    """The type of a value that is made of a bit-field."""
    return type if type.bits is None else replace(type, bits=None)


def _behind_bits(begin: int, type: CType, width: int) -> int | None:
    """The bit behind a bit-field, which lies in one unit of its type (Itanium C++ ABI, 2.4)."""
    if not type.size:
        return None
    unit = 8 * type.size
    if width == 0 or begin // unit != (begin + width - 1) // unit:
        begin = -(-begin // unit) * unit
    return begin + width


def _tail_padding(type: CType) -> int:
    ends = [m.offset + m.type.size for m in type.members if m.offset is not None and m.type.size]
    return (type.size or 0) - max(ends, default=0)


def _inherited(member: Member, offset: int | None) -> Member:
    placed = None if offset is None or member.offset is None else offset + member.offset
    return Member(member.name, member.type, placed)


def qualified(type: CType, *, volatile: bool = False, const: bool = False) -> CType:
    """The type with qualifiers added."""
    if volatile == type.volatile and const == type.const:
        return type
    return replace(type, volatile=volatile or type.volatile, const=const or type.const)


def held_at(type: CType, alignment: int | None) -> CType:
    """The type of something that is aligned no better: what is packed is moved in smaller parts."""
    if alignment is None or type.alignment is None or type.alignment <= alignment:
        return type
    element = type.element
    if type.form is Form.ARRAY and element is not None:
        element = held_at(element, alignment)
    return replace(type, alignment=alignment, element=element)


def member_type(whole: CType, member: CType) -> CType:
    """The type of a member as an object in memory has it."""
    return held_at(qualified(member, volatile=whole.volatile), whole.alignment)


_WHOLE = {(kind.size, kind.signed): kind for kind in (INT, UINT, LONG, ULONG)}


def arithmetic(left: CType, right: CType) -> CType:
    """The type that two become by the usual conversions (C++ standard, [expr.arith.conv])."""
    if Form.UNKNOWN in (left.form, right.form):
        return unknown("auto")
    if Form.FLOAT in (left.form, right.form):
        floats = [side for side in (left, right) if side.form is Form.FLOAT]
        return max(floats, key=lambda side: side.size or 0)
    a, b = promoted(left), promoted(right)
    if a.size == b.size:
        return a if not a.signed else b
    return a if (a.size or 0) > (b.size or 0) else b


def promoted(type: CType) -> CType:
    """A type after integer promotion: anything smaller than int becomes int."""
    bits = type.bits or 8 * (type.size or 4)
    if type.form is Form.BOOL or (type.form is Form.INTEGER and bits < 32):
        return INT
    if is_enumeration(type):
        return _WHOLE.get((type.size, type.signed), INT)
    return type


def holding(type: CType, value: float) -> CType:
    """The type of a template's value: one whose typedef is not at hand is a whole number, as almost
    all are, and wide enough.
    """
    if type.form is not Form.UNKNOWN or not isinstance(value, int):
        return type
    return INT if -(1 << 31) <= value < 1 << 31 else LONG
