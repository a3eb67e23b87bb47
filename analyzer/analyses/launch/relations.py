"""Whether the host can launch a block with these arguments, and which numbers it can pass.

In: the formulas of a launch (`ir/host_formulas.py`), a block, and numbers for some of the kernel's
parameters. Problem: are there values of the host's variables under which the block has this shape,
the arguments are these numbers, and the grid has the block that is looked at? Solved by taking
formulas with one variable apart from the outside (constraint propagation: `n << 3 = 1024` makes n
128); what remains is tried out with few numbers, at most `_TRIES` combinations, so that the answer
is the same on every machine. True: values were found. False: there are none. None: not known.
`suggestions` gives arguments that the host can pass, made from values of its variables, and
`largest_and_least` picks two of them.
Example: for `k<<<n / 256, 256>>>(n)` the number 129 is refused (its grid has no block), 300 is not.
Not handled: conditions under which the host comes to the launch, but for the least and the greatest
value that they allow a variable; overflow.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from ...ir.host_formulas import UNLIMITED, Formula, Operation, Variable, evaluate, variables_of
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...ir.host_formulas import LaunchFormulas, Limits
    from ...ir.kernel import Dimensions

#: Sizes that hosts pass, the most telling first: no multiples of a block, then multiples.
NUMBERS = (1000, 100, 33, 1, 5, 129, 17, 1024, 256, 64, 32, 8, 4, 2, 16, 128, 512, 4096, 65536)
_TRIES = 2_000
_COMPARED, _HUGE = 400, 1 << 24  # suggestions, and numbers that are no sizes
_WIDEST = 63  # bits that a shift may be by


@dataclass(frozen=True, slots=True)
class _Equation:
    """A formula that is a number, or, for a grid, larger than one."""

    formula: Formula
    number: int
    larger: bool = False
    limits: Limits | None = None  # or a variable that its host allows these numbers

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
) -> bool | None:
    """Whether the host, by its formulas, can launch this block with these arguments, by their
    place.
    """
    equations = _equations(formulas, block, arguments, index)
    values = _propagated(equations)
    if values is None:
        return False
    open_ = [each for each in equations if each.holds(values) is None]
    if any(each.holds(values) is False for each in equations):
        return False
    if not open_:
        return True
    free = _free([each.formula for each in open_], values)
    return True if next(_solutions(open_, values, free), None) is not None else None


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


def largest_and_least(
    formulas: LaunchFormulas, block: Dimensions, wanted: Iterable[int]
) -> tuple[dict[int, int], ...]:
    """Of the positive arguments that the host can pass together to such a block, those of which the
    smallest one is the largest, and those of which the largest one is the smallest, if these are
    others; only of arguments that have to do with each other, or with the launch.
    """
    related = [at for at in wanted if _is_related(formulas, at)]
    found = [
        numbers
        for numbers in islice(suggestions(formulas, block, related), _COMPARED)
        if numbers and min(numbers.values()) > 0 and max(numbers.values()) < _HUGE
    ]
    if not found:
        return ()
    largest = max(found, key=lambda numbers: min(numbers.values()))
    least = min(found, key=lambda numbers: max(numbers.values()))
    return (largest,) if least == largest else (largest, least)


def _is_related(formulas: LaunchFormulas, at: int) -> bool:
    """Whether a variable that an argument is made of has a part in more of the launch."""
    own = formulas.arguments[at] if at < len(formulas.arguments) else None
    if own is None:
        return False
    parts = [*formulas.grid, *formulas.block, *formulas.arguments]
    made = [{each.number for each in variables_of(part)} for part in parts if part is not None]
    return any(sum(each.number in those for those in made) > 1 for each in variables_of(own))


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
    limits = {
        each.formula.number: each.limits
        for each in equations
        if each.limits is not None and isinstance(each.formula, Variable)
    }
    for chosen in _choices(free, limits):
        found = {**values, **chosen}
        if all(each.holds(found) is True for each in equations):
            yield found


def _free(formulas: list[Formula], values: Mapping[int, int]) -> list[int]:
    """The variables without a value, in the order in which they appear."""
    found = (each.number for formula in formulas for each in variables_of(formula))
    return [number for number in dict.fromkeys(found) if number not in values]


def _choices(free: list[int], limits: Mapping[int, Limits]) -> Iterator[dict[int, int]]:
    """Numbers for the variables, all combinations of the first few of them."""
    count = len(NUMBERS)
    while count > 1 and count ** len(free) > _TRIES:
        count -= 1
    if count ** len(free) > _TRIES:
        return
    tried = [_within(limits.get(number, UNLIMITED))[:count] for number in free]
    for chosen in product(*tried):
        yield dict(zip(free, chosen, strict=True))


def _within(limits: Limits) -> list[int]:
    """The sizes that hosts pass which a variable may be, and the ends of what it may be."""
    ends = [each for each in (limits.least, limits.most) if each is not None]
    return list(dict.fromkeys([each for each in NUMBERS if each in limits] + ends))
