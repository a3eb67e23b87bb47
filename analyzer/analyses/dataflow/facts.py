"""What may be asked of a kernel's control flow and of how its values are made."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from ..launch.facts import BuildFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.kernel import Kernel, Module
    from ...ir.operations import MemoryAccess, Operation
    from ...ir.values import Parameter, Special, Value
    from ..launch.assumed_launch import AnalysisOptions
    from .alternative_paths import AlternativePaths
    from .compile_time import CompileTime
    from .control_flow import ControlFlow
    from .evaluation_steps import EvaluationSteps
    from .loop_variance import LoopVariance
    from .low_bits import LowBits

_Kind = TypeVar("_Kind", bound="Operation")


class DataflowFacts(BuildFacts):
    """The control flow of one kernel, and its values in SSA form."""

    def __init__(self, kernel: Kernel, module: Module, options: AnalysisOptions) -> None:
        super().__init__(kernel, module, options)
        self._forward_slices: dict[Parameter, frozenset[Value]] = {}

    @cached_property
    def is_tangled(self) -> bool:
        """Whether branches are too many, and too deep in each other, to find out anything."""
        from .tangle import is_tangled

        return is_tangled(self.flow)

    @cached_property
    def flow(self) -> ControlFlow:
        """Dominators, loops, control dependence."""
        from ..dataflow.control_flow import ControlFlow

        return ControlFlow(self.kernel)

    @cached_property
    def variance(self) -> LoopVariance:
        """Which values change from iteration to iteration of a loop."""
        from ..dataflow.loop_variance import LoopVariance

        return LoopVariance(self.flow)

    @cached_property
    def steps(self) -> EvaluationSteps:
        """How each value is found, and from which other values: for all warps and iterations."""
        from ..dataflow.evaluation_steps import EvaluationSteps

        return EvaluationSteps(self.flow)

    @cached_property
    def alternative_paths(self) -> AlternativePaths:
        """Where the threads go that do not take an edge."""
        from ..dataflow.alternative_paths import AlternativePaths

        return AlternativePaths(self)

    @cached_property
    def aligned_sizes(self) -> Mapping[Parameter, int]:
        """What sizes must be multiples of for vector accesses to be aligned."""
        from ..dataflow.aligned_sizes import aligned_sizes

        return aligned_sizes(self.kernel)

    @cached_property
    def low_bits(self) -> LowBits:
        """The lowest bits of values that the compiler knows."""
        from ..dataflow.low_bits import LowBits

        return LowBits(self.kernel, self.users)

    @cached_property
    def compile_time(self) -> CompileTime:
        """Which values are constants once loops are unrolled."""
        from ..dataflow.compile_time import CompileTime

        return CompileTime(self.kernel, self.flow, self.users)

    @cached_property
    def accesses(self) -> tuple[MemoryAccess, ...]:
        """Every memory access, in program order."""
        from ...ir.operations import MemoryAccess

        return tuple(self.every(MemoryAccess))

    @cached_property
    def address_parts(self) -> set[Value]:
        """Everything that has a part in where an access goes."""
        from ..dataflow.slices import backward_slice

        return set(backward_slice(*(access.address for access in self.accesses)))

    def every(self, kind: type[_Kind]) -> list[_Kind]:
        """The operations of one class and those derived from it, in program order."""
        return cast("list[_Kind]", self._by_class.get(kind, []))

    @cached_property
    def _by_class(self) -> dict[type[Operation], list[Operation]]:
        from ...ir.operations import Operation

        found: dict[type[Operation], list[Operation]] = {}
        for operation in self.kernel.operations():
            for kind in type(operation).__mro__:
                found.setdefault(kind, []).append(operation)
                if kind is Operation:
                    break
        return found

    @cached_property
    def registers(self) -> frozenset[Special]:
        """The special registers that the kernel asks for."""
        from ...ir.values import SpecialRegister

        return frozenset(each.register for each in self.users if isinstance(each, SpecialRegister))

    def is_used(self, operation: Operation) -> bool:
        """Whether anything takes the operation's result."""
        return operation in self.users

    @cached_property
    def users(self) -> dict[Value, list[Operation]]:
        """The operations that take a value."""
        from ...ir.operations import users_of

        return users_of(self.kernel.operations())

    def forward_slice(self, parameter: Parameter) -> frozenset[Value]:
        """A parameter, and everything that it has a part in."""
        if parameter not in self._forward_slices:
            from ..dataflow.slices import forward_slice

            self._forward_slices[parameter] = frozenset(forward_slice([parameter], self.users))
        return self._forward_slices[parameter]
