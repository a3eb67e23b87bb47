"""Which of several kernels of one name a launch is for, by the types of its arguments.

In: functions by their names, and what a launch names and passes. Out: those that overload
resolution may choose ([over.ics.rank]): an argument that cannot become the parameter rules a
function out; of the others one is left out where another takes every argument at least as well, and
one of them better. What is not known rules nothing out. Not handled: conversions of classes,
constructors, `0` for a pointer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lowering.model.ctypes import Form
from ..lowering.program.parameters import parameters_of, takes
from ..lowering.resolution.function_specializations import is_same_type
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..lowering.model.ctypes import CType
    from ..lowering.types.type_reader import TypeReader

ALIKE_LIMIT = 32  # kernels that one launch may be of: one of more says nothing of any
MOST_OVERLOADS = 256  # of more functions of one name no one is chosen for each launch anew

_EXACT, _ALIKE, _CONVERTED = 2, 1, 0  # how well an argument fits
_NUMBERS = {Form.BOOL: 0, Form.INTEGER: 0, Form.FLOAT: 1}
_POINTERS = (Form.POINTER, Form.ARRAY)

#: How well each argument fits, None where that is not known.
_Ranks = tuple[int | None, ...]

#: A kernel's name, what is written before it, the namespaces around the launch, and how many
#: template arguments and arguments it passes.
Names = tuple[str, tuple[str, ...], tuple[str, ...], int, int]


class Overloads:
    """The kernels that launches may mean, found once for each name with arguments."""

    def __init__(
        self, functions: Mapping[str, Sequence[nodes.Function]], reader: TypeReader
    ) -> None:
        self._functions = functions
        self._reader = reader
        self._named: dict[Names, list[nodes.Function]] = {}
        self._meant: dict[tuple[Any, ...], tuple[Sequence[nodes.Function], Any]] = {}

    def meant(self, names: Names, types: tuple[CType, ...]) -> Sequence[nodes.Function]:
        """Those that a launch with arguments of these types may mean."""
        key = (names, *map(id, types))  # those of classes are long to compare
        if key not in self._meant:
            if names not in self._named:
                self._named[names] = _named_among(self._functions.get(names[0], ()), *names[1:])
            chosen = best(self._named[names], types, self._reader)
            self._meant[key] = chosen, types  # kept: no other type gets its identity
        return self._meant[key][0]


def _named_among(
    functions: Iterable[nodes.Function],
    within: tuple[str, ...],
    around: tuple[str, ...],
    written: int,
    given: int,
) -> list[nodes.Function]:
    """Of functions of one name those that a launch may name: those that take as many arguments and
    template arguments, where some do, of the namespace that is written, else of the nearest one
    around the launch.
    """
    alike = list(functions)
    if within:
        alike = [each for each in alike if each.scope[-len(within) :] == within]
    if given:
        alike = [each for each in alike if takes(parameters_of(each), given)] or alike
    if written:
        alike = [each for each in alike if _takes_written(each, written)] or alike
    visible = [each.scope for each in alike if around[: len(each.scope)] == each.scope]
    if within or not visible:
        return alike
    nearest = max(visible, key=len)
    return [each for each in alike if each.scope == nearest]


def _takes_written(function: nodes.Function, written: int) -> bool:
    """Whether a function can be given so many template arguments: there are as many parameters,
    and all further ones have defaults or follow from its arguments. A full specialisation has none
    of its own, and is left to `kernel_specializations.py`.
    """
    if function.template is None:
        return False
    parameters = function.template.parameters
    if not parameters or any(each.pack for each in parameters):
        return True
    mentioned = set(_names_in(function.decl.type.args))
    further = parameters[written:]
    return written <= len(parameters) and all(
        each.default is not None or each.name in mentioned for each in further
    )


def _names_in(node: Any) -> Iterator[str]:
    """The names in declared parameters."""
    for each in nodes.walk(node) if node is not None else ():
        if isinstance(each, c_ast.IdentifierType):
            yield from each.names
        elif isinstance(each, c_ast.ID | nodes.TemplateId):
            yield str(each.name)


def best(
    functions: Sequence[nodes.Function], types: Sequence[CType], reader: TypeReader
) -> Sequence[nodes.Function]:
    """The kernels that overload resolution may choose for a launch; all of them where none fits."""
    if not 2 <= len(functions) <= MOST_OVERLOADS or not types:
        return functions
    ranked: list[tuple[nodes.Function, _Ranks]] = []
    for function in functions:
        wanted = reader.parameter_types(function, None)
        ranks = [_rank(*pair) for pair in zip(wanted, types, strict=False)]
        if -1 not in ranks:
            ranked.append((function, tuple(ranks)))
    distinct = {ranks for _, ranks in ranked}
    worse = {one for one in distinct if any(_is_better(other, one) for other in distinct)}
    return [function for function, ranks in ranked if ranks not in worse] or functions


def _rank(wanted: CType, given: CType) -> int | None:
    """How well an argument fits, -1 for not at all."""
    if Form.UNKNOWN in (wanted.form, given.form):
        return None
    if wanted.form in _POINTERS and given.form in _POINTERS:
        return _rank_of_pointers(wanted, given)
    if wanted.form in _NUMBERS and given.form in _NUMBERS:
        if is_same_type(wanted, given):
            return _EXACT
        return _ALIKE if _NUMBERS[wanted.form] == _NUMBERS[given.form] else _CONVERTED
    if {wanted.form, given.form} & {Form.CLASS, Form.VOID}:
        return None
    return -1  # a number and a pointer


def _rank_of_pointers(wanted: CType, given: CType) -> int | None:
    if wanted.element is None or given.element is None:
        return None
    if Form.UNKNOWN in (wanted.element.form, given.element.form):
        return None
    if wanted.element.form is Form.VOID:
        return _CONVERTED
    if wanted.element.form in _POINTERS and given.element.form in _POINTERS:
        return _rank_of_pointers(wanted.element, given.element)
    same = is_same_type(wanted.element, given.element)
    classes = wanted.element.form is given.element.form is Form.CLASS
    if same is None or (not same and classes):
        return None  # a base class, perhaps
    return _EXACT if same else -1


def _is_better(one: _Ranks, other: _Ranks) -> bool:
    """Whether one function takes no argument worse than another one, and one better."""
    pairs = [
        (ours, theirs)
        for ours, theirs in zip(one, other, strict=False)
        if ours is not None and theirs is not None
    ]
    worse = any(ours < theirs for ours, theirs in pairs)
    return not worse and any(ours > theirs for ours, theirs in pairs)
