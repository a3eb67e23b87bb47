"""The syntax tree of a PTX module: statements and operands as written.

Out of the parser comes a `PtxModule`: module-level directives in order, functions with a flat list
of statements (`ScopeStart` and `ScopeEnd` stand for braces, so that nothing downstream needs
recursion), problems, and diagnostics. Every node keeps enough of its text to be printed back token
by token (`printer.py`). The nodes that occur a hundred thousand times are named tuples, which are
built several times faster than frozen dataclasses. Names follow the PTX ISA, chapters 4 and 5.
Contents of `.section` and initialisers of variables are kept as text.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from ..source.problem import Problem
    from ..source.text import SourceText, Span

_LONGEST_NUMBER = 40  # digits

# ---- operands (PTX ISA 6) ----------------------------------------------------------------------


class Name:
    """A register, special register, variable, label or function; one object per text and module.

    `component` is what stands behind the dot: `x` of `%tid.x` or `%v.x`, `b0` of a video operand.
    """

    __slots__ = ("base", "component", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.base, _, self.component = text.partition(".")

    @property
    def name(self) -> str:
        """The text, under the name that SSA construction looks for in messages."""
        return self.text

    def __repr__(self) -> str:
        return f"Name({self.text!r})"


class Number:
    """A literal; `value` is its number, `floating` for `0f…`, `0d…` and decimal fractions."""

    __slots__ = ("floating", "text", "value")

    def __init__(self, text: str, value: int | float, *, floating: bool) -> None:
        self.text = text
        self.value = value
        self.floating = floating

    @property
    def whole(self) -> int:
        """The value where only a whole number makes sense: a count, an alignment."""
        return 0 if self.floating else int(self.value)

    def __repr__(self) -> str:
        return f"Number({self.text!r})"


class Atoms(dict[str, "Name | Number"]):
    """The names and numbers of one module by their text, each made once."""

    def __missing__(self, text: str) -> Name | Number:
        atom = make_number(text) if text[0] in "0123456789" else Name(text)
        self[text] = atom
        return atom

    def name(self, text: str) -> Name:
        """The name of a text that is no number."""
        if text[:1] in "0123456789":
            return Name(text)
        atom = self[text]
        assert isinstance(atom, Name)
        return atom


def make_number(text: str) -> Number:
    """A literal of PTX ISA 4.5: hexadecimal, octal, binary, decimal, `0f`, `0d`, fractions."""
    kind = text[1:2].lower() if text[0] == "0" else ""
    if kind == "f" and len(text) == 10:
        return Number(text, struct.unpack(">f", bytes.fromhex(text[2:]))[0], floating=True)
    if kind == "d" and len(text) == 18:
        return Number(text, struct.unpack(">d", bytes.fromhex(text[2:]))[0], floating=True)
    digits = text.rstrip("U")
    if kind in ("x", "b"):
        return Number(text, int(digits[2:], 16 if kind == "x" else 2), floating=False)
    if not digits.isdigit():
        return Number(text, float(digits), floating=True)
    if len(digits) > _LONGEST_NUMBER:
        return Number(text, 0, floating=False)
    octal = digits[0] == "0" and not set(digits) & {"8", "9"}
    return Number(text, int(digits, 8 if octal else 10), floating=False)


class Unary(NamedTuple):
    """`-a`, `!p`, `~a`, `+a`."""

    operator: str
    operand: Operand


class Binary(NamedTuple):
    """A constant expression such as `(1 << 2) | 3` or `table + 8`."""

    operator: str
    left: Operand
    right: Operand


class Conditional(NamedTuple):
    """`a ? b : c` among constants."""

    condition: Operand
    then: Operand
    otherwise: Operand


class Cast(NamedTuple):
    """`(.s64) a` or `(.u64) a` in a constant expression."""

    type: str
    operand: Operand


class Parentheses(NamedTuple):
    """`( a )` around a constant expression."""

    operand: Operand


class Address(NamedTuple):
    """`[base joint offset, rest…]`; `joint` is "", "+", "-" or "+-"; `subscript` for `name[3]`."""

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
    """`{a, b, …}`."""

    elements: tuple[Operand, ...]


class Arguments(NamedTuple):
    """`(a, b, …)` of a call."""

    elements: tuple[Operand, ...]


class Pair(NamedTuple):
    """`p|q`: two destinations."""

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
    """Results, function and arguments of `call (r), f, (a), prototype`."""
    results: tuple[Operand, ...] = ()
    rest = list(operands)
    if rest and isinstance(rest[0], Arguments):
        results = rest[0].elements
        rest = rest[1:]
    callee = rest[0] if rest else None
    given = rest[1] if len(rest) > 1 else None
    arguments = given.elements if isinstance(given, Arguments) else ()
    return results, callee if isinstance(callee, Name) else None, arguments


# ---- statements (PTX ISA 4.3) ------------------------------------------------------------------


class Opcode:
    """`ld.global.v4.f32` cut at its dots; one object per text."""

    __slots__ = ("mnemonic", "modifiers", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.mnemonic, *modifiers = text.split(".")
        self.modifiers = tuple(modifiers)

    def __repr__(self) -> str:
        return f"Opcode({self.text!r})"


class Guard(NamedTuple):
    """`@p` or `@!p`."""

    predicate: Name
    negated: bool


class Instruction(NamedTuple):
    """One instruction; `start` and `end` are offsets in the module's text."""

    opcode: Opcode
    operands: tuple[Operand, ...]
    guard: Guard | None
    start: int
    end: int


class Label(NamedTuple):
    """`name:`."""

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
    """`{` inside a body: declarations up to the matching brace are local to it."""

    start: int
    end: int


class ScopeEnd(NamedTuple):
    """`}` inside a body."""

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
    """`name[3][]`, with its initialiser as written."""

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
    """A directive kept by name and text: `.pragma "nounroll"`, `.target sm_90a, debug`, …"""

    name: str
    text: str
    start: int
    end: int


class Unread(NamedTuple):
    """Text that could not be read; a problem says why."""

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
    """`.ptr .global .align 4`: what a parameter points to."""

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
    """Everything of a function before its brace; `results` is None when not written."""

    linkage: tuple[str, ...]
    kind: str  # ".entry", ".func", ".callprototype"
    attributes: tuple[tuple[str, ...], ...]
    results: tuple[ParameterDeclaration, ...] | None
    name: Name
    parameters: tuple[ParameterDeclaration, ...] | None
    performance: tuple[Performance, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """An `.entry` or `.func`; `body` is None for a declaration."""

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


@dataclass(frozen=True, slots=True)
class PtxDiagnostic:
    """Something that ptxas would refuse, though it reads well."""

    kind: str  # "undeclared-register", "missing-label", "operand-count", "operand-type", ...
    message: str
    span: Span


@dataclass(slots=True)
class PtxModule:
    """One parsed file."""

    source: SourceText
    items: list[Item] = field(default_factory=list)
    version: tuple[int, int] | None = None
    targets: tuple[str, ...] = ()
    address_size: int = 64
    files: dict[int, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    atoms: Atoms = field(default_factory=Atoms)

    @property
    def diagnostics(self) -> list[PtxDiagnostic]:
        """What ptxas would refuse, worked out when it is asked for."""
        from .check import check_ptx

        return check_ptx(self)

    @property
    def functions(self) -> list[Function]:
        """Entries and functions, in order."""
        return [item for item in self.items if isinstance(item, Function)]
