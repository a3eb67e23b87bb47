"""Launches with their arguments in the order of what a kernel is given.

In: a launch as it is read, where members of objects that it passes stand behind its arguments, and
a kernel. Out: the same launch, its arguments in the order of `kernel.entries`: the parameters, then
those members that the kernel uses. Nothing is known of one that the launch does not have.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .kernel import Kernel, Launch
    from .values import Entry

_T = TypeVar("_T")


def fitted(launch: Launch, kernel: Kernel) -> Launch:
    """A launch with its arguments put in the order of the kernel's entries, members of structs
    among them.
    """
    entries = kernel.entries
    if not launch.members and not any(path for _, path in entries):
        return launch
    places: dict[Entry, int] = {(at, ()): at for at in range(launch.passed)}
    places |= {member: at for at, member in enumerate(launch.members, launch.passed)}
    order = [places.get(entry, -1) for entry in entries]

    def placed(values: tuple[_T, ...], nothing: _T) -> tuple[_T, ...]:
        known = range(len(values))
        return tuple(values[at] if at in known else nothing for at in order) if values else ()

    formulas = launch.formulas
    if formulas is not None:
        formulas = replace(formulas, arguments=placed(formulas.arguments, None))
    return replace(
        launch,
        arguments=placed(launch.arguments, None),
        divisors=placed(launch.divisors, 1),
        shaping=placed(launch.shaping, False),
        axes=placed(launch.axes, None),
        multiples=placed(launch.multiples, 1),
        sizes=placed(launch.sizes, None),
        allocated=placed(launch.allocated, False),
        formulas=formulas,
        members=(),
    )
