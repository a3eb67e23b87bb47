"""Which function of the file a call in host code means, where that is sure.

In: a call, the function around it, and what the program declares. Out: the one function that C++
looks up: by what is written before the name, else the nearest around the call; a method by the type
of its object; of overloads the one that fits the types of the arguments. None where several remain,
or where one that was not parsed may be meant. Also out: what a function launches, and the names
that it calls. Not handled: the namespaces of arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lowering.model.scope import ClassScope
from ..lowering.program.callees import callee_name
from ..lowering.program.parameters import parameters_of, takes
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .overloads import best
from .state import is_launch
from .values.kernels import kernel_name, qualifiers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..lowering.model.ctypes import CType
    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader

Path = tuple[str, ...]


class Callees:
    """Looks up which functions the calls in host code of one translation unit mean."""

    def __init__(self, program: Program, reader: TypeReader) -> None:
        self._program = program
        self._reader = reader

    def named(self, node: Any, owner: CType | None, around: Path) -> list[nodes.Function]:
        """The functions with a body that a call may name, whatever it passes; `owner` is the type
        of the object that a method is called on, `around` the scope of the calling function.
        """
        target = node.name
        is_method = isinstance(target, c_ast.StructRef)
        name = callee_name(target.field if is_method else target)
        known = [each for each in self._program.functions.get(name, ()) if each.body is not None]
        unread = self._program.unread.get(name, frozenset())
        if is_method:
            if isinstance(target.name, c_ast.ID) and target.name.name == "this":
                return _within(known, unread, around[-1:])
            origin = None if owner is None else (owner.element or owner).origin
            if not isinstance(origin, ClassScope):
                return []
            return _within(known, unread, (origin.definition.name or "",))
        return self._by_name(known, unread, qualifiers(target), around)

    def methods(self, owner: ClassScope, name: str) -> list[nodes.Function] | None:
        """The methods of that name that a class has itself; None where one was not parsed."""
        definition = owner.definition
        unread = self._program.unread.get(name, frozenset())
        if any(scope[-1:] == (definition.name,) for scope in unread):
            return None
        declared = [
            each
            for each in definition.members or ()
            if isinstance(each, nodes.Function) and each.decl.name == name
            if not (each.defaulted or each.deleted)
        ]
        found = self._program.methods(definition, name)
        return None if len(found) < len(declared) else found

    def launched(self, kernel: Any, around: Path) -> list[nodes.Function]:
        """The functions that a launch may name; all of that name where none is sure."""
        known = self._program.functions.get(kernel_name(kernel), [])
        return self._by_name(known, frozenset(), qualifiers(kernel), around) or known

    def _by_name(
        self, known: list[nodes.Function], unread: frozenset[Path], written: Path, around: Path
    ) -> list[nodes.Function]:
        if written:
            spelled = (
                part for each in written for part in self._program.namespaces.get(each, (each,))
            )
            return _within(known, unread, tuple(spelled))
        return self._visible(known, unread, around)

    def _visible(
        self, known: list[nodes.Function], unread: frozenset[Path], around: Path
    ) -> list[nodes.Function]:
        """Those of the nearest scope around a call; else those that a directive may bring there."""
        scopes = {each.scope for each in known} | unread
        seen = [scope for scope in scopes if around[: len(scope)] == scope]
        if not seen:
            methods = {each.scope for each in known if self._program.is_method(each)}
            seen = [scope for scope in scopes - methods if scope[-1:] not in self._class_names()]
            if len(seen) != 1:
                return []
        nearest = max(seen, key=len)
        return [] if nearest in unread else [each for each in known if each.scope == nearest]

    def _class_names(self) -> set[Path]:
        return {(name,) for name in self._program.classes}

    def meant(
        self, named: Iterable[nodes.Function], types: Sequence[CType], count: int
    ) -> nodes.Function | None:
        """The one of these that takes such arguments."""
        fitting = [each for each in named if takes(parameters_of(each), count)]
        chosen = best(fitting, types, self._reader)
        return chosen[0] if len(chosen) == 1 else None


def _within(
    known: Iterable[nodes.Function], unread: frozenset[Path], path: Path
) -> list[nodes.Function]:
    """The functions of a class or namespace; none where some of them were not parsed."""
    if any(scope[-len(path) :] == path for scope in unread):
        return []
    return [each for each in known if each.scope[-len(path) :] == path]


def called_name(node: Any) -> str:
    """The plain name of what is called, a method too."""
    target = node.name
    return callee_name(target.field if isinstance(target, c_ast.StructRef) else target)


def launched_and_called(body: Any) -> tuple[list[Any], set[str]]:
    """The launches in the body of a host function, and the names of the functions that it calls."""
    launches: list[Any] = []
    called: set[str] = set()
    for node in nodes.walk(body):
        if is_launch(node):
            launches.append(node)
        if isinstance(node, c_ast.FuncCall):
            called.add(called_name(node))
            called.add("operator()")  # perhaps of an object
    return launches, called
