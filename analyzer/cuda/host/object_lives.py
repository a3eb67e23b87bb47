"""Objects of host code that begin and end: what their constructors and destructors do.

In: declarations, and blocks that end. Out: the members of variables hold what a constructor left
there, memory among it; a destructor is run at the end of the block. Which constructor is meant has
to be sure. Not handled: arrays of objects, conversions, objects that a function returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lowering.model.scope import ClassScope, KnownParts, LoosePlace, ValuePlace
from ..lowering.program.callees import hands_on
from ..lowering.program.member_paths import member_path
from ..lowering.program.parameters import names_in, parameters_of
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .object_members import HostObject, ObjectMembers
from .objects import leaves
from .values.kernels import uncast
from .values.values import not_known

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding, Scope


class ObjectLives(ObjectMembers):
    """Runs constructors and destructors."""

    def _begin_object(self, node: Any, type: CType) -> None:
        if "static" in (node.storage or ()):
            self._frames[-1].kept.add(node.name)
        self._start_object(node.name, type, node.init, node)
        for argument in _given(node.init) or ():
            if isinstance(argument, c_ast.FuncCall) and hands_on(argument):
                moved = argument.args.exprs[0]
                path = moved.name if isinstance(moved, c_ast.ID) else member_path(moved)
                self._forget_members(path)

    def _start_object(self, name: str, type: CType, init: Any, node: Any) -> None:
        """Hold the members of a variable and run its constructor."""
        known = self._objects.parts(init, type, self._scope) if init is not None else {}
        origin = type.origin
        if not isinstance(origin, ClassScope) or isinstance(
            self._scope.names.get(name), KnownParts
        ):
            self._hold_parts(name, type, known)
            return
        constructors = self._callees.methods(origin, origin.definition.name or "")
        if constructors == [] and not origin.bases:
            self._hold_parts(name, type, {**self._by_default(type), **known})
            return
        self._hold_parts(name, type, {})
        given = _given(init)
        if constructors is None or given is None:
            return
        item = self._constructor(type, constructors, given)
        if item is not None:
            self._effect_on(node, item, given, HostObject(type, name, exact=True))
        elif self._is_copy(type, given):
            if not any(_takes_own(each, origin) for each in constructors):
                self._hold_parts(name, type, known)
        elif not given and not constructors:
            self._hold_parts(name, type, self._by_default(type))

    def _is_copy(self, type: CType, given: list[Any]) -> bool:
        return len(given) == 1 and self._values.type_of(given[0], self._scope).name == type.name

    def _constructor(
        self, type: CType, constructors: Iterable[nodes.Function], given: list[Any]
    ) -> nodes.Function | None:
        """The constructor of a class that is meant, where that is sure."""
        assert isinstance(type.origin, ClassScope)
        types = [self._values.type_of(each, self._scope) for each in given]
        copying = self._is_copy(type, given)
        named = [each for each in constructors if _takes_own(each, type.origin) is copying]
        if copying and len(named) > 1:
            moved = not isinstance(uncast(given[0]), c_ast.ID)
            named = [each for each in named if _takes_temporary(each) is moved]
        return self._callees.meant(named, types, len(given))

    def _hold_parts(self, name: str, type: CType, known: Mapping[str, Binding]) -> None:
        parts = {p: known.get(p) or not_known(f"{name}.{p}", t) for p, t in leaves(type)}
        self._scope.hold_members(name, parts)

    def _by_default(self, type: CType) -> dict[str, Binding]:
        """What a class itself says of its members."""
        origin = type.origin
        found: dict[str, Binding] = {}
        assert isinstance(origin, ClassScope)
        for declared in origin.definition.members or ():
            init = getattr(declared, "init", None)
            member = type.member(declared.name) if isinstance(declared, c_ast.Decl) else None
            if init is not None and member is not None and member.type.is_scalar:
                found[member.name] = self._bind(member.name, member.type, init, origin.scope)
        return found

    def _is_constructor(self, item: nodes.Function) -> bool:
        """Whether the running method is a constructor, wherever its class stands."""
        origin = self._own_type().origin
        return isinstance(origin, ClassScope) and item.decl.name == origin.definition.name

    def _initialise(self, item: nodes.Function) -> None:
        """What a constructor does before its body."""
        type, this = self._own_type(), self._this
        assert this is not None
        for name, bound in self._by_default(type).items():
            if name in this.names:
                self._assign(f"this.{name}", bound)
        for each in item.initializers or ():
            name = getattr(each.target, "name", None) or ""
            items = list(each.arguments or ())
            for argument in items:
                self._visit(argument)
            member = type.member(name)
            if member is None:
                self._delegate(each, name, items)
            elif member.type.is_scalar:
                if len(items) == 1:
                    self._assign(f"this.{name}", self._initial(items[0], name, member.type))
            else:
                self._member_object(each, name, member.type, items)

    def _initial(self, value: Any, name: str, type: CType) -> Binding:
        if isinstance(value, c_ast.FuncCall):
            return self._result_of(value, name, type)
        return self._bind(name, type, value, self._scope)

    def _delegate(self, node: Any, name: str, given: list[Any]) -> None:
        """Another constructor of the class, or one of a base."""
        own = self._own_type()
        bases = own.origin.bases if isinstance(own.origin, ClassScope) else ()
        for type in (own, *bases):
            origin = type.origin
            if isinstance(origin, ClassScope) and origin.definition.name == name:
                item = self._constructor(type, self._callees.methods(origin, name) or (), given)
                if item is not None:
                    self._effect_on(node, item, given, HostObject(type, "this", exact=True))
                    return
        self._forget_own()

    def _member_object(self, node: Any, name: str, type: CType, given: list[Any]) -> None:
        """A member that is an object itself."""
        path = f"this.{name}"
        if type.name == "dim3":
            init = nodes.Construct(None, given, False)
            self._assign(path, self._bind(name, type, init, self._scope))
            return
        origin = type.origin
        if not isinstance(origin, ClassScope):
            return
        constructors = self._callees.methods(origin, origin.definition.name or "")
        if constructors == []:
            init = nodes.Construct(None, given, True)
            known = self._objects.parts(init, type, self._scope)
            for part, held in known.items():
                self._assign(f"{path}.{part}", held)
            return
        item = self._constructor(type, constructors or (), given)
        if item is not None:
            self._effect_on(node, item, given, HostObject(type, path, exact=True))

    def _leave(self, scope: Scope) -> None:
        self._end_objects(scope)
        super()._leave(scope)

    def _end_objects(self, scope: Scope) -> None:
        """The variables of a block end, the last one first."""
        frame = self._frames[-1]
        for name, bound in reversed(list(scope.names.items())):
            if name in frame.kept or name in frame.references or "." in name:
                continue
            if isinstance(bound, LoosePlace) or not isinstance(bound, ValuePlace):
                continue
            origin = bound.type.origin
            if not isinstance(origin, ClassScope) or not scope.members_of(name):
                continue
            ends = self._callees.methods(origin, f"~{origin.definition.name}")
            if ends is not None and len(ends) == 1:
                self._effect_on(ends[0].decl, ends[0], [], HostObject(bound.type, name, exact=True))


def _takes_own(item: nodes.Function, owner: ClassScope) -> bool:
    """Whether a constructor copies or moves an object of its class."""
    parameters = parameters_of(item)
    return bool(parameters) and owner.definition.name in names_in(parameters[0].type)


def _takes_temporary(item: nodes.Function) -> bool:
    """Whether a constructor takes `T &&`."""
    inner = parameters_of(item)[0].type
    return isinstance(inner, nodes.Reference) and inner.rvalue


def _given(init: Any) -> list[Any] | None:
    """What a constructor gets; None where that is not in sight."""
    match init:
        case None:
            return []
        case c_ast.InitList():
            items = list(init.exprs or ())
        case nodes.Construct():
            items = list(init.arguments)
        case c_ast.ID():
            items = [init]
        case c_ast.FuncCall() if hands_on(init):
            items = [init]
        case _:
            return None
    if len(items) == 1 and isinstance(items[0], nodes.Construct) and items[0].type is not None:
        return _given(items[0])
    return items
