"""Tree building for specifiers, declarators, types, classes and declarations.

A declarator is gathered inside out as a list of modifiers (`Array`, `Pointer`, `Call`), nearest to
the name first, and turned into nested c_ast declarators once the specifiers are at hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pycparser import c_ast

from . import nodes
from .builder_base import BuilderBase, Values
from .names import FUNCTION_TEMPLATE, TYPE, TYPE_TEMPLATE, VALUE

if TYPE_CHECKING:
    from ..source.text import Span


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
    suffixes: Values = field(default_factory=list)


class TypeBuilder(BuilderBase):
    """Methods named after the alternatives of `grammars/cuda.lark`."""

    # ---- specifiers and type names -------------------------------------------------------------

    def specifiers(self, v: Values, first: int, stop: int) -> Specifiers:
        """Qualifiers before and after a type specifier."""
        result = Specifiers(v[1], first=first, stop=stop)
        for qualifier in (v[0] or []) + (v[2] or []):
            if qualifier.__class__ is int:
                kind = self.kinds[qualifier]
                (result.quals if kind == "CV" else result.storage).append(self.texts[qualifier])
            elif isinstance(qualifier, c_ast.Alignas):
                result.alignment.append(qualifier)
            else:
                result.attributes.append(qualifier)
        return result

    def attribute(self, v: Values, first: int, stop: int) -> nodes.Attribute:
        """`__launch_bounds__(256)`."""
        return nodes.Attribute(self.texts[v[0]], v[1] or [], coord=self.span(first, stop))

    def alignment(self, v: Values, first: int, stop: int) -> c_ast.Alignas:
        """`__align__(16)`, `alignas(T)`."""
        return c_ast.Alignas(v[0], self.span(first, stop))

    def builtin_type(self, v: Values, first: int, stop: int) -> c_ast.IdentifierType:
        """`unsigned long long`."""
        return c_ast.IdentifierType([self.texts[i] for i in v[0]], self.span(first, stop))

    def decltype(self, v: Values, first: int, stop: int) -> nodes.DecltypeType:
        """`decltype(expression)`."""
        return nodes.DecltypeType(v[0], coord=self.span(first, stop))

    def type_of_type(self, v: Values, first: int, stop: int) -> nodes.DecltypeType:
        """GNU `typeof(type)`."""
        return nodes.DecltypeType(v[0], coord=self.span(first, stop))

    def type_name(self, v: Values, first: int, stop: int) -> Any:
        """A named type."""
        scope, name, arguments = v
        span = self.span(first, stop)
        if scope is None and arguments is None:
            return c_ast.IdentifierType([self.texts[name]], span)
        last = self.named(name, arguments, stop)
        return nodes.NamedType(self.qualified(scope, last, first, stop), coord=span)

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
                if modifier.word == "*":
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

    def declared(self, v: Values, first: int, stop: int) -> Declarator:
        """The name being declared."""
        scope, name, arguments = v
        outer = () if scope is None else tuple(getattr(part, "name", "") for part in scope[1])
        text = self.texts[name]
        if not outer and self.kinds[name] == "IDENT":
            self.names.declare(text, VALUE)
        return Declarator(text, [], first, stop, outer, arguments)

    def declarator(self, v: Values, first: int, stop: int) -> Declarator:
        """`* x[3]`."""
        result: Declarator = v[1]
        if v[0]:
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
        return v[0]  # type: ignore[no-any-return]

    def abstract_pointers(self, v: Values, first: int, stop: int) -> Declarator:
        """`*`, `*[3]`."""
        result = v[1] or Declarator(None, [], first, stop)
        result.modifiers += reversed(v[0])
        return result  # type: ignore[no-any-return]

    def abstract_array(self, v: Values, first: int, stop: int) -> Declarator:
        """`[3]`."""
        return Declarator(None, [Array(v[0], self.span(first, stop))], first, stop)

    def abstract_function(self, v: Values, first: int, stop: int) -> Declarator:
        """`(int)`, as in `function<void(int)>`."""
        return Declarator(None, [self.call_of(v[0], v[1], first, stop)], first, stop)

    # ---- parameters ----------------------------------------------------------------------------

    def parameters(self, v: Values, first: int, stop: int) -> c_ast.ParamList | None:
        """A parameter list; `(void)` is empty."""
        found = v[0]
        if len(found) == 1 and isinstance(found[0], c_ast.Typename):
            only = found[0].type
            if isinstance(only, c_ast.TypeDecl) and getattr(only.type, "names", None) == ["void"]:
                return None
        return c_ast.ParamList(found, self.span(first, stop))

    def variadic_parameters(self, v: Values, first: int, stop: int) -> c_ast.ParamList:
        """`int x, ...`."""
        dots = c_ast.EllipsisParam(self.span(stop - 1, stop))
        return c_ast.ParamList([*v[0], dots], self.span(first, stop))

    def only_variadic(self, v: Values, first: int, stop: int) -> c_ast.ParamList:
        """`...`."""
        return c_ast.ParamList([c_ast.EllipsisParam(self.span(first, stop))], self.span(first, stop))

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

    # ---- declarations --------------------------------------------------------------------------

    def declaration_of(
        self, specifiers: Specifiers, declarator: Declarator, initial: Any, first: int, stop: int
    ) -> c_ast.Decl:
        """The Decl of one declarator; every specifier word but const and volatile is its storage."""
        return c_ast.Decl(
            declarator.name, specifiers.quals, specifiers.alignment, specifiers.storage, [],
            self.full_type(specifiers, declarator), initial, None, self.span(first, stop),
        )  # fmt: skip

    def init_declarator(self, v: Values, first: int, stop: int) -> tuple[Any, ...]:
        """`x[3] = {1, 2, 3}`."""
        return (*v, None, first, stop)

    def member_declarator(self, v: Values, first: int, stop: int) -> tuple[Any, ...]:
        """`x : 3`."""
        declarator, alignment, bits, initial = v
        return declarator, alignment, initial, bits, first, stop

    def unnamed_bits(self, v: Values, first: int, stop: int) -> tuple[Any, ...]:
        """`: 3`."""
        return Declarator(None, [], first, stop), None, None, v[0], first, stop

    def simple_declaration(self, v: Values, first: int, stop: int) -> Values:
        """One node for each declarator, or the class or enum that is defined."""
        specifiers, declarators = v
        if declarators is None:
            return [self.definition_of(specifiers, first, stop)]
        made = []
        for declarator, alignment, initial, bits, begin, end in declarators:
            start = begin if made else first
            if "typedef" in specifiers.storage:
                self.names.declare(declarator.name, TYPE)
                made.append(self.typedef_of(specifiers, declarator, start, end))
                continue
            if alignment is not None:
                specifiers.alignment.append(alignment)
            made.append(self.declaration_of(specifiers, declarator, initial, start, end))
            made[-1].bitsize = bits
            if declarator.scope:
                made[-1].name = "::".join([*declarator.scope, declarator.name])
        return made

    member_declaration = simple_declaration

    def definition_of(self, specifiers: Specifiers, first: int, stop: int) -> Any:
        """`struct A { ... };`, `enum { ... };`, `struct A;`."""
        if isinstance(specifiers.type, nodes.ClassDefinition):
            return specifiers.type
        return c_ast.Decl(
            None, specifiers.quals, specifiers.alignment, specifiers.storage, [],
            specifiers.type, None, None, self.span(first, stop),
        )  # fmt: skip

    def typedef_of(
        self, specifiers: Specifiers, declarator: Declarator, first: int, stop: int
    ) -> c_ast.Typedef:
        """`typedef T x[3]`."""
        full = self.full_type(specifiers, declarator)
        span = self.span(first, stop)
        return c_ast.Typedef(declarator.name, specifiers.quals, ["typedef"], full, span)

    def template_declaration(self, v: Values, first: int, stop: int) -> Values:
        """A class, variable or function prototype under a template head."""
        template = self.joined_heads(v[0])
        made: Values = []
        for node in self.simple_declaration(v[1:], first, stop):
            if isinstance(node, nodes.ClassDefinition):
                node.template = template
                self.names.declare(node.name, TYPE_TEMPLATE)
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
                self.names.declare(node.name, FUNCTION_TEMPLATE)
                node.funcspec, node.storage = node.storage, []
                node = nodes.Function(node, None, template=template, coord=node.coord)
            elif isinstance(node, c_ast.Decl):  # a variable template is used like a function's
                self.names.declare(node.name, FUNCTION_TEMPLATE)
            made.append(node)
        return made

    def joined_heads(self, heads: Values | None) -> nodes.Template | None:
        """Several `template <...>` in a row as one."""
        if not heads:
            return None
        parameters = [parameter for head in heads for parameter in head.parameters]
        return nodes.Template(parameters, coord=heads[0].coord.to(heads[-1].coord))

    def structured_binding(self, v: Values, first: int, stop: int) -> Values:
        """`auto [a, b] = e;`."""
        _, _, names, value = v
        words = [self.texts[i] for i in names]
        for word in words:
            self.names.declare(word, VALUE)
        return [nodes.StructuredBinding(words, value, coord=self.span(first, stop))]

    # ---- templates -----------------------------------------------------------------------------

    def template_head(self, v: Values, first: int, stop: int) -> nodes.Template:
        """`template <typename T>`; the requirement is not kept."""
        return nodes.Template(v[0] or [], coord=self.span(first, stop))

    def type_key(self, v: Values, first: int, stop: int) -> int:
        """`typename` or `class`."""
        return first

    def type_parameter(self, v: Values, first: int, stop: int) -> nodes.TemplateParameter:
        """`typename T = int`."""
        _, dots, name, default = v
        text = None if name is None else self.texts[name]
        self.names.declare(text, TYPE)
        span = self.span(first, stop)
        return nodes.TemplateParameter("type", text, None, default, bool(dots), coord=span)

    def template_template_parameter(
        self, v: Values, first: int, stop: int
    ) -> nodes.TemplateParameter:
        """`template <typename> class T`."""
        _, _, dots, name, default = v
        text = None if name is None else self.texts[name]
        self.names.declare(text, TYPE_TEMPLATE)
        span = self.span(first, stop)
        return nodes.TemplateParameter("template", text, None, default, bool(dots), coord=span)

    def value_parameter(self, v: Values, first: int, stop: int) -> nodes.TemplateParameter:
        """`int N = 4`."""
        specifiers, pointers, dots, direct, default = v
        declarator = direct or Declarator(None, [], first, stop)
        declarator.modifiers += reversed(pointers or [])
        kind = self.typename(specifiers, declarator, first, stop)
        name, span = declarator.name, self.span(first, stop)
        return nodes.TemplateParameter("value", name, kind, default, bool(dots), coord=span)

    def macro_parameter(self, v: Values, first: int, stop: int) -> nodes.TemplateParameter:
        """`ENABLE_IF(c)`, a macro in a template head, its definition unseen."""
        span = self.span(first, stop)
        return nodes.TemplateParameter("value", None, None, None, False, coord=span)

    def requirement(self, v: Values, first: int, stop: int) -> None:
        """`requires C<T>`: of no consequence here."""

    # ---- aliases -------------------------------------------------------------------------------

    def using(self, v: Values, first: int, stop: int) -> nodes.Using:
        """A using directive or namespace alias."""
        span = self.span(first, stop)
        return nodes.Using(span.text, coord=span)

    def using_name(self, v: Values, first: int, stop: int) -> nodes.Using:
        """`using A::b;`."""
        return self.using(v, first, stop)

    def alias(self, v: Values, first: int, stop: int) -> nodes.TypeAlias:
        """`using N = T;`."""
        text = self.texts[v[0]]
        self.names.declare(text, TYPE)
        return nodes.TypeAlias(text, v[1], None, coord=self.span(first, stop))

    def alias_template(self, v: Values, first: int, stop: int) -> nodes.TypeAlias:
        """`template <class T> using N = A<T>;`."""
        text = self.texts[v[1]]
        self.names.declare(text, TYPE_TEMPLATE)
        template = self.joined_heads(v[0])
        return nodes.TypeAlias(text, v[2], template, coord=self.span(first, stop))
