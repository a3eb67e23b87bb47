"""What was asked about each conflict of a kernel before it was reported, or was not.

In: the facts of a kernel, with all doubts wanted (`AnalysisOptions.doubted`). Out: a verdict for
each pair of accesses that conflict, each access beyond the end of an array, each update at an index
from memory, each barrier that a decision may split and each wait for other blocks: in words, with
its places, every question and its answer. Which launch and which scenario a pair is judged in is
what a run of `check` shows.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ...rules._shared.races import place_name, thread_name, verb
from ..analyses.barriers.barrier_divergence import exit_candidates, split_candidates
from ..analyses.dataflow.alternative_paths import meets_all
from ..analyses.doubts.question.doubt import answers
from ..analyses.doubts.registry import OF_BARRIERS, OF_BOUNDS, OF_EXITS, OF_UPDATES, OF_WAITS
from ..analyses.inter_block.cross_block import cross_block_waits
from ..analyses.races.block_races import answers_about
from ..analyses.races.out_of_bounds import out_of_bounds
from ..analyses.races.scattered_updates import scattered_candidates
from ..ir.operations import Barrier
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.doubts.question.doubt import Answer
    from ..analyses.facts import KernelFacts
    from ..analyses.launch.assumed_launch import AssumedLaunch
    from ..analyses.races.race import Race
    from ..ir.operations import Operation
    from ..source.text import Span


@dataclass(frozen=True, slots=True)
class Verdict:
    """A conflict, and every question that is asked about it."""

    kernel: str
    subject: str  # as the registry of doubts names it
    text: str
    launch: AssumedLaunch
    spans: tuple[Span, ...]
    answers: tuple[Answer, ...]

    @property
    def outcome(self) -> str:
        """`definite`, `possible` or `not reported`."""
        holding = [each.doubt for each in self.answers if each.holds]
        if any(doubt.is_benign for doubt in holding):
            return "not reported"
        return "possible" if holding else "definite"


def verdicts(facts: KernelFacts) -> Iterator[Verdict]:
    """All verdicts of a kernel: races, array ends, updates, barriers."""
    return chain(_races(facts), _bounds(facts), _updates(facts), _barriers(facts), _waits(facts))


def _span(operation: Operation) -> Span:
    return operation.location.span


def _races(facts: KernelFacts) -> Iterator[Verdict]:
    for race in (*facts.races, *facts.silenced_races):
        yield Verdict(
            facts.kernel.label,
            race.kind.subject,
            _of_race(race),
            race.races.launch.launch,
            tuple(map(_span, race.candidate.accesses)),
            tuple(answers_about(race.candidate)),
        )


def _of_race(race: Race) -> str:
    first, second = race.conflict.first, race.conflict.second
    one, other = (each.access.location.span.line for each in (first, second))
    return (
        f"{thread_name(race, first)} {verb(first.access)} {place_name(race.conflict)} on line {one}"
        f" and {thread_name(race, second)} {verb(second.access)} it on line {other}"
    )


def _bounds(facts: KernelFacts) -> Iterator[Verdict]:
    for found in out_of_bounds(facts):
        candidate = found.candidate
        with candidate.context.aside():
            asked = tuple(answers(OF_BOUNDS, candidate))
        yield Verdict(
            facts.kernel.label,
            "out-of-bounds",
            f"a thread goes beyond the end of {found.outside.item.name}",
            candidate.context.launch.launch,
            (_span(candidate.access),),
            asked,
        )


def _updates(facts: KernelFacts) -> Iterator[Verdict]:
    for candidate in scattered_candidates(facts):
        yield Verdict(
            facts.kernel.label,
            "scattered-update",
            f"{candidate.threads} threads make an update at an index that comes from memory",
            candidate.context.launch.launch,
            (_span(candidate.store),),
            tuple(answers(OF_UPDATES, candidate)),
        )


def _waits(facts: KernelFacts) -> Iterator[Verdict]:
    for found in cross_block_waits(facts):
        yield Verdict(
            facts.kernel.label,
            "wait",
            f"a block waits for others ({found.kind.value})",
            facts.launches[0].launch,
            (_span(found.operation),),
            tuple(answers(OF_WAITS, found)),
        )


def _barriers(facts: KernelFacts) -> Iterator[Verdict]:
    for barrier in filter(meets_all, facts.every(Barrier)):
        for launch in facts.launches:
            for split in split_candidates(launch, barrier):
                decision = split.edge.branch.terminator
                line = decision.location.span.line
                yield Verdict(
                    facts.kernel.label,
                    "divergent-barrier",
                    f"the condition on line {line} may keep threads away from {barrier.name}",
                    launch.launch,
                    (_span(barrier), _span(decision)),
                    tuple(answers(OF_BARRIERS, split)),
                )
            for leaving in exit_candidates(launch, barrier):
                decision = leaving.edge.branch.terminator
                line = decision.location.span.line
                yield Verdict(
                    facts.kernel.label,
                    "partial-exit",
                    f"threads leave the kernel on line {line}, before {barrier.name}",
                    launch.launch,
                    (_span(decision), _span(barrier)),
                    tuple(answers(OF_EXITS, leaving)),
                )
