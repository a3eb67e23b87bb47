"""Tree building for functions, classes and enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import nodes
from .builder_declarations import DeclarationBuilder
from .builder_types import Declarator, Specifiers
from .names import FUNCTION_TEMPLATE, TYPE, VALUE
from .nodes.c_ast import c_ast
from .virtual_words import VirtualWords

if TYPE_CHECKING:
    from .builder_base import Values


class ClassBuilder(DeclarationBuilder):
    """Methods named after the alternatives of `grammars/cuda.lark`."""

    # ---- functions -----------------------------------------------------------------------------

    def function_header(self, v: Values, first: int, stop: int) -> nodes.Function:
        """Everything of a function before its body."""
        heads, specifiers, declarator, requirement = v
        function = self.function_of_parts(heads, specifiers, declarator, first, stop)
        function.requirement = requirement
        return function

    def function_of_parts(
        self,
        heads: Values | None,
        specifiers: Specifiers,
        declarator: Declarator,
        first: int,
        stop: int,
    ) -> nodes.Function:
        """A Function from its pieces; attributes before and after the parameters are joined."""
        after = [s for s in declarator.suffixes if isinstance(s, nodes.Attribute)]
        words = [self.texts[s] for s in declarator.suffixes if s.__class__ is int]
        decl = self.declaration_of(specifiers, declarator, None, first, stop)
        decl.funcspec, decl.storage = specifiers.storage, []
        function = nodes.Function(
            decl,
            None,
            scope=declarator.scope,
            template=self.joined_heads(heads),
            attributes=specifiers.attributes + after,
            coord=self.span(first, stop),
        )
        function.suffixes = words
        function.specialization = declarator.arguments
        function.owner = declarator.owner
        return function

    def constructor_header(self, v: Values, first: int, stop: int) -> nodes.Function:
        """A constructor, destructor or conversion before its body: nothing but a name."""
        heads, qualifiers, name, parameters, suffixes, initializers = v
        call = self.call_of(parameters, suffixes, name, stop)
        declarator = Declarator(self.texts[name], [call], name, stop)
        declarator.suffixes = suffixes or []
        nothing = c_ast.IdentifierType(["void"], self.span(name, name + 1))
        specifiers = self.specifiers(nothing, qualifiers or [], first, max(name, first + 1))
        function = self.function_of_parts(heads, specifiers, declarator, first, stop)
        function.initializers = initializers or []
        function.is_destructor = self.texts[name].startswith("~")
        function.is_conversion = self.texts[name].startswith("operator")
        return function

    def member_initializer(self, v: Values, first: int, stop: int) -> nodes.MemberInitializer:
        """`x(1)`."""
        return self.initializer_of(v[0], v[2] or [], False, first, stop)

    def member_initializer_braced(
        self, v: Values, first: int, stop: int
    ) -> nodes.MemberInitializer:
        """`x{1}`."""
        return self.initializer_of(v[0], v[2].exprs, True, first, stop)

    def initializer_of(
        self, name: Any, arguments: Values, braced: bool, first: int, stop: int
    ) -> nodes.MemberInitializer:
        """A member or base and its arguments."""
        target = self.identifier_of(name) if name.__class__ is int else name
        return nodes.MemberInitializer(target, arguments, braced, coord=self.span(first, stop))

    def method(self, v: Values, first: int, stop: int) -> nodes.Function:
        """A member function of a local class."""
        heads, specifiers, declarator, requirement, statements = v
        body = self.block(statements, declarator.stop, stop)
        function = self.function_of_parts(heads, specifiers, declarator, first, stop)
        function.requirement = requirement
        function.body = body
        return function

    def bodiless_method(self, v: Values, first: int, stop: int) -> nodes.Function:
        """`T f() = default;`."""
        function = self.function_of_parts(v[0], v[1], v[2], first, stop)
        self.mark(function, stop)
        return function

    def constructor(self, v: Values, first: int, stop: int) -> nodes.Function:
        """A constructor of a local class."""
        function = self.constructor_header(v[:6], first, stop)
        function.body = self.block(v[6], first, stop)
        return function

    def bodiless_constructor(self, v: Values, first: int, stop: int) -> nodes.Function:
        """`T(int);`, `T() = default;`."""
        function = self.constructor_header([*v[:5], None], first, stop)
        self.mark(function, stop)
        return function

    def mark(self, function: nodes.Function, stop: int) -> None:
        """Whether a function without a body is `= default`, or `= delete`."""
        function.defaulted = self.texts[stop - 2] == "default"
        function.deleted = self.texts[stop - 2] == "delete"

    def instantiation(self, v: Values, first: int, stop: int) -> nodes.Function:
        """`template __global__ void k<256>(int);`: a Function with `instantiation` set."""
        function = self.function_of_parts(None, v[0], v[1], first, stop)
        function.instantiation = True
        return function

    def class_instantiation(self, v: Values, first: int, stop: int) -> nodes.ClassInstantiation:
        """`template class A<int>;`."""
        type = self.type_id([Specifiers(v[0], first=first, stop=stop), None], first, stop)
        return nodes.ClassInstantiation(type, coord=self.span(first, stop))

    # ---- classes and enumerations --------------------------------------------------------------

    def class_definition(self, v: Values, first: int, stop: int) -> nodes.ClassDefinition:
        """`struct A : B { ... }`."""
        key, qualifiers, name, bases, members = v
        flat: Values = []
        for member in members or []:
            if isinstance(member, list):
                flat += member
            elif member is not None:
                flat.append(member)
        text = self.type_text(name)
        self.names.declare(text, TYPE)
        alignment = [q for q in qualifiers or [] if isinstance(q, c_ast.Alignas | nodes.Packing)]
        texts, span = self.texts[first:stop], self.span(first, stop)
        virtual = VirtualWords(texts).of(0, len(texts))
        made = nodes.ClassDefinition(
            self.texts[key], text, bases or [], flat, None, alignment, virtual, coord=span
        )
        arguments = _arguments_of(name)
        return made if arguments is None else nodes.ClassSpecialization(made, arguments)

    def type_text(self, name: Any) -> str | None:
        """The plain name of a type_name, None for an unnamed type."""
        if isinstance(name, c_ast.IdentifierType):
            return str(name.names[0])
        if isinstance(name, nodes.NamedType):
            inner = name.name
            last = inner.parts[-1] if isinstance(inner, nodes.QualifiedName) else inner
            return str(last.name)
        return None

    def base(self, v: Values, first: int, stop: int) -> Any:
        """`public A<T>`: the type name only."""
        return next(value for value in v if isinstance(value, c_ast.Node))

    def friend(self, v: Values, first: int, stop: int) -> None:
        """`friend class A;`."""

    def enumeration(self, v: Values, first: int, stop: int) -> c_ast.Enum:
        """`enum class E : int { a, b = 3 }`."""
        _, _, _, name, underlying, enumerators = v
        text = self.type_text(name)
        self.names.declare(text, TYPE)
        span = self.span(first, stop)
        values = c_ast.EnumeratorList(enumerators or [], span)
        kind = None
        if underlying is not None:
            begin, end = underlying.first, underlying.stop
            kind = self.typename(underlying, Declarator(None, [], begin, end), begin, end)
        return c_ast.Enum(text, values, kind, span)

    def enumerators(self, v: Values, first: int, stop: int) -> Values:
        """The enumerators, a last comma dropped."""
        return [v[0], *v[1]] if len(v) > 1 and v[1] is not None else [v[0]]

    def enumerator(self, v: Values, first: int, stop: int) -> c_ast.Enumerator:
        """`b = 3`."""
        self.names.declare(self.texts[v[0]], VALUE)
        return c_ast.Enumerator(self.texts[v[0]], v[1], self.span(first, stop))

    def prototype_of(self, declaration: c_ast.Decl) -> nodes.Function:
        """A Decl of function type as a Function without body."""
        declaration.funcspec, declaration.storage = declaration.storage, []
        self.names.declare(declaration.name, FUNCTION_TEMPLATE)
        return nodes.Function(declaration, None, coord=declaration.coord)

    def block(self, statements: Values | None, first: int, stop: int) -> c_ast.Compound:
        """Defined with the statements."""
        raise NotImplementedError


def _arguments_of(name: Any) -> list[Any] | None:
    """The template arguments of the name of a class, None without any."""
    inner = getattr(name, "name", None) if isinstance(name, nodes.NamedType) else None
    last = inner.parts[-1] if isinstance(inner, nodes.QualifiedName) else inner
    return list(last.arguments) if isinstance(last, nodes.TemplateId) else None
