"""By which number an expression of host code can be divided, whatever its variables hold.

In: an expression, `rows * WARP_SIZE`, with the scope of its variables. Out: a number that divides
it; 1 where nothing is known. Read are sums, differences and products. Not handled: shifts, masks.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

from ...lowering.model.scope import MultiplePlace
from ...syntax.nodes.c_ast import c_ast
from .kernels import bare

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...lowering.model.scope import Scope
    from ...lowering.types.constant_arithmetic import Number

_DEPTH = 20
_WIDEST = 32  # bits that a shift may be by
_GREATEST = 1024 * 81 * 25 * 7  # what the divisors divide: sizes of blocks, of warps, of tiles


def divisor_of(
    node: Any, scope: Scope, read: Callable[[Any], Number | None], *, depth: int = _DEPTH
) -> int:
    """A number that divides an integer expression of host code; `read` knows constants."""
    node = bare(node)
    number = read(node)
    if isinstance(number, int):
        return gcd(number, _GREATEST)
    if isinstance(node, c_ast.ID):
        found = scope.find(node.name)
        return found.divisor if isinstance(found, MultiplePlace) else 1
    if not isinstance(node, c_ast.BinaryOp) or not depth:
        return 1
    if node.op == "<<":
        left, distance = divisor_of(node.left, scope, read, depth=depth - 1), read(node.right)
        if not isinstance(distance, int) or not 0 <= distance < _WIDEST:
            return left
        return gcd(left << distance, _GREATEST)
    if node.op not in ("*", "+", "-"):
        return 1
    first, second = (
        divisor_of(each, scope, read, depth=depth - 1) for each in (node.left, node.right)
    )
    return gcd(first * second, _GREATEST) if node.op == "*" else gcd(first, second)
