"""What values are made of, and what is made of them, through any number of operations.

In: a value, or values with their users. Out: every value on the ways along operands; through phis,
loads and calls as through arithmetic. Each is looked at once, however often it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.operations import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..ir.values import Value


def computed_from(value: Value) -> Iterator[Value]:
    """Everything a value is computed from, itself first."""
    seen = {value}
    work = [value]
    while work:
        each = work.pop()
        yield each
        for operand in each.operands if isinstance(each, Operation) else ():
            if operand not in seen:
                seen.add(operand)
                work.append(operand)


def made_of(values: Iterable[Value], users: Mapping[Value, Sequence[Operation]]) -> set[Value]:
    """The values, and everything that any of them has a part in."""
    found = set(values)
    work = list(found)
    while work:
        new = [user for user in users.get(work.pop(), ()) if user not in found]
        found.update(new)
        work += new
    return found
