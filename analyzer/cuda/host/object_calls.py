"""Calls of methods on objects of host code, followed like calls of functions.

In: calls of methods. Out: the members of the object hold what the method left there. A call that is
not followed may change all of them. Not handled: virtual methods called through `this` or a
pointer, operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lowering.model.classes import lineage
from ..lowering.model.ctypes import decays
from ..lowering.model.scope import ClassScope, Scope, ValuePlace
from ..lowering.program.callees import callee_name
from ..lowering.program.parameters import parameters_of
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .object_lives import ObjectLives
from .object_members import HostObject

if TYPE_CHECKING:
    from ..lowering.model.ctypes import CType
    from ..lowering.types.constant_arithmetic import Number

_TEMPORARY = "#object"  # no name of C++: an object that has none
_DEEPEST = 24  # calls within each other


class ObjectCalls(ObjectLives):
    """Runs the methods of objects of host code."""

    def _is_call_of_object(self, node: Any) -> bool:
        """Whether a call is one of an object: `solve(x)`, `Solve{n}(x)`."""
        callee = node.name
        if isinstance(callee, nodes.Construct):
            return callee.type is not None
        bound = self._scope.find(callee.name) if isinstance(callee, c_ast.ID) else None
        return isinstance(bound, ValuePlace) and isinstance(bound.type.origin, ClassScope)

    def _call_method(self, node: Any, given: list[Any]) -> Number | None:
        """A call of a method on an object that stands before it, or of the object itself."""
        target = node.name
        if not isinstance(target, c_ast.StructRef):
            target = c_ast.StructRef(target, ".", c_ast.ID("operator()"))
        field = target.field
        made = self._temporary(target.name)
        outer = self._scope
        if made is not None:
            self._scope, target = made, c_ast.StructRef(c_ast.ID(_TEMPORARY), ".", field)
        found = self._object(target.name, arrow=target.type == "->")
        name = callee_name(field)
        meant = None if found is None else self._meant_method(name, found, given)
        number = None
        if found is not None and meant is not None:
            number = self._run_method(node, *meant, given, found)
        self._scope = outer
        if meant is None:
            self._unfollowed(node, given)
        return number

    def _unfollowed(self, node: Any, given: list[Any]) -> None:
        """A call of a method that is not known."""
        self._forget_given(node, given)

    def _temporary(self, node: Any) -> Scope | None:
        """A scope with the object that `Sum{n}` makes: `Sum{n}.run(x)`."""
        if not isinstance(node, nodes.Construct) or node.type is None:
            return None
        type = self._values.type_of(node, self._scope)
        if not isinstance(type.origin, ClassScope):
            return None
        inner = Scope(self._scope)
        outer, self._scope = self._scope, inner
        inner.names[_TEMPORARY] = self._bind(_TEMPORARY, type, node, outer)
        self._start_object(_TEMPORARY, type, node, node)
        self._scope = outer
        return inner

    def _meant_method(
        self, name: str, found: HostObject, given: list[Any]
    ) -> tuple[nodes.Function, CType] | None:
        """The method that a call means, and the class that has it."""
        if len(self._frames) >= _DEEPEST or not isinstance(found.type.origin, ClassScope):
            return None
        types = [self._values.type_of(each, self._scope) for each in given]
        owners = [found.type]
        while owners:
            owner = owners.pop(0)
            origin = owner.origin
            if not isinstance(origin, ClassScope):
                return None
            named = self._callees.methods(origin, name)
            if named is None:
                return None
            if named:
                meant = self._callees.meant(named, types, len(given))
                if meant is None or (is_virtual(meant) and not found.exact):
                    return None
                return meant, owner
            owners += origin.bases
        return None

    def _touches_object(self, call: Any) -> bool:
        """Whether a call of a method reads or writes the object, for sure: which method a virtual
        call means is read there; a static one, and one that is not seen, may leave it alone.
        """
        target = call.name
        type = self._values.type_of(target.name, self._scope)
        given = list(call.args.exprs) if call.args is not None else []
        found = HostObject(type, "", exact=True)
        meant = self._meant_method(callee_name(target.field), found, given)
        if meant is None:
            return False
        item, _ = meant
        if is_virtual(item):
            return True
        is_static = "static" in {*(item.decl.storage or ()), *item.decl.funcspec}
        return not is_static and item.body is not None and _reads_members(item, type)

    def _run_method(
        self, node: Any, item: nodes.Function, owner: CType, given: list[Any], found: HostObject
    ) -> Number | None:
        effect = self._effect_on(node, item, given, found, owner)
        self._followed.add(id(node))
        self._forget_given(node, given)
        if effect.pointer is not None:
            self._pointers.results[id(node)] = effect.pointer
        else:
            self._pointers.results.pop(id(node), None)
        return effect.number

    def _own_call(self, node: Any, item: nodes.Function, given: list[Any]) -> Number | None:
        """`resize(n);` in a method: a call on the same object."""
        own = self._own_type()
        found = HostObject(own, "this", exact=False)
        return self._run_method(node, item, self._class_of(own, item), given, found)

    def _class_of(self, type: CType, item: nodes.Function) -> CType:
        """The class of an object, or the base of it, that a method belongs to."""
        waiting = [type]
        for each in waiting:
            origin = each.origin
            if isinstance(origin, ClassScope):
                if origin.definition.name == item.scope[-1]:
                    return each
                waiting += origin.bases
        return type

    def _is_own(self, item: nodes.Function) -> bool:
        """Whether a function is a method of the object that the running one is run for."""
        if self._this is None or is_virtual(item) or not self._program.is_method(item):
            return False
        names = {each.definition.name for each in lineage(self._own_type().origin)}
        is_static = "static" in {*(item.decl.storage or ()), *item.decl.funcspec}
        return not is_static and bool(item.scope) and item.scope[-1] in names


def _reads_members(item: nodes.Function, type: CType) -> bool:
    """Whether a method says so: it names a member, and not for its address alone."""
    arrays = {each.name: decays(each.type) for each in type.members if each.name}
    own = {getattr(each, "name", None) for each in parameters_of(item)}
    named: set[int] = set()  # what stands for its address
    parts: set[int] = set()  # what is asked for a part of it
    found: list[tuple[Any, str]] = []
    for node in nodes.walk(item.body):
        if isinstance(node, c_ast.UnaryOp) and node.op in ("&", "sizeof"):
            named.update(map(id, nodes.walk(node.expr)))
        elif isinstance(node, c_ast.Decl | nodes.Lambda):
            own.add(getattr(node, "name", None))
        elif isinstance(node, c_ast.ArrayRef):
            parts.add(id(node.name))
        if isinstance(node, c_ast.StructRef):
            if node.type == "->" and getattr(node.name, "name", None) == "this":
                found.append((node, nodes.member_name(node)))
        elif isinstance(node, c_ast.ID) and node.name not in own:
            found.append((node, node.name))
    return any(
        name in arrays and id(node) not in named and (not arrays[name] or id(node) in parts)
        for node, name in found
    )


def is_virtual(item: nodes.Function) -> bool:
    """Whether a derived class may have another method for this one."""
    marks = {*item.decl.funcspec, *(item.suffixes or ())}
    return "virtual" in marks or "override" in marks
