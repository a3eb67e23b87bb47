"""Whether the host can launch a block with these arguments, and which numbers it can pass.

In: the formulas of a launch (`ir/host_formulas.py`), a block, and numbers for some of the kernel's
parameters. Problem: are there values of the host's variables under which the block has this shape,
the arguments are these numbers, and the grid has the block that is looked at? Solved by taking
formulas with one variable apart from the outside (constraint propagation: `n << 3 = 1024` makes n
128) and by roots; what remains is tried out with few numbers, at most `_TRIES` combinations, so
that the answer is the same on every machine; exponents, as in `1 << 2 * level`, are so few that all
are tried.
Numbers beyond what a formula can be (`formula_bounds.py`) are refused: `size % b` is less than b.
True: values were found. False: there are none. None: not known.
`suggestions` gives arguments that the host can pass, made from values of its variables, and
`telling_arguments` picks three of them.
Example: for `k<<<n / 256, 256>>>(n)` the number 129 is refused (its grid has no block), 300 is not.
Not handled: conditions under which the host comes to the launch, but for the least and the greatest
value that they allow a variable; overflow.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product
from math import ceil, floor, prod
from typing import TYPE_CHECKING

from ...ir.host_formulas import (
    UNLIMITED,
    Formula,
    Operation,
    Variable,
    evaluate,
    polynomial,
    variables_of,
)
from ...source.records import dataclass
from .formula_bounds import bounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...ir.host_formulas import LaunchFormulas, Limits
    from ...ir.kernel import Dimensions, PartialDimensions

#: Sizes that hosts pass, the most telling first: no multiples of a block, then multiples.
NUMBERS = (1000, 100, 33, 1, 5, 129, 17, 1024, 256, 64, 32, 8, 4, 2, 16, 128, 512, 4096, 65536)
_TRIES = 2_000
_COMPARED, _HUGE = 400, 1 << 24  # suggestions, and numbers that are no sizes
_WARP = 32  # lanes
_WIDEST = 63  # bits that a shift may be by
_EXACT = 1 << 50  # numbers below it have roots that floating point finds


@dataclass(frozen=True, slots=True)
class _Equation:
    """A formula that is a number, or, for a grid, larger than one."""

    formula: Formula
    number: int
    larger: bool = False
    limits: Limits | None = None  # or a variable that its host allows these numbers

    def may_hold(self, values: Mapping[int, int]) -> bool:
        """Whether it can hold for these values and some of the variables that have none."""
        possible = bounds(self.formula, values)
        if self.limits is not None:
            return True
        if self.larger:
            return possible.most is None or possible.most > self.number
        return self.number in possible

    def holds(self, values: Mapping[int, int]) -> bool | None:
        """Whether it holds for these values; None where one is missing."""
        found = evaluate(self.formula, values)
        if found is None:
            missing = any(each.number not in values for each in variables_of(self.formula))
            return None if missing else False
        if self.limits is not None:
            return found in self.limits
        return found > self.number if self.larger else found == self.number


def can_launch(
    formulas: LaunchFormulas,
    block: Dimensions,
    arguments: Mapping[int, int],
    index: Dimensions = (0, 0, 0),
    grid: PartialDimensions = (None, None, None),
) -> bool | None:
    """Whether the host, by its formulas, can launch this block with these arguments, by their
    place, in a grid of as many blocks as are stated.
    """
    equations = _equations(formulas, block, arguments, index)
    sizes = zip(formulas.grid, grid, strict=True)
    equations += [_Equation(f, size) for f, size in sizes if f is not None and size is not None]
    values = _propagated(equations)
    if values is None:
        return False
    open_ = [each for each in equations if each.holds(values) is None]
    if any(each.holds(values) is False for each in equations):
        return False
    if not all(each.may_hold(values) for each in open_):
        return False
    answers = {_has_solution(each, values) for each in _apart(open_, values)}
    return False if False in answers else None if None in answers else True


def grid_of(
    formulas: LaunchFormulas, block: Dimensions, arguments: Mapping[int, int]
) -> PartialDimensions:
    """A grid that the host makes for this block with these arguments, as far as it is known."""
    equations = _equations(formulas, block, arguments, (0, 0, 0))
    values = _propagated(equations)
    sizes = [each for each in formulas.grid if each is not None]
    free = [] if values is None else _free([*(e.formula for e in equations), *sizes], values)
    found = None if values is None else next(_solutions(equations, values, free), None)
    if found is None:
        return (None, None, None)
    x, y, z = (None if each is None else evaluate(each, found) for each in formulas.grid)
    return (x, y, z)


def _has_solution(equations: list[_Equation], values: Mapping[int, int]) -> bool | None:
    """Whether there are values of the variables that are left; None where that is not known."""
    free = _free([each.formula for each in equations], values)
    if next(_solutions(equations, values, free), None) is not None:
        return True
    return False if _all_tried(equations, free) else None


def _apart(equations: list[_Equation], values: Mapping[int, int]) -> list[list[_Equation]]:
    """The equations in groups that have no variable without a value in common."""
    groups: list[tuple[set[int], list[_Equation]]] = []
    for each in equations:
        names, own = set(_free([each.formula], values)), [each]
        apart = []
        for others, group in groups:
            if names.isdisjoint(others):
                apart.append((others, group))
            else:
                names |= others
                own = group + own
        groups = [*apart, (names, own)]
    return [group for _, group in groups]


def suggestions(
    formulas: LaunchFormulas, block: Dimensions, wanted: Iterable[int]
) -> Iterator[dict[int, int]]:
    """The wanted arguments of a launch, by their place, as the host's formulas can pass them to
    such a block; the most telling first.
    """
    equations = _equations(formulas, block, {}, (0, 0, 0))
    values = _propagated(equations)
    if values is None:
        return
    made = {at: formulas.arguments[at] for at in wanted if at < len(formulas.arguments)}
    known = {at: formula for at, formula in made.items() if formula is not None}
    free = _free([*(each.formula for each in equations), *known.values()], values)
    equations += _limits(known.values())
    for found in _solutions(equations, values, free):
        numbers = {at: evaluate(formula, found) for at, formula in known.items()}
        yield {at: number for at, number in numbers.items() if number is not None}


def telling_arguments(
    formulas: LaunchFormulas, block: Dimensions, wanted: Iterable[int]
) -> tuple[dict[int, int], ...]:
    """Of the positive arguments that the host can pass together to such a block, each once: those
    of which the smallest one is the largest; those of which the most end between the first warp of
    the block and its last thread, where threads of several warps are on both sides; and those of
    which the largest one is the smallest. Only of arguments that have to do with each other, or
    with the launch.
    """
    related = [at for at in wanted if _is_related(formulas, at)]
    found = [
        numbers
        for numbers in islice(suggestions(formulas, block, related), _COMPARED)
        if numbers and min(numbers.values()) > 0 and max(numbers.values()) < _HUGE
    ]
    if not found:
        return ()
    inside = range(_WARP + 1, prod(block))
    largest = max(found, key=lambda numbers: min(numbers.values()))
    ending = max(found, key=lambda numbers: sum(each in inside for each in numbers.values()))
    least = min(found, key=lambda numbers: max(numbers.values()))
    middle = [ending] if any(each in inside for each in ending.values()) else []
    chosen = [largest, *middle, least]
    return tuple(each for at, each in enumerate(chosen) if each not in chosen[:at])


def all_values(formulas: LaunchFormulas, at: int) -> frozenset[int] | None:
    """Every number that the host can pass for an argument, by its place, where these are few: what
    it computes of exponents alone, as `1 << level`. None where they are not.
    """
    formula = formulas.arguments[at] if at < len(formulas.arguments) else None
    free = [] if formula is None else _free([formula], {})
    if formula is None or not free:
        return None
    equations = [_Equation(formula, -1, larger=True), *_limits([formula])]
    if not _all_tried(equations, free):
        return None
    found = (evaluate(formula, values) for values in _solutions(equations, {}, free))
    return frozenset(each for each in found if each is not None)


def _is_related(formulas: LaunchFormulas, at: int) -> bool:
    """Whether a variable that an argument is made of has a part in more of the launch."""
    own = formulas.arguments[at] if at < len(formulas.arguments) else None
    if own is None:
        return False
    parts = [*formulas.grid, *formulas.block, *formulas.arguments]
    made = [{each.number for each in variables_of(part)} for part in parts if part is not None]
    return any(sum(each.number in those for those in made) > 1 for each in variables_of(own))


def makes_grid(formulas: LaunchFormulas, at: int) -> bool:
    """Whether a variable that an argument, by its place, is made of has a part in the grid."""
    own = formulas.arguments[at] if at < len(formulas.arguments) else None
    made = {v.number for part in formulas.grid if part is not None for v in variables_of(part)}
    return own is not None and any(each.number in made for each in variables_of(own))


def _equations(
    formulas: LaunchFormulas, block: Dimensions, arguments: Mapping[int, int], index: Dimensions
) -> list[_Equation]:
    shape = zip(formulas.block, block, strict=True)
    found = [_Equation(each, size) for each, size in shape if each is not None]
    for at, number in arguments.items():
        formula = formulas.arguments[at] if at < len(formulas.arguments) else None
        if formula is not None:
            found.append(_Equation(formula, number))
    grid = zip(formulas.grid, index, strict=True)
    found += [_Equation(each, at, larger=True) for each, at in grid if each is not None]
    return found + _limits(each.formula for each in found)


def _limits(formulas: Iterable[Formula]) -> list[_Equation]:
    """What conditions of the host allow the variables of formulas."""
    limited = dict.fromkeys(each for formula in formulas for each in variables_of(formula))
    return [_Equation(v, 0, limits=v.limits) for v in limited if v.limits != UNLIMITED]


def _propagated(equations: list[_Equation]) -> dict[int, int] | None:
    """The values that single formulas settle; None when two of them contradict each other."""
    values: dict[int, int] = {}
    changed = True
    while changed:
        changed = False
        for each in equations:
            if each.larger or each.limits is not None or each.holds(values) is not None:
                continue
            settled = _settled(each.formula, each.number, values)
            if settled is None:
                settled = _root(each.formula, each.number, values)
            if settled is None:
                continue
            if not settled:
                return None
            values.update(settled)
            changed = True
    return values


def _settled(formula: Formula, number: int, values: Mapping[int, int]) -> dict[int, int] | None:
    """The one variable of a formula with its value where the formula is a number; nothing when it
    cannot be that number; None when neither is known.
    """
    while isinstance(formula, Operation):
        left, right = evaluate(formula.left, values), evaluate(formula.right, values)
        if left is None and right is not None:
            outcome = _left_of(formula.operator, right, number)
            formula = formula.left
        elif left is not None and right is None:
            outcome = _right_of(formula.operator, left, number)
            formula = formula.right
        else:
            return None
        if outcome is None:
            return None
        if not outcome:
            return {}
        (number,) = outcome
    return {formula.number: number} if isinstance(formula, Variable) else None


def _root(formula: Formula, number: int, values: Mapping[int, int]) -> dict[int, int] | None:
    """The same of a power of one variable: `n * n * n = 27` makes n 3, and 19 it cannot be; that of
    an even power may be below zero, too.
    """
    parts = dict(polynomial(formula))
    rest = number - parts.pop((), 0)
    if len(parts) != 1 or abs(rest) > _EXACT:
        return None
    (((name, *others), factor),) = parts.items()
    if not others or not isinstance(name, Variable) or any(each != name for each in others):
        return None
    power = len(others) + 1
    root = round(abs(rest / factor) ** (1 / power))
    roots = [each for each in {root, -root} if factor * each**power == rest]
    if len(roots) > 1 or name.number in values:
        return None
    return {name.number: roots[0]} if roots else {}


def _left_of(operator: str, right: int, number: int) -> tuple[int, ...] | None:
    """The x of `x operator right = number`; None when there are several."""
    match operator:
        case "+":
            return (number - right,)
        case "-":
            return (number + right,)
        case "*" if right != 0:
            return () if number % right else (number // right,)
        case "<<" if 0 <= right < _WIDEST:
            return () if number % (1 << right) else (number >> right,)
        case "max" | "min":
            return _chosen_with(operator, right, number)
    return None


def _chosen_with(operator: str, other: int, number: int) -> tuple[int, ...] | None:
    """The x of `max(x, other) = number`; None when there are several."""
    if number == other:
        return None
    return (number,) if (number > other) == (operator == "max") else ()


def _right_of(operator: str, left: int, number: int) -> tuple[int, ...] | None:
    """The x of `left operator x = number`; None when there are several."""
    match operator:
        case "+":
            return (number - left,)
        case "-":
            return (left - number,)
        case "*" if left != 0:
            return () if number % left else (number // left,)
        case "max" | "min":
            return _chosen_with(operator, left, number)
    return None


def _solutions(
    equations: list[_Equation], values: Mapping[int, int], free: list[int]
) -> Iterator[dict[int, int]]:
    """Values of the variables that are left, the `free` ones, under which all hold."""
    limits, exponents = _limits_of(equations), _exponents(equations)
    for chosen in _choices(free, limits, exponents):
        found = {**values, **chosen}
        if all(each.holds(found) is True for each in equations):
            yield found


def _limits_of(equations: Iterable[_Equation]) -> dict[int, Limits]:
    """What limits variables, by number."""
    return {
        each.formula.number: each.limits
        for each in equations
        if each.limits is not None and isinstance(each.formula, Variable)
    }


def _all_tried(equations: list[_Equation], free: list[int]) -> bool:
    """Whether `_solutions` tries every number that the free variables can be: they are exponents,
    and so few that none is left out.
    """
    exponents = _exponents(equations)
    if not all(number in exponents for number in free):
        return False
    limits = _limits_of(equations)
    tried = [_within(limits.get(each, UNLIMITED), exponents[each]) for each in free]
    return prod(map(len, tried)) <= _TRIES


def _exponents(equations: Iterable[_Equation]) -> dict[int, range]:
    """The variables that a shift is by, as `1 << (2 * level)`, each with the numbers for which C++
    has a result.
    """
    found: dict[int, range] = {}
    work: list[Formula] = [each.formula for each in equations]
    while work:
        formula = work.pop()
        if not isinstance(formula, Operation):
            continue
        work += (formula.left, formula.right)
        if formula.operator in ("<<", ">>"):
            for number, numbers in _for_shifts(formula.right).items():
                known = found.get(number, numbers)
                least, most = max(known.start, numbers.start), min(known.stop, numbers.stop)
                found[number] = range(least, most)
    return found


def _for_shifts(formula: Formula) -> dict[int, range]:
    """The variable of a formula `a * x + b` with the numbers for which a shift may be by it."""
    parts = dict(polynomial(formula))
    offset = parts.pop((), 0)
    if len(parts) != 1:
        return {}
    (((name, *others), factor),) = parts.items()
    if others or not isinstance(name, Variable):
        return {}
    ends = sorted((Fraction(-offset, factor), Fraction(_WIDEST - 1 - offset, factor)))
    return {name.number: range(ceil(ends[0]), floor(ends[1]) + 1)}


def _free(formulas: list[Formula], values: Mapping[int, int]) -> list[int]:
    """The variables without a value, in the order in which they appear."""
    found = (each.number for formula in formulas for each in variables_of(formula))
    return [number for number in dict.fromkeys(found) if number not in values]


def _choices(
    free: list[int], limits: Mapping[int, Limits], exponents: Mapping[int, range]
) -> Iterator[dict[int, int]]:
    """Numbers for the variables, all combinations of the first few of them; of exponents all, if
    there are not too many.
    """
    tried = [_within(limits.get(each, UNLIMITED), exponents.get(each)) for each in free]
    count = max(map(len, tried), default=0)
    while count > 1 and prod(min(len(each), count) for each in tried) > _TRIES:
        count -= 1
    if prod(min(len(each), count) for each in tried) > _TRIES:
        return
    for chosen in product(*(each[:count] for each in tried)):
        yield dict(zip(free, chosen, strict=True))


def _within(limits: Limits, exponents: range | None = None) -> list[int]:
    """The sizes that hosts pass which a variable may be, and the ends of what it may be; of an
    exponent all that it may be.
    """
    ends = [each for each in (limits.least, limits.most) if each is not None]
    found = [each for each in NUMBERS if each in limits] + ends
    if exponents is not None:
        found = [each for each in (*found, *exponents) if each in exponents and each in limits]
    return list(dict.fromkeys(found))
