"""Launches of which the host makes shape and template arguments of the same numbers.

In: launches of a kernel template in a host template of which nothing in sight is an instance, and
numbers made up for the kernel's parameters, by position. Out: the numbers as such a launch would
pass them (`k<128 / N, N>`: the first follows from the second), and the launches in numbers, its
block among them (`dim3 block(M * N / 8)`). A template argument over one variable says which number
that is: the one made up for it. The first launch decides; those that would pass others are left
out. Not handled: arguments over several variables of which none is passed by itself.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from ..ir.host_formulas import (
    Formula,
    LaunchFormulas,
    Operation,
    Variable,
    combined,
    evaluate,
    variables_of,
)
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..ir.host_formulas import Shape
    from ..ir.kernel import Launch, PartialDimensions

    Numbers = Mapping[int, int]  # by the position of a template's parameter, or a variable's number


_WARP, _MAX_THREADS = 32, 1024


@dataclass(frozen=True, slots=True)
class Tied:
    """Numbers for template parameters, by position, and the launches that would pass them."""

    numbers: Numbers
    launches: tuple[Launch, ...]


def tied(numbers: Numbers, launches: Sequence[Launch]) -> Tied | None:
    """Numbers for open template parameters as launches would pass them; None where none can."""
    found: list[Launch] = []
    fixed = numbers
    for launch in launches:
        passed = _passed(fixed, launch)
        if passed is None:
            continue
        own, values = passed
        if found and own != fixed:
            continue
        made = _in_numbers(launch, values)
        if made.block == launch.block or _can_be(made.block):
            fixed = own
            found.append(made)
    return Tied(fixed, tuple(found)) if found or not launches else None


def _passed(numbers: Numbers, launch: Launch) -> tuple[Numbers, Numbers] | None:
    """The numbers that a launch passes, and its variables that this takes."""
    own, values = dict(numbers), dict[int, int]()
    open_ = {at: launch.template_formulas[at] for at in own if at < len(launch.template_formulas)}
    for at, formula in _simple_first(open_):
        for variable in {each for each in variables_of(formula) if each.number not in values}:
            if own[at] not in variable.limits:
                return None
            values[variable.number] = own[at]
        number = evaluate(formula, values)
        if number is None or (number < 1 <= own[at]):
            return None
        own[at] = number
    return own, values


def _simple_first(formulas: Mapping[int, Formula | None]) -> Iterator[tuple[int, Formula]]:
    """The formulas that settle variables, with their places: those that are one before others."""
    known: set[int] = set()
    left = [(at, each) for at, each in formulas.items() if each is not None]
    left.sort(key=lambda item: not isinstance(item[1], Variable))
    for at, formula in left:
        found = {each.number for each in variables_of(formula)}
        if len(found - known) < 2:
            known |= found
            yield at, formula


def _can_be(block: PartialDimensions) -> bool:
    """Whether a block can be launched, and is of a warp at least: fewer threads show little."""
    known = [each for each in block if each is not None]
    least = _WARP if len(known) == len(block) else 1
    return min(known, default=1) > 0 and least <= prod(known) <= _MAX_THREADS


def _in_numbers(launch: Launch, values: Numbers) -> Launch:
    """A launch whose variables have these values, as far as they are known."""
    if not values or launch.formulas is None:
        return replace(launch, template_formulas=())
    formulas = launch.formulas
    grid, block = (_shape(each, values) for each in (formulas.grid, formulas.block))
    arguments = tuple(_with(each, values) for each in formulas.arguments)
    return replace(
        launch,
        grid=_known(launch.grid, grid),
        block=_known(launch.block, block),
        formulas=LaunchFormulas(grid, block, arguments),
        sizes=tuple(_with(each, values) for each in launch.sizes),
        template_formulas=(),
    )


def _shape(shape: Shape, values: Numbers) -> Shape:
    x, y, z = (_with(each, values) for each in shape)
    return x, y, z


def _known(stated: PartialDimensions, made: Shape) -> PartialDimensions:
    x, y, z = (
        other if own is None and isinstance(other, int) else own
        for own, other in zip(stated, made, strict=True)
    )
    return x, y, z


def _with(formula: Formula | None, values: Numbers) -> Formula | None:
    """A formula with numbers in the place of variables; None where it has no result."""
    if isinstance(formula, Variable):
        return values.get(formula.number, formula)
    if not isinstance(formula, Operation):
        return formula
    left, right = _with(formula.left, values), _with(formula.right, values)
    if left is None or right is None:
        return None
    if isinstance(left, int) and isinstance(right, int):
        return combined(formula.operator, left, right)
    return Operation(formula.operator, left, right)
