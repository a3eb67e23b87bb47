"""AST types → `CType`: looks names up in scopes, aliases, classes and the built-in table.

In: a c_ast type node (TypeDecl, PtrDecl, ArrayDecl, Reference, Typename ...) and a scope. Out: a
CType, `unknown(name)` where the translation unit does not say. References read as the type they
refer to; `is_reference` tells. Not handled: member templates' own arguments, `decltype(auto)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from .. import nodes
from . import constants, cooperative_groups, ctypes, library_models

if TYPE_CHECKING:
    from .ctypes import CType
    from .program import Program
    from .scope import Scope

_DEPTH_LIMIT = 40  # aliases of aliases, classes of classes: deeper is a cycle


class TypeReader:
    """Reads types of one translation unit; class layouts are computed once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._layouts: dict[str, CType] = {}
        self._depth = 0

    def read(self, node: Any, scope: Scope) -> CType:
        """The type a type node stands for."""
        if self._depth > _DEPTH_LIMIT:
            return ctypes.unknown("recursive type")
        self._depth += 1
        try:
            return self._read(node, scope)
        finally:
            self._depth -= 1

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
                return self._class(node, scope)
            case c_ast.Enum():
                return ctypes.INT
            case c_ast.Struct() | c_ast.Union():
                return self._named([node.name or ""], scope)
            case c_ast.FuncDecl():
                return ctypes.unknown("function")
            case _:
                return ctypes.unknown("auto")

    def _named(self, words: list[str], scope: Scope) -> CType:
        name = " ".join(words)
        bound = scope.find_type(name)
        if bound is not None:
            return bound
        alias = self._program.aliases.get(name)
        if alias is not None:
            return self.read(alias, scope)
        definition = self._program.classes.get(name)
        if definition is not None:
            return self._class(definition, scope)
        if name in self._program.enums:
            return ctypes.INT
        if cooperative_groups.is_group_name(name):
            return cooperative_groups.group_type(name)
        collective = library_models.collective_type(name)
        if collective is not None:
            return collective
        return ctypes.from_words(words) or ctypes.unknown(name)

    def _path(self, name: Any, scope: Scope) -> CType:
        """`std::uint32_t`, `Vec<float, 4>`: by the whole name, else by its last part."""
        if isinstance(name, nodes.QualifiedName):
            plain = "::".join(getattr(part, "name", "") for part in name.parts)
            if plain in ctypes.BUILTIN:
                return ctypes.BUILTIN[plain]
            last = name.parts[-1]
            return self._path(last, scope) if last is not name else ctypes.unknown(plain)
        if isinstance(name, nodes.TemplateId):
            return self._template(name, scope)
        return self._named([name.name], scope)

    def _template(self, name: nodes.TemplateId, scope: Scope) -> CType:
        definition = self._program.classes.get(name.name)
        if definition is None or definition.template is None:
            return self._foreign_template(name, scope)
        inner = type(scope)(scope)
        self.bind_arguments(definition.template, name.arguments, inner, scope)
        return self._lay_out(definition, inner)

    def _foreign_template(self, name: nodes.TemplateId, scope: Scope) -> CType:
        if name.name == "thread_block_tile" and name.arguments:
            size = constants.evaluate(name.arguments[0], scope, self._program, self)
            if isinstance(size, int) and size <= 32:
                return cooperative_groups.group_type(name.name, size)
            return cooperative_groups.group_type("thread_group")
        if name.name == "array" and len(name.arguments) == 2:
            extent = constants.evaluate(name.arguments[1], scope, self._program, self)
            element = self.read(_as_type(name.arguments[0]), scope)
            return ctypes.array_of(element, extent if isinstance(extent, int) else None)
        return library_models.collective_type(name.name) or ctypes.unknown(name.name)

    def bind_arguments(
        self, template: nodes.Template, arguments: list[Any], inner: Scope, outer: Scope
    ) -> None:
        """Bind template parameters in `inner` to arguments read in `outer`, then to defaults."""
        for index, parameter in enumerate(template.parameters):
            argument = arguments[index] if index < len(arguments) else parameter.default
            if argument is None or parameter.pack:
                continue
            where = outer if index < len(arguments) else inner
            if parameter.kind == "type":
                inner.types[parameter.name] = self.read(_as_type(argument), where)
            elif parameter.kind == "value":
                value = constants.evaluate(argument, where, self._program, self)
                if value is not None:
                    type = self.read(parameter.type, inner)
                    inner.names[parameter.name] = constants.place(value, type)

    def _class(self, node: Any, scope: Scope) -> CType:
        key = node.name or f"unnamed at {node.coord}"
        known = self._layouts.get(key)
        if known is None:
            known = self._lay_out(node, scope)
            if node.template is None:
                self._layouts[key] = known
        return known

    def _lay_out(self, node: Any, scope: Scope) -> CType:
        if node.bases:
            return ctypes.unknown(node.name or "class")
        inner = type(scope)(scope)
        members: list[tuple[str, CType, int | None]] = []
        for member in node.members or ():
            if isinstance(member, c_ast.Decl) and not isinstance(member.type, c_ast.FuncDecl):
                if "static" in (member.storage or ()) or not member.name:
                    continue
                if member.bitsize is not None:
                    return ctypes.unknown(node.name or "class")
                own = self._alignment(member.align, inner)
                members.append((member.name, self.read(member.type, inner), own))
            elif isinstance(member, nodes.TypeAlias | c_ast.Typedef):
                inner.types[member.name] = self.read(member.type, inner)
        own = self._alignment(node.alignment, inner)
        union = node.key == "union"
        return ctypes.lay_out(node.name or "class", members, union=union, alignment=own)

    def _alignment(self, items: Any, scope: Scope) -> int | None:
        """The strictest of the alignments written at a member or a class; None without any."""
        written: list[int] = []
        for item in items or ():
            given = getattr(item, "alignment", None)
            value = constants.evaluate(given, scope, self._program, self)
            if value is None and given is not None:
                value = self.read(given, scope).alignment  # alignas(T)
            if isinstance(value, int):
                written.append(value)
        return max(written, default=None)


def is_reference(node: Any) -> bool:
    """Whether a declaration declares a reference."""
    return isinstance(getattr(node, "type", None), nodes.Reference)


def _as_type(argument: Any) -> Any:
    """A template argument that is a type; a bare name may have been read as an expression."""
    if isinstance(argument, c_ast.ID):
        return c_ast.IdentifierType([argument.name])
    if isinstance(argument, nodes.TemplateId | nodes.QualifiedName):
        return nodes.NamedType(argument)
    return argument
