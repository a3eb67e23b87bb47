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
    from collections.abc import Mapping, Sequence

    from ...analyzer.analyses.arithmetic.double_arithmetic import DoubleArithmetic
    from ...analyzer.analyses.facts import KernelFacts, LaunchFacts
    from ...analyzer.analyses.memory_traffic.kernel_cost import KernelCost
    from ...analyzer.ir.operations import MemoryAccess
    from .accesses import Evaluated

#: Of the kernel's time: what would save less is a note.
LITTLE = 0.05
#: Of the kernel's time: lanes that walk along rows of their own are reported from here on.
MUCH = 0.2
#: Of the kernel's time: what only another layout of the data saves is a warning from here on. Of
#: 65 such findings that were read as their owners would, 11 were worth it, hardly one below this.
MOST = 0.7


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
    confidence = _confidence(launch)
    if confidence is Confidence.WEIGHTED and all(cost.counted or cost.sampled for cost in known):
        sampled = any(cost.sampled for cost in known)
        confidence = Confidence.SAMPLED if sampled else Confidence.COUNTED
    wasted: dict[Resource, float] = {}
    for cost in known:
        for each, units in cost.wasted.items():
            wasted[each] = wasted.get(each, 0.0) + units
    return _gain(launch.cost, by or known[0].resource, wasted, confidence)


def replay_gain(facts: KernelFacts, access: Evaluated, replays: float) -> Gain | None:
    """The gain of a finding when an access is issued once and not `replays` times more."""
    launch = _launch(facts, access)
    if launch is None:
        return None
    cost = launch.cost
    units = replays * cost.weights.executions(access.access.block)
    used = {**cost.used, Resource.ISSUE_SLOTS: cost.used[Resource.ISSUE_SLOTS] + units}
    cost = replace(cost, used=used)  # replays are not a part of it
    return _gain(cost, Resource.ISSUE_SLOTS, {Resource.ISSUE_SLOTS: units}, _confidence(launch))


def kept_gain(facts: KernelFacts, accesses: Sequence[MemoryAccess]) -> Gain | None:
    """What goes when accesses to one address are made once and not in every iteration of the loop
    around them; None where their cost is not known.
    """
    launch = facts.launches[0]
    cost = launch.cost
    known = [each for access in accesses if (each := cost.of(access)) is not None]
    if len(known) < len(accesses):
        return None
    wasted: dict[Resource, float] = {}
    for each in known:
        block = each.access.block
        again = 1.0 - 1.0 / cost.weights.trips(block)
        slots = cost.weights.executions(block)
        for resource, units in {**each.uses, Resource.ISSUE_SLOTS: slots}.items():
            wasted[resource] = wasted.get(resource, 0.0) + units * again
    return _gain(cost, known[0].resource, wasted, _confidence(launch))


def double_gain(facts: KernelFacts, groups: Sequence[DoubleArithmetic]) -> Gain | None:
    """What goes when floats are computed as floats, where that gains most, of all that the kernel
    computes in doubles; None where nothing says how fast doubles are.
    """
    found = []
    for launch in facts.launches:
        cost = launch.cost
        if cost.machine.doubles is None:
            return None
        work = [each for each in facts.double_arithmetic if not each.narrowed]
        used = sum(_on_doubles(launch, each) for each in work)
        less = {Resource.DOUBLES: sum(_on_doubles(launch, each) for each in groups)}
        cost = replace(cost, used={**cost.used, Resource.DOUBLES: used})
        found.append(_gain(cost, Resource.DOUBLES, less, _confidence(launch)))
    return max(found, key=lambda gain: gain.when_large, default=None)


def _on_doubles(launch: LaunchFacts, group: DoubleArithmetic) -> float:
    """How busy a group keeps the units for doubles. What widens the floats and makes a float of the
    result keeps them as busy.
    """
    from ...analyzer.analyses.arithmetic.double_arithmetic import conversions, double_work

    times = launch.cost.weights.executions
    inside = sum(double_work(each) * times(each.block) for each in group.operations)
    return inside + sum(times(each.block) for each in conversions(group, launch.facts.users))


def _launch(facts: KernelFacts, access: Evaluated) -> LaunchFacts | None:
    return next((each for each in facts.launches if each.launch is access.launch), None)


def _gain(
    cost: KernelCost, resource: Resource, wasted: Mapping[Resource, float], confidence: Confidence
) -> Gain:
    share = cost.share(resource, wasted.get(resource, 0.0))
    large = cost.machine.saved(cost.used, wasted)
    return Gain(share, resource.value, confidence, cost.saved(wasted), large)


def _confidence(launch: LaunchFacts) -> Confidence:
    assumed = launch.launch
    stated = assumed.trusted and not (assumed.guessed or assumed.inferred)
    return Confidence.WEIGHTED if stated else Confidence.ASSUMED
