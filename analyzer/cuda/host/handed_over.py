"""What host code hands to others: what they may write of it.

In: calls, objects that are made, lambdas that are given away. Out: what variables hold is not known
any more where somebody may have written them. Not handled: what is written through other pointers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..lowering.model import ctypes
from ..lowering.model.scope import KnownParts, LambdaValue, PointerPlace
from ..lowering.program.callees import callee_name, hands_on
from ..lowering.program.member_paths import member_path
from ..names.host_memory import takes_values
from ..syntax.nodes import declares_reference
from ..syntax.nodes.c_ast import c_ast
from .changes import filled
from .runtime_calls import RuntimeCalls
from .values.kernels import qualifiers
from .values.object_scopes import ObjectScope
from .values.pointers import is_container
from .values.values import is_constant, loose

if TYPE_CHECKING:
    from ...ir.host import HostPointer
    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding


class HandedOver(RuntimeCalls):
    """Forgets what others may write of the variables of host code."""

    def _forget_given(self, node: Any, given: list[Any]) -> None:
        """What a function that is not followed may have written: what it takes by reference, and
        the variables that one of a library fills.
        """
        self._forget(each.name for each in filled(node))
        if hands_on(node) and not self._is_container(given[0]):
            return  # what it hands on is used where this stands
        written = self._call_effects.written(node, len(given))
        name = callee_name(node.name)
        library = takes_values(name, qualifiers(node.name))
        plain = library or name in self._program.functions
        for argument, may_write in zip(given, written, strict=True):
            moved = isinstance(argument, c_ast.FuncCall) and hands_on(argument)
            argument = argument.args.exprs[0] if moved else argument
            path = argument.name if isinstance(argument, c_ast.ID) else member_path(argument)
            held = self._scope.find(path)
            if isinstance(held, LambdaValue):
                self._hand_over(held.node)
            elif held is None:
                if path and (may_write or moved):
                    self._forget_members(path)
            elif is_constant(held):
                continue
            elif (
                may_write
                or (moved and not isinstance(held, PointerPlace))
                or (isinstance(held, PointerPlace) and is_container(held.pointer) and not library)
                or (isinstance(held, KnownParts) and (_is_array(held) or not plain))
            ):
                self._forget([path])

    def _container_given(self, taken: HostPointer, parameter: Any, given: Any) -> HostPointer:
        """The container that a parameter is: the caller's own, or one with as many elements."""
        found = self._values.pointers.of(given, self._scope)
        if found is None or not is_container(found) or found.inside:
            return taken
        if declares_reference(parameter):
            return found
        made = taken.allocation
        size = found.allocation.size if found.allocation.element_size == made.element_size else None
        return taken if size is None else replace(taken, allocation=replace(made, size=size))

    def _is_container(self, node: Any) -> bool:
        held = self._scope.find(node.name) if isinstance(node, c_ast.ID) else None
        return isinstance(held, PointerPlace) and is_container(held.pointer)

    def _construct(self, node: Any, type: CType) -> None:
        """What a constructor may have written of what it is given."""
        super()._construct(node, type)
        given = list(node.init.arguments or ())
        written = self._call_effects.written_by_constructor(type, node, len(given))
        for argument, may_write in zip(given, written, strict=True):
            held = self._scope.find(argument.name) if isinstance(argument, c_ast.ID) else None
            if isinstance(held, LambdaValue):
                self._hand_over(held.node)
            elif held is not None and may_write and not is_constant(held):
                self._forget([argument.name])

    def _meet_lambda(self, node: Any) -> None:
        super()._meet_lambda(node)
        self._hand_over(node)

    def _hand_over(self, node: Any) -> None:
        """Somebody gets a lambda: what it writes by reference may change whenever it is called."""
        captures = node.captures or ()
        changed = self.changes.of(node.body)
        names = changed.assigned | changed.addressed
        named = {each.name for each in captures if each.by_reference}
        outside = names if None in named else names & named
        if captures:
            for name in changed.called_on:
                self._loosen_members(name)
            outside |= {n for n in names if isinstance(self._scope.binder(n), ObjectScope)}
            if "this" in names:
                self._loosen_members("this")
        for name in outside & self._visible():
            found = self._scope.find(name)
            if found is not None and not isinstance(found, LambdaValue):
                self._assign(name, loose(name, found.type))
        self._frames[-1].escaped |= outside

    def _loosen_members(self, name: str) -> None:
        """Anybody may change the members of an object at any time."""
        scope = self._scope.binder(name)
        if scope is None:
            return
        for path in scope.members_of(name):
            self._assign(path, loose(path, getattr(scope.names[path], "type", None)))


def _is_array(held: Binding) -> bool:
    return isinstance(held, KnownParts) and held.type.form is ctypes.Form.ARRAY
