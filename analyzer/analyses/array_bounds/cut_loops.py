"""Loops over tiles that leave out what is no whole tile: `for (m = 0; m < width / 16; ++m)`.

In: a kernel's facts. Out: loops whose number of iterations is a parameter divided by a constant,
rounded down, and which multiply that number by the constant to find their elements. For a launch
with 1,000 elements and tiles of 16 the last eight are in no tile. Left out are launches with a
multiple of the tile, or whose host code checks for one, and kernels that ask for the rest: by a
remainder, or by a loop that begins where the tiles end.
Not handled: sizes in members, tiles of a size that is passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation, Phi, unconverted
from ...ir.values import Parameter, whole_number
from ...source.records import dataclass
from ..dataflow.induction import induction, loop_tests
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Launch
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..pointers.facts import PointerFacts

_FEWEST = 4  # elements of a tile: halves and pairs are something else
_SCALING = frozenset({Opcode.MUL, Opcode.SHL})


@dataclass(frozen=True, slots=True)
class CutLoop:
    """A loop over whole tiles of a size that leaves elements out: `left` of them, where that is a
    number.
    """

    test: Operation  # that leaves the loop
    parameter: Parameter
    tile: int
    launch: Launch | None  # for which there are such; None where nothing is known of any
    left: int | None


def cut_loops(facts: PointerFacts) -> Iterator[CutLoop]:
    """The loops of a kernel over tiles that leave out what is no whole tile, each once."""
    for loop in facts.flow.loops:
        found = next(_cuts(facts, loop), None)
        if found is not None:
            yield found


def _cuts(facts: PointerFacts, loop: Loop) -> Iterator[CutLoop]:
    for test in loop_tests(loop):
        count = unconverted(test.bound)
        parameter, tile = _tiles(count)
        if parameter is None or test.opcode is not Opcode.LT or not _counts(facts, test.tested):
            continue
        if not _scales(loop, test.tested, tile) or _asks_for_rest(facts, parameter, tile):
            continue
        branch = next(block.terminator for block in loop.exits)
        yield from _for_launches(facts, branch, parameter, tile)


def _tiles(count: Value) -> tuple[Parameter | None, int]:
    """The parameter and the constant that a number of tiles is the quotient of."""
    if not isinstance(count, Operation) or count.opcode not in (Opcode.DIV, Opcode.SHR):
        return None, 0
    divided, divisor = unconverted(count.operands[0]), whole_number(count.operands[1])
    if divisor is not None and count.opcode is Opcode.SHR:
        divisor = 1 << divisor if 0 <= divisor < 32 else None
    fits = isinstance(divided, Parameter) and divisor is not None and divisor >= _FEWEST
    return (divided, divisor or 0) if isinstance(divided, Parameter) and fits else (None, 0)


def _counts(facts: PointerFacts, tested: Value) -> bool:
    """Whether a value is 0, 1, 2 and so on in the iterations of a loop."""
    moves = induction(facts.flow, tested) if isinstance(tested, Phi) else None
    if moves is None or whole_number(moves.first) != 0:
        return False
    return [(whole_number(value), sign) for value, sign in moves.steps] == [(1, 1)]


def _scales(loop: Loop, number: Value, tile: int) -> bool:
    """Whether the loop finds its elements by the number of the tile."""
    factors = {
        whole_number(other) if each.opcode is Opcode.MUL else 1 << (whole_number(other) or 0)
        for block in loop.blocks
        for each in block.operations
        if each.opcode in _SCALING
        for one, other in (each.operands, each.operands[::-1])
        if unconverted(one) is number and (whole_number(other) or 0) < 4096
    }
    return tile in factors


def _asks_for_rest(facts: PointerFacts, parameter: Parameter, tile: int) -> bool:
    """Whether anything is computed for what is no whole tile."""
    for operation in facts.kernel.operations():
        if operation.opcode is Opcode.REM and unconverted(operation.operands[0]) is parameter:
            return True
        if isinstance(operation, Phi):
            moves = induction(facts.flow, operation)
            parts = () if moves is None else backward_slice(moves.first)
            if (parameter, tile) in map(_tiles, parts):
                return True
    return False


def _for_launches(
    facts: PointerFacts, test: Operation, parameter: Parameter, tile: int
) -> Iterator[CutLoop]:
    """The loop with each launch that may leave something over; those with numbers first."""
    unknown: list[CutLoop] = []
    place = parameter.index
    for launch in facts.kernel.launches:
        number = launch.arguments[place] if place < len(launch.arguments) else None
        checked = launch.multiples[place] if place < len(launch.multiples) else 1
        if number is not None and number % tile:
            yield CutLoop(test, parameter, tile, launch, number % tile)
        elif number is None and checked % tile:
            unknown.append(CutLoop(test, parameter, tile, launch, None))
    yield from unknown
    if not facts.kernel.launches:
        yield CutLoop(test, parameter, tile, None, None)
