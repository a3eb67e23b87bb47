"""A round of a loop nest: who is in it, and what a warp computes there.

In: a loop, what its phis hold, and what is known around it. Out: the values and masks inside, for
one round or for several that differ by their number only: a part of these, or one, is taken from
them when it must be looked at more closely. `loop_iterations.py` finds which rounds there are.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ...source.records import dataclass
from .guards import Guards
from .iteration_spans import Span, in_round, narrowed
from .lane_values import LaneValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from .facts import LaunchFacts
    from .guards import Guarded, Mask
    from .iteration_spans import Formula
    from .outcomes import Unevaluable
    from .warp_evaluator import Outcome, WarpEvaluator

Bound = dict["Value", "Outcome"]

_FEW = 4  # rounds that are looked at one by one


@dataclass(frozen=True, slots=True)
class Seen:
    """The addresses of an access in several rounds and who takes part, unless that differs."""

    value: Formula | Unevaluable
    guarded: Guarded | None = None


@dataclass(slots=True, eq=False)
class Inside:
    """What a warp computes inside a loop: in one round, or in several at once.

    `around` is what it computes outside of the loop, perhaps in several rounds of another one.
    """

    facts: LaunchFacts
    loop: Loop
    lanes: dict[Block, Guarded]  # by loop header, those still there
    bound: Bound  # the phis of the loop's header
    around: WarpEvaluator | Inside
    span: Span | None = None  # of this loop's rounds
    seen: dict[MemoryAccess, Seen] = field(default_factory=dict)  # in all of several rounds
    evaluator: WarpEvaluator = field(init=False)
    guards: Guards = field(init=False)
    _halves: tuple[Span, ...] = ()
    _parts: dict[Span, Inside] = field(default_factory=dict)

    def __post_init__(self) -> None:
        around = self.around.evaluator if isinstance(self.around, Inside) else self.around
        varying = self.facts.facts.variance.of(self.loop)
        self.evaluator = around.in_round(self.bound, varying, spans=self.span is not None)
        before = self.facts.guards(around)
        self.guards = Guards(self.facts.shape, self.evaluator, self.lanes, before, self.loop)
        self.evaluator.guards = self.guards

    @property
    def several(self) -> tuple[Inside, ...]:
        """The loops, innermost first, of which several rounds are looked at together."""
        outer = self.around.several if isinstance(self.around, Inside) else ()
        return outer if self.span is None else (self, *outer)

    def half(self, numbers: Mapping[Block, int]) -> Inside | None:
        """The half of the rounds that the one with these numbers is in; None for a few rounds."""
        owner = max(self.several, key=lambda item: _length(item.span), default=None)
        if owner is None or owner.span is None or _length(owner.span) < _FEW:
            return None
        header, first, last = owner.span.header, owner.span.first, owner.span.last
        if not owner._halves:
            middle = (first + last) // 2
            owner._halves = (Span(header, first, middle), Span(header, middle + 1, last))
        low, high = owner._halves
        return self._part(owner.span, low if numbers[header] <= low.last else high)

    def _part(self, span: Span, part: Span) -> Inside:
        """The same in a part of a span of rounds."""
        if part not in self._parts:
            around = self.around
            if isinstance(around, Inside) and any(span is item.span for item in around.several):
                around = around._part(span, part)
            bound: Bound = {
                phi: narrowed(value, span, part) if isinstance(value, LaneValue) else value
                for phi, value in self.bound.items()
            }
            own = part if span is self.span else self.span
            self._parts[part] = Inside(self.facts, self.loop, self.lanes, bound, around, own)
        return self._parts[part]

    def alone(self, numbers: Mapping[Block, int], around: WarpEvaluator | Inside) -> Inside:
        """The round with these numbers."""
        return Inside(self.facts, self.loop, self.lanes, bound_at(self.bound, numbers), around)


def _length(span: Span | None) -> int:
    return 0 if span is None else span.last - span.first + 1


@dataclass(slots=True, eq=False)
class Round:
    """One round of each loop of a nest: by loop header the lanes still there; what they compute.

    Where several rounds were computed at once, `alike` has what they have in common; what this one
    computes on its own is found when asked for.
    """

    lanes: dict[Block, Guarded] = field(default_factory=dict)
    numbers: dict[Block, int] = field(default_factory=dict)  # of the round, by loop header
    bodies: dict[Block, Mask] = field(default_factory=dict)  # the lanes that pass the loop's test
    inside: Inside | Callable[[], Inside] | None = None  # the innermost loop
    alike: Inside | None = None

    @property
    def own(self) -> Inside | None:
        """What this round computes; None outside of all loops."""
        if callable(self.inside):
            self.inside = self.inside()
        return self.inside

    @property
    def evaluator(self) -> WarpEvaluator | None:
        """The values of this round."""
        return None if self.own is None else self.own.evaluator

    @property
    def guards(self) -> Guards | None:
        """Who runs what in this round."""
        return None if self.own is None else self.own.guards


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a nest in the order in which the warp makes them."""

    rounds: tuple[Round, ...]
    complete: bool


def bound_at(bound: Bound, numbers: Mapping[Block, int]) -> Bound:
    """What phis hold in one of several rounds."""
    return {
        phi: in_round(value, numbers) if isinstance(value, LaneValue) else value
        for phi, value in bound.items()
    }
