"""Everything the rules may ask about one kernel in one launch, computed when first asked.

In: the facts of the kernel and a launch that is known or assumed. Out: who agrees on what, what
single warps compute, the rounds of loops, and what each access to memory costs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.operations import MemoryAccess
    from ...ir.values import Parameter, Value
    from ..barriers.barrier_divergence import Split, Witness
    from ..dataflow.control_flow import ControlEdge, Loop
    from ..dataflow.stated_numbers import StatedNumbers
    from ..facts import KernelFacts
    from ..launch.assumed_launch import AssumedLaunch, Box
    from ..memory_traffic.global_accesses import GlobalAccess
    from ..memory_traffic.shared_accesses import SharedAccess
    from .guards import Guards
    from .iterations import Rounds
    from .uniformity import UniformityAnalysis
    from .warp_evaluator import Exits, Outcome, Shape, WarpEvaluator

_ROUNDS_KEPT = 2_048  # of all warps and loops of a launch: each holds the values it has computed


class LaunchFacts:
    """The facts of one kernel for one launch."""

    def __init__(self, facts: KernelFacts, launch: AssumedLaunch) -> None:
        self.facts = facts
        self.launch = launch
        self._evaluators: dict[int, WarpEvaluator] = {}
        self._rounds: dict[tuple[int | Block, ...], Rounds | None] = {}
        self._rounds_kept = 0
        self.splits: dict[ControlEdge, Split] = {}  # kept for `barrier_divergence`
        self.data_splits: dict[ControlEdge, Witness | None] = {}  # for it as well

    @cached_property
    def uniformity(self) -> UniformityAnalysis:
        """Who agrees on which value."""
        return self.facts.uniformity_in(self.launch)

    @cached_property
    def shape(self) -> Shape:
        """What evaluators stand on."""
        from .warp_evaluator import Shape

        facts = self.facts
        return Shape(
            facts.flow, self.uniformity, self.launch, facts.budget, facts.steps, self._exits
        )

    def _exits(self, evaluator: WarpEvaluator, loop: Loop) -> Exits | None:
        """The lanes that leave a loop, round by round, seen by the evaluator around it."""
        from .loop_iterations import exits_of

        return exits_of(self, evaluator, loop)

    def rounds(self, warp: int, nest: Sequence[Loop]) -> Rounds | None:
        """The rounds of a loop nest; all are forgotten when they become too many."""
        from .loop_iterations import rounds_of

        key: tuple[int | Block, ...] = (warp, *(loop.header for loop in nest))
        if key not in self._rounds:
            if self._rounds_kept > _ROUNDS_KEPT:
                self._rounds.clear()
                self._rounds_kept = 0
            found = self._rounds[key] = rounds_of(self, warp, nest)
            self._rounds_kept += len(found.rounds) if found is not None else 0
        return self._rounds[key]

    @cached_property
    def shared_accesses(self) -> tuple[SharedAccess, ...]:
        """Every access to shared memory with what the banks make of it."""
        from ..memory_traffic.shared_accesses import evaluate_shared_accesses

        return evaluate_shared_accesses(self)

    @cached_property
    def global_accesses(self) -> tuple[GlobalAccess, ...]:
        """Every access to global memory with the sectors it moves."""
        from ..memory_traffic.global_accesses import evaluate_global_accesses

        return evaluate_global_accesses(self)

    def within(self, blocks: Box) -> LaunchFacts:
        """The same launch, of which only these blocks are looked at."""
        return self._varied(replace(self.launch, blocks=blocks))

    def with_arguments(self, arguments: tuple[int | None, ...]) -> LaunchFacts:
        """The same launch as if it passed these numbers."""
        return self._varied(replace(self.launch, arguments=arguments))

    def with_block(self, block: Dimensions) -> LaunchFacts:
        """The same launch with another block, whose threads may agree on other values."""
        return LaunchFacts(self.facts, replace(self.launch, block=block))

    def _varied(self, launch: AssumedLaunch) -> LaunchFacts:
        """Another launch in which the same threads agree on the same values."""
        other = LaunchFacts(self.facts, launch)
        other.uniformity = self.uniformity
        return other

    def evaluator(self, warp: int) -> WarpEvaluator:
        """The evaluator of a warp, with symbols for what is not known; kept.

        Parameters hold what the launch passes for them.
        """
        from .lane_values import constant
        from .warp_evaluator import WarpEvaluator

        if warp not in self._evaluators:
            passed: dict[Value, Outcome] = {p: constant(n) for p, n in self.passed.items()}
            self._evaluators[warp] = WarpEvaluator(self.shape, warp, None, passed)
        return self._evaluators[warp]

    def new_evaluator(
        self,
        warp: int,
        numbers: Callable[[Hashable], int | None],
        bound: Mapping[Value, Outcome] | None = None,
    ) -> WarpEvaluator:
        """An evaluator with numbers for symbols, and with values that hold throughout."""
        from .warp_evaluator import WarpEvaluator

        return WarpEvaluator(self.shape, warp, numbers, bound)

    @cached_property
    def passed(self) -> dict[Parameter, int]:
        """What integer parameters hold: as the launch passes them, else as the source states."""
        from ...ir.types import Kind

        pairs = zip(self.facts.kernel.parameters, self.launch.arguments, strict=False)
        given = {p: n for p, n in pairs if n is not None and p.type.kind is Kind.INTEGER}
        return {**self.stated.exact, **given}

    @cached_property
    def stated(self) -> StatedNumbers:
        """What the source says of the parameters."""
        from ..dataflow.stated_numbers import StatedNumbers

        return StatedNumbers(self.facts.kernel, self.launch, self.facts.aligned_sizes)

    def passed_to(self, access: MemoryAccess) -> tuple[tuple[str, int], ...]:
        """The parameters that an access's address rests on and the launch gives values for."""
        return tuple(
            (parameter.name, value)
            for parameter, value in self.passed.items()
            if access.address in self.facts.made_of(parameter)
        )

    def guards(self, evaluator: WarpEvaluator) -> Guards:
        """The guards as that evaluator sees them."""
        from .guards import Guards

        if evaluator.guards is None:
            evaluator.guards = Guards(self.shape, evaluator)
        return evaluator.guards

    def warps(self, limit: int = 8) -> Iterator[int]:
        """Warps of the block to look at: all when few, else spread out, first and last included."""
        count = self.launch.warps
        if count <= limit:
            yield from range(count)
        else:
            yield from sorted({i * (count - 1) // (limit - 1) for i in range(limit)})
