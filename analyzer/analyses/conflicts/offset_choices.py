"""Numbers for offsets and strides under which accesses meet that the runs of a block keep apart.

In: the accesses of a launch, and the pairs that met in some run. Out: by the name of a parameter,
or of what the whole block loads, a number: for two accesses whose places differ by a multiple of it
alone (`s[t]` and `s[t + r]`) the smallest that leads one thread to the place of the next one; where
it decides in another way (`s[(t + r) % n]`, `s[t ^ r]`) one that leads past a warp; for a store
whose threads are as far apart as it says (`a[i * s] = i`) nothing. Whether the two then meet, the
run with these numbers shows. Not handled: places that differ by several such numbers, strides that
loops multiply.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, Field, MemoryAccess, Opcode, Operation, Phi, unconverted
from ...ir.types import Kind
from ...ir.values import Parameter
from ..block_execution.launch_values import assumed_name
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from ...ir.values import Value
    from ..block_execution.block_program import BlockProgram
    from .tracked_accesses import Tracked

MOST = 24  # accesses of one object that are compared
_PAST_WARP = 33  # what leads a thread to the place of one in another warp, and in its own too


def offset_choices(
    program: BlockProgram,
    tracked: Tracked,
    met: Collection[tuple[MemoryAccess, MemoryAccess]],
) -> dict[Hashable, int]:
    """Numbers for parameters under which accesses conflict that the runs so far keep apart."""
    objects: dict[object, list[MemoryAccess]] = {}
    for access in tracked.accesses:
        item = tracked.launch.facts.points_to.object_of(access)
        if item is not None:
            objects.setdefault(item, []).append(access)
    found: dict[Hashable, int] = {}
    for alike in objects.values():
        for pair in combinations_with_replacement(alike[:MOST], 2):
            if tracked.may_conflict(*pair) and pair not in met and pair[::-1] not in met:
                choice = _choice(program, tracked, *pair)
                if choice is not None:
                    found.setdefault(*choice)
    return found


def _choice(
    program: BlockProgram, tracked: Tracked, one: MemoryAccess, other: MemoryAccess
) -> tuple[Hashable, int] | None:
    """A parameter, and the number by which two accesses may meet."""
    ours, theirs = affine(one.address), affine(other.address)
    levels = tracked.launch.uniformity
    own = [each for each in ours.factors if levels.of(each) > Uniformity.BLOCK]
    if one is other:
        strides = [_stride(program, each) for each in own]
        known = [stride for stride in strides if stride is not None]
        return (assumed_name(known[0]), 0) if len(known) == len(own) == 1 else None
    apart = {
        each: factor
        for each in ours.factors.keys() | theirs.factors.keys()
        if (factor := ours.factors.get(each, 0) - theirs.factors.get(each, 0))
    }
    if len(apart) == len(own) == 1:
        ((offset, factor),) = apart.items()
        if _is_open(program, tracked, offset):
            step, distance = abs(ours.factors[own[0]]), ours.number - theirs.number
            numbers = ((k * step - distance) / factor for k in (1, -1, 2, -2))
            whole = [int(number) for number in numbers if number == int(number) and number > 0]
            return (assumed_name(offset), min(whole)) if whole else None
    parts = backward_slice(*apart, through=lambda each: not isinstance(each, Phi | MemoryAccess))
    offsets = {assumed_name(each) for each in parts if _is_open(program, tracked, each)}
    return (offsets.pop(), _PAST_WARP) if len(offsets) == 1 else None


def _is_open(program: BlockProgram, tracked: Tracked, value: Value) -> bool:
    """Whether a value is an integer that the launch does not give, one for the whole block."""
    if isinstance(value, MemoryAccess) and value.kind is not AccessKind.LOAD:
        return False
    return (
        value.type.kind is Kind.INTEGER
        and isinstance(value, Parameter | Field | MemoryAccess)
        and program.is_assumed(value)
        and tracked.launch.uniformity.of(value) <= Uniformity.BLOCK
    )


def _stride(program: BlockProgram, value: Value) -> Value | None:
    """The assumed number that an index is multiplied with."""
    value = unconverted(value)
    if not isinstance(value, Operation) or value.opcode is not Opcode.MUL:
        return None
    factors = [unconverted(each) for each in value.operands]
    found = [each for each in factors if program.is_assumed(each)]
    return found[0] if len(found) == 1 and not isinstance(found[0], Operation) else None
