"""What a condition of host code says of its variables: what they are, what divides and limits them.

In: a condition, and whether it holds. Out: names, each with the number that it holds (`equalities`)
or that divides what it holds (`divisors`), or what limits it (`limits`); what it compares by size
(`ordered`); for how many steps a counter keeps to it (`steps_within`).
Conditions hold behind `assert(n % 32 == 0)`, `TORCH_CHECK(n % 32 == 0, ...)` and other functions
and macros named like them, and in the branches of an `if`; behind one whose branch leaves the
function, the other way round. Not handled: what is said of members and of expressions.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ....ir.host_formulas import INEQUALITIES, Limits
from ...lowering.program.callees import callee_name
from ...names.conventions import STATING
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .kernels import bare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...lowering.types.constant_arithmetic import Number

#: Steps, as the operator that they stand for.
STEPS = {"++": "+", "p++": "+", "--": "-", "p--": "-"}
#: `CHECK_GE(n, 32)`, by the end of its name.
_COMPARING = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OPPOSITES = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}


def stated_by(call: Any, read: Callable[[Any], Number | None]) -> Iterator[tuple[str, int]]:
    """What divides variables of host code after a call that checks it: `assert(n % 4 == 0)`."""
    name = callee_name(call.name)
    given = list(call.args.exprs) if call.args is not None else []
    if not given or not STATING.fullmatch(name):
        return
    if name.lower().endswith("_eq"):
        if len(given) > 1 and read(given[1]) == 0:
            yield from _divisor(given[0], read)
    else:
        yield from divisors(given[0], read, holds=True)


def divisors(
    condition: Any, read: Callable[[Any], Number | None], *, holds: bool
) -> Iterator[tuple[str, int]]:
    """What divides variables of host code where a condition holds, or does not: `n % 32 == 0`."""
    for part, true in _parts(condition, holds=holds):
        if part.op == ("==" if true else "!="):
            if read(part.right) == 0:
                yield from _divisor(part.left, read)
            elif read(part.left) == 0:
                yield from _divisor(part.right, read)
            for side, other in ((part.left, part.right), (part.right, part.left)):
                variable, by = bare(side), _factor(other, read)
                if isinstance(variable, c_ast.ID) and by > 1:
                    yield variable.name, by
        elif part.op == "%" and not true:
            yield from _divisor(part, read)


def limits_by(call: Any, read: Callable[[Any], Number | None]) -> Iterator[tuple[str, Limits]]:
    """The limits of variables of host code after a call that checks them: `assert(n <= 4)`."""
    given = list(call.args.exprs) if call.args is not None else []
    name = callee_name(call.name)
    if not given or not STATING.fullmatch(name):
        return
    operator = _COMPARING.get(name.lower().rpartition("_")[2])
    if operator is None:
        yield from limits(given[0], read, holds=True)
    elif len(given) > 1:
        yield from _limited(given[0], operator, given[1], read)


def limits(
    condition: Any, read: Callable[[Any], Number | None], *, holds: bool
) -> Iterator[tuple[str, Limits]]:
    """Host variables with what limits them where a condition holds, or does not: `n <= 4`."""
    for part, true in _parts(condition, holds=holds):
        if part.op in INEQUALITIES:
            operator = part.op if true else _OPPOSITES[part.op]
            yield from _limited(part.left, operator, part.right, read)


def _limited(
    left: Any, operator: str, right: Any, read: Callable[[Any], Number | None]
) -> Iterator[tuple[str, Limits]]:
    """What `left < right`, which holds, says of the side that is a variable."""
    smaller, larger = (left, right) if operator[0] == "<" else (right, left)
    strict = operator in ("<", ">")
    for name, number in equal(smaller, larger, read):
        yield name, Limits(most=number - strict)
    for name, number in equal(larger, smaller, read):
        yield name, Limits(least=number + strict)


def equalities(
    condition: Any, read: Callable[[Any], Number | None], *, holds: bool
) -> Iterator[tuple[str, int]]:
    """Host variables that hold a number where a condition holds, or does not: `n == 4`."""
    for part, true in _parts(condition, holds=holds):
        if part.op == ("==" if true else "!="):
            yield from equal(part.left, part.right, read)
            yield from equal(part.right, part.left, read)


def ordered(condition: Any) -> Iterator[tuple[Any, Any]]:
    """What a condition of host code compares by size: `n > most`."""
    for part in nodes.walk(condition):
        if isinstance(part, c_ast.BinaryOp) and part.op in INEQUALITIES:
            yield part.left, part.right


def _parts(condition: Any, *, holds: bool) -> Iterator[tuple[c_ast.BinaryOp, bool]]:
    """The comparisons that a condition settles, each with whether it holds then."""
    if isinstance(condition, c_ast.UnaryOp) and condition.op == "!":
        yield from _parts(condition.expr, holds=not holds)
    elif isinstance(condition, c_ast.BinaryOp):
        if condition.op == ("&&" if holds else "||"):
            yield from _parts(condition.left, holds=holds)
            yield from _parts(condition.right, holds=holds)
        else:
            yield condition, holds


def equal(side: Any, other: Any, read: Callable[[Any], Number | None]) -> Iterator[tuple[str, int]]:
    """The variable on one side of a host comparison, where the other side is a number."""
    variable, number = bare(side), read(other)
    if isinstance(variable, c_ast.ID) and isinstance(number, int):
        yield variable.name, number


def _factor(node: Any, read: Callable[[Any], Number | None]) -> int:
    """The number that a product is a multiple of: 256 for `blocks * 256`."""
    node = bare(node)
    if not isinstance(node, c_ast.BinaryOp) or node.op != "*":
        return 1
    numbers = (read(node.left), read(node.right))
    return prod(
        each if isinstance(each, int) and each > 0 else _factor(side, read)
        for each, side in zip(numbers, (node.left, node.right), strict=True)
    )


def _divisor(node: Any, read: Callable[[Any], Number | None]) -> Iterator[tuple[str, int]]:
    """`n % 32`, which is 0."""
    if isinstance(node, c_ast.BinaryOp) and node.op == "%":
        variable, number = bare(node.left), read(node.right)
        if isinstance(variable, c_ast.ID) and isinstance(number, int) and number > 1:
            yield variable.name, number


def steps_within(
    condition: Any, step: Any, read: Callable[[Any], Number | None]
) -> tuple[str, int] | None:
    """The counter of a loop of host code, and how often it can be stepped before it passes the
    number that it is compared with: 64 for `i < 64` and `i++` from zero on. None where that is not
    plain to see.
    """
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in ("<", "<=", ">", ">="):
        return None
    counter, by = condition.left, _step_of(step, read)
    if not isinstance(counter, c_ast.ID) or by is None or by[0] != counter.name:
        return None
    first, last = read(counter), read(condition.right)
    if not (isinstance(first, int) and isinstance(last, int) and by[1]):
        return None
    if (by[1] > 0) != (condition.op[0] == "<"):
        return None
    return counter.name, max(0, -(-(last - first) // by[1]))


def _step_of(step: Any, read: Callable[[Any], Number | None]) -> tuple[str, int] | None:
    """The variable that an expression adds a number to, and the number."""
    if isinstance(step, c_ast.UnaryOp) and step.op in STEPS:
        target, by = step.expr, -1 if STEPS[step.op] == "-" else 1
    elif isinstance(step, c_ast.Assignment) and step.op in ("+=", "-="):
        known = read(step.rvalue)
        if not isinstance(known, int):
            return None
        target, by = step.lvalue, -known if step.op == "-=" else known
    else:
        return None
    return (target.name, by) if isinstance(target, c_ast.ID) else None
