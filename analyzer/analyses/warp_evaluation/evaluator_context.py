"""What all evaluators of a launch depend on, and the names they share for what they compute."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ir.block import Block
    from ..dataflow.control_flow import ControlFlow, Loop
    from ..dataflow.evaluation_steps import EvaluationSteps
    from ..launch.assumed_launch import AssumedLaunch
    from .computation import Computation
    from .outcomes import Budget
    from .uniformity import UniformityAnalysis
    from .warp_evaluator import WarpEvaluator

#: The lanes that leave a loop together, and the evaluator of the iteration in which they do.
Exits = tuple[tuple[tuple[bool, ...], "WarpEvaluator"], ...]


@dataclass(frozen=True, slots=True)
class EvaluatorContext:
    """The facts that evaluators of warps stand on, for one launch."""

    flow: ControlFlow
    uniformity: UniformityAnalysis
    launch: AssumedLaunch
    budget: Budget
    steps: EvaluationSteps
    exits: Callable[[WarpEvaluator, Loop], Exits | None]
    names: dict[tuple[object, ...], Computation] = field(default_factory=dict)
    #: Sets of branches, one object for those that are equal: all warps have the same ones.
    branches: dict[frozenset[Block], frozenset[Block]] = field(default_factory=dict)
