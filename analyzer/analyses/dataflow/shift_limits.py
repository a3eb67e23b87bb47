"""How far the numbers can go by which a kernel shifts: not beyond the width of what is shifted.

In: a kernel's operations. Out: the greatest value of each parameter that is the distance of a
shift, or has a constant added for it: `n >> (1 + factor)` of 32 bits allows 30, as more is
undefined in C++. Not read: distances that are made of several parameters, or of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode
from ...ir.values import Parameter, whole_number
from .affine import affine

if TYPE_CHECKING:
    from ...ir.kernel import Kernel

_SHIFTS = frozenset({Opcode.SHL, Opcode.SHR})


def shift_limits(kernel: Kernel) -> dict[Parameter, int]:
    """The greatest value of each parameter by which the kernel shifts: below the width of what is
    shifted.
    """
    limits: dict[Parameter, int] = {}
    for operation in kernel.operations():
        bits = operation.type.bits
        if operation.opcode not in _SHIFTS or not bits:
            continue
        if whole_number(operation.operands[1]) is not None:
            continue
        distance = affine(operation.operands[1])
        if len(distance.factors) == 1:
            (part, factor), *_ = distance.factors.items()
            if isinstance(part, Parameter) and factor == 1:
                most = max(bits - 1 - distance.number, 0)
                limits[part] = min(most, limits.get(part, most))
    return limits
