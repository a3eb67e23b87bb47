"""Everything the rules may ask about one kernel, computed when first asked.

In: a kernel, the module around it, the user's options. A rule's `check` gets one of these and
nothing else. What depends on the launch is kept per launch (`facts.py`).
"""

from __future__ import annotations

from functools import cached_property
from os.path import basename
from typing import TYPE_CHECKING, TypeVar, cast

from ..ir.usage import Usage, merge
from ..source.records import dataclass
from .launch.assumed_launch import AnalysisOptions, assume_launches
from .launch.kernel_size import most_to_run

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from ..hardware.architectures import Architecture
    from ..ir.kernel import Kernel, Module
    from ..ir.memory import MemoryObject
    from ..ir.operations import MemoryAccess, Operation
    from ..ir.values import Parameter, Special, Value
    from ..resources.ptxas_log import Advisory
    from .block_execution.run_plan import RunPlan
    from .conflicts.updates import Updates
    from .dataflow.alternative_paths import OtherWays
    from .dataflow.compile_time import CompileTime
    from .dataflow.control_flow import ControlFlow
    from .dataflow.evaluation_steps import EvaluationSteps
    from .dataflow.loop_variance import LoopVariance
    from .inter_block.critical_sections import CriticalSections
    from .inter_block.scopes import Pins
    from .inter_block.spins import Spin
    from .launch.assumed_launch import AssumedLaunch
    from .memory_traffic.global_accesses import GlobalAccess
    from .memory_traffic.shared_accesses import SharedAccess
    from .pointers.points_to import PointsTo
    from .pointers.unsettled_stores import UnsettledStores
    from .races.block_races import BlockRaces
    from .races.race_kinds import Race
    from .warp_evaluation.facts import LaunchFacts
    from .warp_evaluation.uniformity import UniformityAnalysis
    from .warp_evaluation.warp_evaluator import Budget

__all__ = ["AnalysisOptions", "KernelFacts"]

_Kind = TypeVar("_Kind", bound="Operation")


@dataclass(frozen=True, slots=True)
class Build:
    """What one kernel takes on one architecture."""

    arch: int
    usage: Usage


class KernelFacts:
    """The facts of one kernel."""

    def __init__(self, kernel: Kernel, module: Module, options: AnalysisOptions) -> None:
        self.kernel = kernel
        self.module = module
        self.options = options
        self._made_of: dict[Parameter, frozenset[Value]] = {}
        self._uniformity: dict[Hashable, UniformityAnalysis] = {}
        self.unfinished: set[str] = set()  # reasons why races were not looked for everywhere

    @cached_property
    def size(self) -> int:
        """The operations of the kernel: what it costs to look into it grows with them."""
        return sum(len(block.operations) for block in self.kernel.blocks)

    @property
    def is_too_large(self) -> bool:
        """Whether it would take too long to look into the kernel at all."""
        return self.size > self.options.kernel_size

    @cached_property
    def runs_blocks(self) -> bool:
        """Whether blocks of the kernel are run to look for races, or that would take too long."""
        most = most_to_run(self.options.kernel_size)
        if self.size > most:
            self.unfinished.add(f"it has more than {most:,} operations")
        return self.size <= most

    @cached_property
    def budget(self) -> Budget:
        """What is left of the work that one kernel may cost."""
        from .warp_evaluation.outcomes import kernel_budget

        return kernel_budget(self.size)

    @cached_property
    def spins(self) -> tuple[Spin, ...]:
        """The loops that wait for something in global memory."""
        from .inter_block.spins import spins

        return tuple(spins(self))

    @cached_property
    def block_pins(self) -> Pins:
        """Where it is known what blockIdx is."""
        from .inter_block.scopes import block_pins

        return block_pins(self.flow.blocks)

    @cached_property
    def architecture(self) -> Architecture:
        """The machine the kernel is analysed for."""
        from ..hardware.architectures import architecture

        return architecture(self.options.arch)

    @cached_property
    def _symbol(self) -> str | None:
        evidence = self.options.evidence
        return None if evidence is None else evidence.symbol_of(self.kernel)

    @cached_property
    def builds(self) -> tuple[Build, ...]:
        """What compilers made of the kernel, one entry for each architecture they were run for."""
        evidence, symbol = self.options.evidence, self._symbol
        if evidence is None or symbol is None or symbol not in evidence.symbols():
            return ()
        arches = evidence.architectures(symbol) or [self.options.arch]
        return tuple(
            Build(arch, merge(evidence.usage(symbol, arch), self.kernel.usage(arch)))
            for arch in arches
        )

    @cached_property
    def build(self) -> Build:
        """The architecture asked for, or the latest that it was built for, with what is known."""
        asked = next((build for build in self.builds if build.arch == self.options.arch), None)
        if asked is None and self.builds:
            return self.builds[-1]
        return asked or Build(self.options.arch, self.kernel.usage(self.options.arch))

    @cached_property
    def advisories(self) -> tuple[Advisory, ...]:
        """The warnings of compilers about this kernel, each once."""
        evidence = self.options.evidence
        found = [] if evidence is None else evidence.advisories
        own = (item for item in found if self._is_about_this(item))
        return tuple({(item.code, item.text): item for item in own}.values())

    def _is_about_this(self, advisory: Advisory) -> bool:
        """Whether a warning names this kernel, or a line of it."""
        if advisory.function is not None:
            return advisory.function == self._symbol
        body = self.kernel.body_span
        inside = advisory.line is not None and body.line <= advisory.line <= body.end_line
        return inside and self.speaks_of_file(advisory)

    def speaks_of_file(self, advisory: Advisory) -> bool:
        """Whether the lines of a warning are those of this file."""
        if advisory.path is None or self.kernel.language != "ptx":
            return False
        return basename(advisory.path) == basename(self.kernel.span.path)

    @cached_property
    def flow(self) -> ControlFlow:
        """Dominators, loops, control dependence."""
        from .dataflow.control_flow import ControlFlow

        return ControlFlow(self.kernel)

    @cached_property
    def variance(self) -> LoopVariance:
        """Which values change from round to round of a loop."""
        from .dataflow.loop_variance import LoopVariance

        return LoopVariance(self.flow)

    @cached_property
    def steps(self) -> EvaluationSteps:
        """What each value needs to be computed."""
        from .dataflow.evaluation_steps import EvaluationSteps

        return EvaluationSteps(self.flow)

    @cached_property
    def points_to(self) -> PointsTo:
        """Which objects addresses lead into."""
        from .pointers.points_to import PointsTo

        return PointsTo(self.kernel, self.users)

    @cached_property
    def other_ways(self) -> OtherWays:
        """Where the threads go that do not take an edge."""
        from .dataflow.alternative_paths import OtherWays

        return OtherWays(self)

    @cached_property
    def critical_sections(self) -> CriticalSections:
        """What locks and flags may put in order."""
        from .inter_block.critical_sections import CriticalSections

        return CriticalSections(self)

    @cached_property
    def updates(self) -> Updates:
        """The stores that write back what they have loaded."""
        from .conflicts.updates import updates

        return updates(self)

    @cached_property
    def aligned_sizes(self) -> Mapping[Parameter, int]:
        """What sizes must be multiples of for vector accesses to be aligned."""
        from .dataflow.aligned_sizes import aligned_sizes

        return aligned_sizes(self.kernel)

    @cached_property
    def compile_time(self) -> CompileTime:
        """Which values are constants once loops are unrolled."""
        from .dataflow.compile_time import CompileTime

        return CompileTime(self.kernel, self.flow)

    @cached_property
    def launches(self) -> tuple[LaunchFacts, ...]:
        """The launches the kernel is analysed for; at least one."""
        from .warp_evaluation.facts import LaunchFacts

        launches = assume_launches(self.kernel, self.options)
        if self.options.infer and (not launches[0].trusted or launches[0].guessed):
            from .block_shape.block_inference import infer_block

            inferred = infer_block(self, launches[0])
            launches = launches if inferred is None else (inferred,)
        return tuple(LaunchFacts(self, launch) for launch in launches)

    def uniformity_in(self, launch: AssumedLaunch) -> UniformityAnalysis:
        """Who agrees on which value in a launch; halves of a block mostly agree alike."""
        from .warp_evaluation.uniformity import UniformityAnalysis, asked_of_shape

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

    @cached_property
    def _unsettled(self) -> UnsettledStores:
        from .pointers.unsettled_stores import UnsettledStores

        return UnsettledStores(self.kernel, self.points_to)

    def of_launch(self, launch: AssumedLaunch) -> LaunchFacts:
        """The facts of one of the launches."""
        return next(item for item in self.launches if item.launch is launch)

    @cached_property
    def accesses(self) -> tuple[MemoryAccess, ...]:
        """Every memory access, in program order."""
        from ..ir.operations import MemoryAccess

        return tuple(self.every(MemoryAccess))

    @cached_property
    def writers(self) -> Mapping[MemoryObject | None, Sequence[MemoryAccess]]:
        """The accesses that may write an object, in program order; under None: any object."""
        found: dict[MemoryObject | None, list[MemoryAccess]] = {}
        for access in self.accesses:
            for item in self.points_to.touched(access) if access.writes else ():
                found.setdefault(item, []).append(access)
        return found

    def every(self, kind: type[_Kind]) -> list[_Kind]:
        """The operations of one class, in program order."""
        return cast("list[_Kind]", self._by_class.get(kind, []))

    @cached_property
    def _by_class(self) -> dict[type[Operation], list[Operation]]:
        found: dict[type[Operation], list[Operation]] = {}
        for operation in self.kernel.operations():
            found.setdefault(type(operation), []).append(operation)
        return found

    @cached_property
    def registers(self) -> frozenset[Special]:
        """The special registers that the kernel asks for."""
        from ..ir.values import SpecialRegister

        return frozenset(each.register for each in self.users if isinstance(each, SpecialRegister))

    def is_used(self, operation: Operation) -> bool:
        """Whether anything takes the operation's result."""
        return operation in self.users

    @cached_property
    def users(self) -> dict[Value, list[Operation]]:
        """The operations that take a value."""
        from ..ir.operations import users_of

        return users_of(self.kernel.operations())

    @cached_property
    def uses_of_objects(self) -> dict[MemoryObject, list[tuple[Operation, int]]]:
        """For each object the operations that get an address in it, and as which operand."""
        uses: dict[MemoryObject, list[tuple[Operation, int]]] = {}
        for operation in self.kernel.operations():
            for place, operand in enumerate(operation.operands):
                for item in self.points_to.of(operand):
                    if item is not None:
                        uses.setdefault(item, []).append((operation, place))
        return uses

    def made_of(self, parameter: Parameter) -> frozenset[Value]:
        """A parameter, and everything that it has a part in."""
        if parameter not in self._made_of:
            from .dataflow.slices import made_of

            self._made_of[parameter] = frozenset(made_of([parameter], self.users))
        return self._made_of[parameter]

    @cached_property
    def shared_accesses(self) -> tuple[SharedAccess, ...]:
        """Every access to shared memory, each for the launch that it fares worst with."""
        from .memory_traffic.shared_accesses import worst_launch

        return tuple(
            map(worst_launch, zip(*(x.shared_accesses for x in self.launches), strict=True))
        )

    @cached_property
    def global_accesses(self) -> tuple[GlobalAccess, ...]:
        """Every access to global memory, each for the launch that it fares worst with."""
        from .memory_traffic.global_accesses import worst_launch

        return tuple(
            map(worst_launch, zip(*(x.global_accesses for x in self.launches), strict=True))
        )

    @cached_property
    def block_races(self) -> tuple[BlockRaces, ...]:
        """One block of each launch, run as a whole; none where the kernel is too large."""
        from .races.block_races import BlockRaces

        return tuple(map(BlockRaces, self.launches)) if self.runs_blocks else ()

    @cached_property
    def races(self) -> tuple[Race, ...]:
        """The races inside a block, one for each pair of accesses, for all launches together."""
        from .pointers.opaque_elements import with_elements
        from .races.block_races import races

        # It is looked into a second time.
        twice = 2 * self.size <= most_to_run(self.options.kernel_size)
        kernel = with_elements(self) if twice else None
        if kernel is None:
            return races(self)
        sized = KernelFacts(kernel, self.module, self.options)
        found = races(sized)
        self.unfinished |= sized.unfinished
        return found

    @cached_property
    def plan(self) -> RunPlan:
        """What runs of the kernel have in common."""
        from .block_execution.run_plan import RunPlan

        return RunPlan(self)

    @cached_property
    def unanalysed(self) -> tuple[tuple[str, str, int], ...]:
        """What was seen and not analysed: kind, reason, how often."""
        from .memory_traffic.coverage import unanalysed

        return unanalysed(self)
