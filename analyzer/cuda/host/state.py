"""What the variables of host code hold at one point of a walk through it.

In: scopes that bind names. Out: `HostState`, which assigns, forgets, copies and joins what is
known; and which nodes launch.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING, Any

from ...ir.host_formulas import UNLIMITED, Limits
from ...ir.values import whole_number
from ..lowering.model.scope import (
    KnownParts,
    LambdaValue,
    LoosePlace,
    MultiplePlace,
    PointerPlace,
    Scope,
    ValuePlace,
    WorkPlace,
)
from ..lowering.program.callees import callee_name
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .values.kernels import either
from .values.object_scopes import ObjectScope
from .values.values import is_same, key_of, known_parts, multiple, not_known

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from ..lowering.model.scope import Binding

    State = list[tuple[Scope, dict[str, Binding]]]

#: Launches whose first argument is a configuration.
CONFIGURED = frozenset({"cudaLaunchKernelEx", "cudaLaunchKernelExC"})
#: The calls that launch.
LAUNCHING = frozenset({"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}) | CONFIGURED


class HostState:
    """The scope in force at a point of host code and what its names hold."""

    def __init__(self) -> None:
        self._scope = Scope()

    def _assign(self, name: str, binding: Binding) -> None:
        scope = self._scope.binder(name)
        if scope is not None:
            scope.names[name] = binding
            if isinstance(scope, ObjectScope) and scope.other(name) in scope.names:
                scope.names[scope.other(name)] = binding

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            found = self._scope.find(name)
            if found is not None and not isinstance(found, LambdaValue | LoosePlace):
                self._assign(name, self._changed(name, found))
                self._forget_members(name)

    def _forget_earlier(self, made: Binding) -> None:
        """What variables hold that was made where this is made, in another round of a loop or
        another activation of a function, is not told apart from it by its site.
        """
        if isinstance(made, PointerPlace):
            site = made.pointer.allocation.site
            self._forget(name for name in self._visible() if self._is_at(name, site))

    def _is_at(self, name: str, site: Hashable) -> bool:
        held = self._scope.find(name)
        return isinstance(held, PointerPlace) and held.pointer.allocation.site == site

    def _changed(self, name: str, held: Binding) -> Binding:
        """What is left of what a variable holds that was perhaps written."""
        return not_known(name, getattr(held, "type", None))

    def _forget_members(self, name: str) -> None:
        """Nothing is known any more of what the members of an object hold, or of a part of one."""
        scope = self._scope.binder(name.partition(".")[0])
        if scope is not None:
            for path in scope.members_of(name):
                self._assign(path, self._changed(path, scope.names[path]))

    def _state(self) -> State:
        return [(scope, dict(scope.names)) for scope in self._scope.outwards()]

    def _visible(self) -> set[str]:
        """Every name in force."""
        return {name for scope in self._scope.outwards() for name in scope.names}

    @staticmethod
    def _restore(state: State) -> None:
        for scope, names in state:
            scope.names = dict(names)

    def _replaced(self, state: State, bindings: Mapping[str, Binding]) -> State:
        """A state in which some variables hold something else."""
        if not bindings:
            return state
        now = self._state()
        self._restore(state)
        for name, binding in bindings.items():
            self._assign(name, binding)
        made = self._state()
        self._restore(now)
        return made

    @staticmethod
    def _merge(state: State) -> None:
        for scope, names in state:
            for name, binding in scope.names.items():
                other = names.get(name)
                if binding is not other:
                    scope.names[name] = joined(name, binding, other)


def held_by(scope: Scope, counter: str) -> list[dict[str, object]]:
    """What all variables in force hold but a counter, as far as calls are told apart by it."""
    return [
        {name: _held(binding) for name, binding in each.names.items() if name != counter}
        for each in scope.outwards()
    ]


def _held(binding: Binding) -> object:
    return dict(binding.begun) if isinstance(binding, WorkPlace) else key_of(binding)


def joined(name: str, first: Binding, second: Binding | None) -> Binding:
    """What a variable holds that was left as the one or the other."""
    kernels = either(first, second)
    if kernels is not None or is_same(first, second):
        return kernels or first
    if isinstance(first, KnownParts) and isinstance(second, KnownParts):
        parts = {k: v if second.parts.get(k) == v else None for k, v in first.parts.items()}
        joined = known_parts(parts, first.type)
        if first.parts != second.parts:
            return joined
        return replace(joined, names=first.names | second.names, quotients=first.quotients)
    if isinstance(first, MultiplePlace) or isinstance(second, MultiplePlace):
        return _joined_multiples(name, first, second)
    if isinstance(first, PointerPlace) and isinstance(second, PointerPlace):
        held = replace(first.pointer, freed=None)  # given back on one path alone
        if held == replace(second.pointer, freed=None):
            return replace(first, pointer=held)
    return not_known(name, None if isinstance(first, LambdaValue) else first.type)


def _joined_multiples(name: str, first: Binding, second: Binding | None) -> Binding:
    """What divides and limits a variable on both ways, which may be the same one or a number."""
    if not isinstance(first, ValuePlace) or not isinstance(second, ValuePlace):
        return not_known(name, None if isinstance(first, LambdaValue) else first.type)
    (one, limits), (other, others) = map(_measures, (first, second))
    value = first.value.value if first.value.value is second.value.value else None
    return multiple(name, first.type, gcd(one, other), value, limits.widened(others))


def _measures(held: ValuePlace) -> tuple[int, Limits]:
    """What divides a variable, and what limits it."""
    if isinstance(held, MultiplePlace):
        return held.divisor, held.limits
    number = whole_number(held.value.value)
    return (1, UNLIMITED) if number is None else (abs(number), Limits(number, number))


def differ(states: list[State], names: AbstractSet[str]) -> bool:
    """Whether states agree in what they know of these variables, but not in the numbers."""
    found = False
    for name in names:
        numbers = {_numbers(_binding_in(state, name)) for state in states}
        if None in numbers:
            continue
        found = found or len(numbers) > 1
    return found


def _binding_in(state: State, name: str) -> Binding | None:
    return next((names[name] for _, names in state if name in names), None)


def _numbers(binding: Binding | None) -> tuple[object, ...] | None:
    """The numbers that a variable is, or is made of, where all are known."""
    if isinstance(binding, KnownParts):
        values = tuple(binding.parts.values())
        return values if values and None not in values else None
    number = whole_number(binding.value.value) if isinstance(binding, ValuePlace) else None
    return None if number is None else (number,)


def is_launch(node: Any) -> bool:
    """Whether a node of host code launches a kernel."""
    return isinstance(node, nodes.Launch) or (
        isinstance(node, c_ast.FuncCall) and callee_name(node.name) in LAUNCHING
    )
