"""What fixing an access gains: its part of what the launch pays with.

In: an access that a rule found fault with, for the launch that it was judged for, or floats that
are computed as doubles. Out: a `Gain`, or None where the cost is not known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Severity
from ...analyzer.findings.gain import Confidence, Gain
from ...analyzer.hardware.throughput import Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...analyzer.analyses.arithmetic.double_arithmetic import DoubleArithmetic
    from ...analyzer.analyses.facts import KernelFacts, LaunchFacts
    from ...analyzer.analyses.memory_traffic.global_accesses import GlobalAccess
    from ...analyzer.analyses.memory_traffic.kernel_cost import AccessCost, KernelCost
    from ...analyzer.ir.operations import MemoryAccess
    from .accesses import Evaluated

    _Saving = tuple[KernelCost, Mapping[Resource, float]]

#: Of the kernel's time: what would save less is a note.
LITTLE = 0.05
#: Of the kernel's time: lanes that walk along rows of their own are reported from here on.
MUCH = 0.2
#: Of the kernel's time: what only another layout of the data saves is a warning from here on. Of
#: 65 such findings that were read as their owners would, 11 were worth it, hardly one below this.
MOST = 0.7
#: What a gain may differ by with other trip counts for loops that nobody knows them of.
_SPREAD = 0.15


def severity_by_gain(severity: Severity, gain: Gain | None, least: float = LITTLE) -> Severity:
    """How bad a cost is: a note where a fix is known to save less than `least`."""
    return Severity.NOTE if gain is not None and gain.when_large < least else severity


def severity_if_launched(severity: Severity, gain: Gain | None, least: float = LITTLE) -> Severity:
    """How bad it is how lanes go through global memory, which blocks of another shape may do in
    another way: a note, too, where nobody states the launch that it was counted for.
    """
    guessed = gain is not None and gain.confidence is Confidence.ASSUMED
    return Severity.NOTE if guessed else severity_by_gain(severity, gain, least)


def access_gain(
    facts: KernelFacts, *accesses: Evaluated, by: Resource | None = None
) -> Gain | None:
    """What accesses that are fixed together cost beyond the ideal, those of the first's launch; the
    share is of what they are said to waste, `by` another resource than their own.
    """
    launch = _launch(facts, accesses[0]) if accesses else None
    if launch is None:
        return None
    own = [each for each in accesses if each.launch is launch.launch]
    known = [cost for each in own if (cost := launch.cost.of(each.access)) is not None]
    if not known:
        return None

    def wasted(cost: KernelCost) -> _Saving:
        costs = [each for at in own if (each := cost.of(at.access)) is not None]
        return cost, _sum(each.wasted for each in costs)

    return _gain(launch, by or known[0].resource, wasted, _confidence_in(launch, known))


def swap_gain(facts: KernelFacts, access: GlobalAccess) -> Gain | None:
    """What it saves in all of the kernel to swap `threadIdx.x` and `threadIdx.y`, which other
    accesses may lose by; the share is of the sectors.
    """
    from ...analyzer.analyses.memory_traffic.global_accesses import exchange_of

    launch = _launch(facts, access)
    if launch is None or launch.cost.of(access.access) is None:
        return None
    outcomes = [each for each in launch.global_accesses if not each.reason]
    swaps = {each.access: swap for each in outcomes if (swap := exchange_of(each))}
    if access.access not in swaps:
        return access_gain(facts, access)

    def moved(cost: KernelCost) -> list[AccessCost]:
        return [
            each
            for each in cost.costs
            if each.access in swaps and each.resource is Resource.SECTORS
        ]

    def less(cost: AccessCost) -> dict[Resource, float]:
        factors = swaps[cost.access].factors(shared=cost.is_shared)
        return {each: units * (1.0 - factors[each]) for each, units in cost.uses.items()}

    def wasted(cost: KernelCost) -> _Saving:
        return cost, _sum(map(less, moved(cost)))

    confidence = _confidence_in(launch, moved(launch.cost))
    return _gain(launch, Resource.SECTORS, wasted, confidence)


def replay_gain(facts: KernelFacts, access: Evaluated, replays: float) -> Gain | None:
    """The gain of a finding when an access is issued once and not `replays` times more."""
    launch = _launch(facts, access)
    if launch is None:
        return None

    def wasted(cost: KernelCost) -> _Saving:
        units = replays * cost.weights.executions(access.access.block)
        used = {**cost.used, Resource.ISSUE_SLOTS: cost.used[Resource.ISSUE_SLOTS] + units}
        return replace(cost, used=used), {Resource.ISSUE_SLOTS: units}  # no part of it yet

    return _gain(launch, Resource.ISSUE_SLOTS, wasted, _confidence(launch))


def kept_gain(facts: KernelFacts, accesses: Sequence[MemoryAccess]) -> Gain | None:
    """What goes when accesses to one address are made once and not in every iteration of the loop
    around them; None where their cost is not known.
    """
    launch = facts.launches[0]
    known = [each for access in accesses if (each := launch.cost.of(access)) is not None]
    if len(known) < len(accesses):
        return None

    def again(cost: KernelCost, each: AccessCost) -> dict[Resource, float]:
        block = each.access.block
        part = 1.0 - 1.0 / cost.weights.trips(block)
        uses = {**each.uses, Resource.ISSUE_SLOTS: cost.weights.executions(block)}
        return {resource: units * part for resource, units in uses.items()}

    def wasted(cost: KernelCost) -> _Saving:
        costs = [each for access in accesses if (each := cost.of(access)) is not None]
        return cost, _sum(again(cost, each) for each in costs)

    return _gain(launch, known[0].resource, wasted, _confidence(launch))


def double_gain(facts: KernelFacts, groups: Sequence[DoubleArithmetic]) -> Gain | None:
    """What goes when floats are computed as floats, where that gains most, of all that the kernel
    computes in doubles; None where nothing says how fast doubles are.
    """
    work = [each for each in facts.double_arithmetic if not each.narrowed]

    def wasted(cost: KernelCost) -> _Saving:
        used = sum(_on_doubles(cost, facts, each) for each in work)
        less = sum(_on_doubles(cost, facts, each) for each in groups)
        return replace(cost, used={**cost.used, Resource.DOUBLES: used}), {Resource.DOUBLES: less}

    if any(launch.cost.machine.doubles is None for launch in facts.launches):
        return None
    found = [
        _gain(launch, Resource.DOUBLES, wasted, _confidence(launch)) for launch in facts.launches
    ]
    return max(found, key=lambda gain: gain.when_large, default=None)


def _on_doubles(cost: KernelCost, facts: KernelFacts, group: DoubleArithmetic) -> float:
    """How busy a group keeps the units for doubles. What widens the floats and makes a float of the
    result keeps them as busy.
    """
    from ...analyzer.analyses.arithmetic.double_arithmetic import conversions, double_work

    times = cost.weights.executions
    inside = sum(double_work(each) * times(each.block) for each in group.operations)
    return inside + sum(times(each.block) for each in conversions(group, facts.users))


def _launch(facts: KernelFacts, access: Evaluated) -> LaunchFacts | None:
    return next((each for each in facts.launches if each.launch is access.launch), None)


def stated(gain: Gain | None) -> Gain | None:
    """The gain that a finding tells: none that rests on trip counts that nobody knows, or leaves
    out what may take as long.
    """
    return gain if gain is not None and gain.firm else None


def _gain(
    launch: LaunchFacts,
    resource: Resource,
    wasted: Callable[[KernelCost], _Saving],
    confidence: Confidence,
) -> Gain:
    """`wasted` says what is used and what of it goes, for trip counts that are taken."""
    first, *others = [
        _saved(resource, *wasted(cost)) for cost in (launch.cost, *launch.cost.guesses)
    ]
    firm = not launch.cost.is_serialised and all(
        abs(one - other) <= _SPREAD
        for each in others
        for one, other in zip(first, each, strict=True)
    )
    share, time, large = first
    return Gain(share, resource.value, confidence, time, large, firm)


def _saved(
    resource: Resource, cost: KernelCost, wasted: Mapping[Resource, float]
) -> tuple[float, float, float]:
    """The share of a resource, of the time, and of the time of a large launch."""
    share = cost.share(resource, max(0.0, wasted.get(resource, 0.0)))
    large = cost.machine.saved(cost.used, wasted)
    return share, max(0.0, cost.saved(wasted)), max(0.0, large)


def _sum(found: Iterable[Mapping[Resource, float]]) -> dict[Resource, float]:
    total: dict[Resource, float] = {}
    for each in found:
        for resource, units in each.items():
            total[resource] = total.get(resource, 0.0) + units
    return total


def _confidence_in(launch: LaunchFacts, costs: Sequence[AccessCost]) -> Confidence:
    """The same where accesses may all be counted over the launch."""
    confidence = _confidence(launch)
    if confidence is Confidence.WEIGHTED and all(cost.counted or cost.sampled for cost in costs):
        sampled = any(cost.sampled for cost in costs)
        return Confidence.SAMPLED if sampled else Confidence.COUNTED
    return confidence


def _confidence(launch: LaunchFacts) -> Confidence:
    assumed = launch.launch
    stated = assumed.trusted and not (assumed.guessed or assumed.inferred)
    return Confidence.WEIGHTED if stated else Confidence.ASSUMED
