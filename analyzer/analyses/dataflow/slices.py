"""What values are made of, and what is made of them, through any number of operations.

Problem: backward and forward slices (Weiser, "Program Slicing", 1981) along operands alone: through
phis, loads and calls as through arithmetic, but not through memory and not through the branches
that pick a phi's value. In: values, or values with their users; a predicate for the values that are
to be looked through, where not all are. Out: every value on the paths, each once, the nearest
first. Example: `any(map(is_thread_index, backward_slice(access.address)))`.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from ...ir.operations import MemoryAccess
from ...ir.values import Special, SpecialRegister
from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...ir.operations import Operation
    from ...ir.values import Value

_operands: Callable[[Value], Sequence[Value]] = attrgetter("operands")  # runs without a frame


def backward_slice(
    *values: Value, through: Callable[[Value], bool] | None = None
) -> Iterator[Value]:
    """Everything that values are computed from, themselves first; nothing beyond values for which
    `through` does not hold.
    """
    if through is None:
        return reachable(values, _operands)
    return reachable(values, lambda each: each.operands if through(each) else ())


def registers_in(*values: Value) -> set[Special]:
    """The special registers that values are computed from."""
    return {each.register for each in backward_slice(*values) if isinstance(each, SpecialRegister)}


def loads_in(value: Value) -> list[MemoryAccess]:
    """The loads, and the atomic operations, that a value is computed from."""
    return [each for each in backward_slice(value) if isinstance(each, MemoryAccess)]


def forward_slice(
    values: Iterable[Value], users: Mapping[Value, Sequence[Operation]]
) -> set[Value]:
    """The values, and everything that is computed from any of them."""
    return set(reachable(values, lambda each: users.get(each, ())))
