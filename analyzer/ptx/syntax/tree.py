"""The syntax tree of a PTX module: statements and operands as written.

Out of the parser comes a `PtxModule`: module-level directives in order, functions with a flat list
of statements (`ScopeStart` and `ScopeEnd` stand for braces, so that nothing downstream needs
recursion), and problems. Every node keeps enough of its text to be printed back token
by token (`printer.py`). The nodes that occur a hundred thousand times are named tuples, which are
built several times faster than frozen dataclasses. Names follow the PTX ISA, chapters 4 and 5.
Contents of `.section` and initialisers of variables are kept as text.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...source.records import dataclass
from .atoms import Atoms as Atoms
from .atoms import Name as Name
from .atoms import Number as Number
from .atoms import make_number as make_number

if TYPE_CHECKING:
    from ...source.problem import Problem
    from ...source.text import SourceText


# ---- operands (PTX ISA 6) ----------------------------------------------------------------------


class Unary(NamedTuple):
    """`-a`, `!p`, `~a`, `+a` as an operand of PTX."""

    operator: str
    operand: Operand


class Binary(NamedTuple):
    """A constant expression of PTX such as `(1 << 2) | 3` or `table + 8`."""

    operator: str
    left: Operand
    right: Operand


class Conditional(NamedTuple):
    """`a ? b : c` in a constant expression of PTX."""

    condition: Operand
    then: Operand
    otherwise: Operand


class Cast(NamedTuple):
    """`(.s64) a` or `(.u64) a` in a constant expression of PTX."""

    type: str
    operand: Operand


class Parentheses(NamedTuple):
    """`( a )` around a constant expression of PTX."""

    operand: Operand


class Address(NamedTuple):
    """`[base joint offset, rest…]` in PTX; `joint` is "", "+", "-" or "+-"; `subscript` for
    `name[3]`.
    """

    base: Operand
    joint: str = ""
    offset: Operand | None = None
    rest: tuple[Operand, ...] = ()
    subscript: bool = False
    unified: bool = False


class AddressOf(NamedTuple):
    """`generic(table)`, `0xFF(table)`: an address, or a byte of one, among constants."""

    what: Operand
    arguments: Arguments


class Vector(NamedTuple):
    """`{a, b, …}` as an operand of PTX."""

    elements: tuple[Operand, ...]


class Arguments(NamedTuple):
    """`(a, b, …)` of a call in PTX."""

    elements: tuple[Operand, ...]


class Pair(NamedTuple):
    """`p|q`: two destinations of a PTX instruction."""

    first: Operand
    second: Operand


Operand: TypeAlias = (
    Name
    | Number
    | Unary
    | Binary
    | Conditional
    | Cast
    | Parentheses
    | Address
    | AddressOf
    | Vector
    | Arguments
    | Pair
)


def call_parts(
    operands: tuple[Operand, ...],
) -> tuple[tuple[Operand, ...], Name | None, tuple[Operand, ...]]:
    """Results, function and arguments of `call (r), f, (a), prototype` in PTX."""
    results: tuple[Operand, ...] = ()
    rest = list(operands)
    if rest and isinstance(rest[0], Arguments):
        results = rest[0].elements
        rest = rest[1:]
    callee = rest[0] if rest else None
    given = rest[1] if len(rest) > 1 else None
    arguments = given.elements if isinstance(given, Arguments) else ()
    return results, callee if isinstance(callee, Name) else None, arguments


def written_names(operand: Operand) -> list[Name]:
    """The registers that a destination of PTX names; those that a call returns, too."""
    if isinstance(operand, Name):
        return [operand]
    if isinstance(operand, Pair):
        return written_names(operand.first) + written_names(operand.second)
    if isinstance(operand, Vector | Arguments):
        return [name for element in operand.elements for name in written_names(element)]
    return []


# ---- statements (PTX ISA 4.3) ------------------------------------------------------------------


class Opcode:
    """The opcode of a PTX instruction, `ld.global.v4.f32`, cut at its dots; one object per text."""

    __slots__ = ("mnemonic", "modifiers", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.mnemonic, *modifiers = text.split(".")
        self.modifiers = tuple(modifiers)

    def __repr__(self) -> str:
        return f"Opcode({self.text!r})"


class Guard(NamedTuple):
    """The guard of a PTX instruction, `@p` or `@!p`."""

    predicate: Name
    negated: bool


class Instruction(NamedTuple):
    """One PTX instruction; `start` and `end` are offsets in the module's text."""

    opcode: Opcode
    operands: tuple[Operand, ...]
    guard: Guard | None
    start: int
    end: int


class Label(NamedTuple):
    """`name:` as a statement of PTX."""

    name: Name
    start: int
    end: int


class SourceLine(NamedTuple):
    """What one `.loc` says; `inlined_at` is file, line, column of the call; one object per text."""

    file: int
    line: int
    column: int
    function: str = ""
    inlined_at: tuple[int, int, int] | None = None


class Loc(NamedTuple):
    """`.loc file line column[, function_name label, inlined_at file line column]`."""

    place: SourceLine
    text: str
    start: int
    end: int


class ScopeStart(NamedTuple):
    """`{` inside a PTX body: declarations up to the matching brace are local to it."""

    start: int
    end: int


class ScopeEnd(NamedTuple):
    """`}` inside a PTX body."""

    start: int
    end: int


class Registers(NamedTuple):
    """`.reg .b32 %r<12>, %s;`."""

    vector: str
    type: str
    names: tuple[tuple[Name, Number | None], ...]  # with the count of `%r<12>`
    start: int
    end: int


class Declarator(NamedTuple):
    """One variable that a PTX statement declares, `name[3][]`, with its initialiser as written."""

    name: Name
    extents: tuple[Operand | None, ...]
    initialiser: str | None


class Variables(NamedTuple):
    """`.visible .shared .align 16 .b8 a[64], b;`; `qualifiers` are tokens in source order."""

    linkage: tuple[str, ...]
    space: str
    qualifiers: tuple[tuple[str, ...], ...]  # (".align", "16"), (".v2",), (".attribute", …)
    type: str
    declarators: tuple[Declarator, ...]
    start: int
    end: int


class Targets(NamedTuple):
    """`.branchtargets a, b;`, `.calltargets f, g;`: the label before it names the list."""

    directive: str
    names: tuple[Name, ...]
    start: int
    end: int


class Prototype(NamedTuple):
    """`.callprototype (…) _ (…);`: the label before it names the prototype."""

    header: Header
    start: int
    end: int


class Directive(NamedTuple):
    """A directive of PTX kept by name and text: `.pragma "nounroll"`, `.target sm_90a, debug`, …"""

    name: str
    text: str
    start: int
    end: int


class Unread(NamedTuple):
    """Text of PTX that could not be read; a problem says why."""

    start: int
    end: int


Statement: TypeAlias = (
    Instruction
    | Label
    | Loc
    | ScopeStart
    | ScopeEnd
    | Registers
    | Variables
    | Targets
    | Prototype
    | Directive
    | Unread
)

# ---- functions (PTX ISA 5.4, 7.1) --------------------------------------------------------------


class PointerAttribute(NamedTuple):
    """`.ptr .global .align 4`: what a PTX parameter points to."""

    space: str
    alignment: Number | None


class ParameterDeclaration(NamedTuple):
    """`.param .u64 .ptr .global .align 4 name` or `.reg .b32 %r`."""

    space: str  # ".param" or ".reg"
    alignment: Number | None  # of the parameter itself
    vector: str
    type: str
    pointer: PointerAttribute | None
    name: Name
    extents: tuple[Operand | None, ...]


class Performance(NamedTuple):
    """`.maxntid 256, 1, 1` and its like; `values` are as written."""

    name: str
    values: tuple[str, ...]  # numbers, or the quoted strings of a pragma


class Header(NamedTuple):
    """Everything of a PTX function before its brace; `results` is None when not written."""

    linkage: tuple[str, ...]
    kind: str  # ".entry", ".func", ".callprototype"
    attributes: tuple[tuple[str, ...], ...]
    results: tuple[ParameterDeclaration, ...] | None
    name: Name
    parameters: tuple[ParameterDeclaration, ...] | None
    performance: tuple[Performance, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """An `.entry` or `.func` of PTX; `body` is None for a declaration."""

    header: Header
    body: tuple[Statement, ...] | None
    start: int
    header_end: int
    end: int

    @property
    def name(self) -> str:
        """The function's name."""
        return self.header.name.text

    @property
    def is_entry(self) -> bool:
        """Whether this is a kernel."""
        return self.header.kind == ".entry"


class Section(NamedTuple):
    """`.section .debug_info { … }`, contents as text."""

    name: str
    contents: str
    start: int
    end: int


Item: TypeAlias = Function | Variables | Section | Directive | Loc | Unread


@dataclass(slots=True)
class PtxModule:
    """The syntax tree of one PTX file."""

    source: SourceText
    items: list[Item] = field(default_factory=list)
    version: tuple[int, int] | None = None
    targets: tuple[str, ...] = ()
    address_size: int = 32  # unless the module says otherwise (PTX ISA 11.1.3)
    files: dict[int, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    atoms: Atoms = field(default_factory=Atoms)

    @property
    def functions(self) -> list[Function]:
        """Entries and functions, in order."""
        return [item for item in self.items if isinstance(item, Function)]
