"""Declarations in host code: what a variable holds behind its own.

In: declarations, and the state they are met in. Out: the scope holds their names. Variables of
which more may be written than is seen, references and statics among them, are not known. What
conditions say of variables that are not known, what divides and limits them, is kept with them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from math import lcm
from typing import TYPE_CHECKING, Any

from ..lowering.model import ctypes
from ..lowering.model.scope import LambdaValue, ValuePlace
from ..syntax import nodes
from ..syntax.nodes import declares_reference
from ..syntax.nodes.c_ast import c_ast
from .expressions import HostExpressions
from .objects import holds_dimensions, named_parts
from .settled import open_variable
from .values.conditions import limits
from .values.configurations import configuration, is_configuration
from .values.values import dimensions, loose, not_known, pointing, referred

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.host_formulas import Limits
    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding


class HostDeclarations(HostExpressions):
    """Runs the declarations of host code."""

    @abstractmethod
    def _construct(self, node: Any, type: CType) -> None:
        """Control comes by a variable that is made from arguments."""

    @abstractmethod
    def _make_variable(self, node: Any, type: CType) -> None:
        """An object begins."""

    @abstractmethod
    def _begin_object(self, node: Any, type: CType) -> None:
        """The variable that was declared is there: what its members hold."""

    def _declare(self, node: Any) -> None:
        if isinstance(node, nodes.TypeAlias | c_ast.Typedef):
            self._scope.types[node.name] = self._reader.read(node.type, self._scope)
            return
        if not isinstance(node, c_ast.Decl):
            self._visit(node)
            return
        if not node.name:
            return
        if isinstance(node.init, nodes.Lambda):
            bound = LambdaValue(node.init, self._scope)
            self._frames[-1].lambdas[id(node.init)] = bound
            self._scope.names[node.name] = bound
            self._hold_members(node.name, self._values.type_of(node.init, self._scope), node.init)
            return
        if nodes.declares_reference(node):
            self._unread.add(id(node.init))
            self._frames[-1].references.add(node.name)
            self._scope.references |= {node.name}
        self._visit(node.init)
        declared = self._type_of(node)
        if isinstance(node.init, nodes.Construct) and node.init.type is None:
            self._construct(node, declared)
        elif node.init is None:
            self._make_variable(node, declared)
        self._scope.names[node.name] = self._declared(node, declared)
        self._frames[-1].declare(node.name, self._scope, node.init)
        held = self._scope.names[node.name]
        if type(held) is ValuePlace and not nodes.declares_reference(node):
            self._begin_object(node, held.type)

    def _type_of(self, node: Any) -> CType:
        """The type of a variable; `auto` beside a number is the number's."""
        declared = self._reader.read(node.type, self._scope)
        if declared.name != "auto" or node.init is None:
            return declared
        given = self._values.type_of(node.init, self._scope)
        return ctypes.deduced(declared, given) if given.is_scalar else declared

    def _hold_members(self, name: str, type: CType, init: Any) -> None:
        """What the members of an object hold behind its declaration."""
        known = self._objects.parts(init, type, self._scope) if init is not None else {}
        self._scope.hold_members(name, named_parts(name, type, known))

    def _declared(self, node: Any, type: CType) -> Binding:
        """What a variable holds behind its declaration."""
        name, init = node.name, node.init
        lasting = "static" in (node.storage or ()) and not type.const
        if name in self._frames[-1].escaped or (lasting and self._frames[-1].may_change(name)):
            return (referred if declares_reference(node) else loose)(name, type)
        if init is None:
            if type.name == "dim3":
                return dimensions((1, 1, 1))
            if holds_dimensions(type):
                return self._bind(name, type, None, self._scope)
        elif declares_reference(node):
            return not_known(name, type)
        if (container := self._values.pointers.container(node, self._scope)) is not None:
            return pointing(name, type, container)
        if is_configuration(type):
            return configuration(type, init, self._values, self._scope)
        if init is None or (type.form is ctypes.Form.UNKNOWN and _is_made_object(node)):
            return not_known(name, type)
        if isinstance(init, c_ast.FuncCall):
            return self._result_of(init, name, type)
        return self._bind(name, type, init, self._scope)

    def _hold(
        self, found: Iterable[tuple[str, int]], limited: Iterable[tuple[str, Limits]]
    ) -> None:
        """Keep what divides and what limits variables that are not known otherwise."""
        for name, divisor in found:
            measured = open_variable(self._scope, name)
            if measured is not None:
                divisor = lcm(divisor, measured.divisor)
                self._assign(name, replace(measured, divisor=divisor, quotients=()))
        for name, limits_here in limited:
            measured = None if self._is_escaped(name) else open_variable(self._scope, name)
            if measured is not None:
                narrowed = measured.limits.narrowed(limits_here)
                self._assign(name, replace(measured, limits=narrowed))

    def _limited(self, condition: Any) -> dict[str, tuple[Binding, Binding]]:
        """Keep what limits variables in the body of a loop; what they held before, and hold now."""
        found = list(limits(condition, self._number, holds=True)) if condition is not None else []
        before = {name: self._scope.find(name) for name, _ in found}
        self._hold((), found)
        pairs = ((name, held, self._scope.find(name)) for name, held in before.items())
        return {
            name: (held, now) for name, held, now in pairs if held is not None and now is not None
        }

    def _unlimited(self, limited: dict[str, tuple[Binding, Binding]]) -> None:
        """Behind the loop variables hold again what they held before, where none was assigned."""
        for name, (before, now) in limited.items():
            if self._scope.find(name) is now:
                self._assign(name, before)


def _is_made_object(node: Any) -> bool:
    """Whether a variable is an instance of a class template, made from arguments: none of them."""
    written = node.type
    while isinstance(written, c_ast.TypeDecl):
        written = written.type
    name = written.name if isinstance(written, nodes.NamedType) else None
    last = name.parts[-1] if isinstance(name, nodes.QualifiedName) else name
    return isinstance(last, nodes.TemplateId) and isinstance(node.init, nodes.Construct)
