"""Tree building for declarations, templates and aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import nodes
from .builder_types import Declarator, Specifiers, TypeBuilder
from .names import FUNCTION_TEMPLATE, TYPE, TYPE_TEMPLATE, VALUE
from .nodes.c_ast import c_ast

if TYPE_CHECKING:
    from .builder_base import Values


class DeclarationBuilder(TypeBuilder):
    """Methods named after the alternatives of `grammars/cuda.lark`."""

    # ---- declarations --------------------------------------------------------------------------

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
        made: Values = []
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
        if v[2] is None and isinstance(v[1].type, c_ast.IdentifierType) and template is not None:
            return [self.declared_class(str(v[1].type.names[-1]), template, first, stop)]
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
                if template is not None and is_constant(node):
                    node = self.constant_template(node, template, v[2][0][0].arguments)
            made.append(node)
        return made

    def constant_template(
        self, declared: c_ast.Decl, template: nodes.Template, arguments: list[Any] | None
    ) -> nodes.ClassDefinition:
        """`template <typename T> constexpr int width = 16 / sizeof(T);` as a class with a constant,
        so that it is specialised like one.
        """
        name, span = nodes.variable_class(declared.name), declared.coord
        declared.name, declared.storage = "value", ["static", "constexpr"]
        nothing = nodes.Virtual.NOTHING
        made = nodes.ClassDefinition(
            "struct", name, [], [declared], template, [], nothing, coord=span
        )
        return made if arguments is None else nodes.ClassSpecialization(made, arguments)

    def declared_class(
        self, name: str, template: nodes.Template, first: int, stop: int
    ) -> nodes.ClassDefinition:
        """`template <typename T> struct A;`: without members until it is defined."""
        self.names.declare(name, TYPE_TEMPLATE)
        nothing = nodes.Virtual.NOTHING
        span = self.span(first, stop)
        return nodes.ClassDefinition("struct", name, [], None, template, [], nothing, coord=span)

    def joined_heads(self, heads: Values | None) -> nodes.Template | None:
        """Several `template <...>` in a row as one."""
        if not heads:
            return None
        parameters = [parameter for head in heads for parameter in head.parameters]
        span = heads[0].coord.to(heads[-1].coord)
        requirement: Any = None
        for each in (head.requirement for head in heads if head.requirement is not None):
            whole = c_ast.BinaryOp("&&", requirement, each, span)
            requirement = each if requirement is None else whole
        return nodes.Template(parameters, requirement, coord=span)

    def structured_binding(self, v: Values, first: int, stop: int) -> Values:
        """`auto [a, b] = e;`."""
        _, modifiers, names, value = v
        words = [self.texts[i] for i in names]
        for word in words:
            self.names.declare(word, VALUE)
        reference = modifiers[-1].word if modifiers else ""
        span = self.span(first, stop)
        return [nodes.StructuredBinding(words, reference, value, coord=span)]

    # ---- templates -----------------------------------------------------------------------------

    def template_head(self, v: Values, first: int, stop: int) -> nodes.Template:
        """`template <typename T> requires C<T>`."""
        return nodes.Template(v[0] or [], v[1], coord=self.span(first, stop))

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

    def requirement(self, v: Values, first: int, stop: int) -> Any:
        """`requires C<T> && (N > 4)`."""
        condition, *rest = v
        rest = rest[0] if rest else []
        for operator, other in zip(rest[::2], rest[1::2], strict=True):
            text = self.texts[operator]
            condition = c_ast.BinaryOp(text, condition, other, self.span(first, stop))
        return condition

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


def is_constant(declared: c_ast.Decl) -> bool:
    """Whether a variable is a constant with its value in sight."""
    words = {*(declared.quals or ()), *(declared.storage or ())}
    return declared.init is not None and not words.isdisjoint({"const", "constexpr"})
