"""Launches through pointers that may hold any kernel: `for (auto each : all) each<<<g, b>>>(p, n)`.

In: a kernel that nothing in sight launches by name, and such launches. Out: those that take as many
arguments as it has, as launches of it that say which integers they pass, and the block if it is the
same one in all of them: else which of the kernels a grid and a block are for is not known. Not
handled: the types of the arguments.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..lowering.program.parameters import parameters_of, takes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.kernel import Launch, PartialDimensions
    from ..syntax import nodes
    from .launches import Seen

_UNKNOWN = (None, None, None)


def passed_through_pointers(function: nodes.Function, seen: Iterable[Seen]) -> list[Launch]:
    """Launches through pointers that may be of a kernel; each passes other integers than before."""
    parameters = parameters_of(function)
    fitting = [each.launch for each in seen if takes(parameters, each.launch.passed)]
    blocks = {launch.block for launch in fitting}
    block = blocks.pop() if len(blocks) == 1 else _UNKNOWN
    found: dict[tuple[int | None, ...], Launch] = {}
    for launch in fitting:
        if None not in block or any(number is not None for number in launch.arguments):
            shaped = _without_shape(launch, function.decl.name, block)
            found.setdefault(launch.arguments, shaped)
    return list(found.values())


def _without_shape(launch: Launch, kernel: str, block: PartialDimensions) -> Launch:
    return replace(
        launch,
        kernel=kernel,
        grid=_UNKNOWN,
        block=_UNKNOWN if None in block else block,
        dynamic_shared=None,
        divisors=(),
        shaping=(),
        axes=(),
        formulas=None,
        multiples=(),
        sizes=(),
        template_formulas=(),
    )
