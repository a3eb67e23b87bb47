"""Objects of host code that say how a kernel is launched: `Launch p(grid, block, 0, stream);`.

In: a class with a `dim3` among its members, and what an object of it is made from. Out: a
`KnownParts` under flat names (`block.x`, `shared`) of its numbers and dimensions; what is not known
is None. A class without constructors is made member by member; a constructor by its member
initialisers, and assignments to members in its body. Where several could be meant, known is what
they agree on. Not handled: constructors that call functions, members of bases and of members.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..lowering.model.ctypes import is_reference
from ..lowering.model.scope import ClassScope, KnownParts, LambdaValue, Scope
from ..lowering.program.callees import hands_on
from ..lowering.program.parameters import default_of, parameters_of, takes
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .changes import assigned
from .values.configurations import with_member
from .values.kernels import uncast
from .values.values import AXES, known_parts, names_in, not_known

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding
    from ..lowering.program.program import Program
    from ..lowering.types.constant_arithmetic import Number
    from ..lowering.types.type_reader import TypeReader
    from .values.values import HostValues

_MOST_LEAVES = 64  # of an object whose members are kept
_DEEPEST = 16  # classes within each other in such an object: more are not known


def leaves(type: CType, path: str = "", most: int = _MOST_LEAVES) -> Iterator[tuple[str, CType]]:
    """The numbers and pointers among a class's members in host code, those of its members too."""
    fits = type.parts <= most and type.depth <= _DEEPEST
    if fits and isinstance(type.origin, ClassScope | LambdaValue):
        for member in type.members:
            inner = f"{path}.{member.name}" if path else member.name
            if member.type.is_scalar and not is_reference(member.type):
                yield inner, member.type
            else:
                yield from leaves(member.type, inner, most)


def named_parts(name: str, type: CType, known: Mapping[str, Binding]) -> dict[str, Binding]:
    """The members of a variable of host code by their paths, with what is known of them."""
    found = ((path, known.get(path), held) for path, held in leaves(type))
    return {path: part or not_known(f"{name}.{path}", held) for path, part, held in found}


def holds_dimensions(type: CType) -> bool:
    """Whether an object of host code may, by its type, say how a kernel is launched."""
    return isinstance(type.origin, ClassScope) and any(m.type.name == "dim3" for m in type.members)


def assigns_itself(type: CType) -> bool:
    """Whether a class says what an assignment of its objects does."""
    if not isinstance(type.origin, ClassScope):
        return False
    members = (each for each in type.origin.definition.members or () if _is_function(each))
    return any(each.decl.name == "operator=" and not each.defaulted for each in members)


class HostObjects:
    """Makes objects from what host code gives them."""

    def __init__(self, program: Program, reader: TypeReader, values: HostValues) -> None:
        self._program = program
        self._reader = reader
        self._values = values

    def parts(self, node: Any, type: CType, scope: Scope) -> dict[str, Binding]:
        """What the members of an object hold that an expression is, as far as it is known."""
        node = uncast(node)
        while isinstance(node, c_ast.FuncCall) and hands_on(node):
            node = uncast(node.args.exprs[0])
        if isinstance(node, c_ast.ID):
            return _members_in(node.name, scope)
        if isinstance(node, nodes.Lambda):
            return self._captured(node, type, scope)
        items = _arguments(node)
        if items is None or not isinstance(type.origin, ClassScope) or holds_dimensions(type):
            return {}
        if len(items) == 1 and isinstance(items[0], c_ast.ID | nodes.Construct):
            copied = self._values.type_of(items[0], scope)
            if copied.name == type.name:
                return self.parts(items[0], type, scope)
        definition = type.origin.definition
        if definition.bases:
            return {}
        if not any(_is_constructor(each, definition.name) for each in definition.members or ()):
            return self._listed(type, items, scope)
        return self._initialised(type, items, scope)

    def _captured(self, node: nodes.Lambda, type: CType, scope: Scope) -> dict[str, Binding]:
        """What a lambda copies."""
        values = {each.name: each.value for each in node.captures or () if each.value is not None}
        found: dict[str, Binding] = {}
        for member in type.members:
            name, value = member.name, values.get(member.name)
            held = scope.find(name)
            if value is not None:
                found |= self._part(name, member.type, value, scope)
            elif held is not None:
                found[name] = held
                found |= {f"{name}.{path}": each for path, each in _members_in(name, scope).items()}
        return found

    def _listed(self, type: CType, items: list[Any], scope: Scope) -> dict[str, Binding]:
        """An object that is made member by member."""
        found: dict[str, Binding] = {}
        for member, item in zip(type.members, items, strict=False):
            at, value = member, item
            if isinstance(item, c_ast.NamedInitializer):
                name = getattr(item.name[0], "name", "") if item.name else ""
                named, value = type.member(name), item.expr
                if named is None:
                    return {}
                at = named
            found |= self._part(at.name, at.type, value, scope)
        return found

    def _initialised(self, type: CType, items: list[Any], scope: Scope) -> dict[str, Binding]:
        """An object that its one constructor makes of what it is given, with an empty body."""
        assert isinstance(type.origin, ClassScope)
        definition = type.origin.definition
        written = self._program.methods(definition, definition.name)
        fitting = [each for each in written if takes(parameters_of(each), len(items))]
        if len(fitting) != 1 or fitting[0].body.block_items:
            return {}
        inner = Scope(type.origin.scope)
        for parameter, item in zip(parameters_of(fitting[0]), items, strict=False):
            held = self._reader.read(parameter.type, inner)
            inner.names[parameter.name] = self._values.bind(parameter.name, held, item, scope)
        found: dict[str, Binding] = {}
        for each in fitting[0].initializers or ():
            member = type.member(getattr(each.target, "name", None) or "")
            given = list(each.arguments or ())
            if member is not None and len(given) == 1:
                found |= self._part(member.name, member.type, given[0], inner)
        return found

    def _part(self, name: str, type: CType, value: Any, scope: Scope) -> dict[str, Binding]:
        inner = self.parts(value, type, scope) if not type.is_scalar else {}
        own = {name: self._values.bind(name, type, value, scope)}
        return own | {f"{name}.{path}": each for path, each in inner.items()}

    def made(self, type: CType, init: Any, scope: Scope) -> KnownParts | None:
        """A variable after its initialisation; None when it is no such object, or not known."""
        if not holds_dimensions(type):
            type = self._values.type_of(init, scope)
        if not holds_dimensions(type):
            return None
        arguments = _arguments(init)
        if arguments is None:
            return None
        if len(arguments) == 1:  # a copy
            copied = scope.find(arguments[0].name) if isinstance(arguments[0], c_ast.ID) else None
            if isinstance(copied, KnownParts) and copied.type.name == type.name:
                return copied
            inner = self.made(type, arguments[0], scope)
            if inner is not None:
                return inner
        names = frozenset(name for item in arguments for name in names_in(item, scope))
        return replace(self._constructed(type, arguments, scope), names=names)

    def _constructed(self, type: CType, arguments: list[Any], scope: Scope) -> KnownParts:
        origin = type.origin
        assert isinstance(origin, ClassScope)
        definition = origin.definition
        declared = [
            member
            for member in definition.members or ()
            if isinstance(member, nodes.Function) and member.decl.name == definition.name
        ]
        if definition.bases:
            return _nothing_known(type)
        if not declared:
            return self._member_by_member(type, arguments, scope)
        written = self._program.methods(definition, definition.name)
        fitting = [item for item in declared if takes(parameters_of(item), len(arguments))]
        ways = [
            self._by_constructor(type, item, arguments, scope)
            for item in written
            if takes(parameters_of(item), len(arguments))
        ]
        if not ways or len(ways) < len(fitting):
            return _nothing_known(type)
        first, *others = (way.parts for way in ways)
        agreed = {
            name: value if all(other[name] == value for other in others) else None
            for name, value in first.items()
        }
        return known_parts(agreed, type)

    def _member_by_member(self, type: CType, arguments: list[Any], scope: Scope) -> KnownParts:
        known = self._by_default(type)
        data = [member.name for member in type.members]
        for index, item in enumerate(arguments):
            if isinstance(item, c_ast.NamedInitializer):
                path = getattr(item.name[0], "name", "") if item.name else ""
                known = with_member(known, path, item.expr, self._values, scope)
            elif index < len(data):
                known = with_member(known, data[index], item, self._values, scope)
        return known

    def _by_constructor(
        self, type: CType, function: nodes.Function, arguments: list[Any], scope: Scope
    ) -> KnownParts:
        assert isinstance(type.origin, ClassScope)
        inner = Scope(type.origin.scope)
        for index, parameter in enumerate(parameters_of(function)):
            if not getattr(parameter, "name", None):
                continue
            held = self._reader.read(parameter.type, inner)
            given = index < len(arguments)
            value = arguments[index] if given else default_of(parameter)
            inner.names[parameter.name] = (
                not_known(parameter.name, held)
                if value is None
                else self._values.bind(parameter.name, held, value, scope if given else inner)
            )
        known = self._by_default(type)
        for initializer in function.initializers or ():
            items = list(initializer.arguments or ())
            value = items[0] if len(items) == 1 else nodes.Construct(None, items, False)
            name = getattr(initializer.target, "name", None) or ""
            known = with_member(known, name, value, self._values, inner)
        return self._after_body(known, function.body.block_items or (), inner)

    def _after_body(self, known: KnownParts, items: Iterable[Any], scope: Scope) -> KnownParts:
        for item in items:
            if any(isinstance(node, c_ast.FuncCall) for node in nodes.walk(item)):
                return _nothing_known(known.type)
            if isinstance(item, c_ast.Assignment) and item.op == "=":
                known = with_member(known, _path(item.lvalue), item.rvalue, self._values, scope)
                continue
            for name in assigned([item]):
                if name == "this":
                    return _nothing_known(known.type)
                known = with_member(known, name, None, self._values, scope)
        return known

    def _by_default(self, type: CType) -> KnownParts:
        """What the class itself says of its members; dimensions are 1 where nobody says."""
        assert isinstance(type.origin, ClassScope)
        known = _nothing_known(type)
        shapes = [member.name for member in type.members if member.type.name == "dim3"]
        ones: dict[int | str, Number | None] = {f"{s}.{axis}": 1 for s in shapes for axis in AXES}
        known = known_parts({**known.parts, **ones}, type)
        for member in type.origin.definition.members or ():
            if isinstance(member, c_ast.Decl) and member.init is not None and member.name:
                known = with_member(
                    known, member.name, member.init, self._values, type.origin.scope
                )
        return known


def _is_constructor(member: Any, name: str) -> bool:
    declared = getattr(member, "decl", member)
    return getattr(declared, "name", None) == name and not isinstance(member, nodes.ClassDefinition)


def _is_function(member: Any) -> bool:
    return isinstance(member, nodes.Function)


def _members_in(name: str, scope: Scope) -> dict[str, Binding]:
    """What the members of a variable hold."""
    around = scope.binder(name)
    if around is None:
        return {}
    return {path[len(name) + 1 :]: around.names[path] for path in around.members_of(name)}


def _nothing_known(type: CType) -> KnownParts:
    names: list[int | str] = []
    for member in type.members:
        of_dimensions = member.type.name == "dim3"
        names += [f"{member.name}.{axis}" for axis in AXES] if of_dimensions else [member.name]
    return known_parts(dict.fromkeys(names), type)


def _arguments(init: Any) -> list[Any] | None:
    """What an object is made from; None when that is not in sight."""
    match init:
        case None:
            return []
        case c_ast.InitList():
            return list(init.exprs or ())
        case nodes.Construct():
            return list(init.arguments)
        case _:
            return None


def _path(target: Any) -> str:
    """The member that an assignment in a constructor changes: `block`, `this->block.x`."""
    fields: list[str] = []
    while isinstance(target, c_ast.StructRef):
        fields = [nodes.member_name(target), *fields]
        target = target.name
    name = getattr(target, "name", None) or ""
    return ".".join(fields if name == "this" else [name, *fields])
