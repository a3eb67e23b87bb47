"""The AST of CUDA C++: pycparser's `c_ast` and the nodes that C has no word for.

Whatever C can say is said with `c_ast` (FuncDef, Decl, TypeDecl, PtrDecl, ArrayDecl, Compound, For,
BinaryOp, ArrayRef, StructRef, FuncCall, Cast, ...). The classes here are the rest. `coord` of every
node is a `Span` over the whole node in the file where the user should look (for a macro expansion:
the use). A method call is `FuncCall(StructRef(...), ...)`; `cond ? a : b` is `TernaryOp`.

A variable's Decl has every specifier word but const and volatile in `storage` (`extern`,
`__shared__`, `constexpr`, ...) and a c_ast.Alignas per alignment in `align`; `init` is an
expression, an InitList for `T x{...}` and `T x = {...}`, or a Construct without type for `T
x(...)`. An elaborated `struct T` is the IdentifierType `T`. Parentheses leave no node. `this` is
an ID. A `#pragma unroll` is a c_ast.Pragma before its loop, its string the words after `#pragma`.

Every class lists its children in `child_fields`, a list-valued child being a list of nodes, and its
plain data in `attr_names`; visitors and generators of `c_ast` work on all of them.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

from .c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...source.text import Span

Node = c_ast.Node


def walk(node: Any, but: type | None = None) -> Iterator[Any]:
    """Every node below and including `node`, in source order, but for what such nodes hold."""
    work = [node]
    while work:
        item = work.pop()
        yield item
        if but is None or not isinstance(item, but):
            work += [*item][::-1]


def identifiers(node: Any) -> Iterator[str]:
    """The plain names in a node, in source order."""
    return (each.name for each in walk(node) if isinstance(each, c_ast.ID))


def member_name(access: Any) -> str:
    """The member that a c_ast.StructRef names, `sum` of `a.sum` and of `a.Base::sum`."""
    field = access.field
    return str((field.parts[-1] if isinstance(field, QualifiedName) else field).name)


class Extension(c_ast.Node):
    """Base of the extension nodes: children and attributes follow from the class's two lists."""

    __slots__ = ("coord",)
    child_fields: ClassVar[tuple[str, ...]] = ()
    attr_names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *values: Any, coord: Span | None = None) -> None:
        names = self.__slots__
        if len(values) != len(names):
            raise TypeError(f"{type(self).__name__} takes {names}, got {len(values)} values")
        for name, value in zip(names, values, strict=True):
            setattr(self, name, value)
        self.coord = coord

    def children(self) -> tuple[tuple[str, Any], ...]:
        """The child nodes with their field names, in source order."""
        found: list[tuple[str, Any]] = []
        for name in self.child_fields:
            value = getattr(self, name)
            if isinstance(value, list):
                found += [(f"{name}[{index}]", child) for index, child in enumerate(value)]
            elif value is not None:
                found.append((name, value))
        return tuple(found)

    def __iter__(self) -> Iterator[Any]:
        for name in self.child_fields:
            value = getattr(self, name)
            if isinstance(value, list):
                yield from value
            elif value is not None:
                yield value


# ---- functions and templates -------------------------------------------------------------------


class Function(c_ast.FuncDef):
    """A function with its C++ and CUDA surroundings.

    `decl.name` is the plain name (`operator()` included), `decl.funcspec` every specifier in
    order of appearance (`__global__`, `static`, ...; a macro of the qualifier list is replaced by
    what it stands for), `decl.type` the FuncDecl. `body` is None for a declaration without body.
    """

    __slots__ = (
        "attributes", "defaulted", "header", "initializers", "instantiation", "owner",
        "requirement", "scope", "specialization", "suffixes", "template",
    )  # fmt: skip

    def __init__(
        self,
        decl: Any,
        body: Any,
        *,
        scope: tuple[str, ...] = (),
        template: Template | None = None,
        attributes: list[Attribute] | None = None,
        header: Span | None = None,
        coord: Span | None = None,
    ) -> None:
        super().__init__(decl, None, body, coord)
        self.scope = scope  # enclosing namespaces and classes, outermost first
        self.template = template  # its own template head, None for a plain function
        self.attributes = attributes or []  # __launch_bounds__, __cluster_dims__, __maxnreg__ ...
        self.header = header  # from the first specifier to the closing parenthesis
        self.specialization: list[Any] | None = (
            None  # the arguments of `k<256>` where it is declared
        )
        self.requirement: Any = None  # the condition behind its own `requires`
        self.owner: list[Any] | None = None  # the arguments of its class: `A<T, 4>::f`
        self.instantiation = False  # `template __global__ void k<256>(int);`
        self.initializers: list[Any] = []  # MemberInitializer of a constructor
        self.suffixes: list[str] = []  # `const`, `override`, `&&` after the parameters
        self.defaulted = False  # `T() = default;`


class MemberInitializer(Extension):
    """`x(1)` or `x{1}` before the body of a constructor; `target` is a name or a type name."""

    __slots__ = ("target", "arguments", "braced")
    child_fields = ("target", "arguments")
    attr_names = ("braced",)


class Attribute(Extension):
    """`__launch_bounds__(256, 2)`: a name and expressions."""

    __slots__ = ("name", "arguments")
    child_fields = ("arguments",)
    attr_names = ("name",)


class Template(Extension):
    """`template <typename T, int N = 4>`: a list of TemplateParameter; `requirement` is the
    condition behind `requires`.
    """

    __slots__ = ("parameters", "requirement")
    child_fields = ("parameters", "requirement")

    def __init__(
        self, parameters: list[Any], requirement: Any = None, *, coord: Span | None = None
    ) -> None:
        super().__init__(parameters, requirement, coord=coord)


class TemplateParameter(Extension):
    """`kind` is "type", "value" or "template"; `type` is the Typename of a value parameter."""

    __slots__ = ("kind", "name", "type", "default", "pack")
    child_fields = ("type", "default")
    attr_names = ("kind", "name", "pack")


class Virtual(Enum):
    """What a class declares virtual, whether or not it is parsed. With any of it an object begins
    with the address of a table; a destructor alone is called directly.
    """

    NOTHING = "nothing"
    DESTRUCTOR = "its destructor"
    FUNCTIONS = "functions or bases"


class ClassDefinition(Extension):
    """A struct, class or union: `members` are Decl, Function, Using, TypeAlias, ... in order;
    None of a template that is declared and not defined.

    `bases` are type nodes; `alignment` has a c_ast.Alignas for each `__align__(n)`; `virtual` is a
    `Virtual`.
    """

    __slots__ = ("key", "name", "bases", "members", "template", "alignment", "virtual")
    child_fields = ("bases", "members", "template", "alignment")
    attr_names = ("key", "name")


def has_virtual_functions(definition: ClassDefinition) -> bool:
    """Whether code can be led into a table of its functions."""
    return definition.virtual is Virtual.FUNCTIONS


class ClassSpecialization(ClassDefinition):
    """`struct A<T, 4> { ... }`: `arguments` are those of its name."""

    __slots__ = ("arguments",)

    def __init__(self, definition: ClassDefinition, arguments: list[Any]) -> None:
        for name in ClassDefinition.__slots__:
            setattr(self, name, getattr(definition, name))
        self.coord = definition.coord
        self.arguments = arguments


# ---- names and types ---------------------------------------------------------------------------


class QualifiedName(Extension):
    """`cg::tiled_partition<32>`: `parts` are c_ast.ID or TemplateId; `rooted`: a leading `::`."""

    __slots__ = ("parts", "rooted")
    child_fields = ("parts",)
    attr_names = ("rooted",)


class TemplateId(Extension):
    """`name<arguments>`; an argument is an expression or a c_ast.Typename."""

    __slots__ = ("name", "arguments")
    child_fields = ("arguments",)
    attr_names = ("name",)


class NamedType(Extension):
    """A type name that is more than one word: `name` is a QualifiedName or TemplateId.

    Stands where c_ast has IdentifierType: inside a TypeDecl.
    """

    __slots__ = ("name",)
    child_fields = ("name",)


class DecltypeType(Extension):
    """`decltype(expression)`; stands where c_ast has IdentifierType."""

    __slots__ = ("expression",)
    child_fields = ("expression",)


class Reference(Extension):
    """`T&` (or `T&&` when `rvalue`): the reference's PtrDecl."""

    __slots__ = ("quals", "type", "rvalue")
    child_fields = ("type",)
    attr_names = ("quals", "rvalue")


class Pack(Extension):
    """`expression...` or `Type...`: a pack expansion or a declared pack."""

    __slots__ = ("pattern",)
    child_fields = ("pattern",)


# ---- expressions -------------------------------------------------------------------------------


class Construct(Extension):
    """`T(a, b)`, `T{a, b}`: `type` is a Typename, None where a declaration has it (`T x(a)`)."""

    __slots__ = ("type", "arguments", "braced")
    child_fields = ("type", "arguments")
    attr_names = ("braced",)


class NamedCast(Extension):
    """`static_cast<T>(e)` and its three sisters; `kind` is the word before `_cast`."""

    __slots__ = ("kind", "type", "expression")
    child_fields = ("type", "expression")
    attr_names = ("kind",)


class Lambda(Extension):
    """`captures` is a list of Capture; `parameters` a ParamList or None; `result` a Typename."""

    __slots__ = ("captures", "parameters", "specifiers", "result", "body")
    child_fields = ("captures", "parameters", "result", "body")
    attr_names = ("specifiers",)


class Capture(Extension):
    """`&`, `=`, `x`, `&x`, `x = e`, `this`, `*this`; `name` is None for a default capture."""

    __slots__ = ("by_reference", "name", "value")
    child_fields = ("value",)
    attr_names = ("by_reference", "name")


class New(Extension):
    """`new (place) T[n](args)`: `type` a Typename, `count` the extent or None."""

    __slots__ = ("place", "type", "count", "arguments")
    child_fields = ("place", "type", "count", "arguments")


class Delete(Extension):
    """`delete p`, `delete[] p`."""

    __slots__ = ("expression", "array")
    child_fields = ("expression",)
    attr_names = ("array",)


class Throw(Extension):
    """`throw e`; `expression` is None for a rethrow."""

    __slots__ = ("expression",)
    child_fields = ("expression",)


class Fold(Extension):
    """`(pack op ...)` and its three sisters; `left` or `right` is None on the side of `...`."""

    __slots__ = ("op", "left", "right")
    child_fields = ("left", "right")
    attr_names = ("op",)


class Launch(Extension):
    """`kernel<<<grid, block, shared, stream>>>(arguments)`; `configuration` has 2 to 4 entries."""

    __slots__ = ("kernel", "configuration", "arguments")
    child_fields = ("kernel", "configuration", "arguments")


class StatementExpression(Extension):
    """GNU `({ ... })`."""

    __slots__ = ("body",)
    child_fields = ("body",)


# ---- statements --------------------------------------------------------------------------------


class InlineAssembly(Extension):
    """`asm volatile("text" : outputs : inputs : clobbers)`; operands are AssemblyOperand.

    `template` is the text with adjacent literals joined and escapes resolved, for the PTX reader.
    """

    __slots__ = ("template", "volatile", "outputs", "inputs", "clobbers")
    child_fields = ("outputs", "inputs")
    attr_names = ("template", "volatile", "clobbers")


class AssemblyOperand(Extension):
    """`[symbol] "constraint" (expression)`."""

    __slots__ = ("symbol", "constraint", "expression")
    child_fields = ("expression",)
    attr_names = ("symbol", "constraint")


class ConstexprIf(c_ast.If):
    """`if constexpr (...)`; fields as c_ast.If."""

    __slots__ = ()


class ConditionDeclaration(Extension):
    """`if (T x = e; condition)`: the declaration in an if, while or switch and what follows."""

    __slots__ = ("declaration", "condition")
    child_fields = ("declaration", "condition")


class RangeFor(Extension):
    """`for (T x : range) body`."""

    __slots__ = ("declaration", "range", "body")
    child_fields = ("declaration", "range", "body")


class StructuredBinding(Extension):
    """`auto [a, b] = e;`; `reference` is `&`, `&&` or empty."""

    __slots__ = ("names", "reference", "value")
    child_fields = ("value",)
    attr_names = ("names", "reference")


class TypeAlias(Extension):
    """`using N = T;` (`template` when it has a head)."""

    __slots__ = ("name", "type", "template")
    child_fields = ("type", "template")
    attr_names = ("name",)


class Using(Extension):
    """`using namespace N;`, `using N::x;`, `namespace A = B;`: read, not needed further."""

    __slots__ = ("text",)
    attr_names = ("text",)


class Try(Extension):
    """`try { } catch (...) { }`; `handlers` are Compound."""

    __slots__ = ("body", "handlers")
    child_fields = ("body", "handlers")


class Opaque(Extension):
    """A statement that could not be read: it may do anything. `reason` says why.

    `headed` is the place of the statement that it stands before and may decide about, as
    `FOR_EACH(i)` does before a block.
    """

    __slots__ = ("text", "reason", "headed")
    attr_names = ("text", "reason")

    def __init__(
        self, text: str, reason: str, headed: Span | None = None, *, coord: Span | None = None
    ) -> None:
        super().__init__(text, reason, headed, coord=coord)


def is_only_named_by(alias: object) -> bool:
    """Whether an alias is all the name that a class has: `typedef struct {...} pixel;`."""
    while isinstance(alias, c_ast.Typename | c_ast.Decl | c_ast.TypeDecl):
        alias = alias.type
    return isinstance(alias, ClassDefinition) and not alias.name


def declares_reference(node: Any) -> bool:
    """Whether a declaration declares a reference."""
    return isinstance(getattr(node, "type", None), Reference)


def returns_reference(function: Any) -> bool:
    """Whether a function of this type returns a reference; by `decltype(auto)` it does so wherever
    what it returns has a place.
    """
    type = getattr(getattr(function, "type", None), "type", None)
    if not isinstance(type, DecltypeType) or not isinstance(type.expression, c_ast.Typename):
        return declares_reference(function)
    held = type.expression.type.type
    return isinstance(held, c_ast.IdentifierType) and held.names == ["auto"]
