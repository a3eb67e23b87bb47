"""Arithmetic on floats that is done in double precision without anybody asking for it.

In: a kernel, and what it computes in doubles. Problem: which groups of operations get doubles that
are nothing but floats, widened by the language, and constants? `x * 0.1` is one, since 0.1 is a
double; so is `pow(x, 2)`. A group that the compiler does in floats is left out. Left out as well is
what looks meant: kernels that load, store or get doubles, and groups with a cast to double, of
which a variable or a parameter of a function of type double holds a result or an operand, or which
no constant and no call makes double.
Not handled: PTX, where nothing says what the source meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Convert, MemoryAccess, Operation
from ...ir.types import FLOAT64, Kind
from ...ir.values import Constant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.kernel import Kernel
    from .double_arithmetic import DoubleArithmetic


def promoted_floats(
    kernel: Kernel, computed: Iterable[DoubleArithmetic]
) -> Iterator[DoubleArithmetic]:
    """Those of a kernel's groups of arithmetic in doubles that are of floats, and unasked for."""
    if kernel.language != "cuda" or _uses_doubles(kernel):
        return
    held = {each.value for each in kernel.definitions if each.value.type == FLOAT64}
    for group in computed:
        if group.narrowed or not (group.calls or group.constants):
            continue
        written = set(group.written)
        given = {v for each in written for v in each.operands if isinstance(v, Operation)}
        if (written | given).isdisjoint(held) and _is_of_floats(written):
            yield group


def _uses_doubles(kernel: Kernel) -> bool:
    """Whether the kernel computes with doubles because its data are doubles."""
    if any(each.type == FLOAT64 for each in kernel.parameters):
        return True
    if any(each.element == FLOAT64 and each.space is not Space.LOCAL for each in kernel.objects):
        return True
    return any(
        isinstance(each, MemoryAccess)
        and (each.type == FLOAT64 or any(v.type == FLOAT64 for v in each.operands[1:]))
        for each in kernel.operations()
    )


def _is_of_floats(group: set[Operation]) -> bool:
    """Whether all that goes in are floats, widened by the language, and constants."""
    widened = False
    for operation in group:
        for value in operation.operands:
            if isinstance(value, Constant) or value in group:
                continue
            if not isinstance(value, Convert) or value.written:
                return False
            if value.source.kind is Kind.FLOAT and value.source.bits == 32:
                widened = True
            elif value.source.kind is not Kind.INTEGER:
                return False
    return widened
