"""Everything the rules may ask about one kernel, computed when first asked.

In: a kernel, the module around it, the user's options. A rule's `check` gets one of these and
nothing else. What can be asked stands in the rooms, each with a class `...Facts` for the kernel and
one for a launch of it:

launch < dataflow < pointers < warp_evaluation < block_execution < memory_traffic < inter_block <
conflicts < races < barriers

A class knows all that stands before it; these two know everything.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from .barriers.facts import BarrierFacts, BarrierLaunch
from .launch.assumed_launch import AnalysisOptions, assume_launches, contradicts
from .launch.usual_blocks import usual_blocks
from .warp_evaluation.open_types import ELEMENTS, has_open_types

if TYPE_CHECKING:
    from .arithmetic.double_arithmetic import DoubleArithmetic
    from .array_bounds.overruns import Overrun
    from .barriers.redundant_barriers import RedundantBarrier
    from .memory_traffic.kernel_cost import KernelCost
    from .storage.unwritten_parts import UnwrittenPart

__all__ = ["AnalysisOptions", "KernelFacts", "LaunchFacts"]


class KernelFacts(BarrierFacts):
    """All facts that a rule may ask of one kernel, each found when it is first asked for."""

    @cached_property
    def launches(self) -> tuple[LaunchFacts, ...]:
        """The launches the kernel is analysed for; at least one."""
        launches = assume_launches(self.kernel, self.options)
        if self.options.infer and (not launches[0].trusted or launches[0].guessed):
            from .block_shape.block_inference import infer_block

            inferred = infer_block(self, launches[0])
            if inferred is not None and not contradicts(self.kernel, inferred.block):
                launches = (inferred,)
        bound = self.kernel.bounds.max_threads
        shapes = () if launches[0].trusted else usual_blocks(self.registers, bound)
        elements = ELEMENTS if has_open_types(self) else ()
        if shapes or elements:
            launches = tuple(replace(each, usual=shapes, elements=elements) for each in launches)
        return tuple(LaunchFacts(self, launch) for launch in launches)

    @cached_property
    def overruns(self) -> tuple[Overrun, ...]:
        """The accesses that leave their arrays in a launch whose numbers are known."""
        from .array_bounds.overruns import overruns

        return overruns(self)

    @cached_property
    def unwritten_parts(self) -> tuple[UnwrittenPart, ...]:
        """The parts of shared arrays that are read although nobody writes them."""
        from .storage.unwritten_parts import unwritten_parts

        return tuple(unwritten_parts(self))

    @cached_property
    def double_arithmetic(self) -> tuple[DoubleArithmetic, ...]:
        """What is computed in double precision, by the operations that feed each other."""
        from .arithmetic.double_arithmetic import double_arithmetic

        return tuple(double_arithmetic(self.kernel, self.users))

    @cached_property
    def redundant_barriers(self) -> tuple[RedundantBarrier, ...]:
        """The barriers that can go, all together."""
        from .barriers.redundant_barriers import redundant_barriers

        return redundant_barriers(self)


class LaunchFacts(BarrierLaunch):
    """All facts that a rule may ask of one launch of a kernel."""

    facts: KernelFacts

    @cached_property
    def cost(self) -> KernelCost:
        """The work of the launch (sectors, wavefronts, instructions), and each access's share."""
        from .memory_traffic.kernel_cost import kernel_cost

        return kernel_cost(self)
