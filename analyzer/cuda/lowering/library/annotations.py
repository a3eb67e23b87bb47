"""What a kernel's author states about its parameters, and words that are for verifiers alone.

In: the condition of `assert`, `__builtin_assume`, or a contract such as `__requires(n == 64)`.
Out: bounds of integer parameters, and which are powers of two (`(n & (n - 1)) == 0`), kept with the
kernel, where the statement is met on every way; contracts and invariants of GPUVerify (A. Betts et
al., "The Design and Implementation of a Verification Technique for GPU Kernels", TOPLAS 2015,
section 6) have no effect of their own.
Not handled: what relates two parameters, conditions behind a branch.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....ir.arithmetic import MIRRORED
from ....ir.kernel import Stated
from ....ir.operations import Compare, Opcode, Operation, unconverted
from ....ir.values import Constant, Parameter, Special, SpecialRegister, whole_number
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..program.callees import callee_name

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.scope import Place, Typed
    from ..state.context import Context

_CONTRACTS = frozenset(("__requires", "__global_requires", "__assume", "__assert"))
_WORDS = re.compile(
    r"__(?:(?:global_|function_wide_)?(?:candidate_)?(?:invariant|requires|ensures|assert|assume)"
    r"|requires_fresh_array|axiom|enabled|implies|at_most_one|exclusive|no_barrier"
    r"|(?:uniform|distinct|other|return_val|old)_\w+|add_noovfl\w*|add_abstract"
    r"|(?:no_)?(?:read|write)(?:_implies|_offset_bytes|_offset|_fraction)?|ptr_\w+|mod_pow2)$"
)
_SIZES = (Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y, Special.BLOCK_SIZE_Z)


#: What votes and exchanges between lanes; to GPUVerify `__all` is a quantifier.
_WARP = re.compile(r"__(?:all|any|ballot|shfl)\w*$")


def is_for_verifiers(name: str, arguments: list[Any]) -> bool:
    """Whether a call is a word for verifiers (GPUVerify) with a part that no thread may execute."""
    return _WORDS.match(name) is not None and any(
        isinstance(node, c_ast.FuncCall) and _WARP.match(callee_name(node.name))
        for argument in arguments
        for node in nodes.walk(argument)
    )


def annotation(context: Context, name: str, places: list[Place]) -> Typed | None:
    """The value of a word for verifiers, `__requires(n > 0)`; None for any other name."""
    if not _WORDS.match(name):
        return None
    values = [context.read(place) for place in places]
    if name in _CONTRACTS and values:
        state(context, values[0])
        return context.constant(0)
    return context.unknown(ctypes.INT, f"{name} is for verifiers")


def state(context: Context, condition: Typed) -> None:
    """Keep what a condition says of a kernel's parameters, if every thread comes to it."""
    if context.builder.current is context.builder.entry:
        _keep(context, condition.value)


def _keep(context: Context, condition: Value) -> None:
    condition = unconverted(condition)
    while isinstance(condition, Compare) and _is_test(condition):
        condition = unconverted(condition.operands[0])
    if isinstance(condition, Operation) and condition.opcode is Opcode.AND:
        for part in condition.operands:
            _keep(context, part)
    if isinstance(condition, Compare) and condition.opcode is not Opcode.NE:
        first, second = map(unconverted, condition.operands)
        for one, other, relation in (
            (first, second, condition.opcode),
            (second, first, MIRRORED[condition.opcode]),
        ):
            if isinstance(one, Parameter) and _is_number(other):
                context.kernel.stated.append(Stated(one, relation, other))
            size = _power_of_two(one) if relation is Opcode.EQ and _is_number(other) else None
            if size is not None:
                context.kernel.stated.append(Stated(size, Opcode.AND, other))


def _power_of_two(value: Value) -> Parameter | None:
    """The parameter of `n & (n - 1)`."""
    if not isinstance(value, Operation) or value.opcode is not Opcode.AND:
        return None
    one, other = map(unconverted, value.operands)
    for size, less in ((one, other), (other, one)):
        if isinstance(size, Parameter) and isinstance(less, Operation) and len(less.operands) == 2:
            step = {Opcode.SUB: 1, Opcode.ADD: -1}.get(less.opcode)
            if unconverted(less.operands[0]) is size and whole_number(less.operands[1]) == step:
                return size
    return None


def _is_test(condition: Compare) -> bool:
    """`flag != 0`."""
    zero = condition.operands[1]
    return condition.opcode is Opcode.NE and isinstance(zero, Constant) and zero.value == 0


def _is_number(value: Value) -> bool:
    if isinstance(value, SpecialRegister):
        return value.register in _SIZES
    return isinstance(value, Constant) and isinstance(value.value, int)
