"""Functions, templates, classes and whatever else declares a name."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from .base import Extension
from .c_ast import c_ast
from .types import DecltypeType, Reference

if TYPE_CHECKING:
    from ....source.text import Span


class Function(c_ast.FuncDef):
    """A function with its C++ and CUDA surroundings.

    `decl.name` is the plain name (`operator()` included), `decl.funcspec` every specifier in
    order of appearance (`__global__`, `static`, ...; a macro of the qualifier list is replaced by
    what it stands for), `decl.type` the FuncDecl. `body` is None for a declaration without body.
    """

    __slots__ = (
        "attributes", "defaulted", "deleted", "header", "initializers", "instantiation",
        "is_conversion", "is_destructor", "owner", "requirement", "scope", "specialization",
        "suffixes", "template",
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
        self.deleted = False  # `T(const T &) = delete;`
        self.is_destructor = False  # `~T()`
        self.is_conversion = False  # `operator T()`


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


class Packing(Extension):
    """How far members are aligned at most: `limit` (of `#pragma pack(2)`), or in no way
    (`__attribute__((packed))`, without a limit). `alignment` is one that the same attribute states.
    """

    __slots__ = ("limit", "alignment")
    child_fields = ("limit", "alignment")


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

    `bases` are type nodes; `alignment` has a c_ast.Alignas for each `__align__(n)` and a `Packing`
    for what packs it; `virtual` is a `Virtual`.
    """

    __slots__ = ("key", "name", "bases", "members", "template", "alignment", "virtual")
    child_fields = ("bases", "members", "template", "alignment")
    attr_names = ("key", "name")


def has_virtual_functions(definition: ClassDefinition) -> bool:
    """Whether code can be led into a table of the functions of this node's class."""
    return definition.virtual is Virtual.FUNCTIONS


class ClassInstantiation(Extension):
    """`template class A<int>;`: `type` is the Typename of the instance."""

    __slots__ = ("type",)
    child_fields = ("type",)


class ClassSpecialization(ClassDefinition):
    """`struct A<T, 4> { ... }`: `arguments` are those of its name."""

    __slots__ = ("arguments",)

    def __init__(self, definition: ClassDefinition, arguments: list[Any]) -> None:
        for name in ClassDefinition.__slots__:
            setattr(self, name, getattr(definition, name))
        self.coord = definition.coord
        self.arguments = arguments


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


def is_only_named_by(alias: object) -> bool:
    """Whether the node of an alias holds a class without a name: `typedef struct {...} pixel;`."""
    while isinstance(alias, c_ast.Typename | c_ast.Decl | c_ast.TypeDecl):
        alias = alias.type
    return isinstance(alias, ClassDefinition) and not alias.name


def names_itself(alias: Any) -> bool:
    """Whether the node of an alias gives a type its own name: `typedef struct point point;`."""
    type = alias.type
    while isinstance(type, c_ast.Typename | c_ast.Decl | c_ast.TypeDecl):
        type = type.type
    return isinstance(type, c_ast.IdentifierType) and type.names == [alias.name]


def declares_reference(node: Any) -> bool:
    """Whether the node of a declaration declares a reference."""
    return isinstance(getattr(node, "type", None), Reference)


def returns_reference(function: Any) -> bool:
    """Whether the node of a function's type says that it returns a reference; by `decltype(auto)`
    it does so wherever what it returns has a place.
    """
    type = getattr(getattr(function, "type", None), "type", None)
    if not isinstance(type, DecltypeType) or not isinstance(type.expression, c_ast.Typename):
        return declares_reference(function)
    held = type.expression.type.type
    return isinstance(held, c_ast.IdentifierType) and held.names == ["auto"]
