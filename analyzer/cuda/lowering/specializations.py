"""Which specialisation of a class template stands for given arguments.

In: the primary template and its parameters bound in a scope. Out: the definition with the scope of
its own parameters, or None where the arguments do not settle it. One for just these arguments comes
first, then the last that fits: partial ordering (C++ standard, [temp.spec.partial.order]) is not
handled.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ir.values import Constant
from ..c_ast import c_ast
from . import constants, ctypes
from .ctypes import Form
from .scope import Scope, ValuePlace
from .trait_names import as_type
from .type_traits import same

if TYPE_CHECKING:
    from .. import nodes
    from .ctypes import CType
    from .program import Program
    from .type_reader import TypeReader


def specialized(
    primary: nodes.ClassDefinition, inner: Scope, program: Program, reader: TypeReader
) -> tuple[nodes.ClassDefinition, Scope] | None:
    """The definition for these arguments and its own scope; None when it is not clear."""
    found = primary, inner
    clear = True
    chooser = _Chooser(primary, inner, program, reader)
    for other in program.specializations.get(primary.name, ()):
        scope = Scope()
        fits = chooser.fits(other, scope)
        if fits and not (other.template.parameters if other.template else ()):
            return other, scope
        clear = clear and fits is not None
        if fits:
            found = other, scope
    return found if clear else None


class _Chooser:
    """Compares the arguments of one template with those that specialisations are for."""

    def __init__(
        self, primary: nodes.ClassDefinition, inner: Scope, program: Program, reader: TypeReader
    ) -> None:
        self._primary = primary
        self._inner = inner
        self._program = program
        self._reader = reader

    def fits(self, other: nodes.ClassSpecialization, scope: Scope) -> bool | None:
        """Whether a specialisation is for these arguments; binds its own parameters in a scope."""
        own = {item.name for item in (other.template.parameters if other.template else ())}
        clear = True
        for parameter, pattern in zip(
            self._primary.template.parameters, other.arguments, strict=False
        ):
            name = getattr(pattern, "name", None) or plain_name(pattern)
            if parameter.kind == "value":
                given = self._inner.names.get(parameter.name)
                if name in own and given is not None:
                    scope.names[name] = given
                    continue
                wanted = constants.evaluate(pattern, scope, self._program, self._reader)
                held = given.value.value if isinstance(given, ValuePlace) else None
                if wanted is None or not isinstance(held, Constant):
                    clear = False
                elif held.value != wanted:
                    return False
                continue
            type_ = self._inner.types.get(parameter.name, ctypes.unknown("auto"))
            same = self._matches(as_type(pattern), type_, own, scope)
            if same is False:
                return False
            clear = clear and bool(same)
        return True if clear else None

    def _matches(self, pattern: Any, type: CType, own: set[str], scope: Scope) -> bool | None:
        """Whether a type fits a pattern such as `T`, `T *`, `float`; None when it is not clear."""
        if isinstance(pattern, c_ast.Typename):
            return self._matches(pattern.type, type, own, scope)
        name = plain_name(pattern)
        if name in own and isinstance(pattern, c_ast.TypeDecl | c_ast.IdentifierType):
            scope.types[name] = type
            return True
        if type.form is Form.UNKNOWN:
            return None
        if isinstance(pattern, c_ast.PtrDecl):
            inner = type.element if type.form is Form.POINTER else None
            return inner is not None and self._matches(pattern.type, inner, own, scope)
        wanted = self._reader.read(pattern, scope)
        if wanted.form is Form.UNKNOWN:
            return None
        found = same(replace(type, const=wanted.const, volatile=wanted.volatile), wanted)
        return wanted.name == type.name if found is None else found


def plain_name(pattern: Any) -> str:
    """The name in a template argument that is a plain type, such as `T`."""
    while isinstance(pattern, c_ast.Typename | c_ast.TypeDecl):
        pattern = pattern.type
    return " ".join(getattr(pattern, "names", None) or ())
