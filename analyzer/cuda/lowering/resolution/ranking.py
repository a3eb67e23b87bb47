"""How well a function fits the arguments of a call.

In: a function that has as many parameters as there are arguments. Out: its rank among overloads, or
None where it cannot be called. Ranks follow how near the types are (C++ standard, [over.ics.rank],
its order of exact, promoted, converted); a template is looked at as deduction makes it. Of two that
fit alike the one that says more of its types is meant: `T *` before `T`, a plain function before
both. Not handled: partial ordering of templates beyond that, user conversions beyond "there may be
one".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.values import Constant
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model.ctypes import Form
from ..model.scope import ClassScope, ListPlace, Scope, ValuePlace
from ..model.type_traits import plain_name, same
from ..program.parameters import is_pack, parameters_of
from ..program.template_arguments import name_of
from .constraints import bound_scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context

Rank = tuple[int, int]  # with template parameters deduced, and left open

_NEVER = -10_000


class Ranking:
    """Ranks functions for one call, whose arguments are at `places`."""

    def __init__(
        self, context: Context, places: list[Place], scope: Scope | None, explicit: list[Any]
    ) -> None:
        self._context = context
        self._places = places
        self._scope = scope  # of the class that the functions are in
        self._explicit = explicit

    def open_fit(self, function: nodes.Function) -> int | None:
        """How well the arguments fit, whatever the template parameters are; None if they do not."""
        types = self._context.reader.parameter_types(function, self._scope)
        score = self._score(types, function)
        return score if score >= 0 else None

    def rank(self, function: nodes.Function, left_open: int) -> Rank:
        """Where a function that fits stands among others; `left_open` is its `open_fit`."""
        if function.template is None or not function.template.parameters:
            return left_open, left_open
        inner = bound_scope(self._context, function, self._places, self._explicit, self._scope)
        parameters = (each for each in parameters_of(function) if not is_pack(each))
        types = [self._context.reader.read(each.type, inner) for each in parameters]
        return max(self._score(types, function), 0), left_open

    def _score(self, types: list[CType], function: nodes.Function) -> int:
        whole = len(types) == len(parameters_of(function))  # a pack fits worse
        if not self._explicit and self._is_undeducible(types, function):
            return _NEVER
        return int(whole) + sum(map(_fit, types, self._places))

    def _is_undeducible(self, types: list[CType], function: nodes.Function) -> bool:
        """Whether an argument is of another class than `Range<T>`, from which `T` is to follow: of
        what is deduced no conversion is tried (C++ standard, [temp.deduct.call]), but to a base.
        """
        heads = function.template.parameters if function.template is not None else ()
        names = {each.name for each in heads}
        of_each = zip(parameters_of(function), types, self._places, strict=False)
        return bool(names) and any(
            _is_deduced(parameter.type, wanted, names) and _is_of_another(wanted, place.type)
            for parameter, wanted, place in of_each
        )


def _fit(wanted: CType, place: Place) -> int:
    """How well an argument fits a parameter; far below zero when it cannot be passed."""
    given = place.type
    if isinstance(place, ListPlace):
        return 5  # of whatever type it is then
    named_alike = plain_name(wanted) == plain_name(given)
    if named_alike and wanted.form is given.form and not _are_two(wanted, given):
        return 30
    if Form.UNKNOWN in (wanted.form, given.form):
        return 5
    if Form.CLASS in (wanted.form, given.form):
        return 0 if _is_made(wanted) or _becomes(given) else _NEVER
    pointers = (Form.POINTER, Form.ARRAY)
    if (wanted.form in pointers) is not (given.form in pointers):
        is_number = wanted.form is Form.POINTER and given.is_scalar  # only 0 becomes a pointer
        return _NEVER if is_number and not isinstance(place, ValuePlace) else 0
    if wanted.form in pointers:
        a, b = wanted.element, given.element
        alike = a is not None and b is not None and a.name == b.name and not _are_two(a, b)
        if alike:
            return 20
        return _NEVER if _are_unrelated(a, b) else 10
    if wanted.form is given.form:
        return 20 if wanted.size == given.size else 10
    return 8


def _is_deduced(node: Any, wanted: CType, names: set[str]) -> bool:
    """Whether a parameter is written as an instance of a class template, of open parameters."""
    while isinstance(node, nodes.Reference | c_ast.TypeDecl | c_ast.Typename):
        node = node.type
    written = node.name if isinstance(node, nodes.NamedType) else None
    written = written.parts[-1] if isinstance(written, nodes.QualifiedName) else written
    origin = wanted.origin
    if not isinstance(written, nodes.TemplateId) or not isinstance(origin, ClassScope):
        return False
    if origin.definition.name != written.name:
        return False  # an alias may name what nothing follows from
    return any(name_of(argument) in names for argument in written.arguments)


def _is_of_another(wanted: CType, given: CType) -> bool:
    """Whether a value is a number, or of a class with no bases that is no instance of the one
    wanted.
    """
    origin, other = given.origin, wanted.origin
    if given.is_scalar:
        return True
    if not isinstance(origin, ClassScope) or not isinstance(other, ClassScope):
        return False
    return not origin.bases and origin.definition.name != other.definition.name


def _are_unrelated(wanted: CType | None, given: CType | None) -> bool:
    """Whether a pointer to one is never converted to a pointer to the other: numbers of two sizes,
    a number and a class, two classes of which the one given has no bases.
    """
    if wanted is None or given is None or not (_is_settled(wanted) and _is_settled(given)):
        return False
    if wanted.is_scalar and given.is_scalar:
        return wanted.size != given.size
    if wanted.is_scalar or given.is_scalar:
        return True
    if wanted.origin is None and given.origin is None:
        return wanted.members != given.members  # `half2` is `__half2`
    bases = given.origin.bases if isinstance(given.origin, ClassScope) else ()
    return wanted.name != given.name and not bases


def _is_settled(type: CType) -> bool:
    """Whether a type is a number or a class whose members are known."""
    if type.form is not Form.CLASS:
        return type.is_scalar
    return bool(type.members) and (type.origin is None or isinstance(type.origin, ClassScope))


def _are_two(wanted: CType, given: CType) -> bool:
    """Whether two instances of one class template are known to have different arguments."""
    origins = (wanted.origin, given.origin)
    instances = [each.instance for each in origins if isinstance(each, ClassScope)]
    if len(instances) < 2 or None in instances or wanted.origin is given.origin:
        return False
    (definition, bound), (other, theirs) = (each for each in instances if each is not None)
    if definition is not other:
        return False
    for name, type in bound.types.items():
        held = theirs.types.get(name)
        if held is not None and same(type, held) is False:
            return True
    pairs = ((place, theirs.names.get(name)) for name, place in bound.names.items())
    return any(None not in held and held[0] != held[1] for held in map(_numbers, pairs))


def _numbers(pair: Iterable[Any]) -> list[Any]:
    """The numbers that two template arguments are; None where that is not known."""
    values = [each.value.value if isinstance(each, ValuePlace) else None for each in pair]
    return [each.value if isinstance(each, Constant) else None for each in values]


def _is_made(type: CType) -> bool:
    """Whether a class may have a constructor for it, or a base that it is."""
    origin = type.origin
    if not isinstance(origin, ClassScope):
        return type.form is Form.CLASS and not type.members
    name = origin.definition.name
    return any(getattr(m, "decl", None) and m.decl.name == name for m in origin.definition.members)


def _becomes(type: CType) -> bool:
    """Whether a class converts itself: to a base of it, or by an operator of its own."""
    origin = type.origin
    if not isinstance(origin, ClassScope):
        return type.form is Form.CLASS and not type.members
    functions = (each for each in origin.definition.members if isinstance(each, nodes.Function))
    return bool(origin.bases) or any(each.is_conversion for each in functions)
