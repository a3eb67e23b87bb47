"""Branches in a loop that let every 2nd, then every 4th, then every 8th lane through.

In: the facts of a kernel. Out: for each branch whose decision takes a thread's index modulo
something that changes from iteration to iteration, the active lanes of each iteration, where they
stand apart in the warp and their number changes: the interleaved addressing of M. Harris,
"Optimizing Parallel Reduction in CUDA" (2007), kernel 1. Only loops whose trip count is known
(loop_iterations.py). A constant modulus, `lane % 4 == 0`, is how matrix fragments are written and
not looked at, nor is a loop without memory: what shuffles hand on stays in its lane.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Branch, MemoryAccess, Opcode, Operation, Phi
from ...source.records import dataclass
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice
from ..launch.allowance import METER
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..warp_evaluation.guards import Mask
    from .facts import BarrierFacts, BarrierLaunch

_MODULO = (Opcode.REM, Opcode.AND)
_VALUE = 2  # steps of the work that a kernel may cost, for each value that is looked at


@dataclass(frozen=True, slots=True)
class InterleavedBranch:
    """A divergent branch in a loop and the lanes that take it, iteration by iteration and warp by
    warp.
    """

    branch: Branch
    launch: BarrierLaunch
    iterations: tuple[tuple[Mask, ...], ...]

    @property
    def lanes(self) -> list[int]:
        """The active lanes of the first warp in each iteration."""
        return [sum(masks[0]) for masks in self.iterations]

    @property
    def warps(self) -> list[int]:
        """How many warps run the branch in each iteration."""
        return [sum(any(mask) for mask in masks) for masks in self.iterations]

    @property
    def needed(self) -> list[int]:
        """How many warps would hold the active threads side by side."""
        return [-(-sum(map(sum, masks)) // 32) for masks in self.iterations]


def interleaved_branches(facts: BarrierFacts) -> Iterator[InterleavedBranch]:
    """The divergent branches of loops that leave active lanes further and further apart, in program
    order.
    """
    if not any(each.opcode in _MODULO for each in facts.kernel.operations()):
        return
    counted: dict[Loop, set[Operation]] = {}
    for block in facts.kernel.blocks:
        last = block.terminator
        loop = facts.flow.innermost_loop.get(block)
        if loop is None or not isinstance(last, Branch) or not _is_for_any_thread(loop):
            continue
        if loop not in counted:
            counted[loop] = set(_counted(facts, loop))
        for launch in facts.launches:
            if launch.launch.trusted and _is_candidate(launch, last, counted[loop]):
                found = _evaluated(launch, last, block)
                if found is not None:
                    yield found
                    break


def _is_for_any_thread(loop: Loop) -> bool:
    """Whether a loop works on memory: no other thread can work on what lies in registers."""
    inside = (each for block in loop.blocks for each in block.operations)
    return any(isinstance(each, MemoryAccess) and each.space is not Space.LOCAL for each in inside)


def _is_candidate(launch: BarrierLaunch, branch: Branch, counted: set[Operation]) -> bool:
    """Whether a thread's index is taken modulo something that is counted by the loop."""
    if launch.uniformity.of(branch.condition) is not Uniformity.VARYING:
        return False
    for value in _computed(branch.condition):
        if value.opcode in _MODULO:
            index, divisor = value.operands
            for one, other in ((index, divisor), (divisor, index)):
                varies = launch.uniformity.of(one) is Uniformity.VARYING
                if varies and other in counted:
                    return True
    return False


def _counted(facts: BarrierFacts, loop: Loop) -> Iterator[Operation]:
    """What is computed from the counters of a loop, phis and loads left out."""

    def onwards(value: Operation) -> list[Operation]:
        users = facts.users.get(value, ())
        return [each for each in users if not isinstance(each, Phi | MemoryAccess)]

    return reachable(list[Operation](loop.header.phis), onwards)


def _computed(value: Value) -> Iterator[Operation]:
    """The operations that a value is computed from, phis and loads being the last."""
    for each in backward_slice(value, through=lambda one: not isinstance(one, Phi | MemoryAccess)):
        METER.left -= _VALUE
        if isinstance(each, Operation):
            yield each


def _evaluated(launch: BarrierLaunch, branch: Branch, block: Block) -> InterleavedBranch | None:
    """The branch on the side that thins out; the other warps are asked when the first one does."""
    first = _masks(launch, 0, block)
    if first is None:
        return None
    side = next((side for side in (0, 1) if _thins_out([pair[side] for pair in first])), None)
    if side is None:
        return None
    by_warp = [first]
    for warp in range(1, launch.launch.warps):
        masks = _masks(launch, warp, block)
        if masks is None or len(masks) != len(first):
            return None
        by_warp.append(masks)
    taken = tuple(tuple(pair[side] for pair in warps) for warps in zip(*by_warp, strict=True))
    found = InterleavedBranch(branch, launch, taken)
    return found if sum(found.warps) > sum(found.needed) else None


def _masks(launch: BarrierLaunch, warp: int, block: Block) -> list[tuple[Mask, Mask]] | None:
    """The lanes of one warp on either side of the branch, in each iteration."""
    loop = launch.facts.flow.innermost_loop[block]
    if launch.facts.budget.used_up:
        return None
    iterations = launch.iterations(warp, [loop])
    if iterations is None:
        return None
    found: list[tuple[Mask, Mask]] = []
    for iteration in iterations.each:
        assert iteration.guards is not None  # of a loop's iteration
        sides = iteration.guards.sides(block)
        if sides is None:
            return None
        found.append(sides)
    return found


def _thins_out(masks: list[Mask]) -> bool:
    """Whether fewer and fewer lanes of the warp take part, never neighbours."""
    counts = [sum(mask) for mask in masks]
    if len(counts) < 2 or not 1 < max(counts) < 32 or counts != sorted(counts, reverse=True):
        return False
    apart = not any(a and b for a, b in pairwise(masks[0]))
    return apart and len(set(counts) - {0}) > 1  # the half that a scan adds to stays a half
