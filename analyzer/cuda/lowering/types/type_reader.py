"""AST types → `CType`: looks names up in scopes, aliases, classes and the built-in table.

In: a c_ast type node (TypeDecl, PtrDecl, ArrayDecl, Reference, Typename ...) and a scope. Out: a
CType, `unknown(name)` where the translation unit does not say. References read as the type they
refer to; `nodes.declares_reference` tells. Members that are references hold an address. Not
handled: member templates' own arguments, `decltype(auto)`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ....ir.values import Unknown
from ....source.numbers import is_alignment, whole
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import builtin_types, ctypes
from ..model.ctypes import Form
from ..model.scope import ClassScope, EnumScope, Scope, TemplateValue, Typed, ValuePlace
from ..program.parameters import is_pack, parameters_of
from . import constant_places, constants, library_types, trait_names
from .argument_binding import ArgumentBinding
from .closures import Closures
from .expression_types import type_of
from .instances import Instances
from .open_layouts import OpenLayouts
from .packing import packed_alignments
from .plain_types import DEPTH_LIMIT, PlainTypes
from .specializations import specialized
from .standard_library import standard_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.ctypes import CType
    from ..program.program import Program

_NUMBERS = (Form.BOOL, Form.INTEGER, Form.FLOAT)
_PENDING_LIMIT = 12  # constants of classes that rest on each other: deeper is a recursion
_NAMELESS = "class"


class TypeReader:
    """Reads types of one translation unit; class layouts are computed once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.closures = Closures(program, self)
        self._layouts: dict[object, CType] = {}
        self._open = OpenLayouts()
        self._plain = PlainTypes()
        self._file = Scope()
        self._depth = self._pending = 0
        self._instances = Instances()
        self._binding = ArgumentBinding(program, self, self._instances)
        self._parameters: dict[tuple[nodes.Function, Scope | None], list[CType]] = {}
        self._of_file: dict[tuple[Any, tuple[str, ...]], CType] = {}

    def read(self, node: Any, scope: Scope) -> CType:
        """The type a type node stands for."""
        plain = self._plain.of(node)
        if plain is not None:
            return plain
        if self._depth > DEPTH_LIMIT:
            return ctypes.unknown("recursive type")
        self._depth += 1
        try:
            return self._read(node, scope)
        finally:
            self._depth -= 1

    def of_file(self, node: Any) -> CType:
        """The type of a declaration at file scope, read once for each namespace that it is named
        from: host code asks at every argument of every launch.
        """
        if self._depth:  # what is read inside of another type may be cut short
            return self.read(node, Scope())
        key = (node, self._program.scope)
        found = self._of_file.get(key)
        if found is None:
            found = self._of_file[key] = self.read(node, Scope())
        return found

    def _read(self, node: Any, scope: Scope) -> CType:
        match node:
            case c_ast.Typename() | c_ast.Decl() | nodes.Reference() | nodes.Pack():
                inner = node.pattern if isinstance(node, nodes.Pack) else node.type
                return self.read(inner, scope)
            case c_ast.TypeDecl():
                quals = node.quals or ()
                return ctypes.qualified(
                    self.read(node.type, scope),
                    volatile="volatile" in quals,
                    const="const" in quals,
                )
            case c_ast.PtrDecl():
                return ctypes.pointer_to(self.read(node.type, scope))
            case c_ast.ArrayDecl():
                extent = constants.evaluate(node.dim, scope, self._program, self)
                return ctypes.array_of(
                    self.read(node.type, scope), extent if isinstance(extent, int) else None
                )
            case c_ast.IdentifierType():
                return self._named(list(node.names), scope)
            case nodes.NamedType():
                return self._path(node.name, scope)
            case nodes.ClassDefinition():
                return self.class_type(node, scope)
            case c_ast.Enum():
                return self._enum(node.name or "", node.underlying_type, scope)
            case c_ast.Struct() | c_ast.Union():
                return self._named([node.name or ""], scope)
            case c_ast.FuncDecl():
                return ctypes.unknown("function")
            case nodes.DecltypeType():
                return self._decltype(node, scope)
            case _:
                return ctypes.unknown("auto")

    def _named(self, words: list[str], scope: Scope) -> CType:
        name = " ".join(words)
        keywords = builtin_types.of_keywords(name)
        if keywords is not None:
            return keywords
        bound = scope.find_type(name)
        if bound is not None:
            return bound
        alias = self._program.aliases.get(name)
        if alias is not None:
            with self._program.seen_from(self._program.aliases.scope_of(name)):
                type = self.read(alias, self._file if nodes.is_only_named_by(alias) else scope)
            # `typedef struct {...} pixel;` gives the class its name.
            return replace(type, name=name) if type.name == _NAMELESS else type
        definition = self._program.classes.get(name)
        if definition is not None and not library_types.stands_for(definition):
            return self.class_type(definition, scope)
        if name in self._program.enums:
            return self._enum(name, self._program.enums[name], Scope())
        library = library_types.named(name)
        if library is not None:
            return library
        return builtin_types.from_words(words) or trait_names.truth(name) or ctypes.unknown(name)

    def _decltype(self, node: nodes.DecltypeType, scope: Scope) -> CType:
        if isinstance(node.expression, c_ast.Typename):  # GNU `typeof(type)`
            return self.read(node.expression, scope)
        return type_of(node.expression, scope, self._program, self)

    def _enum(self, name: str, underlying: Any, scope: Scope) -> CType:
        held = ctypes.INT if underlying is None else self.read(underlying, scope)
        return ctypes.enumeration(name, held if held.form is Form.INTEGER else ctypes.INT)

    def _path(self, name: Any, scope: Scope) -> CType:
        """`std::uint32_t`, `Vec<float, 4>`: by the whole name, in its class, else by its end."""
        if isinstance(name, nodes.QualifiedName):
            plain = "::".join(getattr(part, "name", "") for part in name.parts)
            if plain in builtin_types.BUILTIN:
                return builtin_types.BUILTIN[plain]
            last = name.parts[-1]
            made = trait_names.type_of_trait(name, scope, self._program, self)
            if made is not None:
                return made
            standard = standard_type(name, scope, self._program, self)
            if standard is None:
                standard = library_types.of_library(name, scope, self._program, self)
            if standard is not None:
                return standard
            owner = self.owner(name, scope)
            if isinstance(owner, ClassScope) and isinstance(last, c_ast.ID):
                return owner.scope.find_type(last.name) or ctypes.unknown(plain)
            if owner is not None and not isinstance(owner, ClassScope):
                return ctypes.unknown(plain)
            if isinstance(last, c_ast.ID) and self._program.classes.is_ambiguous(last.name):
                return self._class_of_namespace(name, scope) or ctypes.unknown(plain)
            found = self._path(last, scope) if last is not name else ctypes.unknown(plain)
            return library_types.qualified(found, name, self._program)
        if isinstance(name, nodes.TemplateId):
            return self._template(name, scope)
        spelt = getattr(name, "name", None)  # `decltype(x)::type` has none
        return self._named([spelt], scope) if isinstance(spelt, str) else ctypes.unknown("auto")

    def _class_of_namespace(self, name: nodes.QualifiedName, scope: Scope) -> CType | None:
        """`narrow::Tile`, where several namespaces have a class of that name."""
        *around, last = [getattr(part, "name", "") for part in name.parts]
        found = self._program.classes.within(around, last)
        return None if found is None else self.class_type(found, scope)

    def said(self, name: Any, scope: Scope) -> int | None:
        """`std::is_same_v<T, float>`, `std::is_same<T, float>::value`: what a trait says."""
        return trait_names.said(name, scope, self._program, self)

    def owner(self, name: nodes.QualifiedName, scope: Scope) -> ClassScope | str | None:
        """The class that a name is qualified with; the name of a type that is not known; None for
        a namespace.
        """
        if len(name.parts) < 2:
            return None
        before = list(name.parts[:-1])
        path = before[0] if len(before) == 1 else nodes.QualifiedName(before, False)
        last = before[-1]
        plain = getattr(last, "name", "")
        if isinstance(last, c_ast.ID):
            known = scope.find_type(plain) or plain in self._program.classes
            if not known and plain not in self._program.aliases:
                return None
        type = self.read(nodes.NamedType(path), scope)
        if isinstance(type.origin, ClassScope):
            return type.origin
        return plain

    def _template(self, name: nodes.TemplateId, scope: Scope) -> CType:
        bound = scope.find_type(name.name)  # the class's own name inside of it
        if bound is not None and isinstance(bound.origin, TemplateValue):
            if bound.origin.name != name.name:
                named = nodes.TemplateId(bound.origin.name, name.arguments, coord=name.coord)
                return self._template(named, scope)
            bound = None
        definition = self._program.classes.get(name.name)
        inner = type(scope)()
        foreign = definition is None or library_types.stands_for(definition)
        if definition is None or definition.template is None or foreign:
            alias = self._program.alias_templates.get(name.name)
            if alias is not None:
                self.bind_arguments(alias.template, name.arguments, inner, scope)
                self._binding.bind_open(alias.template, name.arguments, inner, scope)
                return self.read(alias.type, inner)
            own = name.name in self._program.aliases and library_types.named(name.name) is None
            if bound is None and own:  # `using barrier = cuda::barrier<...>` names the library's
                return ctypes.unknown(name.name)
            return bound or library_types.template(name, scope, self._program, self)
        self.bind_arguments(definition.template, name.arguments, inner, scope)
        self._binding.bind_open(definition.template, name.arguments, inner, scope)
        return self.instance(definition, inner)

    def _instance(
        self, definition: nodes.ClassDefinition, inner: Scope, instance: tuple[Any, Scope]
    ) -> CType:
        """The layout of a template class; the same for the same arguments."""

        def laid_out() -> CType:
            made = self._lay_out(definition, inner)
            assert isinstance(made.origin, ClassScope)
            return replace(made, origin=replace(made.origin, instance=instance))

        return self._instances.of(definition, inner, laid_out)

    def bind_arguments(
        self, template: nodes.Template, arguments: list[Any], inner: Scope, outer: Scope
    ) -> None:
        """Bind template parameters in `inner` to arguments read in `outer`, then to defaults."""
        self._binding.bind(template, arguments, inner, outer)

    def instance(self, definition: nodes.ClassDefinition, bound: Scope) -> CType:
        """A class template with its parameters bound in a scope of their own."""
        chosen = self._chosen(definition, bound)
        if chosen is None or chosen[0].members is None:
            return ctypes.unknown(definition.name)
        return self._instance(*chosen, (definition, bound))

    def _chosen(
        self, definition: nodes.ClassDefinition, bound: Scope
    ) -> tuple[nodes.ClassDefinition, Scope] | None:
        """The primary template or one of its specialisations, with its own parameters."""
        if definition.name not in self._program.specializations:
            return definition, bound
        chosen = partial(specialized, definition, bound, self._program, self)
        if self._depth > DEPTH_LIMIT // 2:  # what is read in there may be cut short
            return chosen()
        return self._instances.specialized(definition, bound, self._program.scope, chosen)

    def parameter_types(self, function: nodes.Function, scope: Scope | None) -> list[CType]:
        """The types of a function's parameters but for packs, as the class that it is in reads
        them: for choosing among overloads, asked for at every call.
        """
        key = (function, scope)
        if key not in self._parameters:
            inner = Scope(scope)
            for open_ in function.template.parameters if function.template is not None else ():
                if open_.kind == "type" and open_.name:  # whatever else has that name
                    inner.types[open_.name] = ctypes.unknown(open_.name)
            with self._program.seen_from(function.scope):
                self._parameters[key] = [
                    self.read(parameter.type, inner)
                    for parameter in parameters_of(function)
                    if not is_pack(parameter)
                ]
        return self._parameters[key]

    def class_type(self, node: Any, scope: Scope) -> CType:
        """A class as its definition stands, the parameters of a template open."""
        of_file = self._program.classes.get(node.name) is node
        # One in a function or in a class is another in every instance of a template.
        alone = of_file and not self._program.varies(node)
        if alone and node.template is not None:
            return self._open.of(node, scope, lambda: self._lay_out(node, scope))
        key = node if alone else (node, scope)
        known = self._layouts.get(key)
        if known is None:
            known = self._lay_out(node, scope)
            if node.key == "union" and not node.name:
                # One type wherever it says the same, or pointers that it puts together from bits
                # would be known no more.
                said = tuple((each.name, each.type.name, each.type.size) for each in known.members)
                known = self._layouts.setdefault((node, said), known)
            if node.template is None:
                self._layouts[key] = known
        return known

    def _lay_out(self, node: Any, scope: Scope) -> CType:
        with self._program.seen_from((*self._program.scope_of(node), node.name or "")):
            return self._laid_out(node, scope)

    def _laid_out(self, node: Any, scope: Scope) -> CType:
        inner = type(scope)(scope)
        bases = [self.read(base, scope) for base in node.bases or ()]
        members: list[tuple[str, CType, int | None]] = [("", base, None) for base in bases]
        widths: dict[int, int] = {}
        alone: set[int] = set()
        known = node.virtual is nodes.Virtual.NOTHING
        for base in bases:
            if isinstance(base.origin, ClassScope):
                inner.pending.update(_inherited(base.origin.scope, inner))
        for member in node.members or ():
            enum = getattr(member, "type", None) if isinstance(member, c_ast.Decl) else member
            if isinstance(enum, c_ast.Enum) and enum.values is not None:
                self._enumerate(enum, inner)
                if enum.name:
                    inner.pending[enum.name] = self._later(self._bind_enum, enum, inner)
            if isinstance(member, c_ast.Decl) and not isinstance(member.type, c_ast.FuncDecl):
                if {"static", "constexpr"} & set(member.storage or ()):
                    inner.pending[member.name] = self._later(self._bind_constant, member, inner)
                elif member.name or member.bitsize is not None:
                    if member.bitsize is not None:
                        width = constants.evaluate(member.bitsize, inner, self._program, self)
                        known = known and isinstance(width, int)
                        widths[len(members)] = whole(width) or 0
                    own = self.declared_alignment(member.align, inner)
                    if any(isinstance(each, nodes.Packing) for each in member.align or ()):
                        alone.add(len(members))
                    held = self.read(member.type, inner)
                    held = ctypes.reference_to(held) if nodes.declares_reference(member) else held
                    members.append((member.name or "", held, own))
            elif isinstance(member, nodes.ClassDefinition) and not member.name:
                members.append(("", self.read(member, inner), None))
            elif isinstance(member, nodes.ClassDefinition) and member.template is None:
                inner.pending[member.name] = self._later(self._bind_class, member, inner)
            elif isinstance(member, nodes.TypeAlias | c_ast.Typedef):
                inner.pending[member.name] = self._later(self._bind_alias, member, inner)
        stated = node.alignment or ()
        packed = packed_alignments(members, stated, self._limits(stated, inner), alone, widths)
        made = ctypes.lay_out(
            node.name or _NAMELESS,
            [(n, ctypes.held_at(t, packed.get(at)), o) for at, (n, t, o) in enumerate(members)],
            union=node.key == "union",
            alignment=self.declared_alignment(node.alignment, inner),
            known=known and all(base.form is Form.CLASS for base in bases),
            bases=len(bases),
            widths=widths,
            packed=packed,
        )
        return replace(made, origin=ClassScope(node, inner, tuple(bases)))

    def _later(
        self, bind: Callable[[Any, Scope], None], member: Any, scope: Scope
    ) -> Callable[[], None]:
        """Binds a name of a class when it is used: templates that name themselves have no end."""

        def bound() -> None:
            if self._pending < _PENDING_LIMIT:
                self._pending += 1
                try:
                    bind(member, scope)
                finally:
                    self._pending -= 1

        return bound

    def _bind_constant(self, member: Any, scope: Scope) -> None:
        type = self.read(member.type, scope)
        value = constants.evaluate(member.init, scope, self._program, self)
        if value is not None and type.form in _NUMBERS:
            scope.names[member.name] = constant_places.place(value, type)
        elif type.is_scalar or type.form is Form.UNKNOWN:
            reason = f"constant {member.name} is unknown here"
            held = Typed(Unknown(type.ir(), reason, per_thread=False), type)
            scope.names[member.name] = ValuePlace(held)

    def _enumerate(self, enum: c_ast.Enum, scope: Scope) -> None:
        previous = None
        for item in enum.values.enumerators:
            one = c_ast.Constant("int", "1")
            value = item.value
            if value is None and previous is not None:
                value = c_ast.BinaryOp("+", c_ast.ID(previous), one)
            kind = c_ast.TypeDecl(item.name, [], None, c_ast.IdentifierType(["int"]))
            value = value or c_ast.Constant("int", "0")
            member = c_ast.Decl(item.name, [], [], [], [], kind, value, None)
            scope.pending[item.name] = self._later(self._bind_constant, member, scope)
            previous = item.name

    def _bind_enum(self, enum: c_ast.Enum, scope: Scope) -> None:
        own = type(scope)(scope)
        self._enumerate(enum, own)
        held = self._enum(enum.name, enum.underlying_type, scope)
        scope.types[enum.name] = replace(held, origin=EnumScope(own))

    def _bind_class(self, member: Any, scope: Scope) -> None:
        if not isinstance(member, nodes.ClassSpecialization) and member.members is not None:
            scope.types[member.name] = self._lay_out(member, scope)

    def _bind_alias(self, member: Any, scope: Scope) -> None:
        scope.types[member.name] = self.read(member.type, scope)

    def _limits(self, items: Any, scope: Scope) -> list[int]:
        """To what pragmas limit the alignment of members."""
        stated = [getattr(item, "limit", None) for item in items]
        values = [
            constants.evaluate(limit, scope, self._program, self) for limit in stated if limit
        ]
        return [value for value in values if isinstance(value, int) and is_alignment(value)]

    def declared_alignment(self, items: Any, scope: Scope) -> int | None:
        """The strictest of the alignments written at a member or a class; None without any."""
        written: list[int] = []
        for item in items or ():
            given = getattr(item, "alignment", None)
            value = constants.evaluate(given, scope, self._program, self)
            if value is None and given is not None:
                value = self.read(given, scope).alignment  # alignas(T)
            written += [value] if isinstance(value, int) and is_alignment(value) else []
        return max(written, default=None)


def _inherited(base: Scope, derived: Scope) -> dict[str, Callable[[], None]]:
    """What binds the names of a base class in a class derived from it."""

    def taken(name: str) -> Callable[[], None]:
        def bound() -> None:
            found, type = base.find(name), base.find_type(name)
            if found is not None:
                derived.names[name] = found
            if type is not None:
                derived.types[name] = type

        return bound

    return {name: taken(name) for name in (*base.names, *base.types, *base.pending)}
