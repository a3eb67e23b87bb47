"""Tree building for specifiers, declarators, types and parameters.

A declarator is gathered inside out as a list of modifiers (`Array`, `Pointer`, `Call`), nearest to
the name first, and turned into nested c_ast declarators once the specifiers are at hand.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from ...source.records import dataclass
from . import nodes
from .builder_base import BuilderBase, Values
from .names import VALUE
from .nodes.c_ast import c_ast
from .normalise import PACK, PACKED

if TYPE_CHECKING:
    from ...source.text import Span


@dataclass(slots=True)
class Specifiers:
    """`static const int`: everything before the declarator."""

    type: Any
    storage: list[str] = field(default_factory=list)
    quals: list[str] = field(default_factory=list)
    attributes: list[nodes.Attribute] = field(default_factory=list)
    alignment: list[Any] = field(default_factory=list)
    first: int = 0
    stop: int = 0


class Array(NamedTuple):
    """`[extent]`."""

    extent: Any
    span: Span


class Pointer(NamedTuple):
    """`* const`, `&` or `&&`."""

    word: str
    quals: list[str]
    span: Span


class Call(NamedTuple):
    """`(parameters) suffixes`."""

    parameters: Any
    result: Any
    span: Span


class PackMark(NamedTuple):
    """`...` before a declared name."""

    span: Span


@dataclass(slots=True)
class Declarator:
    """A declared name with its modifiers, nearest to the name first."""

    name: str | None
    modifiers: list[Array | Pointer | Call | PackMark]
    first: int
    stop: int
    scope: tuple[str, ...] = ()
    arguments: Values | None = None
    owner: Values | None = None  # the arguments of the class in front: `A<T, 4>::f`
    suffixes: Values = field(default_factory=list)


class TypeBuilder(BuilderBase):
    """Methods named after the alternatives of `grammars/cuda.lark`."""

    # ---- specifiers and type names -------------------------------------------------------------

    def plain_specifiers(self, v: Values, first: int, stop: int) -> Specifiers:
        """A type specifier and nothing else."""
        return Specifiers(v[0], first=first, stop=stop)

    def qualified_specifiers(self, v: Values, first: int, stop: int) -> Specifiers:
        """Qualifiers before a type specifier, and perhaps after it."""
        return self.specifiers(v[1], v[0] + _of_variables(v[1], v[2] or []), first, stop)

    def trailing_specifiers(self, v: Values, first: int, stop: int) -> Specifiers:
        """Qualifiers after a type specifier."""
        return self.specifiers(v[0], _of_variables(v[0], v[1]), first, stop)

    def specifiers(self, kind: Any, qualifiers: Values, first: int, stop: int) -> Specifiers:
        """A type specifier with its qualifiers sorted."""
        result = Specifiers(kind, first=first, stop=stop)
        for qualifier in qualifiers:
            if qualifier.__class__ is int:
                word = self.kinds[qualifier] == "CV"
                (result.quals if word else result.storage).append(self.texts[qualifier])
            elif isinstance(qualifier, c_ast.Alignas | nodes.Packing):
                result.alignment.append(qualifier)
            else:
                result.attributes.append(qualifier)
        return result

    def attribute(self, v: Values, first: int, stop: int) -> nodes.Attribute:
        """`__launch_bounds__(256)`."""
        return nodes.Attribute(self.texts[v[0]], v[1] or [], coord=self.span(first, stop))

    def alignment(self, v: Values, first: int, stop: int) -> c_ast.Alignas | nodes.Packing:
        """`__align__(16)`, `alignas(T)`; what packs, in words that no program has."""
        span, word = self.span(first, stop), self.texts[first]
        if word == PACKED:
            return nodes.Packing(None, v[0], coord=span)
        return nodes.Packing(v[0], None, coord=span) if word == PACK else c_ast.Alignas(v[0], span)

    def builtin_type(self, v: Values, first: int, stop: int) -> c_ast.IdentifierType:
        """`int`."""
        return c_ast.IdentifierType([self.texts[first]], self.span(first, stop))

    def builtin_words(self, v: Values, first: int, stop: int) -> c_ast.IdentifierType:
        """`unsigned long long`."""
        return c_ast.IdentifierType(self.texts[first:stop], self.span(first, stop))

    def decltype(self, v: Values, first: int, stop: int) -> nodes.DecltypeType:
        """`decltype(expression)`."""
        return nodes.DecltypeType(v[0], coord=self.span(first, stop))

    def type_of_type(self, v: Values, first: int, stop: int) -> nodes.DecltypeType:
        """GNU `typeof(type)`."""
        return nodes.DecltypeType(v[0], coord=self.span(first, stop))

    def plain_type(self, v: Values, first: int, stop: int) -> c_ast.IdentifierType:
        """`T`."""
        return c_ast.IdentifierType([self.texts[first]], self.span(first, stop))

    def template_type(self, v: Values, first: int, stop: int) -> Any:
        """`A<T>`."""
        name, arguments = v
        if arguments is None:
            return c_ast.IdentifierType([self.texts[name]], self.span(first, stop))
        return nodes.NamedType(self.named(name, arguments, stop), coord=self.span(first, stop))

    def scoped_type(self, v: Values, first: int, stop: int) -> nodes.NamedType:
        """`A::B<T>`."""
        scope, name, arguments = v
        last = self.named(name, arguments, stop)
        whole = self.qualified(scope, last, first, stop)
        return nodes.NamedType(whole, coord=self.span(first, stop))

    def elaborated(self, v: Values, first: int, stop: int) -> Any:
        """`struct T`: in C++ the same as `T`."""
        return v[2]

    def elaborated_enum(self, v: Values, first: int, stop: int) -> Any:
        """`enum T`."""
        return v[1]

    def type_id(self, v: Values, first: int, stop: int) -> c_ast.Typename:
        """A type without a declared name."""
        specifiers = v[0]
        declarator = v[1] or Declarator(None, [], first, stop)
        return self.typename(specifiers, declarator, first, stop)

    def typename(
        self, specifiers: Specifiers, declarator: Declarator, first: int, stop: int
    ) -> c_ast.Typename:
        """The Typename node for specifiers and an abstract declarator."""
        full = self.full_type(specifiers, declarator)
        return c_ast.Typename(None, specifiers.quals, None, full, self.span(first, stop))

    def full_type(self, specifiers: Specifiers, declarator: Declarator) -> Any:
        """The nested c_ast type of a declarator."""
        result: Any = c_ast.TypeDecl(
            declarator.name, specifiers.quals, None, specifiers.type,
            self.span(specifiers.first, specifiers.stop),
        )  # fmt: skip
        for modifier in reversed(declarator.modifiers):
            if isinstance(modifier, Pointer):
                if modifier.word.endswith("::*"):
                    owner = modifier.word.removesuffix("::*")
                    result = nodes.MemberPointer(owner, result, coord=modifier.span)
                elif modifier.word == "*":
                    result = c_ast.PtrDecl(modifier.quals, result, modifier.span)
                else:
                    rvalue = modifier.word == "&&"
                    result = nodes.Reference(modifier.quals, result, rvalue, coord=modifier.span)
            elif isinstance(modifier, Array):
                result = c_ast.ArrayDecl(result, modifier.extent, [], modifier.span)
            elif isinstance(modifier, Call):
                if modifier.result is not None:
                    result = modifier.result.type
                result = c_ast.FuncDecl(modifier.parameters, result, modifier.span)
            else:
                result = nodes.Pack(result, coord=modifier.span)
        return result

    # ---- declarators ---------------------------------------------------------------------------

    def pointer(self, v: Values, first: int, stop: int) -> Pointer:
        """`* const __restrict__`."""
        quals = [self.texts[i] for i in v[1]] if len(v) > 1 else []
        return Pointer(self.texts[v[0]], quals, self.span(first, stop))

    def plain_declared(self, v: Values, first: int, stop: int) -> Declarator:
        """The name being declared."""
        text = self.texts[first]
        if self.kinds[first] == "IDENT":
            self.names.declare(text, VALUE)
        return Declarator(text, [], first, stop)

    def template_declared(self, v: Values, first: int, stop: int) -> Declarator:
        """`f<int>`, being specialised."""
        return Declarator(self.texts[v[0]], [], first, stop, (), v[1])

    def scoped_declared(self, v: Values, first: int, stop: int) -> Declarator:
        """`A::f`, `::f`."""
        scope, name, arguments = v
        outer = tuple(getattr(part, "name", "") for part in scope[1])
        last = scope[1][-1] if scope[1] else None
        owner = list(last.arguments) if isinstance(last, nodes.TemplateId) else None
        return Declarator(self.texts[name], [], first, stop, outer, arguments, owner)

    def pointer_declarator(self, v: Values, first: int, stop: int) -> Declarator:
        """`* x[3]`."""
        result: Declarator = v[1]
        result.modifiers += reversed(v[0])
        result.first, result.stop = first, stop
        return result

    def group(self, v: Values, first: int, stop: int) -> Declarator:
        """`(*x)`."""
        result: Declarator = v[0]
        result.stop = stop
        return result

    def array_of(self, v: Values, first: int, stop: int) -> Declarator:
        """`x[extent]`."""
        result: Declarator = v[0]
        result.modifiers.append(Array(v[1], self.span(first, stop)))
        result.stop = stop
        return result

    def function_of(self, v: Values, first: int, stop: int) -> Declarator:
        """`f(parameters) const`."""
        result: Declarator = v[0]
        result.modifiers.append(self.call_of(v[1], v[2], first, stop))
        result.suffixes += v[2] or []
        result.stop = stop
        return result

    def call_of(self, parameters: Any, suffixes: Values | None, first: int, stop: int) -> Call:
        """The function modifier, with the trailing return type if there is one."""
        trailing = [s for s in suffixes or [] if isinstance(s, c_ast.Typename)]
        return Call(parameters, trailing[0] if trailing else None, self.span(first, stop))

    def no_except(self, v: Values, first: int, stop: int) -> None:
        """`noexcept`: of no consequence here."""

    def trailing_type(self, v: Values, first: int, stop: int) -> Any:
        """`-> T`."""
        return v[1]

    def abstract_plain(self, v: Values, first: int, stop: int) -> Declarator:
        """`[3]`, `(*)(int)`."""
        result: Declarator = v[0]
        return result

    def abstract_pointers(self, v: Values, first: int, stop: int) -> Declarator:
        """`*`, `*[3]`."""
        result: Declarator = v[1] or Declarator(None, [], first, stop)
        result.modifiers += reversed(v[0])
        return result

    def abstract_array(self, v: Values, first: int, stop: int) -> Declarator:
        """`[3]`."""
        return Declarator(None, [Array(v[0], self.span(first, stop))], first, stop)

    def abstract_function(self, v: Values, first: int, stop: int) -> Declarator:
        """`(int)`, as in `function<void(int)>`."""
        return Declarator(None, [self.call_of(v[0], v[1], first, stop)], first, stop)

    # ---- parameters ----------------------------------------------------------------------------

    def parameters(self, v: Values, first: int, stop: int) -> c_ast.ParamList | None:
        """A parameter list; `(void)` is empty."""
        found = self.sequence(v, first, stop)
        if len(found) == 1 and isinstance(found[0], c_ast.Typename):
            only = found[0].type
            if isinstance(only, c_ast.TypeDecl) and getattr(only.type, "names", None) == ["void"]:
                return None
        return c_ast.ParamList(found, self.span(first, stop))

    def variadic(self, v: Values, first: int, stop: int) -> c_ast.EllipsisParam:
        """`...` at the end of the parameters."""
        return c_ast.EllipsisParam(self.span(first, stop))

    def parameter(self, v: Values, first: int, stop: int) -> Any:
        """`const T* __restrict__ x = 0`."""
        specifiers, pointers, dots, direct, alignment, default = v
        declarator = direct or Declarator(None, [], first, stop)
        if dots:
            declarator.modifiers.append(PackMark(self.span(first, stop)))
        if pointers:
            declarator.modifiers += reversed(pointers)
        if alignment is not None:
            specifiers.alignment.append(alignment)
        if declarator.name is None and default is None:
            return self.typename(specifiers, declarator, first, stop)
        return self.declaration_of(specifiers, declarator, default, first, stop)

    def pack_parameter(self, v: Values, first: int, stop: int) -> Any:
        """`T (&...)[N]`, without a name."""
        specifiers, pointers, declarator = v
        declarator.modifiers += [PackMark(self.span(first, stop)), *reversed(pointers or [])]
        return self.typename(specifiers, declarator, first, stop)

    def abstract_parameter(self, v: Values, first: int, stop: int) -> Any:
        """`int*[3]`, without a name."""
        specifiers, pointers, declarator, default = v
        declarator.modifiers += reversed(pointers or [])
        if default is None:
            return self.typename(specifiers, declarator, first, stop)
        return self.declaration_of(specifiers, declarator, default, first, stop)

    def declaration_of(
        self, specifiers: Specifiers, declarator: Declarator, initial: Any, first: int, stop: int
    ) -> c_ast.Decl:
        """The Decl of one declarator; every specifier word but const and volatile is its
        storage."""
        return c_ast.Decl(
            declarator.name, specifiers.quals, specifiers.alignment, specifiers.storage, [],
            self.full_type(specifiers, declarator), initial, None, self.span(first, stop),
        )  # fmt: skip


def _of_variables(type: Any, qualifiers: Values) -> Values:
    """What stands behind a type without what belongs to a class that is defined there:
    `struct A { ... } __attribute__((packed)) a;`.
    """
    if not isinstance(type, nodes.ClassDefinition):
        return qualifiers
    of_class = [q for q in qualifiers if isinstance(q, c_ast.Alignas | nodes.Packing)]
    type.alignment += of_class
    return [qualifier for qualifier in qualifiers if qualifier not in of_class]
