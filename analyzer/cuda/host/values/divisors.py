"""By which number an expression of host code can be divided, whatever its variables hold.

In: an expression, `rows * WARP_SIZE`, with the scope of its variables. Out: a number that divides
it; 1 where nothing is known. Read are sums, differences and products, and what a variable lacks to
a multiple: `n % 512 ? 512 - n % 512 : 0`, `(512 - n % 512) % 512`. Not handled: shifts, masks.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

from ...lowering.model.scope import MultiplePlace, ValuePlace
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
    if node.op == "*":
        return gcd(first * second, _GREATEST)
    return max(gcd(first, second), _completed(node, scope) if node.op == "+" else 1)


def _completed(node: Any, scope: Scope) -> int:
    """What divides the sum of a variable and of what it lacks to a multiple."""
    one, other = (_held(bare(each), scope) for each in (node.left, node.right))
    for first, second in ((one, other), (other, one)):
        if isinstance(first, MultiplePlace) and second is not None:
            variable, number = first.completes
            if variable is not None and variable is second.value.value:
                return gcd(number, _GREATEST)
    return 1


def _held(node: Any, scope: Scope) -> ValuePlace | None:
    found = scope.find(node.name) if isinstance(node, c_ast.ID) else None
    return found if isinstance(found, ValuePlace) else None


def lacking(node: Any, read: Callable[[Any], Number | None]) -> tuple[c_ast.ID, int] | None:
    """The variable and the number of which an expression is what the one lacks to a multiple."""
    node = bare(node)
    if isinstance(node, c_ast.BinaryOp) and node.op == "%":  # (512 - n % 512) % 512
        rest = _rest_to(node.left, read)
        return rest if rest is not None and read(node.right) == rest[1] else None
    if not isinstance(node, c_ast.TernaryOp):
        return None
    condition, none_left, some_left = bare(node.cond), node.iffalse, node.iftrue
    if isinstance(condition, c_ast.BinaryOp) and condition.op in ("==", "!=", ">"):
        if read(condition.right) != 0:
            return None
        if condition.op == "==":
            none_left, some_left = some_left, none_left
        condition = bare(condition.left)
    asked, rest = _remainder(condition, read), _rest_to(some_left, read)
    if asked is None or rest is None or read(none_left) != 0:
        return None
    return rest if (asked[0].name, asked[1]) == (rest[0].name, rest[1]) else None


def _rest_to(node: Any, read: Callable[[Any], Number | None]) -> tuple[c_ast.ID, int] | None:
    """Of `512 - n % 512` the variable and the number."""
    node = bare(node)
    if not isinstance(node, c_ast.BinaryOp) or node.op != "-":
        return None
    found = _remainder(bare(node.right), read)
    return found if found is not None and read(node.left) == found[1] else None


def _remainder(node: Any, read: Callable[[Any], Number | None]) -> tuple[c_ast.ID, int] | None:
    if not isinstance(node, c_ast.BinaryOp) or node.op != "%":
        return None
    variable, number = bare(node.left), read(node.right)
    if not isinstance(variable, c_ast.ID) or not isinstance(number, int) or number < 2:
        return None
    return variable, number
