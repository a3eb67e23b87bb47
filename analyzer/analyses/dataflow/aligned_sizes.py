"""What sizes must be multiples of for vector accesses to be aligned: `*(float4 *)&a[row * n]`.

In: a kernel. Out: for a parameter that places such accesses, the number that it is a multiple of:
the hardware stops at any other ("misaligned address"; CUDA C++ Programming Guide, "Size and
Alignment Requirement"). Of a product of several parameters each is such a multiple. Left alone are
parameters whose remainder the kernel asks for, as it may have another way for the rest, and parts
of addresses that are not sums, steps from iteration to iteration among them.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, MemoryAccess, Opcode, Operation, unconverted
from ...ir.types import Kind
from ...ir.values import Parameter, whole_number
from .affine import affine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Kernel
    from ...ir.values import Value

_WIDTHS = (4, 8, 16)
_KINDS = (AccessKind.LOAD, AccessKind.STORE)
_FACTORS = 8  # of a product


def aligned_sizes(kernel: Kernel) -> dict[Parameter, int]:
    """What each size in a parameter must be a multiple of for vector accesses to be aligned, where
    that is more than one.
    """
    found: dict[Parameter, int] = {}
    asked = set(_asked(kernel))
    for parameters, multiple in _products(kernel):
        for parameter in parameters - asked:
            found[parameter] = lcm(multiple, found.get(parameter, 1))
    return found


def _products(kernel: Kernel) -> Iterator[tuple[set[Parameter], int]]:
    """The sizes that a part of some address is a product of, and what that is a multiple of."""
    accesses = (each for each in kernel.operations() if isinstance(each, MemoryAccess))
    for access in accesses:
        width = _alignment(access)
        for part, step in affine(access.address).factors.items() if width > 1 else ():
            parameters, constant = _product(part)
            multiple = width // gcd(width, step * constant)
            if parameters and multiple > 1:
                yield parameters, multiple


def _alignment(access: MemoryAccess) -> int:
    """What the address of an access is a multiple of; `memcpy` asks for nothing."""
    width = access.alignment
    if width not in _WIDTHS or access.kind not in _KINDS or access.space is Space.LOCAL:
        return 1
    return width


def _product(part: Value) -> tuple[set[Parameter], int]:
    """The integer parameters among the factors of a product, and the product of its constants."""
    parameters: set[Parameter] = set()
    constant = 1
    work = [part]
    for _ in range(_FACTORS):
        if not work:
            break
        form = affine(work.pop())
        if len(form.factors) + (form.number != 0) != 1:
            continue  # a sum
        (value, factor) = next(iter(form.factors.items()), (None, form.number))
        constant *= factor
        if isinstance(value, Parameter) and value.type.kind is Kind.INTEGER:
            parameters.add(value)
        elif isinstance(value, Operation) and value.opcode is Opcode.MUL:
            work += value.operands
    return parameters, constant


def _asked(kernel: Kernel) -> Iterator[Parameter]:
    """The parameters whose remainder, or whose lowest bits, the kernel looks at."""
    for operation in kernel.operations():
        if operation.opcode in (Opcode.REM, Opcode.AND):
            first, second = map(unconverted, operation.operands)
            if isinstance(first, Parameter) and whole_number(second) is not None:
                yield first
