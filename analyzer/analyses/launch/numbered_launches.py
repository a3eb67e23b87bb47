"""Launches with numbers for everything that the host passes.

In: a launch as the host states it, over variables of the host (`ir/host_formulas.py`). Out: the
same launch with numbers in place of formulas: the grid, the arguments, and the bytes behind each
pointer; once for each choice of the variables. Sizes are no multiples of a block, as most are not,
unless the host checks that they are. In one choice all variables are equal, in the others each is
larger, or smaller, than the one before it: what holds in all of them rests on no relation between
them. Numbers for which the host would allocate more than any device has are made smaller: four
sizes of 1,000 make an array of 8 TB. Not handled: launches with more than `_MOST` variables. Of the
conditions of the host it is known what they limit single variables to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.host_formulas import evaluate, variables_of
from ...source.records import dataclass
from .sizes_to_try import MEMORY, RISING, UNEVEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...ir.host_formulas import Formula
    from ...ir.kernel import PartialDimensions
    from .assumed_launch import AssumedLaunch

_MOST = len(RISING)
_PARTS = (1, 2, 4, 8, 16, 32, 64)  # of the numbers, the largest first


@dataclass(frozen=True, slots=True)
class NumberedLaunch:
    """A launch in numbers; `chosen` has those of the host's variables, by name."""

    grid: PartialDimensions
    arguments: tuple[int | None, ...]
    sizes: tuple[int | None, ...]
    chosen: tuple[tuple[str, int], ...] = ()
    #: The variables that each argument, each size and the grid are made of.
    of_arguments: tuple[frozenset[int], ...] = ()
    of_sizes: tuple[frozenset[int], ...] = ()
    of_grid: frozenset[int] = frozenset()


def numbered(launch: AssumedLaunch, size: int | None = None) -> list[NumberedLaunch]:
    """The launch in numbers, for each choice of the host's variables, or with one number for all;
    empty where it has too many variables, or none of the choices can be launched.
    """
    formulas = launch.formulas
    arguments = (
        formulas.arguments if formulas is not None and formulas.arguments else launch.arguments
    )
    grid: tuple[Formula | None, ...] = launch.grid if formulas is None else formulas.grid
    parts = [each for each in (*grid, *arguments) if each is not None]
    every = {each.number: each for part in parts for each in variables_of(part)}
    variables = {number: each.name for number, each in every.items()}
    sizes = tuple(each if _rests_on(each, variables) else None for each in launch.sizes)
    if len(variables) > _MOST:
        return []
    found: list[NumberedLaunch] = []
    multiples = {} if size is not None else _multiples(arguments, launch.divisors)
    limits = {number: each.limits for number, each in every.items()}
    for chosen in _choices(list(variables), multiples, size):
        values = _allocated(chosen, sizes, multiples)
        if any(value not in limits[number] for number, value in values.items()):
            continue
        made = NumberedLaunch(
            _shape(launch.grid, _numbers(grid, values)),
            _over(launch.arguments, _numbers(arguments, values)),
            _numbers(sizes, values),
            tuple((variables[number], value) for number, value in values.items()),
            tuple(map(_made_of, arguments)),
            tuple(map(_made_of, sizes)),
            frozenset().union(*map(_made_of, grid)),
        )
        if all(size is None or size > 0 for size in made.grid):
            found.append(made)
    return found


def _rests_on(formula: Formula | None, variables: Mapping[int, str]) -> bool:
    """Whether a size is made of nothing but what the launch shows as well."""
    return formula is None or all(each.number in variables for each in variables_of(formula))


def _made_of(formula: Formula | None) -> frozenset[int]:
    return frozenset(() if formula is None else (v.number for v in variables_of(formula)))


def _multiples(arguments: Iterable[Formula | None], divisors: tuple[int, ...]) -> dict[int, int]:
    """What the host checks that a variable is a multiple of, by number."""
    found: dict[int, int] = {}
    for argument, divisor in zip(arguments, divisors, strict=False):
        if argument is not None and not isinstance(argument, int) and divisor > 1:
            for variable in variables_of(argument):
                found[variable.number] = divisor
    return found


def _choices(
    variables: list[int], multiples: Mapping[int, int], size: int | None
) -> Iterator[dict[int, int]]:
    if size is not None:
        yield dict.fromkeys(variables, size)
        return
    rising = RISING[: len(variables)]
    lists = [[UNEVEN] * len(variables), rising, tuple(reversed(rising))]
    seen: set[tuple[int, ...]] = set()
    for numbers in lists if len(variables) > 1 else lists[:2]:
        made = tuple(
            _multiple(number, multiples.get(variable, 1))
            for variable, number in zip(variables, numbers, strict=True)
        )
        if made not in seen:
            seen.add(made)
            yield dict(zip(variables, made, strict=True))


def _allocated(
    values: dict[int, int], sizes: Iterable[Formula | None], multiples: Mapping[int, int]
) -> dict[int, int]:
    """The choice, made smaller until a device can hold every array of it."""
    known = [each for each in sizes if each is not None]
    for part in _PARTS:
        smaller = {
            variable: _multiple(number // part, multiples.get(variable, 1))
            for variable, number in values.items()
        }
        if all((evaluate(each, smaller) or 0) <= MEMORY for each in known):
            return smaller
    return values


def _multiple(number: int, of: int) -> int:
    """The number rounded up to a multiple."""
    return -(-number // of) * of


def _numbers(
    formulas: Iterable[Formula | None], values: Mapping[int, int]
) -> tuple[int | None, ...]:
    return tuple(None if each is None else evaluate(each, values) for each in formulas)


def _over(known: tuple[int | None, ...], made: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """What the launch states, else what its formulas give."""
    if len(known) != len(made):
        return known
    return tuple(b if a is None else a for a, b in zip(known, made, strict=True))


def _shape(known: PartialDimensions, made: tuple[int | None, ...]) -> PartialDimensions:
    x, y, z = _over(known, made)
    return (x, y, z)
