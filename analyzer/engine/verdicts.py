"""What was asked about each conflict of a kernel before it was reported, or was not.

In: the facts of a kernel, with all doubts wanted (`AnalysisOptions.doubted`). Out: a verdict for
each thing that rules ask doubts about, from two accesses in conflict to a product that is widened
too late: in words, with its places, every question and its answer. Which launch and which scenario
a pair is judged in is what a run of `check` shows. Not handled: what registers decide, of which the
page of doubts says all there is.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ...rules._shared.races import place_name, thread_name, verb
from ..analyses.barriers.barrier_divergence import exit_candidates, split_candidates
from ..analyses.dataflow.alternative_paths import meets_all
from ..analyses.doubts.costs.candidates import ConstantCandidate, StrideCandidate
from ..analyses.doubts.doubts_of_costs import OF_BANKS, OF_CONSTANTS, OF_ROWS, OF_SECTORS
from ..analyses.doubts.question.doubt import answers
from ..analyses.doubts.registry import (
    OF_BARRIERS,
    OF_BOUNDS,
    OF_EXITS,
    OF_MASKS,
    OF_OVERRUNS,
    OF_PRODUCTS,
    OF_UPDATES,
    OF_WAITS,
)
from ..analyses.inter_block.cross_block import cross_block_waits
from ..analyses.memory_traffic.constant_reads import divergent_reads
from ..analyses.memory_traffic.narrow_products import narrow_products
from ..analyses.memory_traffic.sector_reuse import SectorReuse
from ..analyses.memory_traffic.symbolic_stride import symbolic_strides
from ..analyses.races.block_races import answers_about
from ..analyses.races.out_of_bounds import out_of_bounds
from ..analyses.races.scattered_updates import scattered_candidates
from ..analyses.warp_intrinsics.warp_members import mismatches
from ..ir.memory import Space
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
    """A candidate of a kernel, such as a conflict, and every doubt that was asked about it."""

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
    """The verdicts on all candidates of a kernel."""
    about = (
        *(_races, _bounds, _updates, _barriers, _waits, _masks),
        *(_constants, _strides, _sectors, _products),
    )
    return chain.from_iterable(each(facts) for each in about)


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
        f"{thread_name(race, first)} {verb(first.access)} {place_name(race)} on line {one}"
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
    for overrun in facts.overruns:
        yield Verdict(
            facts.kernel.label,
            "overrun",
            f"a thread goes beyond the end of {overrun.item.name} by the numbers of the launch",
            overrun.launch,
            (_span(overrun.access),),
            tuple(answers(OF_OVERRUNS, overrun)),
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


def _masks(facts: KernelFacts) -> Iterator[Verdict]:
    for found in mismatches(facts):
        if found.candidate is not None:
            yield Verdict(
                facts.kernel.label,
                "mask",
                "the member mask and the lanes that execute the operation do not fit together",
                found.candidate.launch.launch,
                (_span(found.operation),),
                tuple(answers(OF_MASKS, found.candidate)),
            )


def _constants(facts: KernelFacts) -> Iterator[Verdict]:
    for read in divergent_reads(facts):
        yield Verdict(
            facts.kernel.label,
            "constant-index",
            "the lanes of a warp do not agree on the address of a load from constant memory",
            read.launch,
            (_span(read.access),),
            tuple(answers(OF_CONSTANTS, ConstantCandidate(facts, read))),
        )


def _strides(facts: KernelFacts) -> Iterator[Verdict]:
    for space, subject, doubts in (
        (Space.GLOBAL, "row-stride", OF_ROWS),
        (Space.SHARED, "bank-stride", OF_BANKS),
    ):
        for stride in symbolic_strides(facts, space):
            candidate = StrideCandidate(facts, (stride,))
            yield Verdict(
                facts.kernel.label,
                subject,
                f"{' * '.join(stride.names)} decides how far the lanes of a warp are apart",
                facts.launches[0].launch,
                (_span(stride.address.access),),
                tuple(answers(doubts, candidate)),
            )


def _sectors(facts: KernelFacts) -> Iterator[Verdict]:
    uses = SectorReuse(facts)
    for access in facts.global_accesses:
        if not access.reason and access.ratio > 1:
            yield Verdict(
                facts.kernel.label,
                "sectors",
                "a warp moves more sectors than it must",
                access.launch,
                (_span(access.access),),
                tuple(answers(OF_SECTORS, uses.of(access))),
            )


def _products(facts: KernelFacts) -> Iterator[Verdict]:
    for found in narrow_products(facts):
        yield Verdict(
            facts.kernel.label,
            "narrow-product",
            "a product is computed in 32 bits and widened afterwards",
            facts.launches[0].launch,
            (_span(found.product),),
            tuple(answers(OF_PRODUCTS, found)),
        )
