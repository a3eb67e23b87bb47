"""Types that nobody gives: of templates that nothing in the input instantiates.

In: a kernel's facts. Out: whether it accesses elements of such a type, and the sizes that they are
tried with. What is the same for all of them holds for most types that people pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Branch, Operation, Phi, Switch
from ...ir.types import Kind
from ...ir.values import UnknownSize
from ..dataflow.evaluation_steps import is_evaluated
from ..dataflow.reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import WarpFacts

ELEMENTS = (4, 8, 2, 1)  # bytes


def has_open_types(facts: WarpFacts) -> bool:
    """Whether a kernel accesses elements of a type that nobody gives, as of a template's
    parameter.
    """
    return any(access.width is None and _is_open(access) for access in facts.accesses)


def width_of(launch: AssumedLaunch, access: MemoryAccess) -> int | None:
    """The bytes that each lane accesses; an element of a type that nobody gives has the size
    assumed for the launch.
    """
    if access.width is None and _is_open(access):
        return launch.element
    return access.width


def open_sizes(facts: WarpFacts) -> list[UnknownSize]:
    """The unknown sizes, in a kernel, of types that nobody gives, as of a template's parameters."""
    return [each for each in facts.users if isinstance(each, UnknownSize)]


def sized_places(facts: WarpFacts) -> frozenset[Operation] | None:
    """What sizes of such types have a part in, where that is only where accesses go: who runs what,
    and how often, is the same for all sizes. None where they decide more.
    """
    headers = {loop.header for loop in facts.flow.loops}
    sizes: list[Value] = [*open_sizes(facts)]

    def onwards(value: Value) -> Iterable[Operation]:
        users = facts.users.get(value, ())
        return [each for each in users if isinstance(each, Phi) or is_evaluated(each)]

    found = list(reachable(sizes, onwards))
    decides = any(
        isinstance(user, Branch | Switch) or (isinstance(user, Phi) and user.block in headers)
        for each in found
        for user in facts.users.get(each, ())
    )
    if decides or facts.flow.irreducible_regions:
        return None
    return frozenset(each for each in found if isinstance(each, Operation))


def _is_open(access: MemoryAccess) -> bool:
    return access.element.kind is Kind.UNKNOWN
