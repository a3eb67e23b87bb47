"""Grids that are rounded down although the kernel expects what is left over.

In: the launches of a kernel. Out: a launch whose grid is `n / B` along an axis, where `n` is passed
to the kernel and threads compare their index with it, so that the last `n % B` elements belong to
nobody. With numbers: a grid of 3 blocks of 256 threads for 1,000 elements. The kernel's guard shows
that it is made for sizes that are no multiple. Left out are sizes that the host makes multiples, or
checks to be, and indices that move in a loop, which come to all elements.
Not handled: what the host does about the rest in another launch.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...ir.host_formulas import Operation as HostOperation
from ...ir.host_formulas import polynomial
from ...ir.operations import INEQUALITIES, Compare, Opcode, Operation, Phi
from ...ir.values import Special, SpecialRegister
from ...source.records import dataclass
from ..block_execution.launch_values import GRID_SIZES
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.host_formulas import Formula
    from ...ir.kernel import Launch
    from ...ir.values import Parameter, Value
    from .facts import TrafficFacts

_SCALING = frozenset({Opcode.MUL, Opcode.SHL, Opcode.DIV, Opcode.SHR})
_DIVIDING = frozenset({Opcode.DIV, Opcode.SHR})
_AXES = (
    {Special.BLOCK_X, Special.THREAD_X},
    {Special.BLOCK_Y, Special.THREAD_Y},
    {Special.BLOCK_Z, Special.THREAD_Z},
)


@dataclass(frozen=True, slots=True)
class CutGrid:
    """A launch whose grid, rounded down, leaves elements over along an axis."""

    launch: Launch
    axis: int
    parameter: Parameter
    divisor: int
    guard: Operation
    left: int | None  # elements, where that is a number


def cut_grids(facts: TrafficFacts) -> Iterator[CutGrid]:
    """The launches of a kernel whose grids are rounded down and leave elements over, each once."""
    parameters = facts.kernel.given
    for launch in facts.kernel.launches:
        for axis in range(3):
            found = next(_cut(facts, launch, axis, parameters), None)
            if found is not None:
                yield found
                break


def _cut(
    facts: TrafficFacts, launch: Launch, axis: int, parameters: list[Parameter]
) -> Iterator[CutGrid]:
    for place, parameter in enumerate(parameters):
        divisor = _divisor(launch, axis, place)
        if divisor is None:
            continue
        number = launch.arguments[place] if place < len(launch.arguments) else None
        left = None if number is None else number % divisor
        guard = _guard(facts, parameter, axis) if left != 0 else None
        if guard is None:
            continue
        if left is not None:
            left += _beyond(guard, parameter)
        if left is None or left > 0:
            yield CutGrid(launch, axis, parameter, divisor, guard, left)


def _divisor(launch: Launch, axis: int, place: int) -> int | None:
    """What the grid divides an argument by, rounding down; None where it does not."""
    formulas = launch.formulas
    blocks: Formula | None = launch.grid[axis]
    passed: Formula | None = launch.arguments[place] if place < len(launch.arguments) else None
    if formulas is not None:
        blocks = formulas.grid[axis]
        passed = formulas.arguments[place] if place < len(formulas.arguments) else None
    threads = launch.block[axis]
    if passed is None or blocks is None or threads is None or threads < 2:
        return None
    if isinstance(blocks, int):
        if not isinstance(passed, int) or blocks < 2:
            return None
        return threads if passed // threads == blocks and passed % threads else None
    if not isinstance(blocks, HostOperation) or blocks.operator != "/":
        return None
    size = polynomial(passed)
    same = polynomial(blocks.left) == size and blocks.right == threads
    checked = launch.multiples[place] if place < len(launch.multiples) else 1
    whole = checked % threads == 0 or gcd(*size.values()) % threads == 0
    whole = whole or (_is_power(passed) and threads.bit_count() == 1)
    return threads if same and not whole else None


def _is_power(size: Formula) -> bool:
    """Whether it is `1 << k`: less than a block of such a size, which launches none, or whole."""
    return isinstance(size, HostOperation) and size.operator == "<<" and size.left == 1


def _guard(facts: TrafficFacts, parameter: Parameter, axis: int) -> Operation | None:
    """A comparison of the parameter with an index along an axis that no loop moves."""
    for operation in facts.kernel.operations():
        if not isinstance(operation, Compare) or operation.opcode not in INEQUALITIES:
            continue
        first, second = (set(backward_slice(each)) for each in operation.operands)
        for index, size in ((first, second), (second, first)):
            compared = parameter in size and parameter not in index and not _has_quotient(size)
            if compared and _is_index(index, axis):
                return operation
    return None


def _has_quotient(parts: set[Value]) -> bool:
    """Whether something is divided: where threads of `n / 2` elements are wanted, the grid is made
    for those.
    """
    return any(isinstance(each, Operation) and each.opcode in _DIVIDING for each in parts)


def _beyond(guard: Operation, parameter: Parameter) -> int:
    """How many threads more than the parameter says the kernel wants, as far as constants say it:
    two fewer where `i + 1 < n - 1` leaves out both ends of a row.
    """
    first, second = map(affine, guard.operands)
    is_last = second.factors == {parameter: 1}
    index, size = (first, second) if is_last else (second, first)
    if size.factors != {parameter: 1}:
        return 0
    inclusive = (Opcode.LE, Opcode.GT) if is_last else (Opcode.GE, Opcode.LT)
    return size.number - index.number + int(guard.opcode in inclusive)


def _is_index(parts: set[Value], axis: int) -> bool:
    """Whether these are the parts of a thread's index in the grid, which no loop moves."""
    registers = {each.register for each in parts if isinstance(each, SpecialRegister)}
    moves = any(isinstance(each, Phi) for each in parts) or not registers.isdisjoint(GRID_SIZES)
    scaled = sum(isinstance(e, Operation) and e.opcode in _SCALING for e in parts)
    return registers >= _AXES[axis] and not moves and scaled <= 1  # blockIdx times blockDim
