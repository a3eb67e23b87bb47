"""The names of a class as its methods see them: constants, types, and what hides names of the file.

In: a method, or a class. Out: a scope with the constants, enumerators and types of its class and of
the bases that were read, with `this`, and with data members that are called like a variable of the
file; the same one for all methods of a class; None for a function that is no method. And the
instances of its class template that a file names: `typedef Test<Tile<16, 4>> Small;`, and explicit
instantiations: `template class Test<Tile<16, 4>>;`.
Not handled: names of bases that were not read; names that a class or a function gives to instances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lowering.model import ctypes
from ..lowering.model.classes import Method, class_scope, lineage
from ..lowering.model.scope import ClassScope, Scope, ValuePlace
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .values.kernels import argument_words
from .values.values import not_known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..lowering.model.ctypes import CType
    from ..lowering.program.program import Program
    from ..lowering.program.scoped_names import Path
    from ..lowering.types.type_reader import TypeReader

_MOST_INSTANCES = 32  # of one class template that are looked at


class ClassScopes:
    """What the methods of each class of one translation unit see of its names, in host code."""

    def __init__(self, program: Program, reader: TypeReader) -> None:
        self._program = program
        self._reader = reader
        self._types: dict[int, CType] = {}  # by the id of a class
        self._known: dict[int, tuple[object, Scope]] = {}  # by the id of what a type is made of
        #: Where instances are named, and as what, by class template.
        self._named: dict[str, list[tuple[Path, Any]]] | None = None

    def of(self, function: nodes.Function) -> Scope | None:
        """What is in force around the body of a method."""
        type = self.class_of(function)
        return None if type is None else self.within(type)

    def class_of(self, function: nodes.Function) -> CType | None:
        """The class that a function is a method of, its template parameters open."""
        if not function.scope or not self._program.is_method(function):
            return None
        with self._program.seen_from(function.scope[:-1]):
            definition = self._program.classes.get(function.scope[-1])
        if definition is None:
            return None
        if id(definition) not in self._types:
            self._types[id(definition)] = self._reader.class_type(definition, Scope())
        return self._types[id(definition)]

    def named_instances(self, function: nodes.Function) -> list[CType]:
        """The instances that the file names of the class template that has a function."""
        type = self.class_of(function)
        origin = None if type is None else type.origin
        if not isinstance(origin, ClassScope) or origin.definition.template is None:
            return []
        if self._named is None:
            self._named = {}
            for scope, node in self._naming():
                if written := _template_named(node):
                    self._named.setdefault(written, []).append((scope, node))
        found: dict[tuple[str, ...], CType] = {}
        for scope, node in self._named.get(origin.definition.name or "", ())[:_MOST_INSTANCES]:
            with self._program.seen_from(scope):
                made = self._reader.of_file(node)
            if isinstance(made.origin, ClassScope) and made.origin.definition is origin.definition:
                words = argument_words(made.origin.scope, origin.definition.template, [])
                if len(words) == len(origin.definition.template.parameters):
                    found.setdefault(words, made)
        return list(found.values())

    def _naming(self) -> Iterator[tuple[Path, Any]]:
        """The types that aliases and explicit instantiations name outside of classes, and where."""
        aliases, open_ = self._program.aliases, self._program.alias_templates
        for name, node in aliases.items():
            if name not in open_ and not aliases.is_of_class(name):
                yield aliases.scope_of(name), node
        yield from self._program.class_instantiations

    def within(self, type: CType) -> Scope:
        """What is in force in the methods of a class, or of an instance of a class template."""
        known = self._known.get(id(type.origin))
        if known is None:
            made = Scope(type.origin.scope if isinstance(type.origin, ClassScope) else None)
            known = self._known[id(type.origin)] = type.origin, made
            made.names["this"] = not_known("this", ctypes.pointer_to(type))
            if isinstance(type.origin, ClassScope):
                self._take(type, type.origin.scope, made)
        return known[1]

    def names_anew(self, function: nodes.Function, this: Scope, scope: Scope) -> bool:
        """Whether a method outside of its class template names the parameters of that anew, which
        a scope then has.
        """
        around = this.names["this"]
        type = around.type.element if isinstance(around, ValuePlace) else None
        origin = None if type is None else type.origin
        if function.template is None or not isinstance(origin, ClassScope):
            return False
        alike = [
            each
            for each in origin.definition.members or ()
            if isinstance(each, nodes.Function) and each.decl.name == function.decl.name
        ]
        if any(each is function or each.template is not None for each in alike):
            return False  # a template of its own
        named = class_scope(Method(function, origin))
        scope.names.update(named.names)
        scope.types.update(named.types)
        return True

    def _take(self, type: CType, inside: Scope, made: Scope) -> None:
        for name in (*inside.names, *inside.types, *inside.pending):
            found, named = inside.find(name), inside.find_type(name)
            if found is not None:
                made.names[name] = found
            if named is not None:
                made.types[name] = named
        for member in (each for base in _with_bases(type) for each in base.members):
            if member.name in self._program.variables:
                made.names.setdefault(member.name, not_known(member.name, member.type))


def _template_named(node: Any) -> str:
    """The template in a type that is an instance of one: `Test` of `space::Test<4>`."""
    while isinstance(node, c_ast.Typename | c_ast.TypeDecl):
        node = node.type
    named = node.name if isinstance(node, nodes.NamedType) else None
    last = named.parts[-1] if isinstance(named, nodes.QualifiedName) else named
    return last.name if isinstance(last, nodes.TemplateId) else ""


def _with_bases(type: CType) -> list[CType]:
    return [type, *(base for each in lineage(type.origin) for base in each.bases)]
