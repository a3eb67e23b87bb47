"""An iteration of a loop nest: who is in it, and what a warp computes there.

In: a loop, what its phis hold, and what is known around it. Out: the values and masks inside, for
one iteration or for several that differ by their number only: a part of these, or one, is taken
from them when it must be looked at more closely. `loop_iterations.py` finds which iterations there
are.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ...source.records import dataclass
from .guards import Guards
from .iteration_spans import Span, in_iteration, narrowed
from .lane_values import LaneValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from .facts import WarpLaunch
    from .guards import Guarded, Mask
    from .iteration_spans import Counted, Formula, Numbers
    from .outcomes import Unevaluable
    from .warp_evaluator import Outcome, WarpEvaluator

Bound = dict["Value", "Outcome"]

_FEW = 4  # iterations that are looked at one by one


@dataclass(frozen=True, slots=True)
class Seen:
    """The addresses of an access in a warp's lanes in several iterations and who takes part, unless
    that differs.
    """

    value: Formula | Unevaluable
    guarded: Guarded | None = None


@dataclass(slots=True, eq=False)
class Inside:
    """What a warp computes inside a loop: in one iteration, or in several at once.

    `around` is what it computes outside of the loop, perhaps in several iterations of another one.
    """

    facts: WarpLaunch
    loop: Loop
    lanes: dict[Block, Guarded]  # by loop header, those still there
    bound: Bound  # the phis of the loop's header
    around: WarpEvaluator | Inside
    span: Span | None = None  # of this loop's iterations
    #: In all of several iterations, by the size of elements of open types that is asked for.
    seen: dict[tuple[MemoryAccess, int | None], Seen] = field(default_factory=dict)
    evaluator: WarpEvaluator = field(init=False)
    guards: Guards = field(init=False)
    _halves: tuple[Span, ...] = ()
    _cut: tuple[Span, ...] | None = None  # what `half` cuts, and its halves; None: not asked yet
    _parts: dict[Span, Inside] = field(default_factory=dict)

    def __post_init__(self) -> None:
        around = self.around.evaluator if isinstance(self.around, Inside) else self.around
        varying = self.facts.facts.variance.of(self.loop)
        self.evaluator = around.in_iteration(self.bound, varying, spans=self.span is not None)
        before = self.facts.guards(around)
        self.guards = Guards(self.facts.shape, self.evaluator, self.lanes, before, self.loop)
        self.facts.keep_guards(self.evaluator, self.guards)

    @property
    def several(self) -> tuple[Inside, ...]:
        """The loops, innermost first, of which several iterations are looked at together."""
        outer = self.around.several if isinstance(self.around, Inside) else ()
        return outer if self.span is None else (self, *outer)

    def half(self, numbers: Numbers) -> Inside | None:
        """The half of the iterations that the one with these numbers is in; None for a few
        iterations.
        """
        if self._cut is None:
            self._cut = self._cutting()
        if not self._cut:
            return None
        whole, low, high = self._cut
        part = low if numbers[whole.header] <= low.last else high
        return self._parts.get(part) or self._part(whole, part)

    def _cutting(self) -> tuple[Span, ...]:
        """The longest of the spans and its halves; none where there are few iterations."""
        owner = max(self.several, key=lambda item: _length(item.span), default=None)
        if owner is None or owner.span is None or _length(owner.span) < _FEW:
            return ()
        header, first, last = owner.span.header, owner.span.first, owner.span.last
        if not owner._halves:
            middle = (first + last) // 2
            owner._halves = (Span(header, first, middle), Span(header, middle + 1, last))
        return owner.span, *owner._halves

    def _part(self, span: Span, part: Span) -> Inside:
        """The same in a part of a span of iterations."""
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

    def alone(self, numbers: Numbers, around: WarpEvaluator | Inside) -> Inside:
        """The iteration with these numbers."""
        return Inside(self.facts, self.loop, self.lanes, bound_at(self.bound, numbers), around)


def _length(span: Span | None) -> int:
    return 0 if span is None else span.last - span.first + 1


@dataclass(slots=True, eq=False)
class Iteration:
    """One iteration of each loop of a nest, for a warp: by loop header the lanes still there; what
    they compute.

    Where several iterations were computed at once, `alike` has what they have in common; what this
    one computes on its own is found when asked for, with what is computed `around` the loop.
    """

    lanes: dict[Block, Guarded] = field(default_factory=dict)
    numbers: dict[Counted, int] = field(default_factory=dict)  # of the iteration, by loop header
    bodies: dict[Block, Mask] = field(default_factory=dict)  # the lanes that pass the loop's test
    inside: Inside | None = None  # the innermost loop
    alike: Inside | None = None
    around: WarpEvaluator | Inside | Iteration | None = None

    @property
    def own(self) -> Inside | None:
        """What this iteration computes; None outside of all loops."""
        if self.inside is None and self.alike is not None:
            around = self.around.own if isinstance(self.around, Iteration) else self.around
            assert around is not None
            self.inside = self.alike.alone(self.numbers, around)
        return self.inside

    @property
    def evaluator(self) -> WarpEvaluator | None:
        """The values of this iteration."""
        return None if self.own is None else self.own.evaluator

    @property
    def guards(self) -> Guards | None:
        """Who runs what in this iteration."""
        return None if self.own is None else self.own.guards


@dataclass(frozen=True, slots=True)
class Run:
    """Iterations of a warp one after the other that only the number of the innermost loop tells
    apart.
    """

    first: Iteration
    header: Block | None = None  # of that loop; None for one iteration outside of all loops
    count: int = 1

    def __iter__(self) -> Iterator[Iteration]:
        first, header = self.first, self.header
        yield first
        if header is not None:
            for number in range(first.numbers[header] + 1, first.numbers[header] + self.count):
                numbers = {**first.numbers, header: number}
                yield Iteration(
                    first.lanes, numbers, first.bodies, alike=first.alike, around=first.around
                )


@dataclass(frozen=True)
class Iterations:
    """The iterations of a loop nest in the order in which a warp makes them."""

    runs: tuple[Run, ...]
    complete: bool

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(run.count for run in self.runs)

    @cached_property
    def each(self) -> tuple[Iteration, ...]:
        """One by one; there may be thousands, where a run says all there is to say."""
        return tuple(chain.from_iterable(self.runs))


def bound_at(bound: Bound, numbers: Numbers) -> Bound:
    """What phis hold in the lanes of a warp, in one of several iterations."""
    return {
        phi: in_iteration(value, numbers) if isinstance(value, LaneValue) else value
        for phi, value in bound.items()
    }
