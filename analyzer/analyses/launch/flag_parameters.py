"""Parameters that are flags: a kernel only asks whether they are one of a few constants.

In: a kernel. Out: by parameter, the least number from 0 on that it is not compared with: of
`first == 1` it is 0. A size that is taken for such a parameter would be one that nobody passes. Not
read: flags that decide a `switch`, and those that are handed on.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from ...ir.operations import EQUALITIES, Compare, Convert, users_of
from ...ir.types import Kind
from ...ir.values import Parameter, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...ir.kernel import Kernel
    from ...ir.operations import Operation
    from ...ir.values import Value


def flag_parameters(kernel: Kernel) -> dict[Parameter, int]:
    """The flags among a kernel's parameters, each with a number for none of what is asked for."""
    users = users_of(kernel.operations())
    found: dict[Parameter, int] = {}
    for parameter in kernel.given:
        if parameter.type.kind is Kind.INTEGER:
            asked = _compared_with(parameter, users)
            if asked:
                found[parameter] = next(each for each in count() if each not in asked)
    return found


def _compared_with(value: Value, users: Mapping[Value, Sequence[Operation]]) -> set[int]:
    """The constants that a value is compared with, if nothing else is done with it."""
    constants: set[int] = set()
    work = [value]
    for each in work:  # grows while it is gone through
        for user in users.get(each, ()):
            if isinstance(user, Convert):
                work.append(user)
                continue
            other = [whole_number(operand) for operand in user.operands if operand is not each]
            if not isinstance(user, Compare) or user.opcode not in EQUALITIES or None in other:
                return set()
            constants.update(number for number in other if number is not None)
    return constants
