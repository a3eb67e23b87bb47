"""Classes of host code by their names, which stand for them in another reading of the same text.

In: a type. Out: a name for it, where it is a class that the file declares once and outside of
templates and functions, or one of those that hold nothing but a constant; and the type of such a
name: the very one that this reading has for it. Not handled: instances of class templates.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...cuda.lowering.model.scope import ClassScope, Scope, ValuePlace
from ...cuda.lowering.types.trait_names import constant_class
from ...ir.values import Constant

if TYPE_CHECKING:
    from ...cuda.lowering.model.ctypes import CType
    from ...cuda.lowering.program.program import Program
    from ...cuda.lowering.types.type_reader import TypeReader


class ClassName(NamedTuple):
    """What stands for a class in what is kept; `value` is the one constant of a class such as
    `integral_constant`.
    """

    declared: str
    value: int | float | None
    name: str
    volatile: bool
    const: bool


class ClassNames:
    """The names of host code's classes in one reading of an edited text."""

    def __init__(self, program: Program, reader: TypeReader) -> None:
        self._program = program
        self._reader = reader
        self._names: dict[int, tuple[CType, ClassName | None]] = {}  # by the id of a type

    def name_of(self, type: CType) -> ClassName | None:
        """The name of a class; None for any other type, and for one that has none."""
        origin = type.origin
        if not isinstance(origin, ClassScope):
            return None
        if id(type) not in self._names:
            self._names[id(type)] = type, self._name(type, origin)
        return self._names[id(type)][1]

    def _name(self, type: CType, origin: ClassScope) -> ClassName | None:
        held = origin.scope.names.get("value") if origin.definition.coord is None else None
        constant = held.value.value if isinstance(held, ValuePlace) else None
        value = constant.value if isinstance(constant, Constant) else None
        named = ClassName(origin.definition.name, value, type.name, type.volatile, type.const)
        known = self._found(named)
        return named if known is not None and known.origin is origin and known == type else None

    def type(self, named: ClassName) -> CType:
        """The class of a name that a reading of the same text gave."""
        found = self._found(named)
        assert found is not None  # the text declares it as it did
        return found

    def _found(self, named: ClassName) -> CType | None:
        if named.value is not None:
            found = constant_class(named.declared, named.value)
        else:
            definition = self._program.classes.get(named.declared)
            if (
                definition is None
                or definition.template is not None
                or self._program.classes.is_ambiguous(named.declared)
                or self._program.varies(definition)
            ):
                return None
            found = self._reader.class_type(definition, Scope())
        return replace(found, name=named.name, volatile=named.volatile, const=named.const)
