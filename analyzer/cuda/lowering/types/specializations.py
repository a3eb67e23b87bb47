"""Which specialisation of a class template stands for given arguments.

In: the primary template and its parameters bound in a scope. Out: the definition with the scope of
its own parameters, or None where the arguments do not settle it. Of several that fit, the most
specialised counts (C++ standard, [temp.spec.partial.order]), told by what their arguments say:
nothing (`T`), something (`T *`, `Pair<T, U>`), or all (`float`, `4`), and by fewer parameters of
their own (`<T, T>`). Not handled: which of two arguments says more that both say something.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import ClassScope, PackPlace, Scope
from ..model.type_traits import same
from ..program.template_arguments import as_type, name_of, plain_name, template_of
from . import constant_places, constants, template_packs

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.scope import Binding
    from ..program.program import Program
    from .reading import Reader


def specialized(
    primary: nodes.ClassDefinition, inner: Scope, program: Program, reader: Reader
) -> tuple[nodes.ClassDefinition, Scope] | None:
    """The definition for these arguments and its own scope; None when it is not clear."""
    fitting: list[tuple[nodes.ClassSpecialization, Scope]] = []
    clear = True
    chooser = _Chooser(primary, inner, program, reader)
    for other in program.specializations.get(primary.name, ()):
        scope = Scope()
        fits = chooser.fits(other, scope)
        if fits and not _parameters(other):
            return other, scope
        clear = clear and fits is not None
        if fits:
            fitting.append((other, scope))
    if not clear or not fitting:
        return (primary, inner) if clear else None
    said = [_said(other) for other, _ in fitting]
    most = [number for number, one in enumerate(said) if all(_is_as_much(one, o) for o in said)]
    return fitting[most[-1]] if most else None


#: How much each argument of a specialisation says, and minus the number of its own parameters.
_Said = tuple[tuple[int, ...], int]


def _parameters(one: nodes.ClassSpecialization) -> set[str]:
    return {item.name for item in (one.template.parameters if one.template else ())}


def _said(one: nodes.ClassSpecialization) -> _Said:
    own = _parameters(one)
    return tuple(_said_by(argument, own) for argument in one.arguments), -len(own)


def _said_by(argument: Any, own: set[str]) -> int:
    """0 for a parameter of the specialisation's own, 1 where one has a part in it, else 2."""
    if name_of(argument) in own:
        return 0
    return 2 if own.isdisjoint(map(name_of, nodes.walk(argument))) else 1


def _is_as_much(first: _Said, second: _Said) -> bool:
    """Whether one specialisation says as much as another that fits as well."""
    if first[0] == second[0]:
        return first[1] >= second[1]
    return all(mine >= other for mine, other in zip(first[0], second[0], strict=False))


class _Chooser:
    """Compares the arguments of one template with those that specialisations are for."""

    def __init__(
        self, primary: nodes.ClassDefinition, inner: Scope, program: Program, reader: Reader
    ) -> None:
        self._primary = primary
        self._inner = inner
        self._program = program
        self._reader = reader

    def fits(self, other: nodes.ClassSpecialization, scope: Scope) -> bool | None:
        """Whether a specialisation is for these arguments; binds its own parameters in a scope."""
        parameters = self._primary.template.parameters
        return self._all_match(parameters, other.arguments, self._inner, _parameters(other), scope)

    def _all_match(
        self, parameters: list[Any], patterns: list[Any], bound: Scope, own: set[str], scope: Scope
    ) -> bool | None:
        """Whether what parameters are bound to fits patterns; those left out have their default."""
        clear = True
        for index, parameter in enumerate(parameters):
            given = bound.find(parameter.name)
            found: bool | None = True
            if parameter.pack:
                found = self._pack_matches(parameter, patterns[index:], given, own, scope)
            elif index < len(patterns) and parameter.kind == "value":
                found = self._value_matches(patterns[index], given, own, scope)
            elif index < len(patterns):
                type = bound.find_type(parameter.name) or ctypes.unknown("auto")
                found = self._matches(as_type(patterns[index]), type, own, scope)
            if found is False:
                return False
            clear = clear and bool(found)
        return True if clear else None

    def _matches(self, pattern: Any, type: CType, own: set[str], scope: Scope) -> bool | None:
        """Whether a type fits a pattern such as `T`, `T *`, `float`; None when it is not clear."""
        if isinstance(pattern, c_ast.Typename):
            return self._matches(pattern.type, type, own, scope)
        name = plain_name(pattern)
        if name in own and isinstance(pattern, c_ast.TypeDecl | c_ast.IdentifierType):
            if name not in scope.types:
                scope.types[name] = type
                return True
            return same(scope.types[name], type)
        if type.form is Form.UNKNOWN:
            return None
        written = template_of(pattern)
        if written is not None and any(name_of(n) in own for n in nodes.walk(written)):
            return self._instance_matches(written, type, own, scope)
        if isinstance(pattern, c_ast.PtrDecl):
            inner = type.element if type.form is Form.POINTER else None
            return inner is not None and self._matches(pattern.type, inner, own, scope)
        wanted = self._reader.read(pattern, scope)
        if wanted.form is Form.UNKNOWN:
            return None
        found = same(replace(type, const=wanted.const, volatile=wanted.volatile), wanted)
        return wanted.name == type.name if found is None else found

    def _instance_matches(
        self, written: nodes.TemplateId, type: CType, own: set[str], scope: Scope
    ) -> bool | None:
        """Whether a type is an instance of the template in `Pair<T, 4>`, with such arguments."""
        definition = self._program.classes.get(written.name)
        origin = type.origin
        if type.form in (Form.BOOL, Form.INTEGER, Form.FLOAT, Form.VOID):
            return False
        if isinstance(origin, ClassScope) and origin.definition.template is None:
            return False  # no instance of any template
        if definition is None or definition.template is None:
            return None  # an alias, or a class of another file
        if not isinstance(origin, ClassScope):
            return False if type.is_scalar or type.form is Form.ARRAY else None
        if origin.definition is not definition:
            return None if origin.definition.name == definition.name else False
        parameters = definition.template.parameters
        found = self._all_match(parameters, written.arguments, origin.scope, own, scope)
        packs = any(parameter.pack for parameter in parameters)
        whole = packs or len(written.arguments) == len(parameters)
        return found if whole or found is False else None

    def _value_matches(
        self, pattern: Any, given: Binding | None, own: set[str], scope: Scope
    ) -> bool | None:
        """Whether a value fits a pattern such as `N`, `4`, `2 * N`; None when it is not clear."""
        name = name_of(pattern)
        if name in own and given is not None and name not in scope.names:
            scope.names[name] = given
            return True
        wanted = constants.evaluate(pattern, scope, self._program, self._reader)
        held = constant_places.held_by(given)
        return None if wanted is None or held is None else held == wanted

    def _pack_matches(
        self,
        parameter: Any,
        patterns: list[Any],
        given: Binding | None,
        own: set[str],
        scope: Scope,
    ) -> bool | None:
        """Whether a pack fits patterns such as `First, Rest...`."""
        if not isinstance(given, PackPlace):
            return None
        clear = True
        for index, pattern in enumerate(patterns):
            if isinstance(pattern, nodes.Pack):
                name = name_of(pattern.pattern)
                if name not in own or name in scope.names:
                    return None
                scope.names[name] = template_packs.rest(given, name, index)
                return True if clear else None
            if index == len(given.places):
                return False
            place = given.places[index]
            found = (
                self._value_matches(pattern, place, own, scope)
                if parameter.kind == "value"
                else self._matches(as_type(pattern), place.type, own, scope)
            )
            if found is False:
                return False
            clear = clear and bool(found)
        if len(patterns) < len(given.places):
            return False
        return True if clear else None
