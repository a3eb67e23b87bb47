"""What may be asked of the warps of a kernel: which threads agree, what lanes compute."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from ..pointers.facts import PointerFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Dimensions, Kernel, Module, PartialDimensions
    from ...ir.operations import MemoryAccess, Operation
    from ...ir.values import Parameter, Value
    from ..dataflow.barrier_counts import BarrierCounts
    from ..dataflow.control_flow import Loop
    from ..dataflow.stated_numbers import StatedNumbers
    from ..launch.assumed_launch import AnalysisOptions, AssumedLaunch, Box
    from .evaluator_context import EvaluatorContext, Exits
    from .guards import Guards
    from .iteration_spans import WarpSpans
    from .iterations import Iterations
    from .uniformity import UniformityAnalysis
    from .warp_evaluator import Budget, Outcome, WarpEvaluator

_WARPS, _OF_GUESSED, _FEWER_WARPS = 8, 4, 2  # of a block that are looked at
ALL_WARPS = -1  # instead of the number of one
_ROUNDS_KEPT = 2_048  # of all warps and loops of a launch: each holds the values it has computed


class WarpFacts(PointerFacts, ABC):
    """What analyses of warps ask about one kernel: its launches, and what evaluating them
    may cost.
    """

    @property
    @abstractmethod
    def launches(self) -> tuple[WarpLaunch, ...]:
        """The launches the kernel is analysed for; at least one."""

    def __init__(self, kernel: Kernel, module: Module, options: AnalysisOptions) -> None:
        super().__init__(kernel, module, options)
        self._uniformity: dict[Hashable, UniformityAnalysis] = {}
        self._made: list[object] = []  # what refers back to what it is found by

    def note(self, part: object) -> None:
        """Keep a part that leads back here (a launch, its races), for `release` to take apart."""
        self._made.append(part)

    def release(self) -> None:
        """Let go of all that was found: nobody asks any more.

        Facts and their parts refer to each other. Taken apart they go at once, where the cyclic
        collector would have to search for what is left of them.
        """
        for part in self._made:
            vars(part).clear()
        vars(self).clear()

    @cached_property
    def budget(self) -> Budget:
        """What is left of the work that one kernel may cost."""
        from ..warp_evaluation.outcomes import kernel_budget

        return kernel_budget(self.size, self.options.kernel_size)

    @cached_property
    def sized_places(self) -> frozenset[Operation] | None:
        """What sizes of open types place, where they do nothing else; None where they do more."""
        from ..warp_evaluation.open_types import sized_places

        return sized_places(self)

    def uniformity_in(self, launch: AssumedLaunch) -> UniformityAnalysis:
        """Who agrees on which value in a launch; halves of a block mostly agree alike."""
        from ..warp_evaluation.uniformity import UniformityAnalysis, asked_of_shape

        block, trusted, alone = launch.block, launch.trusted, launch.grid == (1, 1, 1)
        key = (asked_of_shape(block), trusted, alone)
        if key not in self._uniformity:
            self._uniformity[key] = UniformityAnalysis(
                self.kernel,
                self.flow,
                self.points_to,
                self._unsettled,
                self.users,
                block,
                trusted=trusted,
                one_block=alone,
            )
        return self._uniformity[key]


class WarpLaunch:
    """One launch of a kernel whose warps are evaluated, with numbers that are known or assumed."""

    #: One of many launches that are tried: few warps, and loops as a whole or not at all.
    brief = False

    def __init__(self, facts: WarpFacts, launch: AssumedLaunch) -> None:
        self.facts = facts
        self.launch = launch
        facts.note(self)
        self._evaluators: dict[int, WarpEvaluator] = {}
        self._guards: dict[WarpEvaluator, Guards] = {}
        self._iterations: dict[tuple[int | Block, ...], Iterations | None] = {}
        self._iterations_kept = 0
        #: What is not the same in all warps: the iterations of a nest, who runs a block.
        self.parting_nests: set[tuple[Block, ...]] = set()
        self.parting_blocks: set[Block] = set()
        self.never_reached: dict[Block, bool] = {}  # the blocks that were asked about
        #: The launch without a size for elements of open types, where that only places them.
        self._unsized: Self | None = None
        self._sized: dict[WarpEvaluator, WarpEvaluator] = {}  # by those of that launch
        self._others: dict[Hashable, Self] = {}  # that numbers or brevity tell from this one

    @cached_property
    def uniformity(self) -> UniformityAnalysis:
        """Who agrees on which value."""
        return self.facts.uniformity_in(self.launch)

    @cached_property
    def barrier_counts(self) -> BarrierCounts:
        """How often the threads on either side of a decision wait for their block."""
        from ...ir.operation_kinds import BarrierKind
        from ...ir.operations import Barrier
        from ..dataflow.barrier_counts import BarrierCounts
        from .uniformity import Uniformity

        def waits(operation: Operation) -> bool:
            return isinstance(operation, Barrier) and operation.kind is BarrierKind.BLOCK

        def agree(block: Block) -> bool:
            return self.uniformity.of_branch(block) <= Uniformity.BLOCK

        return BarrierCounts(self.facts.flow, waits, agree)

    @cached_property
    def shape(self) -> EvaluatorContext:
        """What every evaluator of the launch uses: its numbers, its flow, who agrees on what."""
        from ..warp_evaluation.evaluator_context import EvaluatorContext

        facts = self.facts
        return EvaluatorContext(
            facts.flow, self.uniformity, self.launch, facts.budget, facts.steps, self._exits
        )

    def _exits(self, evaluator: WarpEvaluator, loop: Loop) -> Exits | None:
        """The lanes that leave a loop, iteration by iteration, seen by the evaluator around it."""
        from ..warp_evaluation.loop_iterations import exits_of

        return exits_of(self, evaluator, loop)

    def iterations(self, warp: int, nest: Sequence[Loop]) -> Iterations | None:
        """The iterations of a loop nest; all are forgotten when they become too many."""
        key: tuple[int | Block, ...] = (warp, *(loop.header for loop in nest))
        if key not in self._iterations:
            from ..warp_evaluation.iteration_spans import UndecidedError
            from ..warp_evaluation.loop_iterations import iterations_of

            if self._iterations_kept > _ROUNDS_KEPT:
                self._iterations.clear()
                self._iterations_kept = 0
            try:
                found = self._iterations[key] = iterations_of(self, warp, nest)
            except UndecidedError:
                self.parting_nests.add(tuple([loop.header for loop in nest]))
                raise
            self._iterations_kept += found.count if found is not None else 0
        return self._iterations[key]

    @property
    def unsized(self) -> Self:
        """The launch in which all is found but where elements of open types are: the same for all
        their sizes, and asked once.
        """
        return self if self._unsized is None else self._unsized

    def sized(self, evaluator: WarpEvaluator) -> WarpEvaluator:
        """What an evaluator of `unsized` computes with this launch's size of elements."""
        places = self.facts.sized_places
        if self._unsized is None or places is None:
            return evaluator
        found = self._sized.get(evaluator)
        if found is None:
            found = self._sized[evaluator] = evaluator.in_iteration(self._element_sizes, places)
        return found

    def of_element(self, size: int) -> Self:
        """The same launch with a size for elements of open types."""
        other = type(self)(self.facts, replace(self.launch, element=size, elements=()))
        if self.facts.sized_places is not None:
            other._unsized = self
        return other

    def within(self, blocks: Box) -> Self:
        """The same launch, of which only these blocks are looked at."""
        return self._varied(replace(self.launch, blocks=blocks))

    def with_arguments(self, arguments: tuple[int | None, ...]) -> Self:
        """The same launch as if it passed these numbers."""
        return self.with_numbers(self.launch.grid, arguments)

    def with_numbers(self, grid: PartialDimensions, arguments: tuple[int | None, ...]) -> Self:
        """The same launch as if it had this grid and passed these numbers."""
        return self._varied(replace(self.launch, grid=grid, arguments=arguments))

    def with_block(self, block: Dimensions) -> Self:
        """The same launch with another block, whose threads may agree on other values."""
        return type(self)(self.facts, replace(self.launch, block=block))

    def briefly(self) -> Self:
        """The same launch, looked at briefly."""
        return self._varied(self.launch, brief=True)

    def _varied(self, launch: AssumedLaunch, *, brief: bool = False) -> Self:
        """Another launch in which the same threads agree on the same values."""
        other = type(self)(self.facts, launch)
        other.brief = brief or self.brief
        other.uniformity = self.uniformity
        if self._unsized is not None:  # all sizes share it
            known, key = (
                self._unsized._others,
                (launch.grid, launch.arguments, launch.blocks, brief),
            )
            if key not in known:
                known[key] = self._unsized._varied(
                    replace(launch, element=self._unsized.launch.element), brief=brief
                )
            other._unsized = known[key]
        return other

    def evaluator(self, warp: int) -> WarpEvaluator:
        """The evaluator of a warp, or of all, with symbols for what is not known; kept.

        Parameters hold what the launch passes for them.
        """
        found = self._evaluators.get(warp)
        if found is None:
            from ..warp_evaluation.lane_values import constant
            from ..warp_evaluation.warp_evaluator import WarpEvaluator

            passed: dict[Value, Outcome] = {p: constant(n) for p, n in self.passed.items()}
            passed |= self._element_sizes
            spans = self.warp_spans
            if warp == ALL_WARPS:
                assert spans is not None
                found = WarpEvaluator(self.shape, 0, None, passed, spans=True, axes=spans.axes)
            else:
                every = None if spans is None else (self.evaluator(ALL_WARPS), spans.numbers(warp))
                found = WarpEvaluator(self.shape, warp, None, passed, every=every)
            self._evaluators[warp] = found
        return found

    @cached_property
    def warp_spans(self) -> WarpSpans | None:
        """The threads of any warp of the block, where its warps are alike."""
        from ..warp_evaluation.iteration_spans import warp_spans

        return warp_spans(self.launch.block)

    def new_evaluator(
        self,
        warp: int,
        numbers: Callable[[Hashable], int | None],
        bound: Mapping[Value, Outcome] | None = None,
    ) -> WarpEvaluator:
        """An evaluator with numbers for symbols, and with values that hold throughout."""
        from ..warp_evaluation.warp_evaluator import WarpEvaluator

        return WarpEvaluator(self.shape, warp, numbers, {**self._element_sizes, **(bound or {})})

    def unnumbered_evaluator(self, warp: int) -> WarpEvaluator:
        """The evaluator of a warp that has no number for what the launch does not say; kept."""
        found = self._unnumbered.get(warp)
        if found is None:
            found = self._unnumbered[warp] = self.new_evaluator(warp, lambda _: None)
        return found

    @cached_property
    def _unnumbered(self) -> dict[int, WarpEvaluator]:
        return {}

    @cached_property
    def _element_sizes(self) -> dict[Value, Outcome]:
        """The sizes of types that nobody gives, where one is asked for."""
        from ..warp_evaluation.lane_values import constant
        from ..warp_evaluation.open_types import open_sizes

        size = self.launch.element
        if size is None:
            return {}
        return {each: constant(size) for each in open_sizes(self.facts)}

    @cached_property
    def passed(self) -> dict[Parameter, int]:
        """What parameters hold that are whole numbers or true or false (1 or 0): as the launch
        passes them, else as the source states.
        """
        from ...ir.types import Kind

        pairs = zip(self.facts.kernel.given, self.launch.arguments, strict=False)
        known = [(p, n) for p, n in pairs if n is not None]
        given = {p: n for p, n in known if p.type.kind is Kind.INTEGER}
        given |= {p: int(n != 0) for p, n in known if p.type.kind is Kind.PREDICATE}
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
            if access.address in self.facts.forward_slice(parameter)
        )

    def guards(self, evaluator: WarpEvaluator) -> Guards:
        """The guards as that evaluator sees them."""
        found = self._guards.get(evaluator)
        if found is None:
            from ..warp_evaluation.guards import Guards

            found = self._guards[evaluator] = Guards(self.shape, evaluator)
        return found

    def keep_guards(self, evaluator: WarpEvaluator, guards: Guards) -> None:
        """The guards as an evaluator inside of a loop sees them."""
        self._guards[evaluator] = guards

    def warps(self, limit: int = _WARPS) -> Iterator[int]:
        """Warps of the block to look at: all when few, else spread out, first and last included."""
        count = self.launch.warps
        most = _FEWER_WARPS if self.brief else _OF_GUESSED if self.launch.guessed else limit
        limit = min(limit, most)
        if count <= limit:
            yield from range(count)
        else:
            yield from sorted({i * (count - 1) // (limit - 1) for i in range(limit)})
