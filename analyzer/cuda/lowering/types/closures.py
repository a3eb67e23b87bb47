"""Types of lambdas that host code hands on: `apply<<<g, b>>>(n, [=] __device__ (int i) { ... })`.

In: a lambda and the scope around it where control comes by. Out: a class whose members are what it
captures ([expr.prim.lambda.capture]); its body sees these, the types and the constants around it,
and nothing else that the host holds. One that captures by reference is read like one that copies: a
device cannot follow it to the host. Not handled: members of the object behind `this`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.values import Constant
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.scope import LambdaValue, Scope, ValuePlace
from .expression_types import type_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model.ctypes import CType
    from ..model.scope import Binding
    from ..program.program import Program
    from .reading import Reader

COPIED_OBJECT = "*this"  # what `[*this]` captures
_FILE = "the file"  # where a lambda stands that is in no function


class Closures:
    """The types of the lambdas of one translation unit."""

    def __init__(self, program: Program, reader: Reader) -> None:
        self._program = program
        self._reader = reader
        self._titles: dict[int, str] = {}  # by the id of a lambda
        self._made: dict[object, CType] = {}
        #: Of lambdas that are captured, by their ids; a chain of them is gone through once.
        self._of_held: dict[int, tuple[LambdaValue, CType]] = {}

    def of(self, node: nodes.Lambda, scope: Scope) -> CType:
        """The type of a lambda, the same one where it captures the same types and constants."""
        captured = list(self._captured(node, scope))
        constants = _constants(node, scope)
        types = _types(node, scope)
        name = self._name(node, constants, types)
        key = (id(node), name, tuple((each, type.name, type.size) for each, type in captured))
        known = self._made.get(key)
        if known is None:
            laid_out = ctypes.lay_out(
                name, [(each, type, None) for each, type in captured], union=False
            )
            inner = Scope()
            inner.names.update(constants)
            inner.types.update(types)
            known = self._made[key] = replace(laid_out, origin=LambdaValue(node, inner))
        return known

    def held(self, held: LambdaValue) -> CType:
        """The type of a lambda that a name stands for, which stays what it was when it was made."""
        if id(held) not in self._of_held:
            self._of_held[id(held)] = held, self.of(held.node, held.scope)
        return self._of_held[id(held)][1]

    def _captured(self, node: nodes.Lambda, scope: Scope) -> Iterator[tuple[str, CType]]:
        """What it copies, by name, with the type."""
        names: dict[str, Any] = {}
        for capture in node.captures or ():
            if capture.name is not None:
                names[capture.name] = capture.value
            else:
                names |= dict.fromkeys(nodes.identifiers(node.body))
        for name, value in names.items():
            if value is not None:
                yield name, type_of(value, scope, self._program, self._reader)
                continue
            if name == COPIED_OBJECT:
                this = scope.find("this")
                of_class = this.type.element if isinstance(this, ValuePlace) else None
                yield name, of_class or ctypes.unknown("auto")
                continue
            found = None if name == "this" else scope.find(name)
            if isinstance(found, LambdaValue):
                yield name, self.held(found)
            elif found is not None and not _is_number(found):
                yield name, getattr(found, "type", None) or ctypes.unknown("auto")

    def _name(
        self, node: nodes.Lambda, constants: dict[str, ValuePlace], types: dict[str, CType]
    ) -> str:
        """What tells it from other lambdas, and from itself with other constants around it."""
        if id(node) not in self._titles:
            self._number(node)
        said = [f"{name} = {_value(place)}" for name, place in sorted(constants.items())]
        said += [f"{name} = {type.name}" for name, type in sorted(types.items(), key=_first)]
        title = self._titles[id(node)]
        return f"{title}, {', '.join(said)}" if said else title

    def _number(self, node: nodes.Lambda) -> None:
        """Give the lambdas of the function around it their numbers."""
        counts: Counter[str] = Counter()
        for name, alike in self._program.functions.items():
            if any(_encloses(each, node) for each in alike):
                for function in alike:
                    for each in nodes.walk(function.body) if function.body is not None else ():
                        if isinstance(each, nodes.Lambda):
                            counts[name] += 1
                            self._titles[id(each)] = f"lambda {counts[name]} of {name}"
        self._titles.setdefault(id(node), f"lambda of {_FILE}")


def _first(item: tuple[str, CType]) -> str:
    return item[0]


def _encloses(function: nodes.Function, node: nodes.Lambda) -> bool:
    outer, inner = function.coord, node.coord
    if function.body is None or outer is None or inner is None:
        return False
    return outer.source is inner.source and outer.start <= inner.start and inner.end <= outer.end


def _is_number(binding: Binding) -> bool:
    """Whether a name stands for its number in a lambda, which captures nothing then."""
    type = getattr(binding, "type", None)
    return (
        type is not None
        and type.const
        and isinstance(binding, ValuePlace)
        and isinstance(binding.value.value, Constant)
    )


def _constants(node: nodes.Lambda, scope: Scope) -> dict[str, ValuePlace]:
    """The constants around a lambda that its body names."""
    found = {name: scope.find(name) for name in nodes.identifiers(node.body)}
    return {
        name: each
        for name, each in found.items()
        if isinstance(each, ValuePlace) and _is_number(each)
    }


def _types(node: nodes.Lambda, scope: Scope) -> dict[str, CType]:
    """The types that a lambda names, of the functions and classes around it."""
    names = dict.fromkeys(name for each in nodes.walk(node) for name in _named_types(each))
    found = {name: scope.find_type(name) for name in names}
    return {name: type for name, type in found.items() if type is not None}


def _named_types(node: Any) -> Iterator[str]:
    if isinstance(node, c_ast.IdentifierType):
        yield from node.names
    elif isinstance(node, nodes.TemplateId | c_ast.ID):
        yield str(node.name)


def _value(place: ValuePlace) -> object:
    value = place.value.value
    return value.value if isinstance(value, Constant) else value
