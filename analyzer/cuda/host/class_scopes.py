"""The names of a class as its methods see them: constants, types, and what hides names of the file.

In: a method. Out: a scope with the constants, enumerators and types of its class and of the bases
that were read, with `this`, and with data members that are called like a variable of the file; the
same one for all methods of a class. None for a function that is no method. Not handled: names of
bases that were not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lowering.model import ctypes
from ..lowering.model.classes import lineage
from ..lowering.model.scope import ClassScope, Scope
from .values import not_known

if TYPE_CHECKING:
    from ..lowering.model.ctypes import CType
    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader
    from ..syntax import nodes


class ClassScopes:
    """What the methods of each class of one translation unit see of its names, in host code."""

    def __init__(self, program: Program, reader: TypeReader) -> None:
        self._program = program
        self._reader = reader
        self._known: dict[int, Scope] = {}  # by the id of the class

    def of(self, function: nodes.Function) -> Scope | None:
        """What is in force around the body of a method."""
        if not function.scope or not self._program.is_method(function):
            return None
        with self._program.seen_from(function.scope[:-1]):
            definition = self._program.classes.get(function.scope[-1])
        if definition is None:
            return None
        if id(definition) not in self._known:
            type = self._reader.class_type(definition, Scope())
            made = self._known[id(definition)] = Scope()
            made.names["this"] = not_known("this", ctypes.pointer_to(type))
            if isinstance(type.origin, ClassScope):
                self._take(type, type.origin.scope, made)
        return self._known[id(definition)]

    def _take(self, type: CType, inside: Scope, made: Scope) -> None:
        for name in (*inside.names, *inside.types, *inside.pending):
            found, named = inside.find(name), inside.find_type(name)
            if found is not None:
                made.names[name] = found
            if named is not None:
                made.types[name] = named
        for member in (each for base in _with_bases(type) for each in base.members):
            if member.name in self._program.variables:
                made.names.setdefault(member.name, not_known(member.name, member.type))


def _with_bases(type: CType) -> list[CType]:
    return [type, *(base for each in lineage(type.origin) for base in each.bases)]
