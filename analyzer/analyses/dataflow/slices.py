"""What values are made of, and what is made of them, through any number of operations.

In: values, or values with their users. Out: every value on the ways along operands; through phis,
loads and calls as through arithmetic, unless these are to end a way. Each is looked at once,
however often it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...ir.values import Value


def backward_slice(*values: Value, ends: tuple[type[Operation], ...] = ()) -> Iterator[Value]:
    """Everything that values are computed from, themselves first; nothing beyond `ends`."""
    seen = set(values)
    work = list(values)
    while work:
        each = work.pop()
        yield each
        if isinstance(each, Operation) and not isinstance(each, ends):
            for operand in each.operands:
                if operand not in seen:
                    seen.add(operand)
                    work.append(operand)


def forward_slice(
    values: Iterable[Value], users: Mapping[Value, Sequence[Operation]]
) -> set[Value]:
    """The values, and everything that any of them has a part in."""
    found = set(values)
    work = list(found)
    while work:
        new = [user for user in users.get(work.pop(), ()) if user not in found]
        found.update(new)
        work += new
    return found
